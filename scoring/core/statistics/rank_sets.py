"""Between which ranks does each run lie, if the sets of all runs are to be right at once?

Simultaneous confidence sets for ranks, from comparisons of all pairs: M. Mogstad, J. P. Romano,
A. M. Shaikh and D. Wilhelm, "Inference for Ranks with Applications to Mobility across
Neighbourhoods and Academic Achievement across Countries", Review of Economic Studies 91(1), 2024.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from scoring.core.distributions import student_cdf
from scoring.core.statistics.corrections import correct
from scoring.core.statistics.intervals import drawn_counts
from scoring.core.statistics.pairs import (
    STUDENT,
    Pairs,
    all_pairs,
    blocks_of,
    checked_scores,
    compare,
    is_same_throughout,
)
from scoring.core.statistics.significance import paired_t

RankCorrection: TypeAlias = Literal["max-t", "holm"]

FEW_TOPICS: Final = 4  # differences that so few topics make up are not compared by max-t
MOST_OF_THE_SPREAD: Final = 0.95  # of the sum of squares around the mean difference
ABOVE_CRITICAL: Final = 50  # samples, enough to find a critical value

_NO_SPREAD = 1e-12  # of a sum of squares, or differences: only rounding is left
_CELLS_AT_A_TIME = 1 << 20  # pairs x samples, and samples x topics: 8 MB for each array


@dataclass(frozen=True, eq=False)
class RankSets:
    """Of each run the ranks from `best` to `worst`, 1 being the best rank."""

    best: NDArray[np.int64]  # int64[runs], 1 + the runs that are significantly better
    worst: NDArray[np.int64]  # int64[runs], all runs - those that are significantly worse
    level: float  # familywise: how often the sets of all runs contain their true ranks, at least
    critical_value: float = math.nan  # of |t|, by "max-t"
    significant: int = 0  # pairs
    by_bonferroni: int = 0  # pairs that are by paired t tests with Bonferroni's; 0 unless "max-t"
    undefined: str = ""  # a sentence that says why all sets contain all ranks and mean nothing

    @property
    def caution(self) -> str:
        """A sentence if the sets by "max-t" are wide because its critical value is large: fewer
        than half of the pairs are significant that are by Bonferroni's correction. Else empty."""
        if self.undefined or 2 * self.significant >= self.by_bonferroni:
            return ""
        return (
            f"Of the pairs of runs, bootstrap max-t finds {self.significant:,} significant, and"
            f" t tests with Bonferroni's correction {self.by_bonferroni:,}. The critical value of"
            f" max-t, {self.critical_value:,.1f}, is large, because some pairs differ on few"
            " topics. Rank sets by Holm's correction are narrower."
        )


