"""What several measures need of the same grades, worked out once per evaluation.

Measures look at few of the cells: the relevant documents, or the unjudged ones. `Places` lists
these cells, topic after topic, and sums over them. A sum takes the cells of a topic in rank order
by numpy's pairwise summation, whatever stands in other rows: scores have the same bits whether
runs are evaluated one by one or stacked, and on any number of threads.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import GradedTopics

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Places:
    """Cells of a matrix [topics, ranks]: those of topic t are bounds[t]:bounds[t + 1]."""

    bounds: NDArray[np.int64]  # int64[topics + 1]
    positions: NDArray[np.int64]  # int64[cells], 0-based rank, ascending within a topic

    @property
    def counts(self) -> NDArray[np.int64]:
        """int64[topics]: cells of each topic."""
        return np.diff(self.bounds)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """int64[cells]: the topic of each cell."""
        return np.repeat(np.arange(len(self.bounds) - 1), self.counts)

    @cached_property
    def ordinals(self) -> NDArray[np.int64]:
        """int64[cells]: 1 for the first cell of a topic, 2 for the second, and so on."""
        return np.arange(1, len(self.positions) + 1) - np.repeat(self.bounds[:-1], self.counts)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[topics]: the sum of `values` (one per cell) over each topic."""
        totals = np.zeros(len(self.bounds) - 1)
        occupied = self.bounds[1:] > self.bounds[:-1]
        if len(values):
            totals[occupied] = np.add.reduceat(values, self.bounds[:-1][occupied])
        return totals

    def first_ranks(self) -> NDArray[np.float64]:
        """float64[topics]: the rank (1-based) of the first cell, infinite where there is none."""
        ranks = np.full(len(self.bounds) - 1, np.inf)
        occupied = self.bounds[1:] > self.bounds[:-1]
        ranks[occupied] = self.positions[self.bounds[:-1][occupied]] + 1
        return ranks

    def table(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[topics, most cells of a topic]: `values` side by side, 0 where there are none."""
        widest = int(self.counts.max(initial=0))
        table = np.zeros((len(self.bounds) - 1, widest))
        table[self.rows, self.ordinals - 1] = values
        return table

    def before(self, others: "Places", ranks: int) -> NDArray[np.int64]:
        """int64[cells]: how many of the others stand above this cell, in the same topic."""
        above = np.searchsorted(others.flat(ranks), self.flat(ranks))
        return above - others.bounds[self.rows]

    def flat(self, ranks: int) -> NDArray[np.int64]:
        """int64[cells]: the places in the whole matrix, `ranks` to a topic; ascending."""
        return self.rows * ranks + self.positions


def places_of(mask: NDArray[np.bool_]) -> Places:
    """The cells of bool[topics, ranks] that are true."""
    topics, ranks = mask.shape
    flat = np.flatnonzero(mask)
    row_starts = np.arange(topics + 1) * ranks
    bounds = np.searchsorted(flat, row_starts)
    return Places(bounds, flat - np.repeat(row_starts[:-1], np.diff(bounds)))


class Workings:
    """Intermediate results over one GradedTopics, each made on first demand and then shared.

    `ranks` says how far down a measure looks: its cutoff, or the whole depth (see `ranks_of`).
    """

    def __init__(self, graded: GradedTopics) -> None:
        self.graded = graded
        self._made: dict[Hashable, object] = {}

    def ranks_of(self, cutoff: int | None) -> int:
        """Ranks of the matrix that a measure with this cutoff looks at."""
        return self.graded.depth if cutoff is None else min(cutoff, self.graded.depth)

    def relevant(self, rel: int, ranks: int) -> Places:
        """Documents with grade `rel` or higher in the first `ranks`."""
        return self.shared(
            ("relevant", rel, ranks), lambda: places_of(self.graded.relevant(rel)[:, :ranks])
        )

    def nonrelevant(self, rel: int, ranks: int) -> Places:
        """Documents judged with a grade below `rel` in the first `ranks`."""

        def find() -> Places:
            judged = self.graded.judged[:, :ranks]
            return places_of(judged & ~self.graded.relevant(rel)[:, :ranks])

        return self.shared(("nonrelevant", rel, ranks), find)

    def possible(self, rel: int, ranks: int) -> Places:
        """Documents in the first `ranks` that have grade `rel` or higher or that nobody judged."""

        def find() -> Places:
            unjudged = self.graded.unjudged[:, :ranks]
            return places_of(unjudged | self.graded.relevant(rel)[:, :ranks])

        return self.shared(("possible", rel, ranks), find)

    def unjudged(self, ranks: int) -> Places:
        """Documents that nobody judged in the first `ranks`."""
        return self.shared(("unjudged", ranks), lambda: places_of(self.graded.unjudged[:, :ranks]))

    def pooled(self, ranks: int) -> Places:
        """Documents in the first `ranks` that the qrels name without judging them."""
        pooled = self.graded.pooled
        nowhere = np.zeros((self.graded.topics, ranks), np.bool_)
        mask = nowhere if pooled is None else pooled[:, :ranks] & self.graded.unjudged[:, :ranks]
        return self.shared(("pooled", ranks), lambda: places_of(mask))

    def grades_at(self, rel: int, ranks: int) -> NDArray[np.int8]:
        """int8[cells]: the grades of the documents `relevant(rel, ranks)`."""

        def look_up() -> NDArray[np.int8]:
            places = self.relevant(rel, ranks)
            return self.graded.grades[places.rows, places.positions]

        return self.shared(("grades", rel, ranks), look_up)

    def first(self, limits: NDArray[np.int64], rel: int, ranks: int) -> NDArray[np.float64]:
        """float64[topics]: documents with grade `rel` or higher above the limit of each topic."""
        relevant = self.relevant(rel, ranks)
        inside = relevant.positions < limits[relevant.rows]
        return relevant.sums(inside.astype(np.float64))

    def shared(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """What `make` returns, made once per key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]  # type: ignore[return-value]
