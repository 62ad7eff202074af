"""Significance of all pairs by one measure, and numbers of significant pairs by all measures."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.options import UnknownChoice, takes
from scoring.analyses.responses import analysed_page, context_of
from scoring.output.api import MEASURE, QRELS, choices
from scoring.output.public import public_page
from scoring.output.responses import page_or_404
from scoring.output.result_view import Answer, ResultView
from scoring.significance.charts import matrix_figure
from scoring.significance.counts_analysis import counted_runs
from scoring.significance.options import OFFERED, tested_measures
from scoring.significance.query import (
    COUNTS_OFFERED,
    counts_query,
    significance_query,
)
from scoring.significance.tables import (
    COLUMNS,
    count_columns,
    counts_table,
    page_columns,
    pairs_table,
)

IN_CELLS = 40  # maximum number of runs in the matrix; of more, the page lists neighbours
CHARTED = 145  # maximum number of runs in the chart
ROWS = 250  # of neighbours on a page
FEW = 8  # runs: with fewer, the chart is smaller


@takes("measure", "test", "correction", "level", "tail", "qrels", "against", "page")
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


@takes("correction", "tail", "qrels")
@require_safe
@public_page
def counts_page(request: HttpRequest, viewer: access.Viewer) -> HttpResponse:
    counts = counts_query(viewer, request.GET)
    # How many of the runs are tested, which the page says if it is not all.
    most = counted_runs(max(len(counts.rows), 1))
    context = context_of(viewer, counts) | {
        "counts": counts,
        "options": COUNTS_OFFERED,
        "rows": [(row, row.by(counts.correction)) for row in counts.rows],
        "tested": most if viewer.campaign.runs.ranked().count() > most else None,
    }
    return analysed_page(
        request, "scoring/significance/significance_counts.html", context, counts.analysis
    )


def _pairs(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each pair of runs, in the order of the leaderboard. Against top or projected, the
    test is whether the run that scores higher, a, is better. With two tails, significant is 1 also
    where a is worse (difference < 0). tail=one leaves these pairs out."""
    query = significance_query(viewer, params)
    if fault := query.choices.fault:
        raise UnknownChoice("correction", query.choices.correction, why=fault)
    return Answer(pairs_table(query.result), [query.qrels], query.analysis)


def _counts(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each measure, test, correction and level: how many pairs of runs differ
    significantly."""
    query = counts_query(viewer, params)
    table = counts_table(query.rows, query.correction, query.tail)
    return Answer(table, [query.qrels], query.analysis)


PAIRS = ResultView(
    name="significance",
    title="Significance of all pairs of runs",
    answer=_pairs,
    row="Pair",
    row_description="Two runs: `a` is the candidate, or has the higher rank; numbers are a - b.",
    columns=COLUMNS,
    parameters=[MEASURE, QRELS, *choices(OFFERED)],
    row_example={
        "a": "uni-bm25", "b": "lab-dense", "difference": 0.012, "p": 0.031, "p_corrected": 0.062,
        "method": "t", "effect": 0.31, "topics": 50, "significant": 0, "a_rank": 1, "b_rank": 2,
        "a_team": "Uni", "b_team": "Lab", "a_run_id": "k5zq3wd7c2hxy4ma",
        "b_run_id": "x2y7d5hc3aqz4wkm",
    },
    is_computed=True,
)  # fmt: skip
COUNTS = ResultView(
    name="significance-counts",
    file_name="significant-pairs",
    title="Significant pairs of runs by every measure",
    answer=_counts,
    row="SignificantPairs",
    row_description="How many pairs of runs differ significantly by a measure and a test.",
    columns=count_columns(),
    parameters=[QRELS, *choices(COUNTS_OFFERED)],
    row_example={
        "measure": "AP", "test": "t", "tail": "two", "correction": "holm", "level": 0.05,
        "significant": 4321, "pairs": 10153,
    },
    is_computed=True,
)  # fmt: skip
