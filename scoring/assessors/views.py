"""How far the assessors agree, and what their choice does to the board. Organisers only."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from scoring.analyses import answer_of
from scoring.assessor_agreement import Agreement, agreement_of
from scoring.assessor_boards import ask_boards, two_boards
from scoring.assessor_tables import agreement_csv, boards_csv
from scoring.board_choices import chosen_measure
from scoring.definitions import rules_of
from scoring.models import Analysis
from scoring.views.analysed import analysed_page, attached_csv, not_computed_yet


@login_required
@require_safe
def agreement_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    found = agreement_of(viewer.campaign)
    analysis = ask_boards(viewer, measure) if found.pairs else None
    is_done = analysis is not None and analysis.state == Analysis.State.DONE
    page: dict[str, Any] = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "found": found,
        "pairs_here": _of_topic(found, request.GET.get("topic", "")),
        "topic": request.GET.get("topic", ""),
        "measure": measure,
        "offered": rules_of(viewer.campaign).measures,
        "boards": two_boards(answer_of(analysis)) if analysis and is_done else None,
    }
    return analysed_page(request, "scoring/judging_agreement.html", page, analysis)


@login_required
@require_safe
def agreement_table(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    text = agreement_csv(agreement_of(viewer.campaign))
    return attached_csv(text, f"{slug}-assessor-agreement")


@login_required
@require_safe
def boards_table(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    analysis = ask_boards(viewer, measure)
    if analysis.state != Analysis.State.DONE:
        return not_computed_yet(analysis)
    text = boards_csv(two_boards(answer_of(analysis)), str(measure))
    return attached_csv(text, f"{slug}-assessor-boards")


def _of_topic(found: Agreement, topic: str) -> list[Any]:
    if not topic:
        return list(found.pairs)
    return [row for row in found.pairs_by_topic if row.topic == topic]
