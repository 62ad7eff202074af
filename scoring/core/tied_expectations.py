"""Closed forms of the mean over all orderings within tied groups, one for each measure.

McSherry and Najork (ECIR 2008) give P, R, F1, AP, RR and nDCG; RBP is that of the RBP paper,
section 4.7; ESL is Cooper's. Where the paper's RR slips, measures.md section 9 says so. Each takes
time linear in the documents. A document that is tied with nobody is scored as it is without ties,
by the same operations.

Whatever the measure, a bound from above takes the unknown documents for the best there are, and
expects that.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.cumulated_gain import discounts
from scoring.core.measures.gains import collected, ideal
from scoring.core.measures.measure import Arguments
from scoring.core.measures.precision import r_precision_limit, share
from scoring.core.measures.sums_of_precision import missing_precisions
from scoring.core.measures.weighted import Weighting
from scoring.core.measures.workings import Places
from scoring.core.tied_groups import Groups, TiedPlaces, TiedWorkings

Weigh = Callable[[Arguments, TiedWorkings], Weighting]


def weighted(weigh: Weigh) -> Callable[[Arguments, TiedWorkings], Scores]:
    """A group shares the weights of its ranks equally; so does what is unknown in it."""

    def compute(arguments: Arguments, workings: TiedWorkings) -> Scores:
        weighting = weigh(arguments, workings)
        weights = weighting.weights
        ranks = len(weights.by_rank)
        reached = workings.reached(ranks)
        places, gains = weighting.collect(reached)
        groups = workings.with_groups(places)
        if gains is None:
            base = shared_sums(groups, weights.by_rank)
        else:
            base = shared_gains(groups, weights.by_rank, gains)
        unknown = shared_sums(workings.unknown(reached), weights.by_rank)
        unknown += weights.after[np.minimum(workings.graded.lengths, ranks)]
        return Scores(base / weights.norm, unknown * weighting.highest_gain / weights.norm)

    return compute


def shared_sums(groups: Groups, by_rank: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[topics]: the weights of the places, every group with the mean weight of its ranks."""
    own, mean = _own_and_mean(groups, by_rank)
    return groups.totals(own, mean * groups.members)