def rank_sets(
    scores: NDArray[np.float64],
    *,
    correction: RankCorrection = "max-t",
    level: float = 0.95,
    samples: int,
    seed: int,
) -> RankSets:
    """Sets of ranks that contain the true ranks of all runs at once, with a familywise `level`.

    `scores` is float64[runs, topics], higher being better, NaN where a run has no score; two runs
    are compared on the topics that both have. The true rank of a run is 1 + the runs with a higher
    true mean, the mean over all topics that could have been drawn. Of runs with equal true means,
    each of the ranks that they share counts, and the sets contain all of them.

    No rank of a run is below 1 + the runs that are significantly better, or above all runs - those
    that are significantly worse. This is wrong for a run only if a pair is significant whose true
    means are equal or in the opposite order, and the correction limits how often any pair is:

    - "max-t" compares |t| of each pair with one critical value, the `level` quantile of the largest
      |t*| of all pairs over `samples` sets of as many topics, drawn with replacement (studentised
      bootstrap). t* is the mean difference of the drawn topics minus that of all topics, divided by
      the standard error of the drawn topics. Without spread among these, it is infinite, and 0 if
      the two means are equal.
    - "holm" tests all pairs with the paired t test, with Holm's correction. Because the direction
      is a result too, each pair counts as two one-tailed tests.

    A pair that differs by the same on all topics, to 12 decimals, is never significant: a spread of
    zero says nothing about other topics. By "max-t", neither is one of which FEW_TOPICS topics or
    fewer make up MOST_OF_THE_SPREAD. More than one in a hundred resamples have none of these
    topics, and hardly any spread. One such pair, usually of two versions of a run, would make the
    critical value so large that no pair is significant. Other pairs that differ on few topics can
    still make it large: then the result has a `caution`.

    Raises ValueError for scores that are no matrix of finite numbers, for another correction,
    unless 0 < level < 1, and for less than `least_samples` of the level.

    >>> first, last = np.array([0.9, 0.8, 0.7, 0.6, 0.5]), np.array([0.1, 0.0, 0.0, 0.0, 0.1])
    >>> second = np.array([0.8, 0.9, 0.6, 0.7, 0.5])  # its mean is that of the first
    >>> scores = np.array([first, second, last])
    >>> found = rank_sets(scores, correction="holm", samples=19, seed=1)
    >>> found.best.tolist(), found.worst.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    if correction not in get_args(RankCorrection):
        raise ValueError(f"correction must be 'max-t' or 'holm', not {correction!r}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    if samples < least_samples(level):
        raise ValueError(f"a level of {level} needs at least {least_samples(level)} samples")
    runs, topics = checked_scores(scores).shape
    pairs = all_pairs(runs)
    if runs < 2:
        return _all_ranks(runs, level, "Two runs or more are needed.")
    if correction == "max-t" and topics <= FEW_TOPICS:
        return _all_ranks(runs, level, f"More than {FEW_TOPICS} topics are needed.")
    critical_value, by_bonferroni = math.nan, 0
    if correction == "holm":
        t, is_compared, is_significant = _by_holm(scores, pairs, 1 - level)
    else:
        t, is_compared, p_values = _compared(scores, pairs)
        largest = np.sort(_largest_t(scores, pairs, is_compared, samples, seed))
        # As many as this lie below the critical value, so that a new one exceeds it with a
        # probability of at most 1 - level.
        place = math.ceil(level * (samples + 1) - 1e-9) - 1
        critical_value = float(largest[place])
        is_significant = is_compared & (np.abs(t) > critical_value)
        tests = np.count_nonzero(~np.isnan(p_values))
        by_bonferroni = int((p_values * tests <= 1 - level).sum())
    if not is_compared.any():
        why = "The differences between runs have no spread, or only on a few topics."
        return _all_ranks(runs, level, why)
    if math.isinf(critical_value):
        why = (
            "The topics are too few: too many of their resamples have no spread. Holm's correction "
            "needs no resamples."
        )
        return replace(
            _all_ranks(runs, level, why),
            critical_value=critical_value,
            by_bonferroni=by_bonferroni,
        )
    ahead = np.where(t > 0, pairs.candidates, pairs.baselines)[is_significant]
    behind = np.where(t > 0, pairs.baselines, pairs.candidates)[is_significant]
    best = 1 + np.bincount(behind, minlength=runs)
    worst = runs - np.bincount(ahead, minlength=runs)
    significant = int(is_significant.sum())
    return RankSets(best, worst, level, critical_value, significant, by_bonferroni)


def _all_ranks(runs: int, level: float, why: str) -> RankSets:
    return RankSets(np.ones(runs, np.int64), np.full(runs, runs), level, undefined=why)


def least_samples(level: float) -> int:
    """The samples without which their largest |t*| is no critical value of this level: 19 of 95 %,
    99 of 99 %.

    >>> least_samples(0.95), least_samples(0.99)
    (19, 99)
    """
    # 1 - level is rounded, and ceil would make a whole number of it one more.
    return max(1, math.ceil(1 / (1 - level) - 1e-9) - 1)


def enough_samples(level: float) -> int:
    """The samples of which ABOVE_CRITICAL lie above the critical value: 1,000 of 95 %.

    >>> enough_samples(0.95), enough_samples(0.99)
    (1000, 5000)
    """
    return math.ceil(ABOVE_CRITICAL / (1 - level) - 1e-6)


def _by_holm(
    scores: NDArray[np.float64], pairs: Pairs, alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Of each pair t, whether it is compared, and whether it is significant."""
    both_ways = Pairs(
        np.concatenate([pairs.candidates, pairs.baselines]),
        np.concatenate([pairs.baselines, pairs.candidates]),
    )
    found = compare(partial(paired_t, tail="one"), both_ways, scores)
    rejected = correct(found.p_values, "holm") <= alpha
    first, second = slice(len(pairs)), slice(len(pairs), None)
    # Both directions of a pair have the same spread.
    is_compared = found.methods[first] == STUDENT
    return found.statistics[first], is_compared, rejected[first] | rejected[second]


