"""Curves of a run: RBP as a function of depth and of p, precision against recall."""

from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Qrels, Run
from scoring.output.responses import TableResponse, table_response
from scoring.output.table import Table
from scoring.runs.curve_charts import (
    depth_figure,
    eleven_points_figure,
    persistence_figure,
    saw_tooth_figure,
)
from scoring.runs.curves import RunCurves, gains_offered, run_curves
from scoring.runs.tables import depth_table, persistence_table, precision_table, recall_table

TABLES: Final[dict[str, Callable[[Run, Qrels | None, RunCurves | None], Table]]] = {
    "depth": depth_table,
    "p": persistence_table,
    "recall": recall_table,
    "precision": precision_table,
}


@require_safe
def curves_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _run(request, slug, public_id)
    curves = run_curves(viewer, run, request.GET)
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "run": run,
        "qrels": viewer.campaign.active_qrels,
        "curves": curves,
        "gains": gains_offered(viewer),
        **(_figures(curves) if curves else {}),
    }
    return render(request, "scoring/runs/run_curves.html", context)


@require_safe
def curve_csv(request: HttpRequest, slug: str, public_id: str, curve: str) -> TableResponse:
    """One of TABLES."""
    viewer, run = _run(request, slug, public_id)
    curves = run_curves(viewer, run, request.GET)
    qrels, name = viewer.campaign.active_qrels, f"{slug}-run-{public_id}-{curve}"
    return table_response(request, TABLES[curve](run, qrels, curves), name, qrels=[qrels])


def _figures(curves: RunCurves) -> dict[str, Any]:
    return {
        "depth_figure": depth_figure(curves) if curves.by_depth else None,
        "p_figure": persistence_figure(curves) if curves.by_persistence else None,
        "recall_figure": eleven_points_figure(curves) if curves.counted else None,
        "saw_figure": saw_tooth_figure(curves) if curves.ranks else None,
    }


def _run(request: HttpRequest, slug: str, public_id: str) -> tuple[access.Viewer, Run]:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    return viewer, access.run_or_404(viewer, public_id)
