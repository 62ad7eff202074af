"""The tables and figures of the RBP paper for this campaign, on one page for printing."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.options import takes
from scoring.analyses.responses import POLL_SECONDS, cited_by, hidden_page
from scoring.downloads.snapshots import newest_snapshot
from scoring.output.responses import TableResponse, table_response
from scoring.pools.charts import pool_scatter
from scoring.pools.options import chosen_depth
from scoring.report.charts import bounds_by_p, bounds_by_rank
from scoring.report.rows import Report, build_report
from scoring.report.tables import agreement_table, bounds_table

CHARTED_POOLS = ("pool", "all")


@takes("depth")
@require_safe
def report_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    report = build_report(viewer, chosen_depth(request.GET))
    context = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "report": report,
        "citation": cited_by(request, viewer.campaign, newest_snapshot(viewer)),
        "depths": report.pool.offered,
        "counts": [(row, row.by("none")) for row in report.counts],
        "scatters": [
            (study, pool_scatter(study, f"pool {report.pool_words}")) for study in report.pools
        ],
        **_figures(report),
    }
    response = render(request, "scoring/report/report.html", context)
    if report.waits:
        response["Refresh"] = str(POLL_SECONDS)
    return response


@require_safe
def agreement_rows(request: HttpRequest, slug: str, suffix: str) -> TableResponse:
    viewer = access.board_or_404(request.user, slug, params=request.GET)
    report = build_report(viewer, chosen_depth(request.GET))
    name, title = f"{slug}-report-agreement", viewer.campaign.name
    awaits = report.analyses[0] if report.analyses else None
    return table_response(
        request,
        agreement_table(report),
        name,
        suffix,
        title=title,
        awaits=awaits,
        qrels=[report.qrels],
    )


@require_safe
def bounds_rows(request: HttpRequest, slug: str) -> TableResponse:
    viewer = access.board_or_404(request.user, slug, params=request.GET)
    report = build_report(viewer, chosen_depth(request.GET))
    awaits = report.analyses[-1] if report.persistences and report.analyses else None
    table, name = bounds_table(report), f"{slug}-report-bounds"
    return table_response(request, table, name, awaits=awaits, qrels=[report.qrels])


def _figures(report: Report) -> dict[str, Any]:
    if not report.bounds:
        return {}
    first = report.bounds[0]
    return {
        "first": first,
        "by_rank": [
            (name, bounds_by_rank(first, at, report.persistences))
            for at, name in enumerate(CHARTED_POOLS)
        ],
        "by_p": bounds_by_p(report.bounds, report.pool_words),
    }
