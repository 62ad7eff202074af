"""The agreement of a program with people and its effect on the leaderboard, at full precision."""

from collections.abc import Iterable
from dataclasses import fields

from scoring.assessors.program_agreement import GroupAgreement, ProgramAgreement
from scoring.assessors.program_boards import ProgramBoards, RunUnderBoth, TurnedPair
from scoring.core.measures.measure import Measure
from scoring.output.table import Column, Table, same


def program_agreement_table(
    agreement: ProgramAgreement, by_kind: Iterable[GroupAgreement] = ()
) -> Table:
    """For the campaign, each topic, each grade of people, and each kind of run."""
    columns = tuple(Column(field.name) for field in fields(GroupAgreement))
    groups = [agreement.whole, *agreement.by_topic, *agreement.by_grade, *by_kind]
    return Table(columns, groups)


def program_boards_table(boards: ProgramBoards, measure: Measure) -> Table:
    """One row for each run."""
    names = [field.name for field in fields(RunUnderBoth)]
    columns = (*map(Column, names), Column("ranks_gained"), Column("shift"))
    return Table((*columns, same("measure", measure)), boards.runs)


def turned_pairs_table(boards: ProgramBoards, measure: Measure) -> Table:
    columns = tuple(Column(field.name) for field in fields(TurnedPair))
    return Table((*columns, same("measure", measure)), boards.turned)
