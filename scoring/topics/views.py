"""Topics: what was asked, and how the runs did on it."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Topic
from scoring.board_choices import chosen_measure
from scoring.charts.topics import topics_figure
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.definitions import rules_of
from scoring.exports.latex_scores import topic_latex, topics_latex
from scoring.score_tables import topic_csv, topics_table
from scoring.topic_matrix import chosen_order, matrix_table, orders_offered, topic_matrix
from scoring.topic_rows import could_lead, sees_topic_means, topic_rows, topic_runs
from scoring.views.analysed import (
    TOPICS,
    attached_csv,
    attached_latex,
    latex_names,
    page_or_404,
    streamed_csv,
)


@require_safe
def topic_list(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = _viewer(request, slug)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    rows = topic_rows(viewer, measure)
    order = chosen_order(request.GET, len(rows))
    matrix = topic_matrix(viewer, measure, order)
    has_picture = matrix is not None and len(matrix.runs) > 1
    context = {
        "rows": rows,
        "page": page_or_404(request, Paginator(rows, TOPICS)),
        "sees_means": sees_topic_means(viewer),
        "order": order,
        "orders": orders_offered(len(rows)),
        "matrix": matrix if has_picture else None,
        "figure": topics_figure(matrix) if matrix is not None and has_picture else None,
        "separated_percent": round(100 * matrix.separated_share) if matrix else 0,
        "without_relevant": [row for row in rows if row.relevant == 0],
    }
    return render(request, "scoring/topic_list.html", _page(viewer, measure) | context)


@require_safe
def topics_csv(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    viewer = _viewer(request, slug)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    return streamed_csv(
        topics_table(viewer, topic_rows(viewer, measure), measure), f"{slug}-topics"
    )


@require_safe
def topics_tex(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = _viewer(request, slug)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    names = latex_names(request, viewer)
    text = topics_latex(topic_rows(viewer, measure), measure, **names)
    return attached_latex(text, f"{slug}-topics")


@require_safe
def matrix_csv(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    viewer = _viewer(request, slug)
    if not sees_topic_means(viewer):
        raise Http404
    measure = chosen_measure(viewer, request.GET.get("measure"))
    matrix = topic_matrix(
        viewer, measure, chosen_order(request.GET, viewer.campaign.topics.count())
    )
    return streamed_csv(matrix_table(matrix), f"{slug}-topics-by-run")


@require_safe
def topic_detail(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    viewer, topic = _topic(request, slug, code)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    beside = (topic.position - 1, topic.position + 1)
    neighbours = {t.position: t for t in viewer.campaign.topics.filter(position__in=beside)}
    rows = topic_runs(viewer, topic, measure)
    context = {
        "topic": topic,
        "rows": rows,
        "could_lead": could_lead(rows),
        "sees_means": sees_topic_means(viewer),
        "is_held_out": code in rules_of(viewer.campaign).held_out,
        "before": neighbours.get(beside[0]),
        "after": neighbours.get(beside[1]),
    }
    return render(request, "scoring/topic_detail.html", _page(viewer, measure) | context)


@require_safe
def topic_table(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    viewer, topic = _topic(request, slug, code)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    text = topic_csv(viewer, topic.code, topic_runs(viewer, topic, measure), measure)
    return attached_csv(text, f"{slug}-topic-{topic.position + 1}")


@require_safe
def topic_tex(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    viewer, topic = _topic(request, slug, code)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    names = latex_names(request, viewer)
    text = topic_latex(topic_runs(viewer, topic, measure), topic.code, measure, **names)
    return attached_latex(text, f"{slug}-topic-{topic.position + 1}")


def _viewer(request: HttpRequest, slug: str) -> access.Viewer:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    if not viewer.can_see_topics:
        raise Http404
    return viewer


def _topic(request: HttpRequest, slug: str, code: str) -> tuple[access.Viewer, Topic]:
    viewer = _viewer(request, slug)
    return viewer, get_object_or_404(viewer.campaign.topics, code=code)


def _page(viewer: access.Viewer, measure: Measure) -> dict[str, object]:
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "measure": measure,
        "offered": rules_of(viewer.campaign).measures,
        "is_share": family_of(measure).facts.range[1] <= 1,
    }
