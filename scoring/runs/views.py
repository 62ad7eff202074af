"""One run: what became of it, and what it was worth."""

from collections.abc import Sequence

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns import access, descriptions
from campaigns.models import Run
from scoring.board_choices import chosen_measure
from scoring.charts.run_topics import run_topics_figure
from scoring.core.measures.catalogue import family_of
from scoring.definitions import rules_of
from scoring.exports.latex_scores import run_latex
from scoring.feedback import feedback_on
from scoring.models import Score
from scoring.progress import progress_of
from scoring.run_scores import run_scores, scores_in_force
from scoring.run_topics import ORDERS, chosen_topic_order, run_topics
from scoring.score_tables import run_table
from scoring.views.analysed import (
    TOPICS,
    attached_latex,
    latex_names,
    page_or_404,
    streamed_csv,
)


@require_safe
def run_detail(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    viewer, run = _run(request, slug, public_id)
    measure, order = (
        chosen_measure(viewer, request.GET.get("measure")),
        chosen_topic_order(request.GET),
    )
    stored = scores_in_force(viewer, run, rules_of(viewer.campaign).measures)
    topics = run_topics(viewer, run, (measure,), order, stored).get(measure)
    by_topic = {
        "measure": measure,
        "offered": rules_of(viewer.campaign).measures,
        "is_share": family_of(measure).facts.range[1] <= 1,
        "topics": topics,
        "page": page_or_404(request, Paginator(topics.rows if topics else (), TOPICS)),
        "order": order,
        "orders": ORDERS,
        "figure": run_topics_figure(topics) if topics and topics.scored else None,
    }
    return render(request, "scoring/run_detail.html", _run_page(viewer, run, stored) | by_topic)


@require_safe
def run_status(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """The live part of a run's page, which asks for itself until nothing more happens."""
    viewer, run = _run(request, slug, public_id)
    return render(request, "scoring/_run_status.html", _run_page(viewer, run))


@require_safe
def run_scores_table(
    request: HttpRequest, slug: str, public_id: str
) -> HttpResponse | StreamingHttpResponse:
    """Its scores as CSV, by all measures or by the one that is asked for."""
    viewer, run = _run(request, slug, public_id)
    asked = request.GET.get("measure")
    measures = (chosen_measure(viewer, asked),) if asked else rules_of(viewer.campaign).measures
    table = run_table(viewer, run, measures, chosen_topic_order(request.GET))
    return streamed_csv(table, f"{slug}-run-{public_id}")


@require_safe
def run_tex(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Its means by all measures."""
    viewer, run = _run(request, slug, public_id)
    text = run_latex(run_scores(viewer, run), run.shown_tag, **latex_names(request, viewer))
    return attached_latex(text, f"{slug}-run-{public_id}")


def _run(request: HttpRequest, slug: str, public_id: str) -> tuple[access.Viewer, Run]:
    viewer = access.viewer_or_404(request.user, slug, asked=request.GET)
    return viewer, access.run_or_404(viewer, public_id)


def _run_page(
    viewer: access.Viewer, run: Run, stored: Sequence[Score] | None = None
) -> dict[str, object]:
    can_follow = viewer.can_follow(run)
    return {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "run": run,
        "can_follow": can_follow,
        "can_name": viewer.can_name(run.team),
        "progress": progress_of(run, viewer) if can_follow else None,
        "answers": descriptions.answers_of(viewer.campaign, run) if can_follow else [],
        "feedback": feedback_on(viewer, run),
        "scores": run_scores(viewer, run, stored),
        "can_see_scores": viewer.can_see_scores_of(run),
    }
