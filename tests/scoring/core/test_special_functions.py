"""Special functions: values worked by hand, and scipy's as a witness."""

import math

import numpy as np
import pytest
from scipy import special

from scoring.core.special_functions import digamma, exponential_integral, trigamma

POSITIVE = np.concatenate([np.linspace(0.01, 60, 3001), np.logspace(1, 9, 200)])


def test_values_that_are_worked_by_hand() -> None:
    euler = 0.5772156649015329
    assert digamma(np.array([1.0, 2.0, 4.0])) == pytest.approx(
        [-euler, 1 - euler, 1 + 1 / 2 + 1 / 3 - euler], abs=1e-15
    )
    assert trigamma(np.array([1.0, 3.0])) == pytest.approx(
        [math.pi**2 / 6, math.pi**2 / 6 - 1 - 1 / 4], abs=1e-15
    )
    assert exponential_integral(1.0) == pytest.approx(1.8951178163559368, abs=1e-15)


def test_digamma_and_trigamma_are_those_of_scipy() -> None:
    np.testing.assert_allclose(digamma(POSITIVE), special.digamma(POSITIVE), 1e-14, 1e-14)
    np.testing.assert_allclose(trigamma(POSITIVE), special.polygamma(1, POSITIVE), 1e-14)
    assert digamma(np.array(5.0)).shape == ()


def test_the_exponential_integral_is_that_of_scipy() -> None:
    for x in np.linspace(0.4, 60, 500):
        assert exponential_integral(x) == pytest.approx(special.expi(x), rel=1e-12)
