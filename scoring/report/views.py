"""The tables and figures of the RBP paper for this campaign, on one page to be printed."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.charts.bounds import bounds_by_p, bounds_by_rank
from scoring.charts.pools import pool_scatter
from scoring.exports.latex_studies import report_agreement_latex
from scoring.models import Analysis
from scoring.pool_choices import chosen_depth
from scoring.report_rows import Report, report
from scoring.report_tables import agreement_csv, bounds_csv
from scoring.snapshots import newest_snapshot
from scoring.views.analysed import (
    LOOK_AGAIN,
    attached_csv,
    attached_latex,
    cited_by,
    hidden_page,
    latex_names,
    not_computed_yet,
)

POOLS_DRAWN = ("pool", "all")


@require_safe
def report_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    found = report(viewer, chosen_depth(request.GET))
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "found": found,
        "citation": cited_by(request, viewer.campaign, newest_snapshot(viewer)),
        "depths": found.pool.offered,
        "counts": [(row, row.by("none")) for row in found.counts],
        "scatters": [
            (study, pool_scatter(study, f"pool {found.pool_words}")) for study in found.pools
        ],
        **_figures(found),
    }
    response = render(request, "scoring/report.html", context)
    if found.waits:
        response["Refresh"] = str(LOOK_AGAIN)
    return response


@require_safe
def agreement_table(request: HttpRequest, slug: str) -> HttpResponse:
    found = _found(request, slug)
    if found.analyses and found.analyses[0].state != Analysis.State.DONE:
        return not_computed_yet(found.analyses[0])
    return attached_csv(agreement_csv(found), f"{slug}-report-agreement")


@require_safe
def agreement_tex(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    found = report(viewer, chosen_depth(request.GET))
    if found.analyses and found.analyses[0].state != Analysis.State.DONE:
        return not_computed_yet(found.analyses[0])
    text = report_agreement_latex(found, **latex_names(request, viewer))
    return attached_latex(text, f"{slug}-report-agreement")


@require_safe
def bounds_table(request: HttpRequest, slug: str) -> HttpResponse:
    found = _found(request, slug)
    if found.persistences and found.analyses and found.analyses[-1].state != Analysis.State.DONE:
        return not_computed_yet(found.analyses[-1])
    return attached_csv(bounds_csv(found), f"{slug}-report-bounds")


def _found(request: HttpRequest, slug: str) -> Report:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    return report(viewer, chosen_depth(request.GET))


def _figures(found: Report) -> dict[str, Any]:
    if not found.bounds:
        return {}
    first = found.bounds[0]
    return {
        "first": first,
        "by_rank": [
            (name, bounds_by_rank(first, at, found.persistences))
            for at, name in enumerate(POOLS_DRAWN)
        ],
        "by_p": bounds_by_p(found.bounds, found.pool_words),
    }
