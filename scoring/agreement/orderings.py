"""Two orderings of the runs: the rank of each run in both, and the swapped pairs."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from scoring.agreement.options import STATISTICS, Ordering, PairChoice
from scoring.agreement.rows import shown, statistic_of
from scoring.core.measures.catalogue import sign_of
from scoring.core.statistics.concordance import concordance
from scoring.core.statistics.ranks import shared_ranks
from scoring.core.statistics.undefined import none_if_nan
from scoring.results.runs import BoardRun
from scoring.results.vectors import visible_means

NEAREST: Final = 20  # swapped pairs that the page shows

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class OrderedRun:
    """A run in both orderings; equal scores share a rank."""

    run: BoardRun
    score_a: float
    score_b: float
    rank_a: int
    rank_b: int

    @property
    def moved(self) -> int:
        """Ranks gained from a to b; lost if negative."""
        return self.rank_a - self.rank_b

    @property
    def lost(self) -> int:
        return -self.moved


@dataclass(frozen=True)
class Swap:
    """Two runs in opposite order: `first` is better by a, `second` by b. In one of the orderings
    both are among the first `depth`."""

    first: OrderedRun
    second: OrderedRun
    depth: int


@dataclass(frozen=True)
class PairOfOrderings:
    choice: PairChoice
    rows: tuple[OrderedRun, ...]  # in the order of a
    swapped: int  # pairs of runs in opposite order
    tied: int  # pairs that a or b ties
    left_out: int  # runs in only one of the two
    statistics: tuple[tuple[str, float | None], ...]

    @property
    def pairs(self) -> int:
        return math.comb(len(self.rows), 2)

    @cached_property
    def nearest(self) -> tuple[Swap, ...]:
        return tuple(islice(self.swaps(), NEAREST))

    def swaps(self) -> Iterator[Swap]:
        """Those nearest the top first. There are up to a million of 2,000 runs, so that nothing
        holds all of them."""
        rank_a = np.array([row.rank_a for row in self.rows])
        rank_b = np.array([row.rank_b for row in self.rows])
        for depth in range(1, len(self.rows) + 1):
            at_a, at_b = np.flatnonzero(rank_a == depth), np.flatnonzero(rank_b == depth)
            # The second of a pair has this rank by a, or the first has it by b.
            after_it = (rank_a < depth) & (rank_b >= depth) & (rank_b > rank_b[at_a, None])
            # Above, the rank by b may be `depth` too; here, the rank by a may not. So no pair comes
            # twice.
            before_it = (rank_b < depth) & (rank_a > depth) & (rank_a > rank_a[at_b, None])
            (at_second, first), (at_first, second) = after_it.nonzero(), before_it.nonzero()
            first = np.append(first, at_b[at_first])
            second = np.append(at_a[at_second], second)
            farther = np.maximum(rank_a[second], rank_b[first])
            # The last key of lexsort counts most.
            order = np.lexsort((rank_b[second], rank_a[first], farther))
            for one, other in zip(first[order], second[order], strict=True):
                yield Swap(self.rows[one], self.rows[other], depth)

    @property
    def shown_statistics(self) -> list[tuple[str, str]]:
        return [(STATISTICS[name], shown(value)) for name, value in self.statistics]

    @property
    def tau(self) -> str:
        return shown(dict(self.statistics)["tau"])

    @property
    def first_by_a(self) -> tuple[OrderedRun, ...]:
        return tuple(row for row in self.rows if row.rank_a == 1)

    @property
    def first_by_b(self) -> tuple[OrderedRun, ...]:
        return tuple(row for row in self.rows if row.rank_b == 1)


def pair_of_orderings(viewer: Viewer, choice: PairChoice) -> PairOfOrderings:
    """Two queries. The viewer must be one who may see the board."""
    by_a, by_b = _means(viewer, choice.a), _means(viewer, choice.b)
    both = sorted(by_a.keys() & by_b.keys())
    runs = [by_a[run_id][0] for run_id in both]
    scores = np.array([[by[run_id][1] for run_id in both] for by in (by_a, by_b)], dtype=float)
    ranks = [
        shared_ranks(sign_of(ordering.measure) * row)
        for row, ordering in zip(scores, (choice.a, choice.b), strict=True)
    ]
    unordered = [
        OrderedRun(run, score_a, score_b, rank_a or 0, rank_b or 0)
        for run, (score_a, score_b), rank_a, rank_b in zip(
            runs, scores.T.tolist(), *ranks, strict=True
        )
    ]
    rows = tuple(sorted(unordered, key=lambda row: (row.rank_a, row.rank_b, row.run.name.lower())))
    # Without runs, the array has no second dimension of its own.
    better = np.array([[row.score_a, row.score_b] for row in rows], dtype=float).reshape(-1, 2).T
    better = better * np.array([[sign_of(choice.a.measure)], [sign_of(choice.b.measure)]])
    pairs = concordance(better)
    return PairOfOrderings(
        choice=choice,
        rows=rows,
        swapped=int(pairs.discordant[0, 1]),
        tied=int(pairs.pairs[0, 1] - pairs.untied[0, 1]),
        left_out=len(by_a.keys() ^ by_b.keys()),
        statistics=tuple(
            (name, none_if_nan(statistic_of(name, better, persistence=choice.persistence)[0, 1]))
            for name in STATISTICS
        ),
    )


def _means(viewer: Viewer, ordering: Ordering) -> dict[str, tuple[BoardRun, float]]:
    """The runs with a mean, and their means; one query."""
    runs, means, _ = visible_means(viewer, ordering.qrels, (ordering.measure,))
    pairs = zip(runs, means[0].tolist(), strict=True)
    return {run.run_id: (run, mean) for run, mean in pairs if not math.isnan(mean)}
