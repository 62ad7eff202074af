"""What a program is worth: its agreement with people, and its effect on the leaderboard. For
organisers only."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Program
from campaigns.options import takes
from scoring.analyses.responses import analysed_page
from scoring.assessors.program_agreement import program_agreement
from scoring.assessors.program_boards import LEVEL, computed_boards
from scoring.assessors.program_tables import (
    program_agreement_table,
    program_boards_table,
    turned_pairs_table,
)
from scoring.evaluation.rules import rules_of
from scoring.output.responses import TableResponse, table_response
from scoring.output.table import Table
from scoring.results.options import chosen_measure

MOST_PAIRS = 20  # on the page


@takes("measure")
@login_required
@require_safe
def program_page(request: HttpRequest, slug: str, program: int) -> HttpResponse:
    viewer = access.organiser_or_404(request.user, slug)
    found = _program_or_404(viewer, program)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    agreement = program_agreement(viewer.campaign, found)
    analysis, boards = None, None
    if agreement.whole.documents:
        analysis, boards = computed_boards(viewer, found, measure)
    page: dict[str, Any] = {
        "viewer": viewer,
        "campaign": viewer.campaign,
        "program": found,
        "agreement": agreement,
        "grades": range(viewer.campaign.highest_grade + 1),
        "measure": measure,
        "offered": rules_of(viewer.campaign).measures,
        "boards": boards,
        "pairs": boards.turned[:MOST_PAIRS] if boards else (),
        "level": LEVEL,
    }
    return analysed_page(request, "scoring/assessors/program.html", page, analysis)


@login_required
@require_safe
def agreement_csv(request: HttpRequest, slug: str, program: int) -> TableResponse:
    """By topic and grade at once, and by kind of run once a worker has read the runs."""
    viewer = access.organiser_or_404(request.user, slug)
    found = _program_or_404(viewer, program)
    agreement = program_agreement(viewer.campaign, found)
    _, boards = computed_boards(viewer, found, chosen_measure(viewer, None))
    table = program_agreement_table(agreement, boards.by_kind if boards else ())
    return table_response(request, table, f"{slug}-program-{found.pk}-agreement")


@login_required
@require_safe
def boards_csv(request: HttpRequest, slug: str, program: int) -> TableResponse:
    return _boards_csv(request, slug, program, program_boards_table, "leaderboards")


@login_required
@require_safe
def pairs_csv(request: HttpRequest, slug: str, program: int) -> TableResponse:
    return _boards_csv(request, slug, program, turned_pairs_table, "turned-pairs")


def _boards_csv(
    request: HttpRequest, slug: str, program: int, table_of: Any, name: str
) -> TableResponse:
    viewer = access.organiser_or_404(request.user, slug)
    found = _program_or_404(viewer, program)
    measure = chosen_measure(viewer, request.GET.get("measure"))
    analysis, boards = computed_boards(viewer, found, measure)
    table: Table = table_of(boards, measure) if boards else Table((), ())
    return table_response(request, table, f"{slug}-program-{found.pk}-{name}", awaits=analysis)


def _program_or_404(viewer: access.Viewer, program: int) -> Program:
    found: Program = get_object_or_404(viewer.campaign.programs, pk=program)
    return found
