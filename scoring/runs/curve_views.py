"""One run's curves: RBP against depth and against p, precision against recall."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Qrels, Run
from scoring.charts.run_curves import (
    depth_figure,
    eleven_points_figure,
    persistence_figure,
    saw_tooth_figure,
)
from scoring.curve_tables import depth_csv, persistence_csv, precision_csv, recall_csv
from scoring.run_curves import RunCurves, gains_offered, run_curves
from scoring.views.analysed import attached_csv

Maker = Callable[[Run, Qrels | None, RunCurves | None], str]


@require_safe
def curves_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _run(request, slug, public_id)
    curves = run_curves(viewer, run, request.GET)
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "run": run,
        "curves": curves,
        "gains": gains_offered(viewer),
        **(_figures(curves) if curves else {}),
    }
    return render(request, "scoring/run_curves.html", context)


@require_safe
def depth_table(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    return _table(request, slug, public_id, depth_csv, "depth")


@require_safe
def persistence_table(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    return _table(request, slug, public_id, persistence_csv, "p")


@require_safe
def recall_table(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    return _table(request, slug, public_id, recall_csv, "recall")


@require_safe
def precision_table(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    return _table(request, slug, public_id, precision_csv, "precision")


def _table(request: HttpRequest, slug: str, public_id: str, make: Maker, what: str) -> HttpResponse:
    viewer, run = _run(request, slug, public_id)
    curves = run_curves(viewer, run, request.GET)
    text = make(run, viewer.campaign.active_qrels, curves)
    return attached_csv(text, f"{slug}-run-{public_id}-{what}")


def _figures(curves: RunCurves) -> dict[str, Any]:
    return {
        "depth_figure": depth_figure(curves) if curves.by_depth else None,
        "p_figure": persistence_figure(curves) if curves.by_persistence else None,
        "recall_figure": eleven_points_figure(curves) if curves.counted else None,
        "saw_figure": saw_tooth_figure(curves) if curves.ranks else None,
    }


def _run(request: HttpRequest, slug: str, public_id: str) -> tuple[access.Viewer, Run]:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    return viewer, access.run_or_404(viewer, public_id)
