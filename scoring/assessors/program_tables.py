"""The judgments of a program, its agreement with people and its effect on the leaderboard, at full
precision."""

from collections.abc import Iterable

from campaigns.judging.program_judgments import grades_of
from campaigns.models import Program
from scoring.assessors.program_agreement import GroupAgreement, ProgramAgreement
from scoring.assessors.program_boards import LEVEL, ProgramBoards
from scoring.core.measures.measure import Measure
from scoring.output.latex import number, signed
from scoring.output.table import Column, Table, same

AGREEMENT_COLUMNS = (
    Column(
        "scope", heading="scope", align="l", kind=str,
        help_text="campaign, topic, grade, or kind of run",
    ),
    Column(
        "name", heading="", align="l", kind=str,
        help_text="the topic, the grade that people gave, or the kind of run",
    ),
    Column("documents", heading="documents", kind=int, help_text="that both judged"),
    Column("equal", heading="equal", kind=int),
    Column("harsher", heading="harsher", kind=int, help_text="the program's grade is lower"),
    Column("kinder", heading="kinder", kind=int, help_text="the program's grade is higher"),
    Column(
        "mean_difference", heading="difference", text=signed, kind=float,
        help_text="the program's grade minus that of people",
    ),
    Column("raw", heading="raw", text=number, kind=float, help_text="share of equal grades"),
    Column("kappa", heading="κ", text=number, kind=float, help_text="Cohen's"),
    Column("kappa_linear", heading="linear κ", text=number, kind=float),
    Column(
        "alpha", heading="α", text=number, kind=float, help_text="Krippendorff's, ordinal"
    ),
)  # fmt: skip

JUDGMENT_COLUMNS = (
    Column("topic", lambda row: row[0][1], "topic", align="l", kind=str),
    Column("doc_id", lambda row: row[0][2], "document", align="l", kind=str),
    Column("grade", lambda row: row[1], "grade", kind=int),
)


def program_judgments_table(program: Program) -> Table:
    """The latest grade of each document, by topic and document."""
    caption = f"judgments of {program.name}."
    return Table(JUDGMENT_COLUMNS, grades_of(program).items(), caption)


def program_agreement_table(
    agreement: ProgramAgreement, program: Program, by_kind: Iterable[GroupAgreement]
) -> Table:
    """For the campaign, each topic, each grade of people, and each kind of run."""
    groups = [agreement.whole, *agreement.by_topic, *agreement.by_grade, *by_kind]
    caption = (
        f"agreement of {program.name} with people on documents that both judged: equal grades, "
        "documents on which the program is harsher and kinder, the mean difference, the share of "
        "equal grades, Cohen’s κ, linearly weighted κ, and Krippendorff’s α (ordinal)."
    )
    return Table(AGREEMENT_COLUMNS, groups, caption)


def program_boards_table(boards: ProgramBoards | None, program: Program, measure: Measure) -> Table:
    """One row for each run."""
    caption = (
        f"{measure} and rank of each run by the judgments of people, of {program.name}, and of "
        "both."
    )
    return Table(board_columns(measure), boards.runs if boards else (), caption)


def board_columns(measure: Measure | None = None) -> tuple[Column, ...]:
    return (
        Column("run", heading="run", align="l", kind=str),
        Column("run_id", kind=str),
        Column("family", heading="family", align="l", kind=str),
        Column("people", heading="people", text=number, kind=float),
        Column("program", heading="program", text=number, kind=float),
        Column(
            "both", heading="both", text=number, kind=float,
            help_text="people, and the program for documents that people did not judge",
        ),
        Column("people_rank", heading="rank", kind=int | None),
        Column("program_rank", heading="by program", kind=int | None),
        Column("both_rank", heading="by both", kind=int | None),
        Column(
            "ranks_gained", kind=int, help_text="from people to the program; lost if negative"
        ),
        Column("shift", kind=float, help_text="the program's score minus that of people"),
        same("measure", measure, str),
    )  # fmt: skip


def turned_pairs_table(boards: ProgramBoards | None, program: Program, measure: Measure) -> Table:
    """One row for each pair of runs whose significance changes."""
    caption = (
        f"pairs of runs that differ significantly in {measure} by the judgments of only one of "
        f"people and {program.name}, or in opposite directions (two-tailed paired t tests, level "
        f"{LEVEL}, Holm’s correction)."
    )
    return Table(pair_columns(measure), boards.turned if boards else (), caption)


def pair_columns(measure: Measure | None = None) -> tuple[Column, ...]:
    return (
        Column("first", heading="first", align="l", kind=str, help_text="a run"),
        Column("second", heading="second", align="l", kind=str),
        Column(
            "people_difference", heading="by people", text=signed, kind=float,
            help_text="positive if the first run is better",
        ),
        Column(
            "people_p", heading="p", text=number, kind=float,
            help_text="of the t test, with Holm's correction",
        ),
        Column("program_difference", heading="by program", text=signed, kind=float),
        Column("program_p", heading="p", text=number, kind=float),
        Column(
            "change", heading="change", align="l", kind=str,
            help_text="lost, new or reversed, from people to the program",
        ),
        same("measure", measure, str),
    )  # fmt: skip
