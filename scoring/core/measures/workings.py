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
        return self._shared(
            ("relevant", rel, ranks), lambda: places_of(self.graded.relevant(rel)[:, :ranks])
        )

    def unjudged(self, ranks: int) -> Places:
        """Documents that nobody judged in the first `ranks`."""
        return self._shared(("unjudged", ranks), lambda: places_of(self.graded.unjudged[:, :ranks]))

    def grades_at(self, rel: int, ranks: int) -> NDArray[np.int8]:
        """int8[cells]: the grades of the documents `relevant(rel, ranks)`."""

        def look_up() -> NDArray[np.int8]:
            places = self.relevant(rel, ranks)
            return self.graded.grades[places.rows, places.positions]

        return self._shared(("grades", rel, ranks), look_up)

    def _shared(self, key: Hashable, make: Callable[[], _T]) -> _T:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]  # type: ignore[return-value]
