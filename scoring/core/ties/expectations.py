"""What measures ask of a ranking, answered with the mean over all orderings within tied groups.

The closed forms are McSherry and Najork's (ECIR 2008) for P, R, F1, AP, RR and nDCG, that of the
RBP paper, section 4.7, and Cooper's for ESL. RR is corrected: the paper's sum
f(j - t)/j should be (f(x-1) - f(x))/j with f(0) = 1. Each takes time linear in the documents.

1. Only mixed groups matter, those whose documents differ in grade. Whatever stands outside of them
   has its one rank, and what a measure gets for it is the same, bit for bit, as without ties.
2. The places of a list (relevant documents ...) that one mixed group has share what its ranks have.
   They get equal parts, so that a sum over the topic is the expected one.
3. A bound from above takes the unknown documents for the best there are, and expects that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.workings import Ranks, Workings, places_of
from scoring.core.ties.groups import Groups, TiedTopics, condensed_with_ties


@dataclass(frozen=True, eq=False)
class Sharers:
    """Which of a list of places are in mixed groups."""

    groups: Groups  # those that have at least one of the places
    cells: NDArray[np.int64]  # int64[sharers], which of the list are in a group, group after group
    firsts: NDArray[np.int64]  # int64[groups], which of the list is the first of the group
    members: NDArray[np.int64]  # int64[groups], how many are in the group

    def give(self, values: NDArray[np.float64], shared: NDArray[np.float64]) -> None:
        """Writes what each group shares to each of its members, among the values of the list."""
        if len(self.groups):
            values[self.cells] = shared.repeat(self.members)


@dataclass(frozen=True, eq=False)
class NthShared:
    """The mixed groups, each of another topic, that have the nth of a list of places."""

    groups: Groups
    members: NDArray[np.int64]  # int64[groups], how many of the places are in the group
    wanted: NDArray[np.int64]  # int64[groups], which of these is the nth: 1 for the first


class TiedWorkings(Workings):
    """The mean over all orderings."""

    def __init__(self, tied: TiedTopics) -> None:
        super().__init__(tied.graded)
        self.tied = tied
        self.mixed = tied.mixed

    def condensed(self) -> "TiedWorkings":
        return self.shared("condensed", lambda: TiedWorkings(condensed_with_ties(self.tied)))

    def across(self, cutoff: int) -> Groups:
        """The mixed groups that begin within the cutoff and go on after it, one a topic at most."""

        def find() -> Groups:
            is_across = (self.mixed.starts < cutoff) & (self.mixed.ends > cutoff)
            return self.mixed.some(is_across.nonzero()[0])

        return self.shared(("across", cutoff), find)

    def sharers(self, places: Ranks) -> Sharers:
        """Who shares; made once for each list of places."""

        def find() -> Sharers:
            group_of = self._group_of().take(places.flat(self.graded.depth))
            cells = (group_of >= 0).nonzero()[0]
            group_of = group_of[cells]
            # The entry after the last one ends the last group: the differences are the members of
            # each.
            is_first = np.ones(len(cells) + 1, np.bool_)
            np.not_equal(group_of[1:], group_of[:-1], out=is_first[1:-1])
            firsts = is_first.nonzero()[0]
            members, firsts = firsts[1:] - firsts[:-1], firsts[:-1]
            return Sharers(self.mixed.some(group_of[firsts]), cells, cells[firsts], members)

        return self.shared(("sharers", places), find)

    def within(self, mask: NDArray[np.bool_], ranks: int) -> Ranks:
        """Whole groups: those that begin in the first `ranks`."""
        across = self.across(ranks)
        if not len(across):
            return super().within(mask, ranks)
        reached = np.full(self.graded.topics, ranks)
        reached[across.rows] = across.ends
        deepest = int(reached.max())
        return places_of(mask[:, :deepest] & (np.arange(deepest) < reached[:, None]))

    def possible_to(self, nth: int, rel: int, ranks: int) -> Ranks:
        """All of them: which is the nth depends on the ordering."""
        return self.possible(rel, ranks)

    def found(self, rel: int, cutoff: int) -> NDArray[np.float64]:
        """A group across the cutoff has its share of documents within it."""
        found, across = super().found(rel, cutoff), self.across(cutoff)
        if len(across):
            in_group = self.shared(("in group", cutoff), across.mask)
            members = self.graded.relevant(rel)[across.rows, : in_group.shape[1]] & in_group
            expected = across.slots(cutoff) * members.sum(axis=1) / across.sizes
            # In place of those that the order of the ranking happens to put within the cutoff.
            found[across.rows] += expected - members[:, :cutoff].sum(axis=1)
        return found

    def found_above(self, limits: NDArray[np.int64], rel: int, ranks: int) -> NDArray[np.float64]:
        """Each document of a group is above the limit with the share of its ranks that are."""
        relevant = self.relevant(rel, ranks)
        inside = (relevant.positions < limits[relevant.rows]).astype(np.float64)
        sharers = self.sharers(relevant)
        groups = sharers.groups
        sharers.give(inside, groups.slots(limits[groups.rows]) / groups.sizes)
        return relevant.sums(inside)

    def weights_at(self, places: Ranks, by_rank: NDArray[np.float64]) -> NDArray[np.float64]:
        """A group shares the weights of its ranks equally."""
        weights = by_rank.take(places.positions, mode="clip")
        sharers = self.sharers(places)
        sharers.give(weights, sharers.groups.means(by_rank))
        return weights

    def discounts_at(self, places: Ranks, by_rank: NDArray[np.float64]) -> NDArray[np.float64]:
        """Their reciprocals are weights."""
        discounts = by_rank.take(places.positions, mode="clip")
        sharers = self.sharers(places)
        sharers.give(discounts, 1 / sharers.groups.means(1 / by_rank))
        return discounts

    def unjudged_weight(self, by_rank: NDArray[np.float64]) -> NDArray[np.float64]:
        """There are many unjudged documents: those of mixed groups are only counted."""
        settled = self._settled_unjudged(len(by_rank))
        shared = self.mixed.means(by_rank) * self._unjudged_members()
        weight = settled.sums(by_rank.take(settled.positions))
        return weight + np.bincount(self.mixed.rows, weights=shared, minlength=len(weight))

    def precisions_at(self, places: Ranks, ranks: int) -> NDArray[np.float64]:
        """Rank j of a group that begins after t documents, with r of its n documents and R before
        it, is relevant in r/n of the orderings and has then (j - t - 1) (r - 1)/(n - 1) of the
        group above it, on average. Divided by j and summed over its m ranks in the first `ranks`
        that is (r/n) (a m + (R + 1 - a (t + 1)) (H(t + m) - H(t))) with a = (r - 1)/(n - 1) and the
        harmonic numbers H; each of the r documents has its part.
        """
        precisions, sharers = super().precisions_at(places, ranks), self.sharers(places)
        groups = sharers.groups
        slots = groups.slots(ranks)
        harmonic = np.zeros(self.graded.depth + 1)
        (1 / np.arange(1, len(harmonic))).cumsum(out=harmonic[1:])
        span = harmonic[groups.starts + slots] - harmonic[groups.starts]
        rate = (sharers.members - 1) / (groups.sizes - 1)
        above = places.ordinals[sharers.firsts] - rate * (groups.starts + 1)
        sharers.give(precisions, (rate * slots + above * span) / groups.sizes)
        return precisions

    def worth_of_nth(
        self, places: Ranks, nth: int, worth: Callable[[NDArray[np.int64]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """The worth of each rank of its group, times the chance that it has this rank."""
        values, shared = super().worth_of_nth(places, nth, worth), self._nth_shared(places, nth)
        if shared:
            chances = nth_chances(shared.groups.sizes, shared.members, shared.wanted)
            ranks = shared.groups.starts[:, None] + 1 + np.arange(chances.shape[1])
            values[shared.groups.rows] = (chances * worth(ranks)).sum(axis=1)
        return values

    def rank_of_nth(self, places: Ranks, nth: int) -> NDArray[np.float64]:
        """The q-th of r documents among n stands at q (n + 1)/(r + 1) on average."""
        ranks, shared = super().rank_of_nth(places, nth), self._nth_shared(places, nth)
        if shared:
            groups = shared.groups
            inside = shared.wanted * (groups.sizes + 1) / (shared.members + 1)
            ranks[groups.rows] = groups.starts + inside
        return ranks

    def _nth_shared(self, places: Ranks, nth: int) -> NthShared | None:
        topics, cells = places.nth(nth)
        group_of = self._group_of().take(topics * self.graded.depth + places.positions[cells])
        shared = (group_of >= 0).nonzero()[0]
        if not len(shared):
            return None
        groups = self.mixed.some(group_of[shared])
        # Places are in the order of cells: those of a group lie between its edges.
        at = places.flat(self.graded.depth).searchsorted(groups.edges)
        return NthShared(groups, at[1::2] - at[::2], cells[shared] - at[::2] + 1)

    def best(self, places: Ranks, gains: NDArray[np.float64], cutoff: int) -> NDArray[np.float64]:
        """The best of what is surely within the cutoff. A group across it adds for every gain the
        step up from the next lower one, times the chance of that gain or a higher one."""
        across = self.across(cutoff)
        if not len(across):
            return super().best(places, gains, cutoff)
        starts = np.full(self.graded.topics, self.graded.depth)
        starts[across.rows] = across.starts
        in_group = places.positions >= starts[places.rows]
        best = places.maxima(np.where(in_group, 0.0, gains))
        rows, gains = places.rows[in_group], gains[in_group]
        certain, better = best[across.rows], np.zeros(len(across))
        for lower, level in pairwise((0.0, *np.unique(gains).tolist())):
            counts = np.bincount(rows[gains >= level], minlength=len(best))[across.rows]
            chances = 1.0 - none_in_first(across.sizes, counts, across.slots(cutoff))
            better += np.maximum(level - np.maximum(certain, lower), 0.0) * chances
        best[across.rows] += better
        return best

    def _settled_unjudged(self, ranks: int) -> Ranks:
        """The unjudged documents of the first `ranks` that are in no mixed group."""

        def find() -> Ranks:
            settled = (self._group_of() < 0).reshape(self.graded.grades.shape)
            return places_of(self.graded.unjudged[:, :ranks] & settled[:, :ranks])

        return self.shared(("settled unjudged", ranks), find)

    def _unjudged_members(self) -> NDArray[np.int64]:
        """int64[groups]: how many documents of each mixed group nobody judged."""

        def count() -> NDArray[np.int64]:
            # Unjudged documents before each cell: a group has as many as lie between its edges.
            above = np.zeros(self.graded.grades.size + 1, np.int32)
            self.graded.unjudged.reshape(-1).cumsum(dtype=np.int32, out=above[1:])
            at = above[self.mixed.edges]
            return at[1::2] - at[::2]

        return self.shared("unjudged members", count)

    def _group_of(self) -> NDArray[np.int32]:
        """int32[topics * depth]: the mixed group of the document in this cell, -1 without one."""

        def number() -> NDArray[np.int32]:
            # Cells outside of mixed groups and those of one, in turns.
            edges = np.concatenate(([0], self.mixed.edges, [self.graded.grades.size]))
            groups = np.full(len(edges) - 1, -1, np.int32)
            groups[1::2] = np.arange(len(self.mixed))
            return groups.repeat(edges[1:] - edges[:-1])

        return self.shared("group of", number)


def nth_chances(
    sizes: NDArray[np.int64], members: NDArray[np.int64], wanted: NDArray[np.int64]
) -> NDArray[np.float64]:
    """float64[groups, largest size]: how likely the q-th of r documents is the x-th of n.

    C(x-1, q-1) C(n-x, r-q) / C(n, r), from the ratio of each to the one before it,
    (x-1)/(x-q) (n-x+1-r+q)/(n-x+1), as a running sum of logarithms.

    The second of two documents among three is at rank 2 in one of three orderings:

    >>> nth_chances(np.array([3]), np.array([2]), np.array([2])).round(4).tolist()
    [[0.0, 0.3333, 0.6667]]
    """
    if bool((wanted == 1).all()):
        return first_chances(sizes, members)
    x = np.arange(1, int(sizes.max()) + 1)
    n, r, q = sizes[:, None], members[:, None], wanted[:, None]
    # Before it q - 1 others need a rank, and after it r - q.
    can = (x >= q) & (x <= n - r + q)
    later = can & (x > q)
    ratios = np.ones(can.shape)
    top = (x - 1.0) * (n - x + 1 - r + q)
    np.divide(top, (x - q) * (n - x + 1.0), out=ratios, where=later)
    logs = np.where(can, np.cumsum(np.log(ratios), axis=1), -np.inf)
    # The largest becomes 1 before they are normalised, since exp would underflow in large groups.
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    likely: NDArray[np.float64] = chances / chances.sum(axis=1, keepdims=True)
    return likely


def first_chances(sizes: NDArray[np.int64], members: NDArray[np.int64]) -> NDArray[np.float64]:
    """The same for the first: with n - x + 1 documents left it is one of r, if none was before.

    >>> first_chances(np.array([3]), np.array([2])).round(4).tolist()
    [[0.6667, 0.3333, 0.0]]
    """
    left = sizes[:, None] - np.arange(int(sizes.max()))
    # 1 as soon as only members are left; from there on the chance that none was before is 0.
    is_it = np.minimum(members[:, None] / np.maximum(left, 1), 1.0)
    chances = np.ones(left.shape)
    np.cumprod(1 - is_it[:, :-1], axis=1, out=chances[:, 1:])
    chances *= is_it
    return chances


def none_in_first(
    sizes: NDArray[np.int64], members: NDArray[np.int64], slots: NDArray[np.int64]
) -> NDArray[np.float64]:
    """float64[groups]: how likely none of r documents is among the first m of n.

    C(n - r, m)/C(n, m), the product of (n - max(r, m) - y)/(n - y) for y = 0 ... min(r, m) - 1.

    >>> none_in_first(np.array([5]), np.array([2]), np.array([2])).round(4).tolist()  # 3/5 · 2/4
    [0.3]
    """
    factors = np.minimum(members, slots)
    steps = np.arange(int(factors.max(initial=0)))
    tops = (sizes - np.maximum(members, slots))[:, None] - steps
    # A negative factor: the ranks are too many to have none of them, and the chance is 0.
    ratios = np.maximum(tops, 0) / np.maximum(sizes[:, None] - steps, 1)
    likely: NDArray[np.float64] = np.where(steps < factors[:, None], ratios, 1.0).prod(axis=1)
    return likely
