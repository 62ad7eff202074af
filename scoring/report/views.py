"""The tables and figures of the RBP paper for this campaign, on one page to be printed."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.analyses.responses import POLL_SECONDS, cited_by, hidden_page
from scoring.downloads.snapshots import newest_snapshot
from scoring.output.responses import TableResponse, table_response
from scoring.pools.charts import pool_scatter
from scoring.pools.options import chosen_depth
from scoring.report.charts import bounds_by_p, bounds_by_rank
from scoring.report.rows import Report, report
from scoring.report.tables import agreement_table, bounds_table

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
    response = render(request, "scoring/report/report.html", context)
    if found.waits:
        response["Refresh"] = str(POLL_SECONDS)
    return response


@require_safe
def agreement_rows(request: HttpRequest, slug: str, suffix: str) -> TableResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    found = report(viewer, chosen_depth(request.GET))
    name, title = f"{slug}-report-agreement", viewer.campaign.name
    awaits = found.analyses[0] if found.analyses else None
    return table_response(request, agreement_table(found), name, suffix, title=title, awaits=awaits)


@require_safe
def bounds_rows(request: HttpRequest, slug: str) -> TableResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    found = report(viewer, chosen_depth(request.GET))
    awaits = found.analyses[-1] if found.persistences and found.analyses else None
    return table_response(request, bounds_table(found), f"{slug}-report-bounds", awaits=awaits)


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
