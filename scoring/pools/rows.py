"""The board with another pool, and without the documents of one team: rows for page, chart, CSV.

All numbers come from the results of a worker (`pools.analysis`, `pools.left_out_analysis`).
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.ranks import DECIMALS, shared_ranks
from scoring.pools.analysis import ScoresByPool
from scoring.pools.left_out_analysis import WithoutOwnDocuments
from scoring.pools.options import PoolChoice
from scoring.pools.summaries import Summary, Vector, signed, summarised
from scoring.results.runs import BoardRun
from scoring.results.vectors import visible_means


@dataclass(frozen=True)
class PooledRun:
    """A run on the board, and its scores with the other judgments. None: not defined."""

    run: BoardRun
    rank: int | None
    base: float | None
    residual: float | None
    other_rank: int | None
    other_base: float | None
    other_residual: float | None
    lost: int = 0  # judgments that only its team contributed
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
        """Ranks lost; gained if negative."""
        if self.rank is None or self.other_rank is None:
            return None
        return self.other_rank - self.rank


@dataclass(frozen=True, eq=False)
class PoolStudy:
    choice: PoolChoice
    rows: tuple[PooledRun, ...]  # in the order of the board
    depths: tuple[Summary, ...]  # of the chosen measure, all judgments last
    measures: tuple[Summary, ...]  # with the chosen pool

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
        """The runs that lose ranks, the largest loss first."""
        fallen = [row for row in self.rows if (row.moved or 0) > 0]
        return tuple(sorted(fallen, key=lambda row: -(row.moved or 0)))

    @property
    def changed(self) -> int:
        # A rounding error is no change, and NaN is not greater than anything.
        return sum(abs(row.change) > 10.0**-DECIMALS for row in self.rows)

    @property
    def has_residuals(self) -> bool:
        return any(row.other_residual is not None for row in self.rows)


def pooled_board_runs(viewer: Viewer, qrels: Qrels, measure: Measure) -> tuple[BoardRun, ...]:
    """The ranked runs with a score, with the names that this viewer may see. One query."""
    return visible_means(viewer, qrels, [measure])[0]


def pool_study(
    choice: PoolChoice,
    runs: tuple[BoardRun, ...],
    measures: tuple[Measure, ...],
    result: ScoresByPool,
) -> PoolStudy:
    """`measures` are those of the question to the worker, in the same order."""
    runs, here = _runs_in_result(runs, result)
    choice, pools = choice.with_basis(result), result.pools.tolist()
    at, pool = measures.index(choice.measure), pools.index(choice.depth)
    base, residual = result.base[:, :, here], result.residual[:, :, here]
    # The last pool has all judgments, as the board.
    board, other = ((base[at, place], residual[at, place]) for place in (-1, pool))

    def summary(row: int, place: int) -> Summary:
        known = (int(result.judgments[place]), int(result.relevant[place]))
        return summarised(measures[row], pools[place], place, base[row], residual[row], known)

    return PoolStudy(
        choice=choice,
        rows=_rows(choice, runs, board, other),
        depths=tuple(summary(at, place) for place in range(len(pools))),
        measures=tuple(summary(row, pool) for row in range(len(measures))),
    )


def pool_glance(
    choice: PoolChoice,
    runs: tuple[BoardRun, ...],
    measures: tuple[Measure, ...],
    result: ScoresByPool,
) -> PoolStudy:
    """`pool_study` with only the summary of the chosen measure with the chosen pool."""
    runs, here = _runs_in_result(runs, result)
    choice = choice.with_basis(result)
    at, pool = measures.index(choice.measure), result.pools.tolist().index(choice.depth)
    base, residual = result.base[at][:, here], result.residual[at][:, here]
    known = (int(result.judgments[pool]), int(result.relevant[pool]))
    return PoolStudy(
        choice=choice,
        rows=_rows(choice, runs, (base[-1], residual[-1]), (base[pool], residual[pool])),
        depths=(summarised(choice.measure, choice.depth, pool, base, residual, known),),
        measures=(),
    )


def left_out(
    viewer: Viewer, qrels: Qrels, choice: PoolChoice, result: WithoutOwnDocuments
) -> LeftOut:
    """One query."""
    seen, bases, residuals = visible_means(viewer, qrels, [choice.measure])
    choice = choice.with_basis(result)
    runs, here = _runs_in_result(seen, result)
    # The same runs in the same order, since both are in the order of `seen`.
    on_board = np.isin([run.run_id for run in seen], result.run_ids)
    return LeftOut(
        choice,
        _rows(
            choice,
            runs,
            (bases[0, on_board], residuals[0, on_board]),
            (result.base[here], result.residual[here]),
            ranks=result.rank[here],
            lost=(result.lost[here], result.lost_relevant[here]),
        ),
    )


def _runs_in_result(
    runs: tuple[BoardRun, ...], result: ScoresByPool | WithoutOwnDocuments
) -> tuple[tuple[BoardRun, ...], NDArray[np.intp]]:
    """The runs that are in the result, and the index of each."""
    index = {str(run_id): at for at, run_id in enumerate(result.run_ids)}
    known = tuple(run for run in runs if run.run_id in index)
    return known, np.array([index[run.run_id] for run in known], dtype=np.intp)


def _rows(
    choice: PoolChoice,
    runs: tuple[BoardRun, ...],
    board: tuple[Vector, Vector],
    other: tuple[Vector, Vector],
    *,
    ranks: Vector | None = None,
    lost: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
) -> tuple[PooledRun, ...]:
    sign = sign_of(choice.measure)
    on_board = shared_ranks(sign * board[0])
    elsewhere = shared_ranks(sign * other[0]) if ranks is None else _numbers(ranks)
    numbers = [_numbers(column) for column in (*board, *other)]
    rows = [
        PooledRun(
            run=run,
            rank=on_board[at],
            base=numbers[0][at],
            residual=numbers[1][at],
            # Ranks of the result are floats, because a run without a score has NaN.
            other_rank=None if elsewhere[at] is None else int(elsewhere[at] or 0),
            other_base=numbers[2][at],
            other_residual=numbers[3][at],
            lost=int(lost[0][at]) if lost else 0,
            lost_relevant=int(lost[1][at]) if lost else 0,
        )
        for at, run in enumerate(runs)
    ]
    # Runs without a rank come last.
    last = len(rows) + 1
    return tuple(sorted(rows, key=lambda row: (row.rank or last, row.run.name.lower())))


def _numbers(values: Vector) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]
