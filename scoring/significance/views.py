"""Which runs can be told apart: all pairs by one measure, and counts by all measures."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.analyses.responses import analysed_page, hidden_page
from scoring.output.responses import TableResponse, page_or_404, table_response
from scoring.significance.analysis import MOST_RUNS
from scoring.significance.charts import matrix_figure
from scoring.significance.options import OFFERED, tested_measures
from scoring.significance.query import (
    COUNTS_OFFERED,
    CountsQuery,
    SignificanceQuery,
    counts_query,
    significance_query,
)
from scoring.significance.tables import counts_table, page_columns, pairs_table

IN_CELLS = 40  # runs: above, a table of neighbours stands for the matrix
PICTURED = 145  # runs: of more, the picture shows the first
ROWS = 250  # of neighbours on a page
FEW = 8  # runs: below, cells need little room


@require_safe
def significance_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    asked = significance_query(viewer, request.GET)
    found = asked.found
    context = _page(viewer, asked) | {
        "choices": asked.choices,
        "measure": asked.choices.measure,
        "offered": tested_measures(viewer),
        "choosable": OFFERED,
        "ranked": asked.ranked,
        "found": found,
        "figure": matrix_figure(found.among_first(PICTURED))
        if found and found.rejection_count
        else None,
        "pictured": PICTURED,
        "page": page_or_404(request, Paginator(found.neighbours if found else (), ROWS)),
        "page_columns": page_columns(asked.choices),
        "figure_size": "square few" if found and len(found.ranked.runs) < FEW else "square",
        "in_cells": found is not None and len(found.ranked.runs) <= IN_CELLS,
    }
    return analysed_page(request, "scoring/significance/significance.html", context, asked.analysis)


@require_safe
def significance_table(request: HttpRequest, slug: str, suffix: str) -> TableResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    asked = significance_query(viewer, request.GET)
    name, title, table = (
        f"{slug}-significance",
        viewer.campaign.name,
        pairs_table(asked.found),
    )
    return table_response(request, table, name, suffix, title=title, awaits=asked.analysis)


@require_safe
def counts_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    counts = counts_query(viewer, request.GET)
    context = _page(viewer, counts) | {
        "counts": counts,
        "choosable": COUNTS_OFFERED,
        "rows": [(row, row.by(counts.correction)) for row in counts.rows],
        "tested": MOST_RUNS if viewer.campaign.runs.ranked().count() > MOST_RUNS else None,
    }
    return analysed_page(
        request, "scoring/significance/significance_counts.html", context, counts.analysis
    )


@require_safe
def significant_pairs(request: HttpRequest, slug: str, suffix: str) -> TableResponse:
    viewer = access.board_or_404(request.user, slug, asked=request.GET)
    counts = counts_query(viewer, request.GET)
    table = counts_table(counts.rows, counts.correction, counts.tail)
    name, title = f"{slug}-separated-pairs", viewer.campaign.name
    return table_response(request, table, name, suffix, title=title, awaits=counts.analysis)


def _page(viewer: access.Viewer, asked: SignificanceQuery | CountsQuery) -> dict[str, Any]:
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "versions": asked.versions,
        "qrels": asked.qrels,
    }
