"""What a program is worth: its agreement with people, and its effect on the leaderboard. For
organisers only."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from campaigns import access
from campaigns.models import Program
from campaigns.options import takes
from scoring.analyses.responses import analysed_page
from scoring.assessors.program_agreement import program_agreement
from scoring.assessors.program_boards import LEVEL, computed_boards
from scoring.assessors.program_tables import (
    AGREEMENT_COLUMNS,
    JUDGMENT_COLUMNS,
    board_columns,
    pair_columns,
    program_agreement_table,
    program_boards_table,
    program_judgments_table,
    turned_pairs_table,
)
from scoring.evaluation.rules import rules_of
from scoring.output.api import MEASURE
from scoring.output.result_view import FOR_ORGANISERS, Answer, ResultView
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


def _program_or_404(viewer: access.Viewer, program: int) -> Program:
    found: Program = get_object_or_404(viewer.campaign.programs, pk=program)
    return found


def _judgments(viewer: access.Viewer, params: QueryDict, program: int) -> Answer:
    """The latest grade of each document that the program has judged. For organisers."""
    found = _program_or_404(viewer, program)
    return Answer(program_judgments_table(found), file_name=f"program-{found.pk}")


def _agreement(viewer: access.Viewer, params: QueryDict, program: int) -> Answer:
    """In all, by topic, and by the grade of people, and by kind of run once a worker has read the
    runs. For organisers."""
    found = _program_or_404(viewer, program)
    _, boards = computed_boards(viewer, found, chosen_measure(viewer, None))
    agreement = program_agreement(viewer.campaign, found)
    table = program_agreement_table(agreement, found, boards.by_kind if boards else ())
    return Answer(table, file_name=f"program-{found.pk}-agreement")


def _leaderboards(viewer: access.Viewer, params: QueryDict, program: int) -> Answer:
    """One row for each run, by rank under the judgments of people. For organisers."""
    return _of_boards(viewer, params, program, program_boards_table, "leaderboards")


def _turned_pairs(viewer: access.Viewer, params: QueryDict, program: int) -> Answer:
    """One row for each pair of runs that differs significantly by the judgments of only one of
    people and the program, or in opposite directions. For organisers."""
    return _of_boards(viewer, params, program, turned_pairs_table, "turned-pairs")


def _of_boards(
    viewer: access.Viewer, params: QueryDict, program: int, table_of: Any, name: str
) -> Answer:
    found = _program_or_404(viewer, program)
    measure = chosen_measure(viewer, params.get("measure"))
    analysis, boards = computed_boards(viewer, found, measure)
    table = table_of(boards, found, measure)
    return Answer(table, awaits=analysis, file_name=f"program-{found.pk}-{name}")


JUDGMENTS = ResultView(
    name="program-judgments",
    title="The judgments of a program",
    answer=_judgments,
    row="ProgramJudgment",
    row_description="The latest grade of a document that the program has judged.",
    columns=JUDGMENT_COLUMNS,
    parameters=[],
    row_example={"topic": "308", "doc_id": "FT911-3", "grade": 1},
    **FOR_ORGANISERS,
)
AGREEMENT = ResultView(
    name="program-agreement",
    title="The agreement of a program with people",
    answer=_agreement,
    row="ProgramAgreement",
    row_description="Of the documents that people and the program judged, in all or in a group;"
    " null if a figure is not defined.",
    columns=AGREEMENT_COLUMNS,
    parameters=[],
    row_example={
        "scope": "campaign", "name": "", "documents": 400, "equal": 310, "harsher": 30,
        "kinder": 60, "mean_difference": 0.08, "raw": 0.775, "kappa": 0.52, "kappa_linear": 0.58,
        "alpha": 0.61,
    },
    **FOR_ORGANISERS,
)  # fmt: skip
LEADERBOARDS = ResultView(
    name="program-boards",
    api_name="program-leaderboards",
    title="The leaderboard by people and by a program",
    answer=_leaderboards,
    row="RunUnderBoth",
    row_description="A run by the judgments of people, of the program, and of people and then the"
    " program.",
    columns=board_columns(),
    parameters=[MEASURE],
    row_example={
        "run": "uni-bm25", "run_id": "k5zq3wd7c2hxy4ma", "family": "", "people": 0.31,
        "program": 0.35, "both": 0.33, "people_rank": 2, "program_rank": 3, "both_rank": 2,
        "ranks_gained": -1, "shift": 0.04, "measure": "AP",
    },
    is_computed=True,
    **FOR_ORGANISERS,
)  # fmt: skip
TURNED_PAIRS = ResultView(
    name="program-pairs",
    title="Pairs of runs whose significance changes from people to a program",
    answer=_turned_pairs,
    row="TurnedPair",
    row_description="Two runs that differ significantly by the judgments of only one of people and"
    " the program, or in opposite directions.",
    columns=pair_columns(),
    parameters=[MEASURE],
    row_example={
        "first": "uni-bm25", "second": "lab-dense", "people_difference": 0.06, "people_p": 0.01,
        "program_difference": 0.02, "program_p": 0.31, "change": "lost", "measure": "AP",
    },
    is_computed=True,
    **FOR_ORGANISERS,
)  # fmt: skip
