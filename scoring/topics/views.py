"""Topics, and the scores of the runs on them."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.options import takes
from scoring.analyses.responses import TOPICS
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.evaluation.rules import rules_of
from scoring.output.api import MEASURE
from scoring.output.responses import page_or_404
from scoring.output.result_view import Answer, ResultView
from scoring.results.options import chosen_measure, sees_topic_means, shown_qrels
from scoring.topics.charts import topics_figure
from scoring.topics.matrix import chosen_order, orders_offered, topic_matrix
from scoring.topics.rows import could_lead, topic_rows, topic_runs
from scoring.topics.tables import (
    matrix_columns,
    matrix_table,
    run_columns,
    topic_columns,
    topic_table,
    topics_table,
)

RUNS = 250  # of a topic, on one page


def _viewer(request: HttpRequest, slug: str) -> access.Viewer:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    if not viewer.can_see_topics:
        raise Http404
    return viewer


@takes("measure", "order", "page")
@require_safe
def topic_list(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = _viewer(request, slug)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    rows = topic_rows(viewer, measure)
    order = chosen_order(request.GET, len(rows))
    matrix = topic_matrix(viewer, measure, order)
    has_chart = matrix is not None and len(matrix.runs) > 1
    context = {
        "rows": rows,
        "page": page_or_404(request, Paginator(rows, TOPICS)),
        "sees_means": sees_topic_means(viewer),
        "order": order,
        "orders": orders_offered(len(rows)),
        "matrix": matrix if has_chart else None,
        "figure": topics_figure(matrix) if matrix is not None and has_chart else None,
        "variance_percent": round(100 * matrix.variance_share) if matrix else 0,
        "without_relevant": [row for row in rows if row.relevant == 0],
    }
    return render(request, "scoring/topics/topic_list.html", _page(viewer, measure) | context)


@takes("measure", "page")
@require_safe
def topic_detail(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    viewer = _viewer(request, slug)
    topic = get_object_or_404(viewer.campaign.topics, code=code)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    positions = (topic.position - 1, topic.position + 1)
    neighbours = {t.position: t for t in viewer.campaign.topics.filter(position__in=positions)}
    rows = topic_runs(viewer, topic, measure)
    context = {
        "topic": topic,
        "rows": rows,
        "page": page_or_404(request, Paginator(rows, RUNS)),
        "could_lead": could_lead(rows),
        "sees_means": sees_topic_means(viewer),
        "is_held_out": code in rules_of(viewer.campaign).held_out,
        "before": neighbours.get(positions[0]),
        "after": neighbours.get(positions[1]),
    }
    return render(request, "scoring/topics/topic_detail.html", _page(viewer, measure) | context)


def _page(viewer: access.Viewer, measure: Measure) -> dict[str, object]:
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "qrels": shown_qrels(viewer),
        "measure": measure,
        "offered": rules_of(viewer.campaign).measures,
        "is_share": family_of(measure).facts.range[1] <= 1,
    }


def _api_viewer(request: HttpRequest, slug: str) -> access.Viewer:
    """The API has no preview."""
    viewer = access.viewer_or_404(request.user, slug)
    if not viewer.can_see_topics:
        raise Http404
    return viewer


def _means(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each topic, after the release of topics; scores and counts where visible."""
    measure = chosen_measure(viewer, params.get("measure"))
    table = topics_table(viewer, topic_rows(viewer, measure), measure)
    return Answer(table, [shown_qrels(viewer)])


def _runs(viewer: access.Viewer, params: QueryDict, code: str) -> Answer:
    """One row for each run on a topic; scores where visible."""
    topic = get_object_or_404(viewer.campaign.topics, code=code)
    measure = chosen_measure(viewer, params.get("measure"))
    table = topic_table(viewer, topic.code, topic_runs(viewer, topic, measure), measure)
    # The code of a topic can contain a slash, which no file name may have.
    return Answer(table, [shown_qrels(viewer)], file_name=f"topic-{topic.position + 1}")


def _matrix(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each topic and run. variance_share: the topic's part of the variance of all
    scores. correlation: of its scores with the means of the runs."""
    if not sees_topic_means(viewer):
        raise Http404
    measure = chosen_measure(viewer, params.get("measure"))
    order = chosen_order(params, viewer.campaign.topics.count())
    return Answer(matrix_table(topic_matrix(viewer, measure, order)), [shown_qrels(viewer)])


MEANS = ResultView(
    name="topics",
    api_name="topic-means",
    title="Topic difficulty",
    answer=_means,
    lookup=_viewer,
    api_lookup=_api_viewer,
    row="TopicMeans",
    row_description="Scores of the ranked runs on one topic; null if not visible, or if no run has"
    " a score.",
    columns=topic_columns(),
    parameters=[MEASURE],
    row_example={
        "topic": "308", "title": "implant dentistry", "measure": "AP", "runs": 129, "mean": 0.21,
        "lowest": 0.0, "lower_quartile": 0.08, "upper_quartile": 0.31, "highest": 0.77,
        "relevant": 4, "judged": 1528, "qrels": 2,
    },
)  # fmt: skip
RUNS_ON_TOPIC = ResultView(
    name="topic",
    api_name="topic-runs",
    title="Runs on one topic",
    answer=_runs,
    lookup=_viewer,
    api_lookup=_api_viewer,
    row="RunOnTopic",
    row_description="The score of a run on a topic; null if not visible.",
    columns=run_columns(),
    parameters=[MEASURE],
    row_example={
        "rank": 1, "run_id": "k5zq3wd7c2hxy4ma", "run": "uni-bm25", "team": "Uni",
        "run_type": "automatic", "status": "ranked", "reason": "", "topic": "308", "measure": "AP",
        "base": 0.77, "residual": None, "qrels": 2,
    },
)  # fmt: skip
MATRIX = ResultView(
    name="topic-matrix",
    file_name="topics-by-run",
    title="Scores of all runs on all topics, in the order of the page",
    answer=_matrix,
    lookup=_viewer,
    api_lookup=_api_viewer,
    row="TopicAndRun",
    row_description="The score of a run on a topic.",
    columns=matrix_columns(),
    parameters=[
        MEASURE,
        OpenApiParameter("order", str, description="of the topics, as on the page"),
    ],
    row_example={
        "topic": "308", "title": "implant dentistry", "measure": "AP", "variance_share": 0.02,
        "correlation": 0.41, "rank": 1, "run_id": "k5zq3wd7c2hxy4ma", "run": "uni-bm25",
        "team": "Uni", "base": 0.77, "qrels": 2,
    },
)  # fmt: skip
