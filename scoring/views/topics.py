"""Topics: what was asked, and how the runs did on it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from campaigns import access
from campaigns.models import Topic
from scoring.board_choices import chosen_measure
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.definitions import rules_of
from scoring.score_tables import topic_csv, topics_csv
from scoring.topic_rows import sees_topic_means, topic_rows, topic_runs


@require_GET
def topic_list(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = _viewer(request, slug)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    context = {
        "rows": topic_rows(viewer, measure),
        "sees_means": sees_topic_means(viewer),
    }
    return render(request, "scoring/topic_list.html", _page(viewer, measure) | context)


@require_GET
def topics_table(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = _viewer(request, slug)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    return _attached(topics_csv(viewer, topic_rows(viewer, measure), measure), f"{slug}-topics")


@require_GET
def topic_detail(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    viewer, topic = _topic(request, slug, code)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    beside = (topic.position - 1, topic.position + 1)
    neighbours = {t.position: t for t in viewer.campaign.topics.filter(position__in=beside)}
    context = {
        "topic": topic,
        "rows": topic_runs(viewer, topic, measure),
        "sees_means": sees_topic_means(viewer),
        "is_held_out": code in rules_of(viewer.campaign).held_out,
        "before": neighbours.get(beside[0]),
        "after": neighbours.get(beside[1]),
    }
    return render(request, "scoring/topic_detail.html", _page(viewer, measure) | context)


@require_GET
def topic_table(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    viewer, topic = _topic(request, slug, code)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    text = topic_csv(viewer, topic.code, topic_runs(viewer, topic, measure), measure)
    return _attached(text, f"{slug}-topic-{topic.position + 1}")


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


def _attached(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response
