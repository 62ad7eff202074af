"""How many topics does a test need to find a difference? Topic set size design.

T. Sakai, Topic set size design, Information Retrieval Journal 19(3), 2016, computes with formulas
by Y. Nagata: the paired t test, for which the smallest difference between two runs is given, and
the one-way analysis of variance (ANOVA) of several runs, for which the smallest difference between
the best and the worst of them is given. Both exist here twice: with the exact power, from the
noncentral F distribution, and with Nagata's approximation by a normal distribution, which Sakai's
spreadsheets use. The two differ by one topic at times.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.distributions import chi_square_quantile, f_critical, noncentral_f_tail
from scoring.core.statistics.pairs import all_pairs, blocks_of, is_same_throughout

MOST_TOPICS: Final = 10_000
MOST_RUNS: Final = 10_000  # in an ANOVA
LEAST_LEVEL: Final = 1e-9
MOST_POWER: Final = 0.999999  # nearer to 1, the rounding of the distributions counts
_LARGEST_EFFECT: Final = 1e15  # two topics show it at every level
_NORMAL: Final = NormalDist()
_ROUNDING: Final = 1e-12  # a larger part of a sum of squares is no float noise


@dataclass(frozen=True)
class Requirement:
    """What a test must achieve: find a true difference of at least `difference`, in units of the
    measure, with the probability `power`, at the significance level `level`.

    Raises ValueError unless difference > 0 and LEAST_LEVEL <= level < power <= MOST_POWER.
    """

    difference: float
    level: float = 0.05
    power: float = 0.8

    def __post_init__(self) -> None:
        if not (self.difference > 0 and math.isfinite(self.difference)):
            raise ValueError(f"difference must be a number above 0, not {self.difference}")
        if not LEAST_LEVEL <= self.level < 1:
            raise ValueError(f"level must lie between {LEAST_LEVEL} and 1, not {self.level}")
        if not self.level < self.power <= MOST_POWER:
            raise ValueError(f"power must lie above level, up to {MOST_POWER}, not {self.power}")


@dataclass(frozen=True)
class Variances:
    """How much the scores of runs vary over topics; NaN where the scores do not suffice."""

    within_runs: float  # of the scores of a run around its mean: V_E of one-way ANOVA
    of_differences: float  # of the difference of two runs, the mean over all pairs of runs
    pairs: int = 0  # of runs with two common topics or more


UNKNOWN: Final = Variances(math.nan, math.nan)


def variance_interval(variance: float, topics: int, level: float = 0.95) -> tuple[float, float]:
    """The confidence interval of a variance that was measured on this many topics: (topics - 1)
    variance over the quantiles of the chi-square distribution with topics - 1 degrees of freedom.

    It assumes normally distributed scores. All runs have the same topics, so no more degrees count
    than those of one run or one pair. That makes the interval too wide rather than too narrow.
    Raises ValueError for less than two topics and unless 0 < level < 1.

    With ten topics the quantiles are 2.7004 and 19.0228:

    >>> [round(end, 4) for end in variance_interval(0.05, 10)]  # .45/19.0228 and .45/2.7004
    [0.0237, 0.1666]
    """
    if topics < 2:
        raise ValueError(f"a variance is measured on two topics or more, not {topics}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    degrees, tail = topics - 1, (1 - level) / 2
    upper, lower = (chi_square_quantile(degrees, at) for at in (1 - tail, tail))
    return degrees * variance / upper, degrees * variance / lower


def t_power(topics: int, variance: float, required: Requirement) -> float:
    """The power of the paired t test with two tails; `variance` is that of the differences.

    R's pwr.t.test(n=100, d=.3, type="one.sample") prints power = 0.8439471:

    >>> round(t_power(100, 1.0, Requirement(0.3)), 7)
    0.8439471
    """
    noncentrality = topics * _effect(variance, required)
    below = topics - 1
    return noncentral_f_tail(1, below, noncentrality, f_critical(1, below, required.level))


def t_power_by_nagata(topics: int, variance: float, required: Requirement) -> float:
    """The same by Nagata's approximation (Sakai 2016, section 3.1).

    With a critical value w = 1.9842 and an effect of .3 sqrt(100) it is Φ((3 - w (1 - 1/396)) /
    sqrt(1 + w²/198)), and hardly anything in the other tail:

    >>> round(t_power_by_nagata(100, 1.0, Requirement(0.3)), 3)
    0.844
    """
    below = topics - 1
    critical = math.sqrt(f_critical(1, below, required.level))
    shift = math.sqrt(topics * _effect(variance, required))
    middle, width = critical * (1 - 1 / (4 * below)), math.sqrt(1 + critical**2 / (2 * below))
    both_tails = _NORMAL.cdf((-middle - shift) / width), _NORMAL.cdf((shift - middle) / width)
    return sum(both_tails)


def anova_power(topics: int, runs: int, variance: float, required: Requirement) -> float:
    """The power of one-way ANOVA if the best and the worst of `runs` runs differ by the required
    difference and all others lie in the middle between them, which is the hardest case; `variance`
    is that of scores within runs.

    R's pwr.anova.test(k=2, n=100, f=.2) prints power = 0.8036475; f is half of the difference.

    >>> round(anova_power(100, 2, 1.0, Requirement(0.4)), 7)
    0.8036475
    """
    above, below = runs - 1, runs * (topics - 1)
    noncentrality = topics * _effect(variance, required) / 2
    critical = f_critical(above, below, required.level)
    return noncentral_f_tail(above, below, noncentrality, critical)


def anova_power_by_nagata(topics: int, runs: int, variance: float, required: Requirement) -> float:
    """The same by Nagata's approximation (Sakai 2016, section 3.2).

    Of two runs it is above the exact power, and asks for fewer topics (Sakai, ICTIR 2018):

    >>> required = Requirement(0.1)
    >>> anova_power(78, 2, 0.05, required) < 0.8 < anova_power_by_nagata(78, 2, 0.05, required)
    True
    """
    above, below = runs - 1, runs * (topics - 1)
    noncentrality = topics * _effect(variance, required) / 2
    critical = f_critical(above, below, required.level)
    ratio = (above + 2 * noncentrality) / (above + noncentrality)
    degrees = (above + noncentrality) ** 2 / (above + 2 * noncentrality)
    farther = math.sqrt(critical / below) * math.sqrt(2 * below - 1)
    nearer = math.sqrt(ratio / above) * math.sqrt(2 * degrees - 1)
    return 1 - _NORMAL.cdf((farther - nearer) / math.sqrt(ratio / above + critical / below))


def topics_for_t(variance: float, required: Requirement, *, by_nagata: bool = False) -> int | None:
    """The fewest topics with which the paired t test has the required power; None for more than
    MOST_TOPICS. Raises ValueError unless the variance is a number above 0: without any, two topics
    would do for every difference, whatever its size.

    W. Webber, A. Moffat and J. Zobel (CIKM 2008) need 262.1 topics to find a difference of .033
    with a standard deviation of .19:

    >>> topics_for_t(0.19**2, Requirement(0.033))
    263
    """
    power = t_power_by_nagata if by_nagata else t_power
    start = _normal_topics(variance, required)
    return _fewest(variance, start, lambda n: power(n, variance, required) >= required.power)


def topics_for_anova(
    runs: int,
    variance: float,
    required: Requirement,
    *,
    by_nagata: bool = False,
) -> int | None:
    """The same for one-way ANOVA of `runs` runs. Raises ValueError for less than two runs or more
    than MOST_RUNS, too.

    Sakai's samplesizeANOVA2 finds 96 topics for three runs with a difference of .1:

    >>> topics_for_anova(3, 0.05, Requirement(0.1), by_nagata=True)
    96
    """
    if not 2 <= runs <= MOST_RUNS:
        raise ValueError(f"ANOVA needs from 2 to {MOST_RUNS:,} runs, not {runs}")
    power = anova_power_by_nagata if by_nagata else anova_power
    start = _normal_topics(2 * variance, required) * math.sqrt((runs + 2) / 4)
    return _fewest(variance, start, lambda n: power(n, runs, variance, required) >= required.power)


def _normal_topics(variance: float, required: Requirement) -> float:
    """About as many topics: the normal distribution in place of Student's."""
    quantiles = _NORMAL.inv_cdf(1 - required.level / 2) + _NORMAL.inv_cdf(required.power)
    # Divided twice, since the square of a tiny difference would be 0.
    return min(quantiles**2 * variance / required.difference / required.difference, MOST_TOPICS)


