"""Pool depth, and leave one team out."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.analyses.requests import result_of
from scoring.analyses.responses import analysed_page, context_of
from scoring.evaluation.rules import rules_of
from scoring.output.public import board_viewer, public_page, public_table
from scoring.output.responses import TableResponse, analysed_table, page_or_404
from scoring.pools.analysis import POOL_DEPTHS
from scoring.pools.charts import depth_band, pool_scatter
from scoring.pools.options import PoolChoice, PoolDepth
from scoring.pools.query import PoolQuery, depths_query, study_of, team_query, teams_left_out
from scoring.pools.rows import LeftOut, PoolStudy, pool_study
from scoring.pools.summaries import Summary
from scoring.pools.tables import runs_table, summaries_table, teams_table

RUNS = 250  # on a page


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
def pools_rows(request: HttpRequest, viewer: access.Viewer, suffix: str) -> TableResponse:
    query = depths_query(viewer, request.GET)
    table = runs_table(study_of(viewer, query), query.choice, query.qrels)
    return analysed_table(request, viewer, query, table, "pool", suffix)


@require_safe
@public_table(board_viewer)
def measures_latex(request: HttpRequest, viewer: access.Viewer) -> TableResponse:
    """Every measure with the chosen pool."""
    query = depths_query(viewer, request.GET)
    study = study_of(viewer, query)
    words = (study or query).choice.pool_words
    table = summaries_table(viewer, study.measures if study else (), query.qrels, words)
    return analysed_table(request, viewer, query, table, "pool-measures", "tex")


@require_safe
@public_table(board_viewer)
def depths_csv(request: HttpRequest, viewer: access.Viewer) -> TableResponse:
    """Every measure at every depth."""
    query = depths_query(viewer, request.GET)
    rows: list[Summary] = []
    if query.analysis is not None and query.is_done:
        measures = rules_of(viewer.campaign).measures
        result = result_of(POOL_DEPTHS, query.analysis)
        for depth in result.pools.tolist():
            choice = PoolChoice(query.choice.measure, PoolDepth(depth))
            rows += pool_study(choice, query.runs, measures, result).measures
    table = summaries_table(viewer, rows, query.qrels)
    return analysed_table(request, viewer, query, table, "pool-depths")


@require_safe
@public_page
def teams_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    query = team_query(viewer, request.GET)
    study = teams_left_out(viewer, query)
    context = _page(request, viewer, query, study) | {
        "figure": pool_scatter(study, "without the team’s own documents") if study else None,
    }
    return analysed_page(request, "scoring/pools/pools_teams.html", context, query.analysis)


@require_safe
@public_table(board_viewer)
def teams_rows(request: HttpRequest, viewer: access.Viewer, suffix: str) -> TableResponse:
    query = team_query(viewer, request.GET)
    table = teams_table(viewer, teams_left_out(viewer, query), query.choice, query.qrels)
    return analysed_table(request, viewer, query, table, "left-out", suffix)


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
