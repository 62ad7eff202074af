"""Agreement between assessors, and its effect on the leaderboard, for organisers only."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.options import takes
from scoring.analyses.requests import result_of
from scoring.analyses.responses import analysed_page
from scoring.assessors.agreement import AssessorAgreement, agreement_of
from scoring.assessors.analysis import ASSESSOR_BOARDS
from scoring.assessors.boards import TwoBoards, request_boards, two_boards
from scoring.assessors.tables import agreement_table, boards_table
from scoring.evaluation.rules import rules_of
from scoring.models import Analysis
from scoring.output.responses import TableResponse, table_response
from scoring.results.options import chosen_measure


@takes("measure", "topic")
@login_required
@require_safe
def agreement_page(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    agreement = agreement_of(viewer.campaign)
    analysis = request_boards(viewer, measure) if agreement.pairs else None
    page: dict[str, Any] = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "agreement": agreement,
        "pairs_here": _of_topic(agreement, request.GET.get("topic", "")),
        "topic": request.GET.get("topic", ""),
        "measure": measure,
        "offered": rules_of(viewer.campaign).measures,
        "boards": _boards(analysis),
    }
    return analysed_page(request, "scoring/assessors/agreement.html", page, analysis)


@login_required
@require_safe
def agreement_csv(request: HttpRequest, slug: str) -> TableResponse:
    viewer = access.organiser_or_404(request.user, slug)
    table = agreement_table(agreement_of(viewer.campaign))
    return table_response(request, table, f"{slug}-assessor-agreement")


@login_required
@require_safe
def boards_csv(request: HttpRequest, slug: str) -> TableResponse:
    viewer = access.organiser_or_404(request.user, slug)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    analysis = request_boards(viewer, measure)
    table = boards_table(_boards(analysis) or (), measure)
    return table_response(request, table, f"{slug}-assessor-boards", awaits=analysis)


def _boards(analysis: Analysis | None) -> list[TwoBoards] | None:
    """None until a worker has computed them."""
    if analysis is None or analysis.state != Analysis.State.DONE:
        return None
    return two_boards(result_of(ASSESSOR_BOARDS, analysis))


def _of_topic(agreement: AssessorAgreement, topic: str) -> list[Any]:
    if not topic:
        return list(agreement.pairs)
    return [row for row in agreement.pairs_by_topic if row.topic == topic]
