"""The randomisation test: were the two runs exchanged at random on each topic, how far the sum?

`sign_flip` tests rows of differences. `SignFlips` finds the same p-values for many pairs of the
same runs in less time: the sum over the topics is taken once for each run and sample, and the sum
of a pair is the difference of two of these. Both count in whole units of 1e-12, but a difference of
two rounded scores may be a unit off the rounded difference. So each pair has a margin. If a sample
lies within the margin of the sum that was seen, as where many differences are equal, `sign_flip`
decides.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.statistics.pairs import (
    ALL_FLIPS,
    FLIPS,
    LARGEST_EXACT_SUM,
    NOTHING,
    UNITS,
    Outcomes,
    Pairs,
    Tail,
    blocks_of,
    checked_tail,
    whole_units,
)

_SUMS_AT_A_TIME = 1 << 20  # pairs x samples: 8 MB
_SUMS_IN_CACHE = 80_000
_CELLS_OF_RUNS = 1 << 22  # sums of the runs, and signs, in memory at a time: 32 MB each


def sign_flip(
    differences: NDArray[np.float64], *, samples: int, seed: int, tail: Tail = "two"
) -> Outcomes:
    """Randomisation test: were the two runs exchanged at random on each topic, how far the sum?

    p = (1 + samples whose sum of differences is at least as far from 0) / (1 + samples), never 0
    (Phipson & Smyth, 2010); one-tailed, whose sum is at least as great. Differences are rounded to
    12 decimals and summed exactly, so that equal sums count as equal.

    Where a pair differs on so few topics that there are no more ways to exchange the runs than
    `samples`, each way is taken once, and p is the share of those whose sum is as far, or as great.
    `methods` says which.

    The same random exchanges serve all pairs; they depend on `seed`, `samples` and the number of
    topics alone: a pair has the same p-value in whatever company it is tested.

    A pair without common topics has p = NaN. Raises ValueError for less than one sample and for an
    unknown tail.

    Of the eight ways to exchange two runs on three topics, two have a sum as far from 0 as .6:

    >>> differences = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, -0.3]])
    >>> sign_flip(differences, samples=100, seed=1).p_values.tolist()
    [0.25, 1.0]
    """
    checked_tail(tail)
    units = whole_units(differences)
    topics = differences.shape[1] - np.isnan(differences).sum(axis=1)
    is_few: NDArray[np.bool_] = np.count_nonzero(units, axis=1) <= few_topics(samples)
    p_values = np.empty(len(units))
    p_values[is_few] = _p_values_of_few(units[is_few], tail)
    many = units[~is_few]
    seen, exceeding = many.sum(axis=1), np.zeros(len(many), np.int64)
    step = max(1, _SUMS_AT_A_TIME // max(1, len(many)))
    for signs in random_signs(samples, seed, units.shape[1], step) if len(many) else ():
        sums = many @ signs
        if tail == "two":
            exceeding += (np.abs(sums) >= np.abs(seen)[:, None]).sum(axis=1)
        else:
            exceeding += (sums >= seen[:, None]).sum(axis=1)
    p_values[~is_few] = (exceeding + 1) / (samples + 1)
    p_values[topics == 0] = np.nan
    methods = _methods(np.any(units, axis=1), is_few)
    return Outcomes(p_values, np.nansum(differences, axis=1), topics, methods)


def few_topics(samples: int) -> int:
    """The largest number of topics on which two runs can be exchanged in at most `samples` ways.
    Raises ValueError for less than one sample.

    >>> few_topics(1000)  # 2^9 is 512
    9
    """
    if samples < 1:
        raise ValueError(f"samples must be at least 1, not {samples}")
    return samples.bit_length() - 1


def _p_values_of_few(units: NDArray[np.float64], tail: Tail) -> NDArray[np.float64]:
    """The p-values of pairs that differ on few topics, by all exchanges."""
    rows, places = np.nonzero(units)
    firsts = np.searchsorted(rows, np.arange(len(units)))
    columns = np.arange(len(rows)) - firsts[rows]
    few = int(columns.max(initial=0)) + 1
    differing = np.zeros((len(units), few))
    # The topics on which a pair differs are moved to the left: the others have no sum to change.
    differing[rows, columns] = units[rows, places]
    (signs,), seen = half_of_all_signs(few, 1 << few), units.sum(axis=1)
    exceeding = np.zeros(len(units), np.int64)
    step = max(1, _SUMS_IN_CACHE >> few - 1)
    for start in range(0, len(units), step):
        block = slice(start, start + step)
        sums, limits = differing[block] @ signs, seen[block, None]
        if tail == "two":
            np.abs(sums, out=sums)
            # The other half of the ways has the opposite sums.
            exceeding[block] = 2 * np.count_nonzero(sums >= np.abs(limits), axis=1)
        else:
            exceeding[block] = np.count_nonzero(sums >= limits, axis=1)
            exceeding[block] += np.count_nonzero(sums <= -limits, axis=1)
    shares: NDArray[np.float64] = exceeding / (1 << few)
    return shares


def _methods(is_different: NDArray[np.bool_], is_few: NDArray[np.bool_]) -> NDArray[np.int8]:
    methods = np.where(is_few, ALL_FLIPS, FLIPS)
    methods[~is_different] = NOTHING
    return methods.astype(np.int8)


@dataclass(frozen=True)
class SignFlips:
    """`sign_flip` with these options, for `pairs.compare`. Raises ValueError as it does."""

    samples: int
    seed: int
    tail: Tail = "two"

    def __call__(self, differences: NDArray[np.float64]) -> Outcomes:
        return sign_flip(differences, samples=self.samples, seed=self.seed, tail=self.tail)

    def of_scores(
        self, pairs: Pairs, scores: NDArray[np.float64], baseline_scores: NDArray[np.float64]
    ) -> Outcomes:
        """The outcome of each pair; matrices float64[runs, topics]."""
        checked_tail(self.tail)
        count = len(pairs)
        own = np.rint(np.nan_to_num(scores) * UNITS)
        others = own
        if baseline_scores is not scores:
            others = np.rint(np.nan_to_num(baseline_scores) * UNITS)
        largest = max(np.abs(units).sum(axis=1).max(initial=0) for units in (own, others))
        # Otherwise the sums of runs are rounded, and `sign_flip` decides with larger units.
        is_exact = 2 * largest < LARGEST_EXACT_SUM
        seen, margins, totals = np.empty(count), np.empty(count), np.empty(count)
        topics, different = np.empty(count, np.int64), np.empty(count, np.int64)
        for block in blocks_of(count, scores.shape[1]):
            candidates, baselines = pairs.candidates[block], pairs.baselines[block]
            differences = scores[candidates] - baseline_scores[baselines]
            units = whole_units(differences)
            seen[block] = units.sum(axis=1)
            margins[block] = np.abs(own[candidates] - others[baselines] - units).sum(axis=1)
            totals[block] = np.nansum(differences, axis=1)
            topics[block] = (~np.isnan(differences)).sum(axis=1)
            different[block] = np.count_nonzero(units, axis=1)
        is_few = different <= few_topics(self.samples)
        if is_few.all():
            least = most = np.zeros(count, np.int64)
        else:
            least, most = self._exceeding(pairs, own, others, seen, margins)
        p_values = np.where(topics == 0, np.nan, (least + 1) / (self.samples + 1))
        undecided = np.flatnonzero((least != most) | (not is_exact) | is_few)
        for block in blocks_of(len(undecided), scores.shape[1]):
            at = undecided[block]
            differences = scores[pairs.candidates[at]] - baseline_scores[pairs.baselines[at]]
            p_values[at] = self(differences).p_values
        return Outcomes(p_values, totals, topics, _methods(different > 0, is_few))

    def _exceeding(
        self,
        pairs: Pairs,
        own: NDArray[np.float64],
        others: NDArray[np.float64],
        seen: NDArray[np.float64],
        margins: NDArray[np.float64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The samples of each pair that exceed its sum certainly, and those that may: counted
        until the two differ."""
        least, most = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
        limits = np.abs(seen) if self.tail == "two" else seen
        highest, lowest = limits + margins, limits - margins
        by_candidate = list(_by_candidate(pairs))
        runs, topics = own.shape
        step = min(max(1, _CELLS_OF_RUNS // max(1, runs, topics)), _SUMS_IN_CACHE // 32)
        rows = _SUMS_IN_CACHE // step
        for signs in random_signs(self.samples, self.seed, topics, step):
            sums_of_own = own @ signs
            sums_of_others = sums_of_own if others is own else others @ signs
            room = np.empty((rows, signs.shape[1]))
            for candidate, all_places in by_candidate:
                places = all_places[least[all_places] == most[all_places]]
                for start in range(0, len(places), rows):
                    at = places[start : start + rows]
                    against = pairs.baselines[at]
                    # Adjacent rows are read as a slice, without a copy.
                    is_adjacent = (np.diff(against) == 1).all()
                    rows_of_others = slice(against[0], against[-1] + 1) if is_adjacent else against
                    sums = room[: len(at)]
                    np.subtract(sums_of_own[candidate], sums_of_others[rows_of_others], out=sums)
                    if self.tail == "two":
                        np.abs(sums, out=sums)
                    exceeding = np.count_nonzero(sums >= highest[at, None], axis=1)
                    least[at] += exceeding
                    if margins[at].any():
                        exceeding = np.count_nonzero(sums >= lowest[at, None], axis=1)
                    most[at] += exceeding
        return least, most


def _by_candidate(pairs: Pairs) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Each candidate with the places of its pairs, in the order of the baselines."""
    if not len(pairs):
        return
    order = np.lexsort((pairs.baselines, pairs.candidates))
    candidates, starts = np.unique(pairs.candidates[order], return_index=True)
    yield from zip(candidates.tolist(), np.split(order, starts[1:]), strict=True)


def half_of_all_signs(topics: int, step: int) -> Iterator[NDArray[np.float64]]:
    """-1 or 1 for each topic, in all ways that keep the sign of the first: float64[topics, ways],
    `step` ways at a time. They are half of all ways, and the others have the opposite sums.

    >>> [signs.tolist() for signs in half_of_all_signs(2, step=10)]
    [[[1.0, 1.0], [1.0, -1.0]]]
    """
    ways = 1 << max(topics - 1, 0)
    for start in range(0, ways, step):
        numbers = np.arange(start, min(start + step, ways))
        # Bit 0 of the doubled number is 0: the first sign stays.
        yield np.where(numbers[None, :] << 1 >> np.arange(topics)[:, None] & 1, -1.0, 1.0)


def random_signs(samples: int, seed: int, topics: int, step: int) -> Iterator[NDArray[np.float64]]:
    """-1 or 1 for each topic and sample, float64[topics, samples], `step` samples at a time. They
    depend on `seed`, `samples` and the number of topics alone.

    >>> [signs.shape for signs in random_signs(5, seed=1, topics=3, step=2)]
    [(3, 2), (3, 2), (3, 1)]
    """
    # All at once, so that signs do not depend on `step`; as bytes, an eighth of the memory of
    # doubles.
    heads = np.random.default_rng(seed).integers(0, 2, (samples, topics), np.int8)
    for start in range(0, samples, step):
        yield 2.0 * heads[start : start + step].T - 1.0
