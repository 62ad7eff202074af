"""Significance of all pairs by one measure, and numbers of significant pairs by all measures."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.analyses.responses import analysed_page, context_of
from scoring.output.public import board_viewer, public_page, public_table
from scoring.output.responses import TableResponse, analysed_table, page_or_404
from scoring.significance.charts import matrix_figure
from scoring.significance.counts_analysis import counted_runs
from scoring.significance.options import OFFERED, tested_measures
from scoring.significance.query import (
    COUNTS_OFFERED,
    counts_query,
    significance_query,
)
from scoring.significance.tables import counts_table, page_columns, pairs_table

IN_CELLS = 40  # maximum number of runs in the matrix; of more, the page lists neighbours
CHARTED = 145  # maximum number of runs in the chart
ROWS = 250  # of neighbours on a page
FEW = 8  # runs: with fewer, the chart is smaller


@require_safe
@public_page
def significance_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    query = significance_query(viewer, request.GET)
    result = query.result
    context = context_of(viewer, query) | {
        "choices": query.choices,
        "measure": query.choices.measure,
        "offered": tested_measures(viewer),
        "options": OFFERED,
        "ranked": query.ranked,
        "result": result,
        "figure": matrix_figure(result.among_first(CHARTED))
        if result and result.rejection_count
        else None,
        "charted": CHARTED,
        "page": page_or_404(request, Paginator(result.neighbours if result else (), ROWS)),
        "page_columns": page_columns(query.choices),
        "figure_size": "square few" if result and len(result.ranked.runs) < FEW else "square",
        "in_cells": result is not None and len(result.ranked.runs) <= IN_CELLS,
    }
    return analysed_page(request, "scoring/significance/significance.html", context, query.analysis)


@require_safe
@public_table(board_viewer)
def significance_table(request: HttpRequest, viewer: access.Viewer, suffix: str) -> TableResponse:
    query = significance_query(viewer, request.GET)
    table = pairs_table(query.result)
    return analysed_table(request, viewer, query, table, "significance", suffix)


@require_safe
@public_page
def counts_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    counts = counts_query(viewer, request.GET)
    context = context_of(viewer, counts) | {
        "counts": counts,
        "options": COUNTS_OFFERED,
        "rows": [(row, row.by(counts.correction)) for row in counts.rows],
        "tested": _counted(viewer, len(counts.rows)),
    }
    return analysed_page(
        request, "scoring/significance/significance_counts.html", context, counts.analysis
    )


def _counted(viewer: access.Viewer, measures: int) -> int | None:
    """How many of the runs are tested, if not all."""
    most = counted_runs(max(measures, 1))
    return most if viewer.campaign.runs.ranked().count() > most else None


@require_safe
@public_table(board_viewer)
def significant_pairs(request: HttpRequest, viewer: access.Viewer, suffix: str) -> TableResponse:
    counts = counts_query(viewer, request.GET)
    table = counts_table(counts.rows, counts.correction, counts.tail)
    return analysed_table(request, viewer, counts, table, "significant-pairs", suffix)
