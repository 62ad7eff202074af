"""The board under another pool, and without the documents of one team: rows for page, chart, CSV.

Everything is read from what a worker found (`studies.pool_depths`, `studies.left_out`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.ranks import DECIMALS, shared_ranks
from scoring.pools.options import PoolChoice
from scoring.pools.summaries import Summary, Vector, signed, summarised
from scoring.results.runs import BoardRun
from scoring.results.vectors import visible_means


@dataclass(frozen=True)
class PooledRun:
    """A run on the board, and what the other judgments make of it. None: not defined."""

    run: BoardRun
    rank: int | None
    base: float | None
    residual: float | None
    other_rank: int | None
    other_base: float | None
    other_residual: float | None
    lost: int = 0  # judgments that only its team gave
    lost_relevant: int = 0

    @property
    def change(self) -> float:
        if self.base is None or self.other_base is None:
            return math.nan
        return self.other_base - self.base

    @property
    def shown_change(self) -> str:
        return signed(self.change)

    @property
    def moved(self) -> int | None:
        """Places lost on the board; gained where negative."""
        if self.rank is None or self.other_rank is None:
            return None
        return self.other_rank - self.rank


@dataclass(frozen=True, eq=False)
class PoolStudy:
    choice: PoolChoice
    rows: tuple[PooledRun, ...]  # in the order of the board
    depths: tuple[Summary, ...]  # of the measure chosen, all judgments last
    measures: tuple[Summary, ...]  # under the pool chosen

    @property
    def chosen(self) -> Summary:
        return next(each for each in self.depths if each.depth == self.choice.depth)

    @property
    def has_residuals(self) -> bool:
        return any(row.other_residual is not None for row in self.rows)


@dataclass(frozen=True, eq=False)
class LeftOut:
    choice: PoolChoice
    rows: tuple[PooledRun, ...]  # in the order of the board

    @cached_property
    def fallen(self) -> tuple[PooledRun, ...]:
        """The runs that lose places, the most first."""
        fallen = [row for row in self.rows if (row.moved or 0) > 0]
        return tuple(sorted(fallen, key=lambda row: -(row.moved or 0)))

    @property
    def changed(self) -> int:
        return sum(abs(row.change) > 10.0**-DECIMALS for row in self.rows)

    @property
    def has_residuals(self) -> bool:
        return any(row.other_residual is not None for row in self.rows)


def pooled_board_runs(viewer: Viewer, qrels: Qrels, measure: Measure) -> tuple[BoardRun, ...]:
    """The ranked runs that have been scored, as this viewer may know them. One query."""
    return visible_means(viewer, qrels, [measure])[0]


def pool_study(
    choice: PoolChoice,
    runs: tuple[BoardRun, ...],
    measures: tuple[Measure, ...],
    answer: Mapping[str, Any],
) -> PoolStudy:
    """`measures` are those that the worker was asked for, in that order."""
    runs, here = _answered(runs, answer)
    choice, pools = choice.answered(answer), pools_of(answer)
    at, pool = measures.index(choice.measure), pools.index(choice.depth)
    base, residual = answer["base"][:, :, here], answer["residual"][:, :, here]
    board, other = ((base[at, place], residual[at, place]) for place in (-1, pool))

    def summary(row: int, place: int) -> Summary:
        known = (int(answer["judgments"][place]), int(answer["relevant"][place]))
        return summarised(measures[row], pools[place], place, base[row], residual[row], known)

    return PoolStudy(
        choice=choice,
        rows=_rows(choice, runs, board, other),
        depths=tuple(summary(at, place) for place in range(len(pools))),
        measures=tuple(summary(row, pool) for row in range(len(measures))),
    )


def pools_of(answer: Mapping[str, Any]) -> list[str]:
    """The pools that the worker went through, in the order of its answer: all judgments last."""
    return [str(pool) for pool in answer["pools"]]


def pool_glance(
    choice: PoolChoice,
    runs: tuple[BoardRun, ...],
    measures: tuple[Measure, ...],
    answer: Mapping[str, Any],
) -> PoolStudy:
    """`pool_study` with the summary of the chosen measure under the chosen pool, and no others."""
    runs, here = _answered(runs, answer)
    choice = choice.answered(answer)
    at, pool = measures.index(choice.measure), pools_of(answer).index(choice.depth)
    base, residual = answer["base"][at][:, here], answer["residual"][at][:, here]
    judged = (int(answer["judgments"][pool]), int(answer["relevant"][pool]))
    return PoolStudy(
        choice=choice,
        rows=_rows(choice, runs, (base[-1], residual[-1]), (base[pool], residual[pool])),
        depths=(summarised(choice.measure, choice.depth, pool, base, residual, judged),),
        measures=(),
    )


def left_out(
    viewer: Viewer, qrels: Qrels, choice: PoolChoice, answer: Mapping[str, Any]
) -> LeftOut:
    """One query."""
    seen, bases, residuals = visible_means(viewer, qrels, [choice.measure])
    choice = choice.answered(answer)
    runs, here = _answered(seen, answer)
    on_board = np.isin([run.run_id for run in seen], answer["run_ids"])
    return LeftOut(
        choice,
        _rows(
            choice,
            runs,
            (bases[0, on_board], residuals[0, on_board]),
            (answer["base"][here], answer["residual"][here]),
            ranks=answer["rank"][here],
            lost=(answer["lost"][here], answer["lost_relevant"][here]),
        ),
    )


def _answered(
    runs: tuple[BoardRun, ...], answer: Mapping[str, Any]
) -> tuple[tuple[BoardRun, ...], NDArray[np.intp]]:
    """The runs that the worker knew, and where each stands in its answer."""
    places = {str(run_id): place for place, run_id in enumerate(answer["run_ids"])}
    known = tuple(run for run in runs if run.run_id in places)
    return known, np.array([places[run.run_id] for run in known], dtype=np.intp)


def _rows(
    choice: PoolChoice,
    runs: tuple[BoardRun, ...],
    board: tuple[Vector, Vector],
    other: tuple[Vector, Vector],
    *,
    ranks: Vector | None = None,
    lost: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
) -> tuple[PooledRun, ...]:
    direction = family_of(choice.measure).facts.direction
    on_board = shared_ranks(board[0], direction)
    elsewhere = shared_ranks(other[0], direction) if ranks is None else _numbers(ranks)
    numbers = [_numbers(column) for column in (*board, *other)]
    rows = [
        PooledRun(
            run=run,
            rank=on_board[at],
            base=numbers[0][at],
            residual=numbers[1][at],
            other_rank=None if elsewhere[at] is None else int(elsewhere[at] or 0),
            other_base=numbers[2][at],
            other_residual=numbers[3][at],
            lost=int(lost[0][at]) if lost else 0,
            lost_relevant=int(lost[1][at]) if lost else 0,
        )
        for at, run in enumerate(runs)
    ]
    last = len(rows) + 1
    return tuple(sorted(rows, key=lambda row: (row.rank or last, row.run.tag.lower())))


def _numbers(values: Vector) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]
