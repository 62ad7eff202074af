"""Many runs compared with one baseline: p-values that allow for it, by the randomised max-|t| test.

Under the null hypothesis the differences of all runs on a topic could as well have the opposite
sign. One random sign per topic, the same for all runs, keeps how the runs depend on each other. The
greatest |t| of any run over such signs is what chance can do to the whole family. This is the
single-step max-T method of P. H. Westfall and S. S. Young (Resampling-Based Multiple Testing, 1993)
as a randomisation test, with a studentised statistic as by J. P. Romano and M. Wolf (JASA 100(469),
2005). For one run it is the randomisation test of M. Smucker, J. Allan and B. Carterette (CIKM
2007).
"""

import numpy as np
from numpy.typing import NDArray

from scoring.core.statistics.pairs import ALL_FLIPS, FLIPS, STUDENT, Outcomes, whole_units
from scoring.core.statistics.sign_flips import few_topics, half_of_all_signs, random_signs
from scoring.core.statistics.significance import paired_t

_CELLS_AT_A_TIME = 1 << 19  # runs x samples, and topics x samples: 4 MB each
_EQUAL = 1e-9  # relative: equal |t| of two runs differ as the rounding of their differences does
_NOISE = 1e-12  # of all squares, what is left beside that of the mean: float noise


def randomised_max_t(
    differences: NDArray[np.float64], *, samples: int, seed: int
) -> tuple[Outcomes, NDArray[np.float64]]:
    """The outcome of a two-tailed test of each run, and its p-value corrected for all of them.

    `differences` are float64[runs, topics], run - baseline, NaN where one of the two has no score:
    such a topic is left out for this run alone. The outcome has Student's t of `paired_t`, and the
    p-value of that run alone; the corrected p-values are float64[runs], never below it.

    - alone: p = (1 + samples whose |t| of the run is at least that seen) / (1 + samples). For given
      topics |t| grows with the absolute sum, so this is the test of `sign_flip`.
    - corrected: p = (1 + samples whose *greatest* |t| of all runs is at least that of the run) /
      (1 + samples). It keeps the chance of any wrong separation below alpha, also where variances
      differ and runs depend on each other.

    Where the topics on which any run differs allow no more signs than `samples`, all signs are
    taken once, and p is the share of those that are as extreme. Random signs are those of
    `sign_flip`: they depend on `seed`, `samples` and the number of topics alone.

    As in `paired_t`, p is 1 without any difference, and NaN for a run that differs by the same on
    all topics or has fewer than two topics. Such a run does not count among the others. A run with
    few topics can have a great |t| by chance, and then raises the p-values of all.

    Raises ValueError for less than one sample.

    Three topics have four ways to give signs, up to that of the sum. In one of them |t| of the
    first run is as large as seen. In another one that of the second run is as large, too.

    >>> differences = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, -0.3]])
    >>> outcomes, corrected = randomised_max_t(differences, samples=100, seed=1)
    >>> outcomes.p_values.tolist(), corrected.tolist()
    ([0.25, 1.0], [0.5, 1.0])
    """
    few = few_topics(samples)
    student = paired_t(differences)
    is_tested = ~np.isnan(student.p_values)
    units, topics = whole_units(differences[is_tested]), student.topics[is_tested]
    differing = np.flatnonzero(units.any(axis=0))
    takes_all = len(differing) <= few
    step = max(1, _CELLS_AT_A_TIME // max(1, *units.shape))
    if takes_all:
        units = units[:, differing]
        blocks = half_of_all_signs(len(differing), step)
    else:
        blocks = random_signs(samples, seed, units.shape[1], step)
    limits = (1 - _EQUAL) * _squared_t(units.sum(axis=1, keepdims=True), units, topics)[:, 0]
    reaching = np.zeros(len(units), np.int64)
    # concatenate needs an array also where no run is tested.
    greatest = [np.empty(0)]
    for signs in blocks if len(units) else ():
        squared = _squared_t(units @ signs, units, topics)
        reaching += np.count_nonzero(squared >= limits[:, None], axis=1)
        greatest.append(squared.max(axis=0))
    ascending = np.sort(np.concatenate(greatest))
    reaching_by_any = len(ascending) - np.searchsorted(ascending, limits)
    seen = 0 if takes_all else 1  # all signs include those of the differences themselves
    p_values, corrected = np.full((2, len(differences)), np.nan)
    p_values[is_tested] = (reaching + seen) / (len(ascending) + seen)
    corrected[is_tested] = (reaching_by_any + seen) / (len(ascending) + seen)
    flips = ALL_FLIPS if takes_all else FLIPS
    methods = np.where(student.methods == STUDENT, flips, student.methods).astype(np.int8)
    return Outcomes(p_values, student.statistics, student.topics, methods), corrected


def _squared_t(
    sums: NDArray[np.float64], units: NDArray[np.float64], topics: NDArray[np.int64]
) -> NDArray[np.float64]:
    """float64[runs, samples]: t² of each run if its differences have these sums. Signs do not
    change the sum of squares Q, so t² = (n - 1) S² / (n Q - S²) needs only the sum S."""
    squares = topics * np.einsum("ij,ij->i", units, units)
    with np.errstate(divide="ignore"):
        share = np.square(sums) * np.where(squares > 0, 1 / squares, 0.0)[:, None]
        # Then t is infinite: with these signs, all differences are equal.
        share[share > 1 - _NOISE] = 1.0
        squared: NDArray[np.float64] = share / (1 - share)
    squared *= (topics - 1)[:, None]
    return squared
