"""The leaderboard by people, by a program, and by both, computed by a worker."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from django.db.models import Count, Max

from campaigns.access import Viewer
from campaigns.models import Program
from scoring.analyses.requests import request_analysis, result_of
from scoring.assessors.program_agreement import GroupAgreement
from scoring.assessors.program_analysis import PROGRAM_BOARDS, BoardsByProgram, OfProgram
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.ranks import shared_ranks
from scoring.core.statistics.undefined import none_if_nan
from scoring.models import Analysis

LEVEL: Final = 0.05  # of the tests
MOST: Final = 5  # runs that gain or lose most
TITLES: Final = ("people, program", "people, both", "program, both")


@dataclass(frozen=True)
class RunUnderBoth:
    """Means and ranks under the judgments of people, of the program, and of both. `ranks_gained`
    from people to the program."""

    run: str
    run_id: str
    family: str
    people: float | None
    program: float | None
    both: float | None
    people_rank: int | None
    program_rank: int | None
    both_rank: int | None

    @property
    def ranks_gained(self) -> int:
        return (self.people_rank or 0) - (self.program_rank or 0)

    @property
    def shift(self) -> float | None:
        return None if self.people is None or self.program is None else self.program - self.people


@dataclass(frozen=True)
class TwoOrders:
    title: str
    tau: float | None
    tau_ap: float | None
    swapped: int


@dataclass(frozen=True)
class TurnedPair:
    """A pair that differs significantly by only one of the two, or in opposite directions.
    Differences are positive where the first run is better."""

    first: str
    second: str
    people_difference: float
    people_p: float
    program_difference: float
    program_p: float
    change: str  # lost, new or reversed, from people to the program


@dataclass(frozen=True)
class FamilyShift:
    """By how much the scores of a family of runs rise with the program's judgments, and those of
    the other runs. `p_value` is None if fewer than two topics have scores."""

    family: str
    runs: int
    topics: int
    shift: float | None
    others: float | None
    p_value: float | None

    @property
    def is_significant(self) -> bool:
        return self.p_value is not None and self.p_value <= LEVEL


@dataclass(frozen=True)
class ProgramBoards:
    topics: int
    runs: tuple[RunUnderBoth, ...]  # by rank under people
    orders: tuple[TwoOrders, ...]
    pair_count: int
    turned: tuple[TurnedPair, ...]
    families: tuple[FamilyShift, ...]
    by_kind: tuple[GroupAgreement, ...]

    @property
    def gaining(self) -> list[RunUnderBoth]:
        """The runs that gain most ranks with the program's judgments."""
        gaining = [run for run in self.runs if run.ranks_gained > 0]
        return sorted(gaining, key=lambda run: (-run.ranks_gained, run.run))[:MOST]

    @property
    def losing(self) -> list[RunUnderBoth]:
        losing = [run for run in self.runs if run.ranks_gained < 0]
        return sorted(losing, key=lambda run: (run.ranks_gained, run.run))[:MOST]

    @property
    def changing(self) -> list[list[RunUnderBoth]]:
        return [self.gaining, self.losing]


def request_program_boards(viewer: Viewer, program: Program, measure: Measure) -> Analysis:
    """The analysis depends on the judgments of people and of the program, and on the families and
    kinds of the runs. The viewer must be an organiser."""
    runs = viewer.campaign.runs.order_by("pk").values_list("pk", "family", "run_type")
    stamp = {
        "judged": program.judgments.aggregate(count=Count("pk"), last=Max("pk")),
        "runs": list(runs),
    }
    question = OfProgram(str(measure), program.pk)
    return request_analysis(viewer, None, PROGRAM_BOARDS, question, stamp=stamp)


def computed_boards(
    viewer: Viewer, program: Program, measure: Measure
) -> tuple[Analysis, ProgramBoards | None]:
    """The analysis, and None until a worker has computed it."""
    analysis = request_program_boards(viewer, program, measure)
    if analysis.state != Analysis.State.DONE:
        return analysis, None
    return analysis, program_boards(viewer, measure, result_of(PROGRAM_BOARDS, analysis))


def program_boards(viewer: Viewer, measure: Measure, result: BoardsByProgram) -> ProgramBoards:
    """One query."""
    ids = [str(each) for each in result.run_ids]
    runs = {run.public_id: run for run in viewer.campaign.runs.filter(public_id__in=ids)}
    names = [runs[each].display_name for each in ids]
    ranks = [shared_ranks(sign_of(measure) * np.asarray(row)) for row in result.means]
    means = [[none_if_nan(value) for value in row] for row in result.means]
    rows = [
        RunUnderBoth(
            name, ids[at], runs[ids[at]].family,
            means[0][at], means[1][at], means[2][at],
            ranks[0][at], ranks[1][at], ranks[2][at],
        )
        for at, name in enumerate(names)
    ]  # fmt: skip
    return ProgramBoards(
        topics=result.topics,
        # Runs without a rank come last.
        runs=tuple(sorted(rows, key=lambda row: (row.people_rank or len(rows) + 1, row.run))),
        orders=tuple(
            TwoOrders(title, none_if_nan(tau), none_if_nan(tau_ap), int(swapped))
            for title, tau, tau_ap, swapped in zip(
                TITLES, result.tau, result.tau_ap, result.swapped, strict=True
            )
        ),
        pair_count=len(result.candidates),
        turned=tuple(_turned(names, result)),
        families=tuple(
            FamilyShift(
                str(name), int(count), int(topics),
                none_if_nan(shift), none_if_nan(others), none_if_nan(p_value),
            )
            for name, (count, topics, shift, others, p_value) in zip(
                result.families, result.shifts.T, strict=True
            )
        ),
        by_kind=tuple(
            GroupAgreement(
                "kind of run", str(name), *map(int, row[:4]), *map(none_if_nan, row[4:].tolist())
            )
            for name, row in zip(result.kinds, result.kind_figures, strict=True)
        ),
    )  # fmt: skip


def _turned(names: list[str], result: BoardsByProgram) -> list[TurnedPair]:
    differences, p_values = result.differences, result.p_values
    states = np.where(p_values <= LEVEL, np.sign(differences), 0)  # NaN is not significant
    pairs = []
    for at in np.flatnonzero(states[0] != states[1]).tolist():
        people, program = states[:, at]
        pairs.append(
            TurnedPair(
                first=names[result.candidates[at]],
                second=names[result.baselines[at]],
                people_difference=float(differences[0, at]),
                people_p=float(p_values[0, at]),
                program_difference=float(differences[1, at]),
                program_p=float(p_values[1, at]),
                change="new" if people == 0 else "lost" if program == 0 else "reversed",
            )
        )
    return pairs
