"""Comparison of two runs."""

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.options import takes
from scoring.analyses.responses import analysed_page, hidden_page
from scoring.comparison.page import bands_query, comparison_query, rendered_comparison
from scoring.comparison.rows import selected_runs, with_interval
from scoring.comparison.tables import (
    comparison_columns,
    comparison_table,
    persistence_columns,
    persistence_table,
)
from scoring.output.api import MEASURE, QRELS
from scoring.output.result_view import Answer, ResultView, for_viewer
from scoring.results.options import can_compare_runs


@takes("a", "b", "run", "measure", "qrels", "page")
@require_safe
def compare_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    if not can_compare_runs(viewer):
        return hidden_page(request, viewer)
    selected = selected_runs(request.GET)
    if len(selected) == 2:
        # The boxes in the table of the board send two `run` instead of `a` and `b`.
        params = request.GET.copy()
        del params["run"]
        params["a"], params["b"] = selected
        return redirect(f"{request.path}?{params.urlencode()}")
    rendered = rendered_comparison(request, viewer)
    context = {"viewer": viewer, "campaign": viewer.campaign, "rendered": rendered}
    return analysed_page(request, "scoring/comparison/compare.html", context, rendered.analysis)


def board_or_404(request: HttpRequest, slug: str) -> access.Viewer:
    """A viewer who may compare runs."""
    return _comparing(access.viewer_or_404(request.user, slug, params=request.GET))


def api_board_or_404(request: HttpRequest, slug: str) -> access.Viewer:
    """The API has no preview."""
    return _comparing(access.viewer_or_404(request.user, slug))


def _comparing(viewer: access.Viewer) -> access.Viewer:
    if not can_compare_runs(viewer):
        raise Http404
    return viewer


def _by_topic(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each topic on which both runs have a score, that with the greatest difference
    first. lowest and highest: the bounds of the difference over all judgments of the unjudged
    documents."""
    query = comparison_query(viewer, params)
    return Answer(comparison_table(query.comparison), [query.qrels])


def _in_latex(viewer: access.Viewer, params: QueryDict) -> Answer:
    """With the interval of the mean difference, which a worker may compute."""
    query = comparison_query(viewer, params)
    comparison = with_interval(viewer, query.comparison) if query.comparison else None
    awaits = comparison.analysis if comparison else None
    return Answer(comparison_table(comparison), [query.qrels], awaits)


def _by_persistence(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each p: RBP of both runs, with its bounds."""
    query = comparison_query(viewer, params)
    rows, analysis = bands_query(viewer, query.comparison)
    return Answer(persistence_table(query.comparison, rows), [query.qrels], analysis)


RUNS = [
    OpenApiParameter("a", str, description="a run id; default: the best run"),
    OpenApiParameter("b", str, description="another one; default: the next run"),
]
BY_TOPIC = ResultView(
    name="compare",
    title="Two runs by topic",
    answer=_by_topic,
    in_latex=_in_latex,
    lookup=board_or_404,
    api_lookup=api_board_or_404,
    decorator=for_viewer,  # members of a team may compare their own runs
    row="TopicDifference",
    row_description="A topic, and the scores of two runs on it.",
    columns=comparison_columns(),
    parameters=[*RUNS, MEASURE, QRELS],
    row_example={
        "topic": "308", "title": "implant dentistry", "measure": "AP", "a": "uni-bm25",
        "b": "lab-dense", "a_score": 0.77, "b_score": 0.31, "difference": 0.46, "lowest": None,
        "highest": None, "qrels": 2,
    },
)  # fmt: skip
BY_PERSISTENCE = ResultView(
    name="compare-bands",
    api_name="compare-by-p",
    file_name="compare-by-p",
    title="Two runs by the p of RBP",
    answer=_by_persistence,
    lookup=board_or_404,
    api_lookup=api_board_or_404,
    decorator=for_viewer,
    row="TwoRunsAtPersistence",
    row_description="RBP of two runs with one p.",
    columns=persistence_columns(),
    parameters=[*RUNS, MEASURE, QRELS],
    row_example={
        "p": 0.8, "measure": "RBP(p=0.8)", "a": "uni-bm25", "b": "lab-dense", "a_base": 0.58,
        "a_residual": 0.04, "a_upper": 0.62, "b_base": 0.55, "b_residual": 0.06, "b_upper": 0.61,
        "qrels": 2,
    },
    is_computed=True,
)  # fmt: skip
