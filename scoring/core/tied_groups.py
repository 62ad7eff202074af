"""Documents that share a retrieval score: where their groups begin, how large they are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.workings import Places, Workings, places_of


@dataclass(frozen=True, eq=False)
class TiedTopics:
    """The grades of a run together with its tied groups (`alignment.align_tie_groups`).

    Raises ValueError for groups that do not belong to such a matrix.
    """

    graded: GradedTopics
    tie_groups: NDArray[np.int32]  # int32[topics, depth], position of the group's first document

    def __post_init__(self) -> None:
        groups, depth = self.tie_groups, self.graded.depth
        if groups.shape != self.graded.grades.shape or groups.dtype != np.int32:
            raise ValueError(
                f"tie_groups must be int32{self.graded.grades.shape}, "
                f"not {groups.dtype}{groups.shape}"
            )
        goes_on = groups[:, 1:] == groups[:, :-1]
        if depth and not (
            bool(np.all(groups[:, 0] == 0)) and bool(np.all(goes_on | self.is_first[:, 1:]))
        ):
            raise ValueError("a tied group must name the position of its first document")

    @cached_property
    def is_first(self) -> NDArray[np.bool_]:
        """bool[topics, depth]: a group begins here."""
        first: NDArray[np.bool_] = self.tie_groups == np.arange(self.graded.depth, dtype=np.int32)
        return first

    @cached_property
    def has_ties(self) -> bool:
        """Whether any two documents are tied."""
        return not bool(self.is_first.all())

    @cached_property
    def is_tied(self) -> NDArray[np.bool_]:
        """bool[topics * depth]: the document in this cell shares its score with another one."""
        goes_on = ~self.is_first.reshape(-1)
        tied = goes_on.copy()
        tied[:-1] |= goes_on[1:]
        return tied

    @cached_property
    def sizes_at(self) -> NDArray[np.int32]:
        """int32[topics * depth]: the size of the tied group that begins in this cell, else 0."""
        goes_on = ~self.is_first.reshape(-1)
        begins = np.flatnonzero(self.is_tied & ~goes_on)
        ends = np.flatnonzero(self.is_tied & ~np.append(goes_on[1:], False))
        sizes = np.zeros(self.tie_groups.size, np.int32)
        sizes[begins] = ends - begins + 1
        return sizes

    def ranks_reached(self, cutoff: int | None) -> int:
        """How far down the groups go that begin within the cutoff."""
        depth = self.graded.depth
        if cutoff is None or cutoff >= depth:
            return depth
        crossing = np.flatnonzero(~self.is_first[:, cutoff])
        if not len(crossing):
            return cutoff
        starts = self.tie_groups[crossing, cutoff]
        below = self.tie_groups[crossing, cutoff:] == starts[:, None]
        return cutoff + int(below.sum(axis=1).max())


@dataclass(frozen=True, eq=False)
class Groups:
    """Places (of unjudged documents ...), parted into those that are tied with nobody and the tied
    groups that have at least one of them."""

    lone: Places  # those tied with nobody
    grouped: int  # how many are not
    leaders: NDArray[np.int64]  # int64[groups], where among those a group begins
    rows: NDArray[np.int64]  # int64[groups], the topic
    starts: NDArray[np.int64]  # int64[groups], 0-based position of the group's first document
    sizes: NDArray[np.int64]  # int64[groups], documents of the group

    @cached_property
    def members(self) -> NDArray[np.int64]:
        """int64[groups]: how many of the places are in the group."""
        return np.diff(self.leaders, append=self.grouped)

    def slots(self, limits: NDArray[np.int64] | int) -> NDArray[np.int64]:
        """int64[groups]: how many of the group's ranks lie within the limit."""
        inside: NDArray[np.int64] = np.minimum(np.maximum(limits - self.starts, 0), self.sizes)
        return inside

    def totals(
        self, of_lone: NDArray[np.float64], of_groups: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """float64[topics]: the sum of both over each topic."""
        sums = self.lone.sums(of_lone)
        if len(self.rows):
            sums += np.bincount(self.rows, weights=of_groups, minlength=len(sums))
        return sums


@dataclass(frozen=True, eq=False)
class TiedPlaces(Groups):
    """The same, and which of the places are where."""

    places: Places
    lone_cells: NDArray[np.int64]  # int64[lone], which of the places are tied with nobody
    tied_cells: NDArray[np.int64]  # int64[others], which are in a group, group after group

    @cached_property
    def earlier(self) -> NDArray[np.int64]:
        """int64[groups]: how many of the topic's places stand before the group."""
        return self.tied_cells[self.leaders] - self.places.bounds[self.rows]

    @cached_property
    def group_of(self) -> NDArray[np.int64]:
        """int64[places]: the group of each place, -1 for those tied with nobody."""
        groups = np.full(len(self.places.positions), -1)
        groups[self.tied_cells] = np.repeat(np.arange(len(self.leaders)), self.members)
        return groups

    def summed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[groups]: `values`, one for each of the places, summed over each group."""
        if not len(self.leaders):
            return np.zeros(0)
        return np.add.reduceat(values[self.tied_cells], self.leaders)


class TiedWorkings(Workings):
    """Workings that know the tied groups."""

    def __init__(self, tied: TiedTopics) -> None:
        super().__init__(tied.graded)
        self.tied = tied

    def reached(self, cutoff: int | None) -> int:
        """How far down the groups go that begin within the cutoff."""
        return self.shared(("reached", cutoff), lambda: self.tied.ranks_reached(cutoff))

    def unknown(self, ranks: int) -> Groups:
        """The unjudged documents of the first `ranks`. There are many: the matrix parts them."""

        def part() -> Groups:
            unjudged = self.graded.unjudged[:, :ranks]
            is_tied = self.tied.is_tied.reshape(self.graded.grades.shape)[:, :ranks]
            tied = places_of(unjudged & is_tied)
            return Groups(places_of(unjudged & ~is_tied), len(tied.positions), *self._groups(tied))

        return self.shared(("unknown", ranks), part)

    def with_groups(self, places: Places) -> TiedPlaces:
        """The places with their groups; made once for each list of places."""

        def part() -> TiedPlaces:
            is_tied = self.tied.is_tied[places.flat(self.graded.depth)]
            lone, tied = np.flatnonzero(~is_tied), np.flatnonzero(is_tied)
            apart = Places(np.searchsorted(lone, places.bounds), places.positions[lone])
            grouped = Places(np.searchsorted(tied, places.bounds), places.positions[tied])
            groups = self._groups(grouped)
            return TiedPlaces(apart, len(tied), *groups, places, lone, tied)

        return self.shared(("groups", id(places)), part)

    def _groups(
        self, tied: Places
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Leaders, rows, starts and sizes of the groups of these cells."""
        depth = self.graded.depth
        starts = self.tied.tie_groups.reshape(-1)[tied.flat(depth)].astype(np.int64)
        begins = tied.rows * depth + starts
        changes = np.ones(len(begins), np.bool_)
        np.not_equal(begins[1:], begins[:-1], out=changes[1:])
        leaders = np.flatnonzero(changes)
        sizes = self.tied.sizes_at[begins[leaders]].astype(np.int64)
        return leaders, tied.rows[leaders], starts[leaders], sizes
