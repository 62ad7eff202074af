"""Topics, and the scores of the runs on them."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.analyses.responses import TOPICS
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.evaluation.rules import rules_of
from scoring.output.public import public_table
from scoring.output.responses import TableResponse, page_or_404, table_response
from scoring.results.options import chosen_measure, sees_topic_means, shown_qrels
from scoring.topics.charts import topics_figure
from scoring.topics.matrix import chosen_order, orders_offered, topic_matrix
from scoring.topics.rows import could_lead, topic_rows, topic_runs
from scoring.topics.tables import matrix_table, topic_table, topics_table

RUNS = 250  # of a topic, on one page


def _viewer(request: HttpRequest, slug: str) -> access.Viewer:
    viewer = access.viewer_or_404(request.user, slug, params=request.GET)
    if not viewer.can_see_topics:
        raise Http404
    return viewer


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


@require_safe
@public_table(_viewer)
def topics_rows(request: HttpRequest, viewer: access.Viewer, suffix: str) -> TableResponse:
    measure = chosen_measure(viewer, request.GET.get("measure"))
    table, title = topics_table(viewer, topic_rows(viewer, measure), measure), viewer.campaign.name
    name, qrels = f"{viewer.campaign.slug}-topics", shown_qrels(viewer)
    return table_response(request, table, name, suffix, title=title, qrels=[qrels])


@require_safe
@public_table(_viewer)
def matrix_csv(request: HttpRequest, viewer: access.Viewer) -> TableResponse:
    if not sees_topic_means(viewer):
        raise Http404
    measure = chosen_measure(viewer, request.GET.get("measure"))
    order = chosen_order(request.GET, viewer.campaign.topics.count())
    matrix = topic_matrix(viewer, measure, order)
    name, qrels = f"{viewer.campaign.slug}-topics-by-run", shown_qrels(viewer)
    return table_response(request, matrix_table(matrix), name, qrels=[qrels])


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


@require_safe
@public_table(_viewer)
def runs_on_topic(
    request: HttpRequest, viewer: access.Viewer, code: str, suffix: str
) -> TableResponse:
    topic = get_object_or_404(viewer.campaign.topics, code=code)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    table = topic_table(viewer, topic.code, topic_runs(viewer, topic, measure), measure)
    name, title = f"{viewer.campaign.slug}-topic-{topic.position + 1}", viewer.campaign.name
    qrels = shown_qrels(viewer)
    return table_response(request, table, name, suffix, title=title, qrels=[qrels])


def _page(viewer: access.Viewer, measure: Measure) -> dict[str, object]:
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "qrels": shown_qrels(viewer),
        "measure": measure,
        "offered": rules_of(viewer.campaign).measures,
        "is_share": family_of(measure).facts.range[1] <= 1,
    }
