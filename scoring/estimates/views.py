"""Scores estimated from a stratified sample."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.analyses.responses import analysed_page, context_of, hidden_page
from scoring.estimates.charts import estimates_chart
from scoring.estimates.query import PEOPLE, estimates_query
from scoring.estimates.tables import estimates_page_columns, estimates_table
from scoring.output.plotting import MOST_ROWS, row_chart_size
from scoring.output.public import board_viewer
from scoring.output.responses import TableResponse, analysed_table, page_or_404

ROWS = 250  # on a page


@require_safe
def estimates_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    if not viewer.can_see_board:
        return hidden_page(request, viewer)
    query = estimates_query(viewer, request.GET)
    rows = query.rows
    names = {run.run_id: run.name for run in query.runs}
    context = context_of(viewer, query) | {
        "query": query,
        "measure": query.measure,
        "offered": query.measures,
        "others": {"": "none: scores"} | names,
        "other": query.other,
        "has_program": query.program != PEOPLE,
        "program": query.programs.get(query.program, ""),
        "found": query.found,
        "rows": rows,
        "different": sum(row.low is not None and (row.low > 0 or row.high < 0) for row in rows),
        "figure": estimates_chart(rows[:MOST_ROWS], query.measure)
        if query.measure and rows
        else None,
        "figure_size": row_chart_size(len(rows)),
        "charted": MOST_ROWS,
        "page": page_or_404(request, Paginator(rows, ROWS)),
        "page_columns": estimates_page_columns(
            has_program=query.program != PEOPLE, are_differences=bool(query.to)
        ),
    }
    return analysed_page(request, "scoring/estimates/estimates.html", context, query.analysis)


@require_safe
def estimates_rows(request: HttpRequest, slug: str, suffix: str) -> TableResponse:
    """Not a `public_table`, because it depends on the judgments of programs."""
    viewer = board_viewer(request, slug)
    query = estimates_query(viewer, request.GET)
    table = estimates_table(query.rows, query.measure, query.other)
    return analysed_table(request, viewer, query, table, "estimates", suffix)
