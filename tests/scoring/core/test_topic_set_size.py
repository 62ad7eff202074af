"""Needed topics: published figures, statsmodels, a slow search, and loops over runs and topics.

The published figures are those of W. Webber, A. Moffat and J. Zobel (Statistical power in retrieval
experimentation, CIKM 2008), of R's package pwr as the documentation of its Julia port prints them,
and what the public Python version of Sakai's samplesizeANOVA2 (KevinRoitero/set-size-estimation)
prints. That program has a minus where the variance of a difference of two independent variables
has a plus, so it may print one topic less.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import FTestAnovaPower, TTestPower

from scoring.core.statistics.topic_set_size import (
    Requirement,
    anova_power,
    anova_power_by_nagata,
    t_power,
    t_power_by_nagata,
    topics_for_anova,
    topics_for_t,
    variance_interval,
    variances,
)


def test_power_equals_the_figures_of_the_package_pwr():
    # pwr.t.test(n=100, d=.3, type="one.sample"); pwr.anova.test(k=2, n=100, f=.2), and its n.
    assert t_power(100, 1.0, Requirement(0.3)) == pytest.approx(0.8439471027376636, abs=1e-12)
    found = anova_power(100, 2, 1.0, Requirement(0.4))  # f = .2: half of the difference
    assert found == pytest.approx(0.8036475048589252, abs=1e-9)  # pwr's own precision
    assert topics_for_t(1.0, Requirement(0.3)) == 90


@pytest.mark.parametrize(("deviation", "printed"), [(0.15, 164), (0.19, 262)])
def test_needed_topics_of_webber_moffat_and_zobel(deviation, printed):
    # They round 164.1 and 262.1 to the nearest number, with a power that is .8 in three decimals.
    required = Requirement(0.033)
    assert t_power(printed, deviation**2, required) == pytest.approx(0.8, abs=0.0005)
    assert topics_for_t(deviation**2, required) == printed + 1


@pytest.mark.parametrize(
    ("difference", "variance", "runs", "printed", "missing"),
    [
        (0.10, 0.05, 3, 96, 0),
        (0.10, 0.05, 10, 157, 0),
        (0.10, 0.0471, 10, 148, 0),
        (0.10, 0.05, 2, 77, 1),
        (0.20, 0.10, 50, 150, 1),
    ],
)
def test_needed_topics_of_a_program_after_sakais_spreadsheet(
    difference, variance, runs, printed, missing
):
    found = topics_for_anova(runs, variance, Requirement(difference), by_nagata=True)
    assert found == printed + missing


def test_one_way_anova_of_two_runs_is_the_t_test_of_two_samples():
    # Nagata's approximation is not: it asks for fewer topics (Sakai, ICTIR 2018).
    required = Requirement(0.1)
    topics = topics_for_anova(2, 0.05, required)
    shift = 0.1 / math.sqrt(2 * 0.05 / topics)
    critical = stats.t.isf(0.025, 2 * topics - 2)
    both = stats.nct.sf(critical, 2 * topics - 2, shift)
    both += stats.nct.cdf(-critical, 2 * topics - 2, shift)
    assert anova_power(topics, 2, 0.05, required) == pytest.approx(both, abs=1e-10)
    assert topics == 80
    assert topics_for_anova(2, 0.05, required, by_nagata=True) == 78


def test_nagatas_power_by_the_formulas_with_scipy():
    required, n, m = Requirement(0.5, 0.05, 0.8), 33, 4
    w = stats.t.isf(0.025, n - 1)
    at, width = w * (1 - 1 / (4 * (n - 1))), math.sqrt(1 + w**2 / (2 * (n - 1)))
    shift = math.sqrt(n) * 0.5
    expected = stats.norm.cdf((-at - shift) / width) + stats.norm.sf((at - shift) / width)
    assert t_power_by_nagata(n, 1.0, required) == pytest.approx(expected, abs=1e-12)
    a, e, lam = m - 1, m * (n - 1), n * 0.5**2 / 2
    w = stats.f.isf(0.05, a, e)
    c, star = (a + 2 * lam) / (a + lam), (a + lam) ** 2 / (a + 2 * lam)
    u = math.sqrt(w / e) * math.sqrt(2 * e - 1) - math.sqrt(c / a) * math.sqrt(2 * star - 1)
    expected = stats.norm.sf(u / math.sqrt(c / a + w / e))
    assert anova_power_by_nagata(n, m, 1.0, required) == pytest.approx(expected, abs=1e-10)


def counted(suffices):
    return next(topics for topics in itertools.count(2) if suffices(topics))


# Their count of topics is by the power that statsmodels computes for so many. Its own search stops
# at 3.95 topics for a difference of .5, a variance of .02, a level of .01 and a power of .95,
# although it gives 4 topics a power of .76.
FIFTY = [
    (difference, level, power, variance, runs)
    for difference in (0.03, 0.05, 0.1, 0.2, 0.5)
    for level, power in ((0.05, 0.8), (0.05, 0.9), (0.01, 0.8), (0.01, 0.95), (0.1, 0.7))
    for variance, runs in ((0.05, 2), (0.02, 10))
]


@pytest.mark.parametrize(("difference", "level", "power", "variance", "runs"), FIFTY)
def test_needed_topics_are_those_of_statsmodels(difference, level, power, variance, runs):
    required = Requirement(difference, level, power)
    effect = difference / math.sqrt(variance)

    def of_t(topics):
        return TTestPower().power(effect, topics, level)

    f = difference / math.sqrt(2 * runs * variance)

    def of_anova(topics):
        return FTestAnovaPower().power(f, runs * topics, level, k_groups=runs)

    for topics in (2, 5, 9):
        assert t_power(topics, variance, required) == pytest.approx(of_t(topics), abs=1e-10)
        found = anova_power(topics, runs, variance, required)
        assert found == pytest.approx(of_anova(topics), abs=1e-10)
    assert topics_for_t(variance, required) == counted(lambda n: of_t(n) >= power)
    assert topics_for_anova(runs, variance, required) == counted(lambda n: of_anova(n) >= power)


@pytest.mark.parametrize("difference", [0.06, 0.2, 3.0])
@pytest.mark.parametrize(("level", "power"), [(0.05, 0.8), (0.01, 0.95), (0.05, 0.3)])
@pytest.mark.parametrize("runs", [2, 7])
def test_fewest_topics_are_those_of_a_count_from_two(difference, level, power, runs):
    required = Requirement(difference, level, power)
    v = 0.02
    assert topics_for_t(v, required) == counted(lambda n: t_power(n, v, required) >= power)
    assert topics_for_anova(runs, v, required) == counted(
        lambda n: anova_power(n, runs, v, required) >= power
    )
    assert topics_for_t(v, required, by_nagata=True) == counted(
        lambda n: t_power_by_nagata(n, v, required) >= power
    )
    assert topics_for_anova(runs, v, required, by_nagata=True) == counted(
        lambda n: anova_power_by_nagata(n, runs, v, required) >= power
    )


@pytest.mark.parametrize("level", [1e-9, 0.05])
@pytest.mark.parametrize("difference", [0.2, 2.0])
def test_the_highest_power_and_the_lowest_level_are_those_of_scipy(level, difference):
    """At a power of 1 - 1e-16, the rounding of 1 - beta counted: 867 topics instead of 1,031."""
    required = Requirement(difference, level, 0.999999)

    def misses(topics):
        critical, shift = stats.t.isf(level / 2, topics - 1), difference * math.sqrt(topics)
        return stats.nct.cdf(critical, topics - 1, shift)

    found = topics_for_t(1.0, required)
    assert misses(found) <= 1e-6 < misses(found - 1)


def test_the_limits_of_topics_and_runs():
    assert topics_for_t(1.0, Requirement(0.02802)) == 9_999
    assert topics_for_t(1.0, Requirement(0.02801)) is None
    assert topics_for_anova(10_000, 0.05, Requirement(0.1)) is not None
    with pytest.raises(ValueError, match=r"up to 0\.999999"):
        Requirement(0.1, 0.05, 1 - 1e-16)


def test_the_interval_of_a_variance_by_a_table_and_by_scipy():
    """With nine degrees of freedom, tables print 2.700 and 19.023."""
    assert variance_interval(0.05, 10) == pytest.approx((0.45 / 19.023, 0.45 / 2.700), rel=2e-4)
    for topics in (2, 5, 50, 10_000):
        for level in (0.5, 0.95, 0.999):
            ends = stats.chi2.ppf([(1 + level) / 2, (1 - level) / 2], topics - 1)
            expected = tuple((topics - 1) * 0.03 / ends)
            assert variance_interval(0.03, topics, level) == pytest.approx(expected, rel=1e-9)
    for arguments in ((0.1, 1), (0.1, 9, 0.0), (0.1, 9, 1.0)):
        with pytest.raises(ValueError, match=r"two topics|between 0 and 1"):
            variance_interval(*arguments)


def test_the_interval_of_a_variance_contains_it_as_often_as_its_level():
    """Of 20,000 samples of eight normal scores with a variance of 1."""
    scores = np.random.default_rng(1).normal(size=(20_000, 8))
    low, high = variance_interval(1.0, 8)
    found = scores.var(axis=1, ddof=1)
    assert np.mean((found * low <= 1) & (found * high >= 1)) == pytest.approx(0.95, abs=0.005)


def test_tiny_differences_need_too_many_topics():
    assert topics_for_t(1.0, Requirement(0.0001)) is None
    assert topics_for_anova(5, 1.0, Requirement(0.0001)) is None


def test_bad_arguments():
    for options, words in [
        ((0.0,), "difference"),
        ((math.inf,), "difference"),
        ((0.1, 0.0), "level"),
        ((0.1, 0.05, 0.05), "power"),
        ((0.1, 0.05, 1.0), "power"),
    ]:
        with pytest.raises(ValueError, match=words):
            Requirement(*options)
    with pytest.raises(ValueError, match="from 2 to 10,000 runs"):
        topics_for_anova(1, 0.1, Requirement(0.1))
    for variance in (-1.0, 0.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="variance must be above 0"):
            topics_for_t(variance, Requirement(0.1))
        with pytest.raises(ValueError, match="variance must be above 0"):
            topics_for_anova(5, variance, Requirement(0.1))


def test_variances_by_hand():
    # Means .4 and .5; deviations .2, .2 and .1, .1 with 1 + 1 degrees; differences .2 and -.4.
    found = variances(np.array([[0.6, 0.2], [0.4, 0.6]]))
    assert found.within_runs == pytest.approx((0.08 + 0.02) / 2, abs=1e-15)
    assert found.of_differences == pytest.approx(0.18, abs=1e-15)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4])
def test_what_is_the_same_on_all_topics_has_no_variance(size):
    """Float noise would give a variance of 1e-34 or 1e-19, and from it a number of topics."""
    topics = size * np.random.default_rng(1).random(50)
    found = variances(np.array([topics, topics + 0.3 * size, topics + 0.1 * size]))
    assert found.within_runs > 0
    assert found.of_differences == 0
    found = variances(size * np.array([[0.1] * 7, [0.3] * 7]))
    assert (found.within_runs, found.of_differences) == (0, 0)


def test_a_small_spread_of_differences_is_no_noise():
    topics = np.random.default_rng(1).random(6)
    found = variances(np.array([topics, topics + 1e-8 * (np.arange(6) == 0)]))
    assert found.of_differences == pytest.approx(1e-16 / 6, rel=1e-6)


@pytest.mark.hypothesis
@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans())
def test_variances_equal_the_loop(runs, topics, seed, has_gaps):
    random = np.random.default_rng(seed)
    scores = random.random((runs, topics))
    if has_gaps:
        scores[random.random((runs, topics)) < 0.3] = np.nan
    rows = [[x for x in row if not math.isnan(x)] for row in scores.tolist()]
    squares = sum((x - sum(row) / len(row)) ** 2 for row in rows for x in row)
    degrees = sum(max(len(row) - 1, 0) for row in rows)
    of_pairs = []
    for a, b in itertools.combinations(scores.tolist(), 2):
        d = [x - y for x, y in zip(a, b, strict=True) if not math.isnan(x - y)]
        if len(d) > 1:
            of_pairs.append(sum((x - sum(d) / len(d)) ** 2 for x in d) / (len(d) - 1))
    found = variances(scores)
    expected = squares / degrees if degrees else math.nan
    assert found.within_runs == pytest.approx(expected, abs=1e-12, nan_ok=True)
    expected = sum(of_pairs) / len(of_pairs) if of_pairs else math.nan
    assert found.of_differences == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("variance", "difference"), [(1e-300, 1e300), (1e-34, 0.05), (1e-9, 1.0)])
def test_a_difference_of_many_standard_deviations_needs_two_topics(variance, difference):
    required = Requirement(difference)
    for by_nagata in (False, True):
        assert topics_for_t(variance, required, by_nagata=by_nagata) == 2
        assert topics_for_anova(5, variance, required, by_nagata=by_nagata) == 2


def test_the_power_of_a_large_difference_is_the_one_of_the_central_distribution():
    # For a large noncentrality, F is noncentrality / (chi² / degrees): here two topics.
    for deviations in (9e3, 1.2e4, 4e5):
        critical = stats.f.isf(1e-7, 1, 1)
        expected = stats.chi2.cdf(2 * deviations**2 / critical, 1)
        found = t_power(2, 1.0, Requirement(deviations, 1e-7))
        assert found == pytest.approx(expected, rel=1e-3)
