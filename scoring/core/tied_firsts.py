"""Closed forms under ties for what stops at the first (nth) relevant document or the best one.

All of them ask how a random ordering of n documents, r of them relevant, begins.
"""

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.gains import MAP, gains_of_grades
from scoring.core.measures.measure import Arguments
from scoring.core.measures.workings import Places
from scoring.core.tied_expectations import nth_cells
from scoring.core.tied_groups import TiedPlaces, TiedWorkings

FAR_ENOUGH = 64  # ranks in which an unknown document is looked for before all are


def none_in_first(
    sizes: NDArray[np.int64], relevant: NDArray[np.int64], slots: NDArray[np.int64]
) -> NDArray[np.float64]:
    """float64: how likely the first `slots` of `sizes` documents have none of the `relevant`.

    C(n - r, m)/C(n, m), the product of (n - max(r, m) - y)/(n - y) for y = 0 ... min(r, m) - 1.
    """
    factors = np.minimum(relevant, slots)
    steps = np.arange(int(factors.max(initial=0)))
    tops = (sizes - np.maximum(relevant, slots))[:, None] - steps
    ratios = np.maximum(tops, 0) / np.maximum(sizes[:, None] - steps, 1)
    likely: NDArray[np.float64] = np.where(steps < factors[:, None], ratios, 1.0).prod(axis=1)
    return likely


def reciprocal_rank(arguments: Arguments, workings: TiedWorkings) -> Scores:
    """The upper bound expects the nth document that is relevant or could be, or takes the rank
    after the end that would complete them."""
    rel, depth = arguments.integer("rel"), workings.graded.depth
    nth, damp, cutoff = arguments.integer("nth"), arguments.real("damp"), arguments.cutoff
    base = _expected_reciprocal(workings, workings.relevant(rel, depth), arguments)
    possible = workings.possible(rel, workings.reached(FAR_ENOUGH))
    if bool(((possible.counts < nth) & (workings.graded.lengths > FAR_ENOUGH)).any()):
        possible = workings.possible(rel, depth)
    upper = _expected_reciprocal(workings, possible, arguments)
    after = workings.graded.lengths + (nth - possible.counts)
    completed = possible.counts < nth
    if cutoff is not None:
        completed &= after <= cutoff
    upper[completed] = 1 / (damp + after[completed])
    return Scores(base, np.maximum(upper - base, 0.0))


def _expected_reciprocal(
    workings: TiedWorkings, places: Places, arguments: Arguments
) -> NDArray[np.float64]:
    """float64[topics]: 1/(damp + rank of the nth place) on average, 0 where there are fewer."""
    nth, damp, cutoff = arguments.integer("nth"), arguments.real("damp"), arguments.cutoff
    enough, cells = nth_cells(places, nth)
    groups = workings.with_groups(places)
    ranks = places.positions[cells] + 1
    reciprocal = 1 / (damp + ranks)
    if cutoff is not None:
        reciprocal[ranks > cutoff] = 0.0
    tied = np.flatnonzero(groups.group_of[cells] >= 0)
    if len(tied):
        its = groups.group_of[cells[tied]]
        starts, wanted = groups.starts[its], nth - groups.earlier[its]
        chances = rank_chances(groups.sizes[its], groups.members[its], wanted)
        reached = starts[:, None] + 1 + np.arange(chances.shape[1])
        inside = chances if cutoff is None else np.where(reached <= cutoff, chances, 0.0)
        reciprocal[tied] = (inside / (damp + reached)).sum(axis=1)
    expected = np.zeros(len(enough))
    expected[enough] = reciprocal
    return expected


def rank_chances(
    sizes: NDArray[np.int64], relevant: NDArray[np.int64], wanted: NDArray[np.int64]
) -> NDArray[np.float64]:
    """float64[groups, largest size]: how likely the q-th of r relevant documents is the x-th of n.

    C(x-1, q-1) C(n-x, r-q) / C(n, r), from the ratio of each to the one before it,
    (x-1)/(x-q) (n-x+1-r+q)/(n-x+1), as a running sum of logarithms.
    """
    x = np.arange(1, int(sizes.max()) + 1)
    n, r, q = sizes[:, None], relevant[:, None], wanted[:, None]
    can = (x >= q) & (x <= n - r + q)
    later = can & (x > q)
    ratios = np.ones(can.shape)
    top = (x - 1.0) * (n - x + 1 - r + q)
    np.divide(top, (x - q) * (n - x + 1.0), out=ratios, where=later)
    logs = np.where(can, np.cumsum(np.log(ratios), axis=1), -np.inf)
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    likely: NDArray[np.float64] = chances / chances.sum(axis=1, keepdims=True)
    return likely


