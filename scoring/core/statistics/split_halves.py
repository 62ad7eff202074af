"""Would other topics give the same leaderboard? Boards of disjoint halves of the topics.

E. M. Voorhees and C. Buckley, The effect of topic set size on retrieval experiment error, SIGIR
2002: two disjoint sets of as many topics are drawn many times; a pair of runs is swapped if the two
sets put it in opposite orders.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.statistics.limits import LEAST_SPLIT
from scoring.core.statistics.pairs import all_pairs, any_pair_varies, checked_scores
from scoring.core.statistics.ranks import DECIMALS

BINS: Final = 21  # of differences; the last one is open


@dataclass(frozen=True, eq=False)
class SplitHalves:
    """What the splits of each size had in common. Kendall's τ-b of the boards of the two sets; NaN
    where fewer than half of the splits have one, because all runs are equal on one of the sets.
    Swaps are counted by the difference of a pair on the first set: bin i holds those from i x width
    to below (i + 1) x width."""

    sizes: NDArray[np.int64]  # int64[sizes], topics in each of the two sets
    mean: NDArray[np.float64]  # float64[sizes]
    lowest: NDArray[np.float64]  # float64[sizes]
    highest: NDArray[np.float64]  # float64[sizes]
    width: float
    swaps: NDArray[np.int64]  # int64[sizes, BINS], pairs in opposite orders on the two sets
    pairs: NDArray[np.int64]  # int64[sizes, BINS], pairs that both sets can compare


def split_halves(
    scores: NDArray[np.float64], *, sizes: Sequence[int], splits: int, seed: int, width: float
) -> SplitHalves:
    """Draws `splits` pairs of disjoint sets of each size from the topics.

    `scores` is float64[runs, topics], higher being better, NaN where a run has no score. A run's
    score on a set is its mean over the topics of the set that it has. Differences equal to 12
    decimals are ties, which swap with nothing. Each split is a random permutation of the topics,
    of which the first `size` and the next `size` are taken, the same for all runs.

    Raises ValueError without splits, for scores that are no matrix of finite numbers, for a size
    below 1 or above half of the topics, and unless width > 0.

    On two topics, two runs come in opposite orders: the pair is swapped in all ten splits, with a
    difference of .2, in bin 2.

    >>> scores = np.array([[0.6, 0.4], [0.4, 0.6]])
    >>> halves = split_halves(scores, sizes=[1], splits=10, seed=1, width=0.1)
    >>> halves.mean.tolist(), int(halves.swaps[0, 2]), int(halves.pairs[0, 2])
    ([-1.0], 10, 10)
    """
    topics = checked_scores(scores).shape[1]
    if splits < 1:
        raise ValueError(f"splits must be at least 1, not {splits}")
    if any(not 1 <= size <= topics // 2 for size in sizes):
        raise ValueError(f"sizes must lie between 1 and half of {topics} topics, not {sizes}")
    if not width > 0:
        raise ValueError(f"width must be above 0, not {width}")
    random = np.random.default_rng(seed)
    found = [_of_size(scores, size, splits, random, width) for size in sizes]
    taus = np.array([tau for tau, _, _ in found]).reshape(len(sizes), splits)
    shape = (len(sizes), BINS)
    return SplitHalves(
        np.array(sizes, np.int64),
        *_mean_and_range(taus),
        width,
        np.array([swaps for _, swaps, _ in found], np.int64).reshape(shape),
        np.array([pairs for _, _, pairs in found], np.int64).reshape(shape),
    )


def why_no_halves(scores: NDArray[np.float64]) -> str:
    """A sentence that says why `split_halves` of float64[runs, topics] would say nothing about
    other topics; empty if it says something.

    >>> why_no_halves(np.array([[0.1, 0.4, 0.2], [0.3, 0.2, 0.5]]))
    '10 topics or more are needed, and there are 3.'
    """
    runs, topics = len(scores), int((~np.isnan(scores).all(axis=0)).sum())
    if runs < 2:
        return "Two runs or more are needed."
    if topics < LEAST_SPLIT:
        are = "is" if topics == 1 else "are"
        return f"{LEAST_SPLIT} topics or more are needed, and there {are} {topics}."
    if any_pair_varies(scores):
        return ""
    return "Any two runs differ by the same on all topics, so all halves rank them alike."


def unknown_halves(sizes: Sequence[int], width: float) -> SplitHalves:
    """The result without τ and without pairs, where `why_no_halves` has a sentence.

    >>> unknown_halves([1, 2], 0.01).mean.tolist()
    [nan, nan]
    """
    unknown, none = np.full(len(sizes), np.nan), np.zeros((len(sizes), BINS), np.int64)
    return SplitHalves(np.array(sizes, np.int64), unknown, unknown, unknown, width, none, none)


def half_sizes(topics: int, most: int = 12) -> list[int]:
    """At most this many sizes, evenly spaced from 1 to half of the topics.

    >>> [int(size) for size in half_sizes(50, most=5)]
    [1, 7, 13, 19, 25]
    """
    if topics < 2:
        return []
    return sorted(set(np.linspace(1, topics // 2, min(most, topics // 2)).round().astype(int)))


def bin_width(scores: NDArray[np.float64]) -> float:
    """.01, as in the paper, for scores between 0 and 1; else the least of 1, 2, 5, 10 ... x .01 of
    which BINS - 1 hold the largest difference of two mean scores.

    >>> bin_width(np.array([[0.1], [0.9]])), bin_width(np.array([[0.0], [30.0]]))  # 30/20 is 1.5
    (0.01, 2.0)
    """
    known = ~np.isnan(scores)
    if not known.any():
        return 0.01
    if scores[known].min() >= 0 and scores[known].max() <= 1:
        return 0.01
    means = np.where(known, scores, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    needed = max((means.max() - means.min()) / (BINS - 1), 0.01)
    decade = 10.0 ** np.floor(np.log10(needed))
    return float(next(step * decade for step in (1, 2, 5, 10) if step * decade >= needed))


def _of_size(
    scores: NDArray[np.float64],
    size: int,
    splits: int,
    random: np.random.Generator,
    width: float,
) -> tuple[list[float], NDArray[np.int64], NDArray[np.int64]]:
    """τ of each split; swaps and pairs in each bin, int64[BINS]."""
    taus = []
    swaps, pairs = np.zeros(BINS, np.int64), np.zeros(BINS, np.int64)
    for first, second in _differences(scores, size, splits, random):
        product = np.sign(first) * np.sign(second)
        separated = np.count_nonzero(first), np.count_nonzero(second)
        divisor = np.sqrt(float(separated[0]) * separated[1])
        taus.append(float(product.sum() / divisor) if divisor else np.nan)
        # A difference at the edge of a bin belongs to the upper one, whatever its rounding.
        bins = np.minimum((np.abs(first) / width + 1e-9).astype(np.int64), BINS - 1)
        pairs += np.bincount(bins, minlength=BINS)
        swaps += np.bincount(bins[product < 0], minlength=BINS)
    return taus, swaps, pairs


def _differences(
    scores: NDArray[np.float64], size: int, splits: int, random: np.random.Generator
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """For each split the differences of all pairs on either set, of pairs that both can compare."""
    pairs = all_pairs(len(scores))
    known = ~np.isnan(scores)
    values = np.where(known, scores, 0.0)
    for _ in range(splits):
        drawn = random.permutation(scores.shape[1])
        both = []
        for part in (drawn[:size], drawn[size : 2 * size]):
            counts = known[:, part].sum(axis=1)
            sums = values[:, part].sum(axis=1)
            means = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
            both.append(np.round(means[pairs.candidates] - means[pairs.baselines], DECIMALS))
        comparable = ~np.isnan(both[0] + both[1])
        yield both[0][comparable], both[1][comparable]


def _mean_and_range(
    taus: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """float64[sizes] each, of float64[sizes, splits], of the splits that have a τ."""
    known = ~np.isnan(taus)
    counts = known.sum(axis=1)
    # The few splits that separate runs which nearly all topics tie say nothing about the others.
    enough = 2 * counts >= max(taus.shape[1], 1)
    means = np.where(known, taus, 0.0).sum(axis=1) / np.where(enough, counts, np.nan)
    lowest = np.where(known, taus, np.inf).min(axis=1, initial=np.inf)
    highest = np.where(known, taus, -np.inf).max(axis=1, initial=-np.inf)
    return (
        means,
        np.where(enough, lowest, np.nan),
        np.where(enough, highest, np.nan),
    )
