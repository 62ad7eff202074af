"""The normal, t and F distributions: values worked by hand, and scipy's as a witness.

scipy's own t distribution with one degree of freedom is off by 5e-9 near 0, where the arc tangent
is the witness.
"""

import math

import numpy as np
import pytest
from scipy import special, stats

from scoring.core.distributions import (
    f_critical,
    f_tail,
    noncentral_f_tail,
    normal_cdf,
    normal_quantile,
    student_cdf,
)

ABOVE = [1, 2, 9, 142]
BELOW = [1, 3, 20, 1000, 40_000]


T = np.concatenate([np.linspace(-60, 60, 1201), -np.logspace(-5, 3, 200)])


def test_values_that_are_worked_by_hand():
    assert normal_cdf(np.array([0.0, 1.959963984540054])) == pytest.approx([0.5, 0.975], abs=1e-15)
    assert normal_quantile(np.array([0.5, 0.975])) == pytest.approx(
        [0.0, 1.959963984540054], abs=1e-15
    )
    # With one degree of freedom 1/2 + atan(t)/π, with two 1/2 + t/(2 √(2 + t²)).
    assert student_cdf(np.array([1.0, 2.0]), np.array([1.0, 1.0])) == pytest.approx(
        [0.75, 0.5 + 1 / (2 * math.sqrt(3))], abs=1e-15
    )
    # With two degrees above the tail is (1 + 2 f / d)^(-d / 2).
    assert f_tail(2, 4, 3.0) == pytest.approx((1 + 6 / 4) ** -2, abs=1e-15)
    assert f_critical(2, 4, 0.16) == pytest.approx(3.0, abs=1e-12)
    # t of one degree is a Cauchy variable: it exceeds 1 in absolute value half of the time.
    assert f_tail(1, 1, 1.0) == pytest.approx(0.5, abs=1e-15)
    # With two degrees above and below, the tail of 1 + j pairs is 1 - 2^-(j + 1) at f = 1.
    expected = 1 - sum(math.exp(-1) / math.factorial(j) / 2 ** (j + 1) for j in range(30))
    assert noncentral_f_tail(2, 2, 2.0, 1.0) == pytest.approx(expected, abs=1e-14)


def test_the_normal_distribution_is_that_of_scipy() -> None:
    z = np.linspace(-37, 9, 2001).reshape(3, -1)
    np.testing.assert_allclose(normal_cdf(z), special.ndtr(z), 1e-12)
    shares = np.concatenate([np.linspace(0, 1, 2001), np.logspace(-300, -1, 200)])
    np.testing.assert_allclose(normal_quantile(shares), special.ndtri(shares), 1e-12, 1e-12)


@pytest.mark.parametrize("degrees", [2, 2.5, 3, 4, 9, 24, 49, 129, 249, 999, 9999, 100_000])
def test_the_t_distribution_is_that_of_scipy_far_into_its_tails(degrees: float) -> None:
    expected = special.stdtr(degrees, T)
    is_normal = expected > 1e-300
    found = student_cdf(np.array(degrees), T)
    np.testing.assert_allclose(found[is_normal], expected[is_normal], 1e-12)
    assert (found[~is_normal] <= 1e-300).all()


def test_the_t_distribution_with_one_degree_of_freedom_is_an_arc_tangent() -> None:
    t = np.concatenate([-np.logspace(-12, 12, 400), [-1e200]])
    np.testing.assert_allclose(
        student_cdf(np.array(1.0), t[:-1]), np.arctan2(1, -t[:-1]) / np.pi, 1e-12
    )
    assert student_cdf(np.array(30.0), t)[-1] == 0


def test_the_ends_of_the_distributions() -> None:
    t = np.array([-np.inf, np.inf, np.nan, 0.0])
    np.testing.assert_array_equal(student_cdf(np.array(5.0), t), [0, 1, np.nan, 0.5])
    np.testing.assert_array_equal(normal_cdf(t), [0, 1, np.nan, 0.5])
    np.testing.assert_array_equal(normal_quantile(np.array([0.0, 1.0])), [-np.inf, np.inf])
    assert student_cdf(np.ones(0), np.ones(0)).shape == normal_cdf(np.ones(0)).shape == (0,)


@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("below", BELOW)
def test_tails_are_those_of_scipy(above, below):
    for f in (0.5, 1.0, 2.0, 6.0, 30.0):
        assert f_tail(above, below, f) == pytest.approx(stats.f.sf(f, above, below), abs=1e-10)
        for noncentrality in (0.3, 5.0, 40.0, 500.0):
            found = noncentral_f_tail(above, below, noncentrality, f)
            assert found == pytest.approx(stats.ncf.sf(f, above, below, noncentrality), abs=1e-10)


@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("below", BELOW)
def test_critical_values_are_those_of_scipy(above, below):
    for level in (0.5, 0.05, 0.01, 0.001):
        expected = stats.f.isf(level, above, below)
        assert f_critical(above, below, level) == pytest.approx(expected, rel=1e-9)


def test_two_tails_of_noncentral_t_are_a_tail_of_noncentral_f():
    for below, shift, t in [(5, 0.7, 2.0), (49, 2.8, 2.0096), (300, 4.0, 3.0)]:
        both = stats.nct.sf(t, below, shift) + stats.nct.cdf(-t, below, shift)
        assert noncentral_f_tail(1, below, shift**2, t**2) == pytest.approx(both, abs=1e-10)


def test_the_ends_of_the_distribution():
    assert f_tail(3, 5, 0.0) == f_tail(3, 5, -1.0) == 1
    assert f_tail(3, 5, 1e300) == 0
    with pytest.raises(ValueError, match="between 0 and 1"):
        f_critical(3, 5, 1.0)
