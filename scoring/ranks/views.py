"""How certain the ranks are, how stable the order is, and how many topics would settle it."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.analyses.responses import analysed_page, context_of
from scoring.output.plotting import MOST_ROWS, row_chart_size
from scoring.output.public import board_viewer, public_page, public_table
from scoring.output.responses import TableResponse, analysed_table, page_or_404
from scoring.ranks.analysis import SAMPLES
from scoring.ranks.charts import needed_chart, ranks_chart, stability_chart, swaps_chart
from scoring.ranks.options import CORRECTIONS, DIFFERENCES, LEVELS, POWERS
from scoring.ranks.query import halves_query, ranks_query, topics_query
from scoring.ranks.tables import (
    NEEDED_PAGE,
    STABILITY_PAGE,
    SWAPS_PAGE,
    needed_table,
    ranks_page_columns,
    ranks_table,
    stability_table,
    swaps_table,
)
from scoring.significance.options import tested_measures

ROWS = 250  # on a page
STABLE = 0.05  # swap rate up to which a difference is called stable


@require_safe
@public_page
def ranks_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    query = ranks_query(viewer, request.GET)
    has_possible = any(row.interval.possible_best is not None for row in query.rows)
    context = context_of(viewer, query) | {
        "measure": query.measure,
        "offered": tested_measures(viewer),
        "ranked": query.ranked,
        "rows": query.rows,
        "most_often": max(query.rows, key=lambda row: row.interval.first_share, default=None),
        "with_rank_1": sum(row.interval.rank_best == 1 for row in query.rows),
        "with_rank_1_in_set": sum(row.interval.rank_set_best == 1 for row in query.rows),
        "correction": query.correction,
        "corrections": CORRECTIONS,
        "has_sets": not query.no_sets,
        "no_sets": query.no_sets,
        "samples": SAMPLES,
        "has_possible": has_possible,
        "figure": ranks_chart(query.rows[:MOST_ROWS]) if len(query.rows) > 1 else None,
        "figure_size": row_chart_size(len(query.rows)),
        "charted": MOST_ROWS,
        "page": page_or_404(request, Paginator(query.rows, ROWS)),
        "page_columns": ranks_page_columns(has_sets=not query.no_sets, has_possible=has_possible),
    }
    return analysed_page(request, "scoring/ranks/ranks.html", context, query.analysis)


@require_safe
@public_table(board_viewer)
def ranks_rows(request: HttpRequest, viewer: access.Viewer, suffix: str) -> TableResponse:
    query = ranks_query(viewer, request.GET)
    table = ranks_table(query.rows, query.measure, query.correction)
    return analysed_table(request, viewer, query, table, "ranks", suffix)


@require_safe
@public_page
def stability_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    query = halves_query(viewer, request.GET)
    halves = query.halves
    has_rows = halves is not None and bool(halves.rows)
    context = context_of(viewer, query) | {
        "measure": query.measure,
        "offered": tested_measures(viewer),
        "ranked": query.ranked,
        "halves": halves,
        "figure": stability_chart(halves) if halves and has_rows else None,
        "swaps_figure": swaps_chart(halves) if halves and has_rows else None,
        "stability_columns": STABILITY_PAGE,
        "swap_columns": SWAPS_PAGE,
        "stable_from": halves.stable_from(STABLE) if halves else None,
    }
    return analysed_page(request, "scoring/ranks/stability.html", context, query.analysis)


@require_safe
@public_table(board_viewer)
def stability_rows(request: HttpRequest, viewer: access.Viewer, suffix: str) -> TableResponse:
    query = halves_query(viewer, request.GET)
    rows = query.halves.rows if query.halves else ()
    table = stability_table(rows, query.measure)
    return analysed_table(request, viewer, query, table, "stability", suffix)


@require_safe
@public_table(board_viewer)
def swap_rows(request: HttpRequest, viewer: access.Viewer, suffix: str) -> TableResponse:
    query = halves_query(viewer, request.GET)
    rows = query.halves.swaps if query.halves else ()
    table = swaps_table(rows, query.measure)
    return analysed_table(request, viewer, query, table, "swaps", suffix)


@require_safe
@public_page
def topics_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    query = topics_query(viewer, request.GET)
    answered = [row for row in query.rows if row.needed.t_test is not None]
    difference = f"{query.required.difference:g}"
    context = context_of(viewer, query) | {
        "required": query.required,
        "difference": difference,
        "differences": DIFFERENCES | {difference: difference},
        "level": str(query.required.level),
        "levels": LEVELS,
        "power": str(query.required.power),
        "powers": POWERS,
        "answered": answered,
        "figure": needed_chart(answered) if answered else None,
        "figure_size": row_chart_size(len(answered)),
        "page": page_or_404(request, Paginator(query.rows, ROWS)),
        "page_columns": NEEDED_PAGE,
    }
    return analysed_page(request, "scoring/ranks/topics.html", context, query.analysis)


@require_safe
@public_table(board_viewer)
def topics_rows(request: HttpRequest, viewer: access.Viewer, suffix: str) -> TableResponse:
    query = topics_query(viewer, request.GET)
    table = needed_table(query.rows)
    return analysed_table(request, viewer, query, table, "needed-topics", suffix)