def success(arguments: Arguments, workings: TiedWorkings) -> Scores:
    """One less the chance that a group across the cutoff keeps its relevant documents below it."""
    cutoff, rel = arguments.required_cutoff(), arguments.integer("rel")
    reached = workings.reached(cutoff)
    ones = np.ones(1)
    base = _expected_best(workings, workings.relevant(rel, reached), ones, cutoff)
    upper = _expected_best(workings, workings.possible(rel, reached), ones, cutoff)
    upper[workings.graded.lengths < cutoff] = 1.0
    return Scores(base, np.maximum(upper - base, 0.0))


def hit(arguments: Arguments, workings: TiedWorkings) -> Scores:
    """The best gain of the groups above the cutoff, or that of the part of the one across it."""
    cutoff = arguments.required_cutoff()
    reached = workings.reached(cutoff)
    gains = gains_of_grades(MAP, workings.graded)
    highest = float(gains.max())
    worth = np.full(256, highest)  # negative cells count from the end: unjudged is 255
    worth[: len(gains)] = gains
    judged = workings.relevant(0, reached)
    known = _expected_best(workings, judged, worth[workings.grades_at(0, reached)], cutoff)
    everything = workings.shared(("documents", reached), lambda: _documents(workings, reached))
    grades = workings.graded.grades[everything.rows, everything.positions]
    upper = _expected_best(workings, everything, worth[grades], cutoff)
    upper[workings.graded.lengths < cutoff] = highest
    return Scores(known, np.maximum(upper - known, 0.0))


def _documents(workings: TiedWorkings, ranks: int) -> Places:
    lengths = np.minimum(workings.graded.lengths, ranks)
    bounds = np.append(0, np.cumsum(lengths))
    return Places(bounds, np.arange(bounds[-1]) - np.repeat(bounds[:-1], lengths))


def _expected_best(
    workings: TiedWorkings, places: Places, gains: NDArray[np.float64], cutoff: int
) -> NDArray[np.float64]:
    """float64[topics]: the highest gain expected within the cutoff. `gains` are those of the
    places, or one for all."""
    groups = workings.with_groups(places)
    each = np.broadcast_to(gains, len(places.positions))
    best = np.zeros(workings.graded.topics)
    inside = np.flatnonzero(groups.lone.positions < cutoff)
    np.maximum.at(best, groups.lone.rows[inside], each[groups.lone_cells[inside]])
    if not len(groups.leaders):
        return best
    highest = np.maximum.reduceat(each[groups.tied_cells], groups.leaders)
    whole = groups.starts + groups.sizes <= cutoff
    np.maximum.at(best, groups.rows[whole], highest[whole])
    across = np.flatnonzero(~whole & (groups.starts < cutoff))
    if len(across):
        best += _better_across(groups, across, each, best, cutoff)
    return best


def _better_across(
    groups: TiedPlaces,
    across: NDArray[np.int64],
    gains: NDArray[np.float64],
    best: NDArray[np.float64],
    cutoff: int,
) -> NDArray[np.float64]:
    """What the group across the cutoff adds: for every gain the step up from the next lower one (or
    from what is surely there), times the chance of that gain or a higher one."""
    rows, topics = groups.rows[across], len(best)
    better = np.zeros(topics)
    of_group = gains[groups.tied_cells]
    levels = np.unique(of_group[np.isin(groups.group_of[groups.tied_cells], across)])
    sizes, slots = groups.sizes[across], groups.slots(cutoff)[across]
    for lower, level in zip(np.append(0.0, levels[:-1]), levels, strict=True):
        counts = np.add.reduceat((of_group >= level).astype(np.int64), groups.leaders)[across]
        step = np.maximum(level - np.maximum(best[rows], lower), 0.0)
        better[rows] += step * (1.0 - none_in_first(sizes, counts, slots))
    return better
