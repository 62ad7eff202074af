"""Pool depth, and leave one team out."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.options import takes
from scoring.analyses.requests import result_of
from scoring.analyses.responses import analysed_page, context_of
from scoring.evaluation.rules import rules_of
from scoring.output.api import MEASURE, QRELS
from scoring.output.public import board_viewer, public_page, public_table
from scoring.output.responses import TableResponse, analysed_table, page_or_404
from scoring.output.result_view import Answer, ResultView
from scoring.pools.analysis import POOL_DEPTHS
from scoring.pools.charts import depth_band, pool_scatter
from scoring.pools.options import OFFERED, PoolChoice, PoolDepth
from scoring.pools.query import PoolQuery, depths_query, study_of, team_query, teams_left_out
from scoring.pools.rows import LeftOut, PoolStudy, pool_study
from scoring.pools.summaries import Summary
from scoring.pools.tables import (
    run_columns,
    runs_table,
    summaries_table,
    summary_columns,
    teams_table,
)

RUNS = 250  # on a page


@takes("measure", "depth", "qrels", "page")
@require_safe
@public_page
def pools_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    query = depths_query(viewer, request.GET)
    study = study_of(viewer, query)
    context = _page(request, viewer, query, study) | {
        "figure": pool_scatter(study, f"pool {study.choice.pool_words}") if study else None,
        "band": depth_band(study) if study else None,
    }
    return analysed_page(request, "scoring/pools/pools.html", context, query.analysis)


@require_safe
@public_table(board_viewer)
def measures_latex(request: HttpRequest, viewer: access.Viewer) -> TableResponse:
    """Every measure with the chosen pool."""
    query = depths_query(viewer, request.GET)
    study = study_of(viewer, query)
    # Only a result knows the depth of the judged pool.
    words = (study or query).choice.pool_words
    table = summaries_table(viewer, study.measures if study else (), query.qrels, words)
    return analysed_table(request, viewer, query, table, "pool-measures", "tex")


@takes("measure", "depth", "qrels", "page")
@require_safe
@public_page
def teams_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    query = team_query(viewer, request.GET)
    study = teams_left_out(viewer, query)
    context = _page(request, viewer, query, study) | {
        "figure": pool_scatter(study, "without the team’s own documents") if study else None,
    }
    return analysed_page(request, "scoring/pools/pools_teams.html", context, query.analysis)


def _page(
    request: HttpRequest,
    viewer: access.Viewer,
    query: PoolQuery,
    study: PoolStudy | LeftOut | None,
) -> dict[str, Any]:
    choice = (study or query).choice
    return context_of(viewer, query) | {
        "study": study,
        "page": page_or_404(request, Paginator(study.rows if study else (), RUNS)),
        "choice": choice,
        "measure": choice.measure,
        "offered": rules_of(viewer.campaign).measures,
        "depths": choice.pool.offered,
    }


def _runs(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each run: its scores if only the first `depth` documents of the pooled runs were
    judged (default: the depth of the pool), and with all judgments."""
    query = depths_query(viewer, params)
    table = runs_table(study_of(viewer, query), query.choice, query.qrels)
    return Answer(table, [query.qrels], query.analysis)


def _depths(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each measure and pool depth: how the leaderboard at this depth differs from that
    with all judgments. For those who see the qrels also `judgments` and `relevant`: how many the
    pool has."""
    query = depths_query(viewer, params)
    rows: list[Summary] = []
    if query.analysis is not None and query.is_done:
        measures = rules_of(viewer.campaign).measures
        result = result_of(POOL_DEPTHS, query.analysis)
        for depth in result.pools.tolist():
            choice = PoolChoice(query.choice.measure, PoolDepth(depth))
            rows += pool_study(choice, query.runs, measures, result).measures
    return Answer(summaries_table(viewer, rows, query.qrels), [query.qrels], query.analysis)


def _teams(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each run: its scores without the judgments of documents that only the pooled runs
    of its team contributed, and with all judgments. For those who see the qrels also `lost` and
    `lost_relevant`: how many documents these are."""
    query = team_query(viewer, params)
    table = teams_table(viewer, teams_left_out(viewer, query), query.choice, query.qrels)
    return Answer(table, [query.qrels], query.analysis)


DEPTH = OpenApiParameter("depth", str, enum=list(OFFERED))
POOLED = {
    "run_id": "k5zq3wd7c2hxy4ma", "run": "uni-bm25", "team": "Uni", "measure": "RBP(p=0.8)",
    "depth": "10", "rank": 2, "base": 0.531, "residual": 0.12, "rank_all": 1, "base_all": 0.5817,
    "residual_all": 0.0421, "change": -0.0507, "qrels": 2,
}  # fmt: skip
RUNS_AT_DEPTH = ResultView(
    name="pools",
    api_name="pool",
    file_name="pool",
    title="Pool depth",
    answer=_runs,
    row="Pooled",
    row_description="A run with the judgments of a smaller pool depth, and (`_all`) with all"
    " judgments.",
    columns=run_columns(),
    parameters=[MEASURE, QRELS, DEPTH],
    row_example=POOLED,
    is_computed=True,
)
DEPTHS = ResultView(
    name="pools-depths",
    api_name="pool-depths",
    file_name="pool-depths",
    title="Every measure at every pool depth",
    answer=_depths,
    row="PoolDepthSummary",
    row_description="The leaderboard by a measure at a pool depth, compared with that of all"
    " judgments.",
    columns=summary_columns(),
    parameters=[MEASURE, QRELS, DEPTH],
    row_example={
        "measure": "AP", "depth": "10", "runs": 129, "mean_base": 0.2519, "mean_residual": None,
        "change": -0.004, "higher": 34, "lower": 95, "covered": None, "tau_b": 0.985,
        "swapped_pairs": 62, "pairs": 8256, "qrels": 2,
    },
    is_computed=True,
)  # fmt: skip
TEAMS = ResultView(
    name="pools-teams",
    api_name="pool-teams",
    file_name="left-out",
    title="Leave one team out",
    answer=_teams,
    row="LeftOut",
    row_description="A run without its team's own documents, and (`_all`) with all judgments.",
    columns=run_columns(),
    parameters=[MEASURE, QRELS, DEPTH],
    row_example=POOLED,
    is_computed=True,
)
