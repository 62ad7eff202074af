"""What measures ask of a ranking, worked out once per evaluation.

Measures look at few of the cells: the relevant documents, or the unjudged ones. `Ranks` lists
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

from scoring.core.measures.arrays import GradedTopics, condensed

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Ranks:
    """Cells of a matrix [topics, ranks]: those of topic t are bounds[t]:bounds[t + 1]."""

    bounds: NDArray[np.int64]  # int64[topics + 1]
    positions: NDArray[np.int64]  # int64[cells], 0-based rank, ascending within a topic

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """int64[topics]: cells of each topic."""
        counts: NDArray[np.int64] = self.bounds[1:] - self.bounds[:-1]
        return counts

    @cached_property
    def occupied(self) -> NDArray[np.int64]:
        """int64[occupied]: the topics that have cells."""
        return self.counts.nonzero()[0]

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """int64[cells]: the topic of each cell."""
        return np.arange(len(self.counts)).repeat(self.counts)

    @cached_property
    def ordinals(self) -> NDArray[np.int64]:
        """int64[cells]: 1 for the first cell of a topic, 2 for the second, and so on."""
        return np.arange(1, len(self.positions) + 1) - self.bounds[:-1].repeat(self.counts)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[topics]: the sum of `values` (one per cell) over each topic."""
        totals = np.zeros(len(self.counts))
        if len(values):
            # Only occupied topics: reduceat gives an empty segment the value that follows it.
            totals[self.occupied] = np.add.reduceat(values, self.bounds[self.occupied])
        return totals

    def maxima(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[topics]: the highest of `values`, none below 0, in each topic; 0 without any."""
        highest = np.zeros(len(self.counts))
        if len(values):
            highest[self.occupied] = np.maximum.reduceat(values, self.bounds[self.occupied])
        return highest

    def nth(self, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which topics have n cells or more, and which of the cells is the nth of each."""
        topics = (self.counts >= n).nonzero()[0]
        return topics, self.bounds[topics] + (n - 1)

    def table(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[topics, most cells of a topic]: `values` side by side, 0 where there are none."""
        widest = int(self.counts.max(initial=0))
        table = np.zeros((len(self.counts), widest))
        table[self.rows, self.ordinals - 1] = values
        return table

    def count_above(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """int64[cells]: how many cells of bool[topics, ranks] above this one are true, in its
        topic. They are counted as bits, eight ranks to a byte."""
        bits = np.packbits(mask, axis=1, bitorder="little")
        places = self.rows * bits.shape[1] + (self.positions >> 3)
        through_byte = np.bitwise_count(bits).cumsum(axis=1, dtype=np.int64)
        from_here = np.bitwise_count(bits.take(places) >> (self.positions & 7))
        # All in the bytes down to this one, less those of this byte from the cell on.
        above: NDArray[np.int64] = through_byte.take(places) - from_here
        return above

    def flat(self, ranks: int) -> NDArray[np.int64]:
        """int64[cells]: the places in the whole matrix, `ranks` to a topic; ascending."""
        return self.rows * ranks + self.positions


def places_of(mask: NDArray[np.bool_]) -> Ranks:
    """The cells of bool[topics, ranks] that are true.

    >>> places = places_of(np.array([[True, False, True], [False, False, True]]))
    >>> places.bounds.tolist(), places.positions.tolist()
    ([0, 2, 3], [0, 2, 2])
    """
    topics, ranks = mask.shape
    flat = mask.reshape(-1).nonzero()[0]
    row_starts = np.arange(topics + 1) * ranks
    bounds = flat.searchsorted(row_starts)
    return Ranks(bounds, flat - row_starts[:-1].repeat(bounds[1:] - bounds[:-1]))


def first_places_of(mask: NDArray[np.bool_]) -> Ranks:
    """The first cell of each topic that is true in bool[topics, ranks].

    >>> places = first_places_of(np.array([[True, False, True], [False, False, True]]))
    >>> places.bounds.tolist(), places.positions.tolist()
    ([0, 1, 2], [0, 2])
    """
    topics, ranks = mask.shape
    if not ranks:
        return places_of(mask)
    firsts = mask.argmax(axis=1)
    has_one = mask[np.arange(topics), firsts]
    bounds = np.zeros(topics + 1, np.int64)
    has_one.cumsum(out=bounds[1:])
    return Ranks(bounds, firsts[has_one])


class Workings:
    """Intermediate results over one GradedTopics, each made on first demand and then shared.

    `ranks` says how far down a measure looks: its cutoff, or the whole depth (see `ranks_of`). From
    `within` on the answers depend on the ranks of documents: here each has one, under ties
    (`TiedWorkings`) the same questions are answered with the mean over all orderings.
    """

    def __init__(self, graded: GradedTopics) -> None:
        self.graded = graded
        self._made: dict[Hashable, object] = {}

    def ranks_of(self, cutoff: int | None) -> int:
        """Ranks of the matrix that a measure with this cutoff looks at."""
        return self.graded.depth if cutoff is None else min(cutoff, self.graded.depth)

    def relevant(self, rel: int, ranks: int) -> Ranks:
        """Documents with grade `rel` or higher in the first `ranks`."""
        return self.shared(
            ("relevant", rel, ranks), lambda: self.within(self.graded.relevant(rel), ranks)
        )

    def nonrelevant(self, rel: int, ranks: int) -> Ranks:
        """Documents judged with a grade below `rel` in the first `ranks`."""
        return self.shared(
            ("nonrelevant", rel, ranks), lambda: self.within(self.graded.nonrelevant(rel), ranks)
        )

    def possible(self, rel: int, ranks: int) -> Ranks:
        """Documents in the first `ranks` that have grade `rel` or higher or that nobody judged."""
        return self.shared(
            ("possible", rel, ranks), lambda: self.within(self.graded.possible(rel), ranks)
        )

    def possible_to(self, nth: int, rel: int, ranks: int) -> Ranks:
        """The same documents; of a topic that has more than `nth`, perhaps only its first ones."""
        if nth > 1:
            return self.possible(rel, ranks)
        return first_places_of(self.graded.possible(rel, ranks))

    def unjudged(self, ranks: int) -> Ranks:
        """Documents that nobody judged in the first `ranks`."""
        return self.shared(("unjudged", ranks), lambda: self.within(self.graded.unjudged, ranks))

    def grades_at(self, rel: int, ranks: int) -> NDArray[np.int8]:
        """int8[cells]: the grades of the documents `relevant(rel, ranks)`."""
        return self.shared(
            ("grades", rel, ranks), lambda: self.grades_of(self.relevant(rel, ranks))
        )

    def grades_of(self, places: Ranks) -> NDArray[np.int8]:
        """int8[cells]: the grades in these cells."""
        return self.graded.grades.reshape(-1).take(places.flat(self.graded.depth))

    def condensed(self) -> "Workings":
        """The same of the judged documents alone."""
        return self.shared("condensed", lambda: Workings(condensed(self.graded)))

    def shared(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """What `make` returns, made once per key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]  # type: ignore[return-value]  # what `make` of this key made

    def within(self, mask: NDArray[np.bool_], ranks: int) -> Ranks:
        """The cells of bool[topics, depth] whose documents can stand in the first `ranks`."""
        return places_of(mask[:, :ranks])

    def found(self, rel: int, cutoff: int) -> NDArray[np.float64]:
        """float64[topics]: documents with grade `rel` or higher (0: judged) within the cutoff."""
        inside = self.graded.relevant(rel, cutoff)
        found: NDArray[np.float64] = inside.sum(axis=1, dtype=np.float64)
        return found

    def found_above(self, limits: NDArray[np.int64], rel: int, ranks: int) -> NDArray[np.float64]:
        """float64[topics]: documents with grade `rel` or higher above the limit of each topic, none
        of which is beyond `ranks`."""
        relevant = self.relevant(rel, ranks)
        inside = relevant.positions < limits[relevant.rows]
        return relevant.sums(inside.astype(np.float64))

    def weights_at(self, places: Ranks, by_rank: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[cells]: the weight of the rank of each place; ranks after the last have none."""
        return by_rank.take(places.positions)

    def discounts_at(self, places: Ranks, by_rank: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[cells]: the same for what a gain is divided by."""
        return by_rank.take(places.positions)

    def unjudged_weight(self, by_rank: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[topics]: all weight of the ranks whose documents nobody judged."""
        unjudged = self.unjudged(len(by_rank))
        return unjudged.sums(by_rank.take(unjudged.positions))

    def precisions_at(self, places: Ranks, ranks: int) -> NDArray[np.float64]:
        """float64[cells]: the precision at each of the places in the first `ranks`, if all of them
        are relevant."""
        return places.ordinals / (places.positions + 1)

    def worth_of_nth(
        self, places: Ranks, nth: int, worth: Callable[[NDArray[np.int64]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """float64[topics]: what the rank of the nth of the places is worth, 0 without an nth."""
        topics, cells = places.nth(nth)
        values = np.zeros(self.graded.topics)
        values[topics] = worth(places.positions[cells] + 1)
        return values

    def rank_of_nth(self, places: Ranks, nth: int) -> NDArray[np.float64]:
        """float64[topics]: the rank of the nth of the places, NaN where there are fewer."""
        topics, cells = places.nth(nth)
        ranks = np.full(self.graded.topics, np.nan)
        ranks[topics] = places.positions[cells] + 1
        return ranks

    def best(self, places: Ranks, gains: NDArray[np.float64], cutoff: int) -> NDArray[np.float64]:
        """float64[topics]: the highest gain of the places within the cutoff; `gains` are theirs."""
        return places.maxima(gains)