def _compared(
    scores: NDArray[np.float64], pairs: Pairs
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
    """Of each pair t, whether it is compared by max-t, and p of the t test, NaN without spread."""
    t, is_compared = np.zeros(len(pairs)), np.zeros(len(pairs), np.bool_)
    p_values = np.full(len(pairs), np.nan)
    for block in blocks_of(len(pairs), scores.shape[1]):
        differences = scores[pairs.candidates[block]] - scores[pairs.baselines[block]]
        means, centred, sizes = _around_means(differences)
        squares = centred**2
        total = squares.sum(axis=1)
        largest = np.partition(squares, -FEW_TOPICS, axis=1)[:, -FEW_TOPICS:].sum(axis=1)
        varies = ~is_same_throughout(differences) & (total > 0)
        is_compared[block] = varies & (largest < MOST_OF_THE_SPREAD * total)
        with np.errstate(divide="ignore", invalid="ignore"):
            t[block] = np.where(varies, means / np.sqrt(total / (sizes - 1) / sizes), 0.0)
        degrees = np.maximum(sizes - 1, 1).astype(np.float64)
        p_values[block] = np.where(varies, 2 * student_cdf(degrees, -np.abs(t[block])), np.nan)
    return t, is_compared, p_values


def _largest_t(
    scores: NDArray[np.float64],
    pairs: Pairs,
    is_compared: NDArray[np.bool_],
    samples: int,
    seed: int,
) -> NDArray[np.float64]:
    """float64[samples]: the largest |t*| of the compared pairs. The generator gives the same draws
    whatever the size of the blocks."""
    random = np.random.default_rng(seed)
    topics = scores.shape[1]
    candidates, baselines = pairs.candidates[is_compared], pairs.baselines[is_compared]
    # Squares: the root of the largest is taken once, at the end.
    squares = np.zeros(samples)
    for drawn in _blocks(samples, topics) if len(candidates) else ():
        counts = drawn_counts(random, topics, len(squares[drawn]))
        for block in _blocks(len(candidates), max(counts.shape)):
            found = _largest_squares(scores[candidates[block]] - scores[baselines[block]], counts)
            np.maximum(squares[drawn], found, out=squares[drawn])
    return np.sqrt(squares)


def _blocks(count: int, width: int) -> Iterator[slice]:
    step = max(1, _CELLS_AT_A_TIME // width)
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def _largest_squares(
    differences: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """float64[samples]: the largest t*² of these pairs, with each topic drawn `counts` times,
    float64[topics, samples].

    With sums s of the centred differences and q of their squares over n drawn topics, the variance
    of the drawn ones is (q - s²/n) / (n - 1), so that t*² = (n - 1) r / (1 - r) with r = s² / (nq),
    the part of the squares that the mean makes up. It grows with r, so if all pairs have the same
    topics, only the largest r is needed.
    """
    _, centred, _ = _around_means(differences)
    sums, squares = centred @ counts, centred**2 @ counts
    known = ~np.isnan(differences)
    sizes = counts.sum(axis=0) if known.all() else known.astype(np.float64) @ counts
    # In place, because these two arrays take most of the time. What is added makes 0 / 0 zero.
    sums *= sums
    squares += _NO_SPREAD**2
    sums /= squares
    part = (sums.max(axis=0, keepdims=True) if known.all() else sums) / np.maximum(sizes, 1)
    found = np.full_like(part, np.inf)
    np.divide((sizes - 1) * part, 1 - part, out=found, where=part < 1 - _NO_SPREAD)
    largest: NDArray[np.float64] = found.max(axis=0)
    return largest


def _around_means(
    differences: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """The mean difference of each pair, float64[pairs], the differences from it with 0 for topics
    that are not common, float64[pairs, topics], and the numbers of common topics."""
    known = ~np.isnan(differences)
    sizes = known.sum(axis=1)
    values = np.where(known, differences, 0.0)
    means = values.sum(axis=1) / np.maximum(sizes, 1)
    return means, np.where(known, values - means[:, None], 0.0), sizes
