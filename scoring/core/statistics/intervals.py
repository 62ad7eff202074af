"""How large is the difference between two runs, and how certain is that? Effect sizes, bootstrap.

All take differences float64[pairs, topics], candidate - baseline, NaN where a topic is not common
to both runs of a pair, as `significance` does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.core.distributions import normal_cdf, normal_quantile
from scoring.core.statistics.pairs import is_same_throughout, whole_units

_CELLS_AT_A_TIME = 1 << 20  # pairs x samples, and samples x topics: 8 MB each


@dataclass(frozen=True, eq=False)
class EffectSizes:
    """How far apart the runs of each pair are, over their common topics."""

    mean_differences: NDArray[np.float64]  # float64[pairs], in units of the measure
    standardised: NDArray[np.float64]  # float64[pairs], Cohen's d of paired differences, d_z
    topics: NDArray[np.int64]  # int64[pairs], topics where both runs have a score


@dataclass(frozen=True, eq=False)
class Intervals:
    """Bootstrap intervals of the mean difference, lower <= upper; NaN without common topics."""

    lower: NDArray[np.float64]  # float64[pairs]
    upper: NDArray[np.float64]  # float64[pairs]
    level: float  # the share of such intervals that hold the true mean, .95 or so


def effect_sizes(differences: NDArray[np.float64]) -> EffectSizes:
    """The mean difference, and Cohen's d_z: mean over standard deviation *of the differences*.

    d_z (J. Cohen, Statistical power analysis, 1988, section 2.3.5; t / sqrt(topics)) says how
    regular a difference is from topic to topic. It is not the d that divides by the deviation of
    the scores. Deviations have topics - 1 degrees. d_z is 0 where runs differ nowhere, infinite
    where they differ by the same on all topics (to 12 decimals), NaN with fewer than two topics.

    >>> sizes = effect_sizes(np.array([[0.1, 0.3, np.nan], [0.2, 0.2, 0.2]]))
    >>> sizes.standardised.round(4).tolist(), sizes.topics.tolist()  # .2 / sqrt(.02), .2 / 0
    ([1.4142, inf], [2, 3])
    """
    known = ~np.isnan(differences)
    topics = known.sum(axis=1)
    values = np.where(known, differences, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = values.sum(axis=1) / topics
        deviations = np.where(known, values - means[:, None], 0.0)
        spread = np.sqrt((deviations**2).sum(axis=1) / (topics - 1))
        standardised = means / spread
    constant = is_same_throughout(differences) & (topics > 1)
    sized = whole_units(differences).any(axis=1)
    # Their spread is float noise, and a quotient with it would be any large number.
    standardised[constant] = np.where(sized, np.copysign(np.inf, means), 0.0)[constant]
    standardised[topics < 2] = np.nan
    return EffectSizes(means, standardised, topics)


def bootstrap_intervals(
    differences: NDArray[np.float64],
    *,
    samples: int,
    seed: int,
    level: float = 0.95,
    method: Literal["bca", "percentile"] = "bca",
) -> Intervals:
    """An interval for the mean difference of each pair, topics being a sample of possible topics.

    As many topics as a pair has in common are drawn from them with replacement, `samples` times.

    - "percentile" takes the middle `level` of the means drawn.
    - "bca" (bias-corrected and accelerated: B. Efron, JASA 82(397), 1987) shifts its ends by how
      far the middle of these means is from the mean seen, and by their skewness (jackknife); a
      pair whose means drawn all lie on one side of the mean seen gets the percentile interval.

    Quantiles lie on straight lines between the sorted means (numpy's default). Pairs with the same
    common topics share their draws, which depend on `seed`, `samples` and those topics' number
    alone. A pair that differs by the same on all topics has an interval without length.

    Raises ValueError unless 0 < level < 1, for less than two samples and for another method.

    Of two topics with differences 0 and 1, a quarter of the means drawn are 0, half of them 1/2:

    >>> differences = np.array([[0.0, 1.0]])
    >>> found = bootstrap_intervals(differences, samples=1000, seed=1, method="percentile")
    >>> found.lower.tolist(), found.upper.tolist()
    ([0.0], [1.0])
    """
    if method not in ("bca", "percentile"):
        raise ValueError(f"method must be 'bca' or 'percentile', not {method!r}")
    if samples < 2:
        raise ValueError(f"samples must be at least 2, not {samples}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    ends = np.full((len(differences), 2), np.nan)
    for pairs, values in _by_common_topics(differences):
        step = max(1, _CELLS_AT_A_TIME // samples)
        for start in range(0, len(pairs), step):
            block = values[start : start + step]
            means = np.sort(_drawn_means(block, samples, seed), axis=1)
            tails = _tails(block, means, level, method)
            ends[pairs[start : start + step]] = _quantiles(means, tails)
    constant = is_same_throughout(differences)
    # Their drawn means differ only by rounding.
    ends[constant] = np.nanmean(differences[constant], axis=1, keepdims=True)
    return Intervals(ends[:, 0], ends[:, 1], level)


def _by_common_topics(
    differences: NDArray[np.float64],
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Pairs that have the same topics in common, at least one, and their differences on these."""
    patterns, which = np.unique(~np.isnan(differences), axis=0, return_inverse=True)
    for number, common in enumerate(patterns):
        if common.any():
            # numpy 2.0 gives the inverse a second dimension.
            pairs = np.flatnonzero(which.reshape(-1) == number)
            yield pairs, differences[np.ix_(pairs, np.flatnonzero(common))]


def _drawn_means(differences: NDArray[np.float64], samples: int, seed: int) -> NDArray[np.float64]:
    """float64[pairs, samples]. Some samples at a time: memory does not grow with their number times
    that of the topics, and the generator gives the same draws as for all of them at once."""
    random = np.random.default_rng(seed)
    topics = differences.shape[1]
    step = max(1, _CELLS_AT_A_TIME // topics)
    blocks = [
        differences @ (drawn_counts(random, topics, min(step, samples - start)) / topics)
        for start in range(0, samples, step)
    ]
    return np.concatenate(blocks, axis=1)


def drawn_counts(random: np.random.Generator, topics: int, samples: int) -> NDArray[np.float64]:
    """float64[topics, samples]: how often each topic is drawn, in as many draws as topics.

    >>> drawn_counts(np.random.default_rng(0), topics=3, samples=2).sum(axis=0).tolist()
    [3.0, 3.0]
    """
    drawn = random.integers(0, topics, (samples, topics))
    cells = drawn + np.arange(samples)[:, None] * topics
    counts = np.bincount(cells.reshape(-1), minlength=samples * topics)
    return counts.reshape(samples, topics).T.astype(np.float64)


def _tails(
    differences: NDArray[np.float64], means: NDArray[np.float64], level: float, method: str
) -> NDArray[np.float64]:
    """float64[pairs, 2]: the shares of the sorted means that lie below either end."""
    plain = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "percentile":
        return np.tile(plain, (len(means), 1))
    seen = differences.mean(axis=1, keepdims=True)
    # Means that differ by rounding from the one seen must not count as below or above it.
    noise = 1e-12 * np.maximum(1.0, np.abs(differences).max(axis=1, keepdims=True))
    below, above = (means < seen - noise).mean(axis=1), (means > seen + noise).mean(axis=1)
    # Means equal to the one seen count as half.
    bias = normal_quantile((below + 1 - above) / 2)[:, None]
    centred = differences - seen
    with np.errstate(divide="ignore", invalid="ignore"):
        acceleration = (centred**3).sum(axis=1) / (6 * (centred**2).sum(axis=1) ** 1.5)
        shifted = bias + normal_quantile(plain)
        slowed = 1 - acceleration[:, None] * shifted
        tails = normal_cdf(bias + shifted / slowed)
    usable = np.all(np.isfinite(bias) & np.isfinite(tails) & (slowed > 0), axis=1, keepdims=True)
    return np.where(usable, tails, plain)


def _quantiles(ascending: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[pairs, 2]: of each row its own two quantiles."""
    place = shares * (ascending.shape[1] - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, ascending.shape[1] - 1)
    lower = np.take_along_axis(ascending, below, axis=1)
    upper = np.take_along_axis(ascending, above, axis=1)
    found: NDArray[np.float64] = lower + (upper - lower) * (place - below)
    return found
