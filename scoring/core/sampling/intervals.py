"""Confidence intervals of estimated means.

The examples share the score .4 of a run on one topic. Its three strata have the variances .0001,
.0001 and .0002.

>>> strata = np.ones((1, 3)), np.array([0.0001, 0.0001, 0.0002]), np.zeros(3, np.int32)
>>> estimates = Estimates(np.array([[0.5]]), np.array([[0.4]]), *strata, np.array([True]))
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.distributions import student_quantile
from scoring.core.sampling.difference import Estimates


@dataclass(frozen=True, eq=False)
class MeanEstimates:
    """Means over topics, one entry for each row of the estimates."""

    program: NDArray[np.float64]  # float64[rows], by the program's judgments alone
    means: NDArray[np.float64]  # float64[rows]
    errors: NDArray[np.float64]  # float64[rows], standard errors
    degrees: NDArray[np.float64]  # float64[rows], degrees of freedom; NaN without a variance
    low: NDArray[np.float64]  # float64[rows], ends of the interval, NaN where it is unknown
    high: NDArray[np.float64]  # float64[rows]


def mean_estimates(
    estimates: Estimates, *, level: float = 0.95, topics: NDArray[np.bool_] | None = None
) -> MeanEstimates:
    """The mean over topics with its confidence interval.

    `topics` are bool[topics], those that enter the mean (default: all). Raises ValueError for a
    level outside 0 < level < 1, and without a topic.

    With 6 degrees, Student's 97.5 % quantile is 2.4469:

    >>> found = mean_estimates(estimates)
    >>> found.means.tolist(), found.low.round(4).tolist(), found.high.round(4).tolist()
    ([0.4], [0.3511], [0.4489])
    """
    counted = np.ones(estimates.scores.shape[1], np.bool_) if topics is None else topics
    if not counted.any():
        raise ValueError("a mean needs at least one topic")
    errors, degrees = standard_errors(estimates, counted)
    reach = half_widths(errors, degrees, estimates.is_open, level=level)
    means = estimates.scores[:, counted].mean(axis=1)
    program = estimates.program[:, counted].mean(axis=1)
    return MeanEstimates(program, means, errors, degrees, means - reach, means + reach)


def standard_errors(
    estimates: Estimates, topics: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standard errors of the means, float64[rows], and their degrees of freedom, NaN where the
    error is 0.

    The degrees are Satterthwaite's: (Σ σ²)² / Σ σ⁴ for strata with variances σ² that have one
    degree each (F. E. Satterthwaite. Biometrics Bulletin 2(6), 1946). A normal estimate v with one
    degree has E v² = 3 σ⁴, so V² - 2/3 Σ v² with V = Σ v takes the place of (Σ σ²)², and Σ v² / 3
    that of Σ σ⁴: degrees = 3 V² / Σ v² - 2, at least 1. Strata with v = 1, 1, 2 have 6.

    >>> errors, degrees = standard_errors(estimates, np.array([True]))
    >>> errors.round(4).tolist(), degrees.round(4).tolist()
    ([0.02], [6.0])
    """
    kept = topics[estimates.topic_rows]
    shares = estimates.factors[kept] * estimates.contrasts[:, kept] ** 2 / topics.sum() ** 2
    variances, squares = shares.sum(axis=1), (shares**2).sum(axis=1)
    degrees = np.full(len(shares), np.nan)
    np.divide(3 * variances**2, squares, out=degrees, where=squares > 0)
    return np.sqrt(variances), degrees - 2


def half_widths(
    errors: NDArray[np.float64],
    degrees: NDArray[np.float64],
    is_open: NDArray[np.bool_],
    *,
    level: float,
) -> NDArray[np.float64]:
    """float64[rows]: how far the interval reaches to each side, by Student's t.

    Where people judged all sampled documents of a run as the program did, the standard error is 0,
    and says nothing of the others: NaN, unless all documents that count were judged for certain.
    Raises ValueError for a level outside 0 < level < 1.

    >>> errors, degrees = np.array([0.02, 0.0]), np.array([6.0, np.nan])
    >>> half_widths(errors, degrees, np.array([True, True]), level=0.95).round(4).tolist()
    [0.0489, nan]
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    is_known = ~np.isnan(degrees)
    # 1.0 is any number: where degrees are unknown, the result is NaN or 0.
    quantiles = student_quantile(np.where(is_known, degrees, 1.0), (1 + level) / 2)
    return np.where(is_open & ~is_known, np.nan, quantiles * errors)