def shared_gains(
    groups: TiedPlaces, by_rank: NDArray[np.float64], gains: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The same with a gain for each of the places."""
    own, mean = _own_and_mean(groups, by_rank)
    return groups.totals(own * gains[groups.lone_cells], mean * groups.summed(gains))


def _own_and_mean(
    groups: Groups, by_rank: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The weight of each lone place, and the mean weight of the ranks of each group; ranks after
    the last weight have none."""
    ranks = len(by_rank)
    padded = np.zeros(ranks + 1)
    padded[:-1] = by_rank
    own = padded.take(groups.lone.positions, mode="clip")
    if not len(groups.starts):
        return own, np.zeros(0)
    up_to = sums_before(by_rank)
    ends = up_to.take(groups.starts + groups.sizes, mode="clip")
    return own, (ends - up_to.take(groups.starts, mode="clip")) / groups.sizes


def sums_before(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n + 1]: the sums of the first 0, 1, 2, ... values."""
    sums = np.zeros(len(values) + 1)
    np.cumsum(values, out=sums[1:])
    return sums


def expected_found(
    workings: TiedWorkings, rel: int, limits: NDArray[np.int64] | int
) -> NDArray[np.float64]:
    """float64[topics]: relevant documents expected within the limit."""
    groups = workings.with_groups(workings.relevant(rel, workings.graded.depth))
    if isinstance(limits, int):
        inside, slots = groups.lone.positions < limits, groups.slots(limits)
    else:
        inside = groups.lone.positions < limits[groups.lone.rows]
        slots = groups.slots(limits[groups.rows])
    return groups.totals(inside.astype(np.float64), slots * groups.members / groups.sizes)


def recall(arguments: Arguments, workings: TiedWorkings) -> Scores:
    """Found, as expected, over R."""
    rel = arguments.integer("rel")
    found = expected_found(workings, rel, arguments.required_cutoff())
    return Scores(share(found, workings.graded.relevant_count(rel)), None)


def f1(arguments: Arguments, workings: TiedWorkings) -> Scores:
    """Twice what is expected to be found, over k + R."""
    rel, cutoff = arguments.integer("rel"), arguments.required_cutoff()
    whole = workings.graded.relevant_count(rel) + cutoff
    return Scores(2 * expected_found(workings, rel, cutoff) / whole, None)


def r_precision(arguments: Arguments, workings: TiedWorkings) -> Scores:
    """The rank it looks at depends on the topic alone."""
    limit = r_precision_limit(arguments, workings)
    return Scores(share(expected_found(workings, arguments.integer("rel"), limit), limit), None)


def judged(arguments: Arguments, workings: TiedWorkings) -> Scores:
    """Documents within k, less the unjudged ones expected there."""
    cutoff = arguments.required_cutoff()
    unjudged = workings.unknown(workings.reached(cutoff))
    inside = (unjudged.lone.positions < cutoff).astype(np.float64)
    shared = unjudged.slots(cutoff) * unjudged.members / unjudged.sizes
    missing = unjudged.totals(inside, shared)
    documents = np.minimum(workings.graded.lengths, cutoff)
    return Scores((documents - missing) / cutoff, None)


def precision_sums(groups: TiedPlaces, limit: int) -> NDArray[np.float64]:
    """float64[topics]: the sum of precisions expected within the limit.

    Rank j of a group that begins after t documents, with r of its n documents and R before it, is
    relevant in r/n of the orderings and has then (j - t - 1) (r - 1)/(n - 1) of the group above
    it, on average. Divided by j and summed over the group's ranks to the limit that is
    (r/n) (a m + (R + 1 - a (t + 1)) (H(t + m) - H(t))) with a = (r - 1)/(n - 1), m ranks and the
    harmonic numbers H.
    """
    lone = groups.lone
    own = (groups.lone_cells - groups.places.bounds[lone.rows] + 1) / (lone.positions + 1)
    own[lone.positions >= limit] = 0.0
    starts, sizes, members = groups.starts, groups.sizes, groups.members
    inside = groups.slots(limit)
    deepest = int((starts + inside).max(initial=0))
    harmonic = sums_before(1 / np.arange(1, deepest + 1))
    rate = (members - 1) / (sizes - 1)
    above = groups.earlier + 1 - rate * (starts + 1)
    span = harmonic[np.minimum(starts + inside, deepest)]
    span = np.where(inside > 0, span - harmonic[np.minimum(starts, deepest)], 0.0)
    return groups.totals(own, (rate * inside + above * span) * members / sizes)


def average_precision(arguments: Arguments, workings: TiedWorkings) -> Scores:
    """The sum of precisions over R."""
    rel = arguments.integer("rel")
    relevant = workings.with_groups(workings.relevant(rel, workings.graded.depth))
    sums = precision_sums(relevant, workings.ranks_of(arguments.cutoff))
    return Scores(share(sums, workings.graded.relevant_count(rel)), None)


def sum_of_precisions(arguments: Arguments, workings: TiedWorkings) -> Scores:
    """The upper bound expects every unknown document relevant, those after the end too."""
    rel, cutoff = arguments.integer("rel"), arguments.required_cutoff()
    relevant = workings.with_groups(workings.relevant(rel, workings.graded.depth))
    base = precision_sums(relevant, cutoff)
    reached = workings.reached(cutoff)
    possible = workings.with_groups(workings.possible(rel, reached))
    upper = precision_sums(possible, cutoff)
    upper += missing_precisions(possible.places, workings, cutoff)
    return Scores(base, np.maximum(upper - base, 0.0))


def ndcg(arguments: Arguments, workings: TiedWorkings) -> Scores:
    """A group shares its discounts; the ideal ranking is the same for every ordering."""
    kind, cutoff, log_base = arguments.word("gain"), arguments.cutoff, arguments.real("b")
    ranks = workings.ranks_of(cutoff)
    places, gains = collected(kind, workings, workings.reached(cutoff))
    groups = workings.with_groups(places)
    own = gains[groups.lone_cells] / discounts(log_base, groups.lone.positions)
    own[groups.lone.positions >= ranks] = 0.0
    _, mean = _own_and_mean(groups, 1 / discounts(log_base, np.arange(ranks)))
    reached = groups.totals(own, mean * groups.summed(gains))
    best_places, best_gains = ideal(kind, workings.graded, cutoff)
    best = best_places.sums(best_gains / discounts(log_base, best_places.positions))
    return Scores(np.divide(reached, best, out=np.zeros_like(best), where=best > 0), None)


def search_length(arguments: Arguments, workings: TiedWorkings) -> Scores:
    """Cooper: the irrelevant documents before the group, and q/(r + 1) of its own where the q-th of
    its r relevant documents is the one wanted."""
    wanted = arguments.integer("n")
    relevant = workings.relevant(arguments.integer("rel"), workings.graded.depth)
    enough, cells = nth_cells(relevant, wanted)
    groups = workings.with_groups(relevant)
    lengths = (relevant.positions[cells] + 1 - wanted).astype(np.float64)
    tied = np.flatnonzero(groups.group_of[cells] >= 0)
    its = groups.group_of[cells[tied]]
    earlier, members = groups.earlier[its], groups.members[its]
    others = (groups.sizes[its] - members) * (wanted - earlier) / (members + 1)
    lengths[tied] = groups.starts[its] - earlier + others
    length = np.full(len(enough), np.nan)
    length[enough] = lengths
    return Scores(length / wanted if arguments.integer("per") else length, None)


def nth_cells(places: Places, nth: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """bool[topics], which topics have so many places, and int64, the nth of each that has."""
    enough = places.counts >= nth
    return enough, places.bounds[:-1][enough] + (nth - 1)
