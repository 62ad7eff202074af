"""Agreement between assessors, and its effect on the leaderboard, for organisers only."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.judging.adjudication import STATES, chosen_disputes
from campaigns.options import takes
from scoring.analyses.requests import result_of
from scoring.analyses.responses import analysed_page
from scoring.assessors.agreement import AssessorAgreement, agreement_of
from scoring.assessors.analysis import ASSESSOR_BOARDS
from scoring.assessors.boards import TwoBoards, request_boards, two_boards
from scoring.assessors.tables import (
    AGREEMENT_COLUMNS,
    DISAGREEMENT_COLUMNS,
    agreement_table,
    board_columns,
    boards_table,
    disagreements_table,
)
from scoring.evaluation.rules import rules_of
from scoring.models import Analysis
from scoring.output.api import MEASURE, choices
from scoring.output.result_view import FOR_ORGANISERS, Answer, ResultView
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


def _boards(analysis: Analysis | None) -> list[TwoBoards] | None:
    """None until a worker has computed them."""
    if analysis is None or analysis.state != Analysis.State.DONE:
        return None
    return two_boards(result_of(ASSESSOR_BOARDS, analysis))


def _of_topic(agreement: AssessorAgreement, topic: str) -> list[Any]:
    if not topic:
        return list(agreement.pairs)
    return [row for row in agreement.pairs_by_topic if row.topic == topic]


def _agreement(viewer: access.Viewer, params: QueryDict) -> Answer:
    """For the campaign, each topic, each pair of assessors, and each pair on each topic. For
    organisers."""
    return Answer(agreement_table(agreement_of(viewer.campaign)))


def _leaderboards(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each pair of assessors, and for each assessor against all others: how far the
    leaderboards by their judgments agree. For organisers."""
    measure = chosen_measure(viewer, params.get("measure"))
    analysis = request_boards(viewer, measure)
    return Answer(boards_table(_boards(analysis) or (), measure), awaits=analysis)


def _disagreements(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each judgment of a document that assessors graded differently, or on which an
    organiser decided. For organisers."""
    _, _, disputed = chosen_disputes(viewer.campaign, params)
    return Answer(disagreements_table(viewer.campaign, disputed))


AGREEMENT = ResultView(
    name="judging-agreement",
    file_name="assessor-agreement",
    title="Agreement between assessors",
    answer=_agreement,
    row="AssessorAgreement",
    row_description="Agreement of all assessors or of two; null if a coefficient does not apply or"
    " is not defined.",
    columns=AGREEMENT_COLUMNS,
    parameters=[],
    row_example={
        "scope": "pair", "topic": None, "first": "Ada", "second": "Bob", "judged": None,
        "judged_twice": 10, "raw": 0.7, "cohen": 0.4, "cohen_linear": 0.4, "cohen_quadratic": 0.4,
        "fleiss": None, "fleiss_documents": None, "fleiss_assessors": None, "alpha_nominal": None,
        "alpha_ordinal": None, "alpha_interval": None,
    },
    **FOR_ORGANISERS,
)  # fmt: skip
LEADERBOARDS = ResultView(
    name="judging-boards",
    api_name="judging-leaderboards",
    file_name="assessor-boards",
    title="Leaderboards by assessor",
    answer=_leaderboards,
    row="LeaderboardsByAssessor",
    row_description="The leaderboards by the judgments of two assessors, or of one and all others.",
    columns=board_columns(),
    parameters=[MEASURE],
    row_example={
        "first": "Ada", "second": "others", "measure": "AP", "topics": 12, "tau_b": 0.91,
        "tau_ap": 0.87, "swapped_pairs": 31, "pairs": 780, "first_mean": 0.24, "second_mean": 0.26,
    },
    is_computed=True,
    **FOR_ORGANISERS,
)  # fmt: skip
DISAGREEMENTS = ResultView(
    name="judging-disagreements",
    file_name="disagreements",
    title="Documents on which assessors disagree",
    answer=_disagreements,
    row="DisputedJudgment",
    row_description="The judgment of an assessor on a disputed document.",
    columns=DISAGREEMENT_COLUMNS,
    parameters=[
        *choices({"state": STATES}),
        OpenApiParameter("topic", str, description="the id of a topic; default: all"),
    ],
    row_example={
        "topic": "308", "doc_id": "FT911-3", "assessor": "Ada", "grade": 1, "is_unsure": 0,
        "note": "", "counts": 0, "decided": 0, "decided_by": "Olga", "decision_note": "off topic",
    },
    **FOR_ORGANISERS,
)  # fmt: skip
