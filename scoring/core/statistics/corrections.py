"""Many pairs tested at once: p-values that allow for it.

A p-value of NaN (a pair that could not be tested) stays NaN and does not count as a test.
"""

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from scoring.core.statistics.pairs import Pairs, checked_scores, whole_units

Correction: TypeAlias = Literal["none", "holm", "benjamini-hochberg"]

_CELLS_AT_A_TIME = 1 << 20  # runs x topics x samples: 8 MB


def correct(p_values: NDArray[np.float64], correction: Correction) -> NDArray[np.float64]:
    """float64[pairs]: p-values to be held against alpha as if there were one test.

    - "holm" keeps the chance of *any* wrong separation below alpha (S. Holm, Scand. J. Statistics
      6(2), 1979): the i-th smallest of m times m - i + 1, never below one before it.
    - "benjamini-hochberg" keeps the expected *share* of wrong separations below alpha (J. R. Stat.
      Soc. B 57(1), 1995): the i-th smallest of m times m / i, never above one after it.
    - "none" leaves them as they are.

    Raises ValueError for another correction and for p-values outside 0..1.

    >>> p_values = np.array([0.01, 0.04, 0.03, np.nan])
    >>> correct(p_values, "holm").round(4).tolist()
    [0.03, 0.06, 0.06, nan]
    >>> correct(p_values, "benjamini-hochberg").round(4).tolist()
    [0.03, 0.04, 0.04, nan]
    """
    known = get_args(Correction)
    if correction not in known:
        raise ValueError(f"correction must be one of {', '.join(known)}, not {correction!r}")
    tested = np.flatnonzero(~np.isnan(p_values))
    ascending = tested[np.argsort(p_values[tested], kind="stable")]
    if len(ascending) and not (p_values[ascending[0]] >= 0 and p_values[ascending[-1]] <= 1):
        raise ValueError("a p-value lies outside 0..1")
    corrected = np.full(p_values.shape, np.nan)
    values = p_values[ascending]
    if correction == "holm":
        left = np.arange(len(values), 0, -1)
        values = np.maximum.accumulate(values * left)
    elif correction == "benjamini-hochberg":
        # The factor is 1 or more, and exactly 1 at the end.
        factors = len(values) / np.arange(1, len(values) + 1)
        values = np.minimum.accumulate((values * factors)[::-1])[::-1]
    corrected[ascending] = np.minimum(values, 1.0)
    return corrected


def randomised_tukey_hsd(
    scores: NDArray[np.float64], pairs: Pairs, *, samples: int, seed: int
) -> NDArray[np.float64]:
    """float64[pairs]: two-tailed p-values that hold for all pairs together, randomised and paired.

    On each topic the runs exchange their scores at random; the difference between the best and the
    worst mean then is what chance can do to *any* pair. p = (1 + samples where that difference is
    at least the pair's) / (1 + samples) (B. Carterette, ACM TOIS 30(1), 2012, section 4.1).

    Scores are float64[runs, topics], rounded to 12 decimals and summed exactly. A topic on which
    any run has no score (NaN) is left out for all; where none remains every p is NaN. Raises
    ValueError for less than one sample and scores that are no matrix of finite numbers.

    On a single topic every exchange has the same range, and the second topic is left out:

    >>> scores = np.array([[0.5, 0.9], [0.1, np.nan]])
    >>> pair = Pairs(np.array([0]), np.array([1]))
    >>> randomised_tukey_hsd(scores, pair, samples=99, seed=1).tolist()
    [1.0]
    """
    if samples < 1:
        raise ValueError(f"samples must be at least 1, not {samples}")
    complete = ~np.isnan(checked_scores(scores)).any(axis=0)
    if not complete.any() or not len(pairs):
        return np.full(len(pairs), np.nan)
    # One row for whole_units, so that all runs are counted in the same unit.
    units = whole_units(scores[:, complete].reshape(1, -1)).reshape(len(scores), -1)
    greatest = np.sort(_ranges_by_chance(units, samples, np.random.default_rng(seed)))
    sums = units.sum(axis=1)
    seen = np.abs(sums[pairs.candidates] - sums[pairs.baselines])
    exceeding = samples - np.searchsorted(greatest, seen, side="left")
    p_values: NDArray[np.float64] = (exceeding + 1) / (samples + 1)
    return p_values


def _ranges_by_chance(
    units: NDArray[np.float64], samples: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """float64[samples]: highest minus lowest sum after the runs have exchanged their scores."""
    step = max(1, _CELLS_AT_A_TIME // units.size)
    ranges = np.empty(samples)
    for start in range(0, samples, step):
        count = min(step, samples - start)
        sums = np.zeros((count, len(units)))
        for topic in range(units.shape[1]):
            # `permuted` shuffles each row by itself: every sample exchanges the scores in its own
            # way.
            sums += generator.permuted(np.tile(units[:, topic], (count, 1)), axis=1)
        ranges[start : start + count] = np.ptp(sums, axis=1)
    return ranges
