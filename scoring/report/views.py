"""The tables and figures of the RBP paper for this campaign, on one page for printing."""

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.options import takes
from scoring.analyses.responses import POLL_SECONDS, hidden_page
from scoring.citations.snapshots import board_citation
from scoring.output.result_view import Answer, ResultView
from scoring.pools.charts import pool_scatter
from scoring.pools.options import OFFERED, chosen_depth
from scoring.report.charts import bounds_by_p, bounds_by_rank
from scoring.report.rows import build_report
from scoring.report.tables import (
    AGREEMENT_COLUMNS,
    BOUND_COLUMNS,
    agreement_table,
    bounds_table,
)

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
        "citation": board_citation(viewer, request.build_absolute_uri),
        "depths": report.pool.offered,
        "counts": [(row, row.by("none")) for row in report.counts],
        "scatters": [
            (study, pool_scatter(study, f"pool {report.pool_words}")) for study in report.pools
        ],
    }
    if report.bounds:
        first = report.bounds[0]
        context |= {
            "first": first,
            "by_rank": [
                (name, bounds_by_rank(first, at, report.persistences))
                for at, name in enumerate(CHARTED_POOLS)
            ],
            "by_p": bounds_by_p(report.bounds, report.pool_words),
        }
    response = render(request, "scoring/report/report.html", context)
    if report.waits:
        response["Refresh"] = str(POLL_SECONDS)
    return response


def _agreement(viewer: access.Viewer, params: QueryDict) -> Answer:
    """Table III of the RBP paper: one row for each measure and pool depth. `measure` and
    `pool_depth` are followed by a column for each reference measure of the campaign, named as the
    measure: Kendall's τ of the order of the runs by the measure with this pool and the order by the
    reference with all judgments."""
    report = build_report(viewer, chosen_depth(params))
    # The first analysis is that of the pools, on which the agreement depends.
    awaits = report.analyses[0] if report.analyses else None
    return Answer(agreement_table(report), [report.qrels], awaits)


def _bounds(viewer: access.Viewer, params: QueryDict) -> Answer:
    """Figs. 5 and 6 of the RBP paper: one row for each of the two best runs, pool, p and evaluation
    depth."""
    report = build_report(viewer, chosen_depth(params))
    # The last one is that of the bounds, if the campaign has a plain RBP.
    awaits = report.analyses[-1] if report.persistences and report.analyses else None
    return Answer(bounds_table(report), [report.qrels], awaits)


DEPTH = OpenApiParameter("depth", str, enum=list(OFFERED))
AGREEMENT = ResultView(
    name="report-agreement",
    title="Agreement of measures with a shallow pool",
    answer=_agreement,
    row="ReportAgreement",
    row_description="A measure with a pool, and a column for each reference measure of the campaign"
    " with Kendall's τ, null if not defined.",
    columns=AGREEMENT_COLUMNS,
    parameters=[DEPTH],
    row_example={"measure": "RBP(p=0.8)", "pool_depth": "10", "AP": 0.71},
    is_computed=True,
)
BOUNDS = ResultView(
    name="report-bounds",
    title="Bounds on RBP of the best runs",
    answer=_bounds,
    row="ReportBounds",
    row_description="Bounds on the mean RBP of a run with a pool, at an evaluation depth or over"
    " whole rankings.",
    columns=BOUND_COLUMNS,
    parameters=[DEPTH],
    row_example={
        "run_id": "k5zq3wd7c2hxy4ma", "run": "uni-bm25", "team": "Uni", "pool_depth": "10",
        "p": 0.8, "ranks": 20, "base": 0.53, "residual": 0.13, "upper": 0.66,
    },
    is_computed=True,
)  # fmt: skip
