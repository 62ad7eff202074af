"""How certain is the rank of a run? Over other topics, and over what was not judged."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.statistics.intervals import drawn_counts
from scoring.core.statistics.limits import LEAST_TOPICS
from scoring.core.statistics.pairs import LARGEST_EXACT_SUM, any_pair_varies
from scoring.core.statistics.ranks import DECIMALS

_CELLS_AT_A_TIME = 1 << 20  # runs x samples: 8 MB for each array


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """Of each run, 1 being the best rank."""

    best: NDArray[np.int64]  # int64[runs], the end of the range nearer to rank 1
    worst: NDArray[np.int64]  # int64[runs]
    first_shares: NDArray[np.float64]  # float64[runs], of samples with rank 1; they sum to 1
    level: float


def bootstrap_ranks(
    scores: NDArray[np.float64], *, samples: int, seed: int, level: float = 0.95
) -> RankIntervals:
    """The ranks of runs if other topics of the same kind had been drawn.

    `scores` is float64[runs, topics], higher being better, NaN where a run has no score. As many
    topics as there are are drawn with replacement, `samples` times, the same for all runs. In each
    sample runs are ranked by their means over the drawn topics that they have; equal means (to 12
    decimals) share the best rank, and a run without a drawn topic comes last. The range leaves at
    most (1 - level) / 2 of the samples below each of its ends. Runs that share the first rank of a
    sample share that sample.

    This describes the samples, and is no confidence interval: where means are nearly equal, the
    percentile bootstrap of ranks contains the true rank less often than the level says.
    `rank_sets.rank_sets` has a level. `why_no_ranges` says of which scores it describes nothing.

    Raises ValueError without runs or topics, for less than two samples, and unless 0 < level < 1.

    The first run is better on every topic, and so in every sample:

    >>> found = bootstrap_ranks(np.array([[0.6, 0.8], [0.5, 0.1]]), samples=100, seed=1)
    >>> found.best.tolist(), found.worst.tolist(), found.first_shares.tolist()
    ([1, 2], [1, 2], [1.0, 0.0])
    """
    runs, topics = scores.shape
    if not runs or not topics:
        raise ValueError("ranks need at least one run and one topic")
    if samples < 2:
        raise ValueError(f"samples must be at least 2, not {samples}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    found = np.zeros((runs, runs), np.int64)  # how often each run has each rank, from 0
    first_shares = np.zeros(runs)
    for means in _drawn_means(scores, samples, seed):
        ranks = _ranks(means)
        cells = ranks + np.arange(runs)[:, None] * runs
        found += np.bincount(cells.reshape(-1), minlength=runs * runs).reshape(runs, runs)
        first = ranks == 0
        first_shares += (first / first.sum(axis=0)).sum(axis=1)
    so_far = found.cumsum(axis=1)
    # A number of samples that equals the share but for rounding is within it.
    tail = samples * (1 - level) / 2 * (1 + 1e-12)
    best = (so_far <= tail).sum(axis=1) + 1
    worst = runs - (samples - so_far[:, :-1] <= tail).sum(axis=1)
    return RankIntervals(best, worst, first_shares / samples, level)


def why_no_ranges(scores: NDArray[np.float64]) -> str:
    """A sentence that says why `bootstrap_ranks` of float64[runs, topics] would say nothing about
    other topics; empty if it says something.

    >>> why_no_ranges(np.array([[0.1, 0.4, 0.2], [0.3, 0.2, 0.5]]))
    '5 topics or more are needed, and there are 3.'
    """
    runs, topics = len(scores), int((~np.isnan(scores).all(axis=0)).sum())
    if runs < 2:
        return "Two runs or more are needed."
    if topics < LEAST_TOPICS:
        return f"{LEAST_TOPICS} topics or more are needed, and there are {topics}."
    if any_pair_varies(scores):
        return ""
    return "Any two runs differ by the same on all topics, so every sample ranks them alike."


def possible_ranks(
    base: NDArray[np.float64], upper: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The best and the worst rank that each run could have, whatever its unjudged documents and
    those of the others are: float64[runs] are the lowest and highest possible means, and other
    runs that reach at most the same mean (to 12 decimals) do not precede a run.

    Each rank between lies within what the bounds allow. They are outer bounds: a document that is
    unjudged in two runs moves both. A run without a mean (NaN) comes last.

    The second run could reach .55, more than the first is sure of:

    >>> best, worst = possible_ranks(np.array([0.5, 0.3, 0.1]), np.array([0.6, 0.55, 0.2]))
    >>> best.tolist(), worst.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    lowest, highest = (
        np.round(np.where(np.isnan(means), -np.inf, means), DECIMALS) for means in (base, upper)
    )
    runs = len(lowest)
    surely_ahead = runs - np.searchsorted(np.sort(lowest), highest, side="right")
    maybe_ahead = runs - np.searchsorted(np.sort(highest), lowest, side="right")
    # Such a run is among those whose highest mean is above its lowest.
    itself = highest > lowest
    return surely_ahead + 1, maybe_ahead - itself + 1


def _drawn_means(
    scores: NDArray[np.float64], samples: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    """float64[runs, some samples], in the same whole units, so that equal means are equal."""
    random = np.random.default_rng(seed)
    runs, topics = scores.shape
    known = ~np.isnan(scores)
    # Whole numbers of one unit, 1e-12 where the sum of any drawn topics stays exact in float64, and
    # 1e-11, 1e-10 ... for larger scores.
    values = np.where(known, scores, 0.0)
    excess = max(np.abs(values).max() * topics * 10.0**DECIMALS / LARGEST_EXACT_SUM, 1.0)
    units = np.rint(values * 10.0 ** (DECIMALS - np.ceil(np.log10(excess))))
    step = max(1, _CELLS_AT_A_TIME // max(runs, topics))
    for start in range(0, samples, step):
        counts = drawn_counts(random, topics, min(step, samples - start))
        sums = units @ counts
        if known.all():
            yield sums
            continue
        sizes = known @ counts
        yield np.divide(sums, sizes, out=np.full_like(sums, -np.inf), where=sizes > 0)


def _ranks(means: NDArray[np.float64]) -> NDArray[np.int64]:
    """int64[runs, samples]: how many runs are better, in each sample."""
    order = np.argsort(-means, axis=0)
    descending = np.take_along_axis(means, order, axis=0)
    places = np.broadcast_to(np.arange(len(means))[:, None], means.shape).copy()
    # Equal means take the place of the first of them.
    places[1:][descending[1:] == descending[:-1]] = 0
    np.maximum.accumulate(places, axis=0, out=places)
    ranks = np.empty_like(places)
    np.put_along_axis(ranks, order, places, axis=0)
    return ranks