def _effect(variance: float, required: Requirement) -> float:
    """The square of the difference in standard deviations, at most _LARGEST_EFFECT."""
    deviations = required.difference / math.sqrt(variance)
    return min(deviations * deviations, _LARGEST_EFFECT)


def variances(scores: NDArray[np.float64]) -> Variances:
    """Of float64[runs, topics], NaN where a run has no score.

    Within runs: the squared deviations of scores from the mean of their run, over the sum of
    topics - 1 of all runs (V_E of one-way ANOVA). Of differences: for each pair of runs over the
    topics that both have, with topics - 1 degrees, and then the mean of the pairs. Without gaps
    that is twice the residual variance of two-way ANOVA. What is the same on all topics to 12
    decimals varies by 0.

    Each run deviates by .1 from its mean .2. The differences are -.2 and .2.

    >>> found = variances(np.array([[0.1, 0.3], [0.3, 0.1]]))
    >>> round(found.within_runs, 4), round(found.of_differences, 4)
    (0.02, 0.08)
    """
    known = ~np.isnan(scores)
    counts = known.sum(axis=1)
    values = np.where(known, scores, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviations = np.where(known, values - (values.sum(axis=1) / counts)[:, None], 0.0)
        deviations[is_same_throughout(scores)] = 0.0
        within = (deviations**2).sum() / np.maximum(counts - 1, 0).sum()
        of_pairs = _variances_of_differences(scores)
    defined = of_pairs[~np.isnan(of_pairs)]
    mean = float(defined.mean()) if len(defined) else math.nan
    return Variances(float(within), mean, len(defined))


def _variances_of_differences(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[pairs]: from sums over common topics, of scores centred by topic to keep digits."""
    known = (~np.isnan(scores)).astype(np.float64)
    values = np.where(known > 0, scores, 0.0)
    centres = values.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    values = np.where(known > 0, values - centres, 0.0)
    squares = (values**2) @ known.T
    totals = values @ known.T
    topics = known @ known.T
    sums = totals - totals.T
    deviations = squares + squares.T - 2 * values @ values.T - sums**2 / topics
    found = np.where(topics > 1, np.maximum(deviations, 0.0) / (topics - 1), np.nan)
    pairs = all_pairs(len(values))
    of_pairs: NDArray[np.float64] = found[pairs.candidates, pairs.baselines]
    # What is left of the subtraction above can be rounding: these pairs are looked at one by one.
    may_be_noise = deviations <= _ROUNDING * (squares + squares.T)
    noisy = np.flatnonzero(may_be_noise[pairs.candidates, pairs.baselines])
    for block in blocks_of(len(noisy), scores.shape[1]):
        some = noisy[block]
        differences = scores[pairs.candidates[some]] - scores[pairs.baselines[some]]
        of_pairs[some[is_same_throughout(differences) & (of_pairs[some] > 0)]] = 0.0
    return of_pairs


def _fewest(variance: float, start: float, suffices: Callable[[int], bool]) -> int | None:
    """The least number of topics from 2 to MOST_TOPICS, searched around `start`; the power grows
    with it."""
    if not (variance > 0 and math.isfinite(variance)):
        raise ValueError(f"variance must be above 0, not {variance}")
    low = high = min(max(2, round(start)), MOST_TOPICS)
    step = max(1, high // 50)
    # Growing steps up, or down, and then halves of what lies between.
    while not suffices(high):
        if high == MOST_TOPICS:
            return None
        low, high, step = high, min(high + step, MOST_TOPICS), 2 * step
    while low == high or suffices(low):
        if low == 2 and suffices(2):
            return 2
        high, low, step = low, max(2, low - step), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high
