"""Scores estimated from a stratified sample."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.options import takes
from scoring.analyses.responses import analysed_page, context_of, hidden_page
from scoring.estimates.charts import estimates_chart
from scoring.estimates.query import PEOPLE, estimates_query
from scoring.estimates.tables import ESTIMATES, estimates_page_columns, estimates_table
from scoring.output.api import MEASURE, QRELS
from scoring.output.plotting import MOST_ROWS, row_chart_size
from scoring.output.responses import page_or_404
from scoring.output.result_view import Answer, ResultView, for_viewer

ROWS = 250  # on a page


@takes("measure", "program", "to", "qrels", "page")
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
        # The interval does not contain 0.
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


def _estimates(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each ranked run of the sample, the highest estimate first. low to high: the 95 %
    interval, null where the sample shows no error of the program. base and residual: by people's
    judgments alone. program: by those of the program alone. Judgments that the program made after
    qrels with its judgments were frozen do not count. Empty until people have judged all documents
    of the sample under these qrels."""
    query = estimates_query(viewer, params)
    table = estimates_table(query.rows, query.measure, query.other)
    return Answer(table, [query.qrels], query.analysis)


ESTIMATED_RUNS = ResultView(
    name="estimates",
    title="Scores estimated from a stratified sample of people's judgments",
    answer=_estimates,
    decorator=for_viewer,  # it depends on the judgments of programs
    row="EstimatedRun",
    row_description="A ranked run.",
    columns=ESTIMATES,
    parameters=[
        MEASURE,
        OpenApiParameter("program", str, description="id of a program, or none"),
        OpenApiParameter("to", str, description="id of the run to which differences are taken"),
        QRELS,
    ],
    row_example={
        "rank": 1, "run": "uni-bm25", "team": "Uni", "base": 0.2103, "residual": 0.6144,
        "program": 0.6934, "estimate": 0.6518, "std_error": 0.0614, "low": 0.5291, "high": 0.7745,
        "degrees": 64.2, "run_id": "k5zq3wd7c2hxy4ma",
    },
    is_computed=True,
)  # fmt: skip
