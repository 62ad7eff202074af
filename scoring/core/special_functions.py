"""Special functions, with numpy and the standard library. scipy is larger than everything else that
the command line needs. The tests compare these functions with scipy's."""

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

LARGE: Final = 16.0  # from here on the asymptotic series of ψ and ψ' are exact
# Bernoulli's numbers B2, B4, ...
BERNOULLI: Final = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
EULER: Final = 0.57721566490153286061
EPSILON: Final = float(np.finfo(np.float64).eps)


def digamma(x: ArrayLike) -> Floats:
    """ψ(x) for x > 0: ψ(n + 1) - ψ(m + 1) is the sum of 1/i over i = m + 1 ... n.

    >>> round(float(digamma(4.0) - digamma(1.0)), 4)  # 1 + 1/2 + 1/3
    1.8333
    """
    x, steps = _large(x, lambda x: 1 / x)
    series = sum(b / (2 * k * x ** (2 * k)) for k, b in enumerate(BERNOULLI, start=1))
    values: Floats = np.log(x) - 1 / (2 * x) - series - steps
    return values


def trigamma(x: ArrayLike) -> Floats:
    """ψ'(x) for x > 0, the sum of 1/(x + i)² over i = 0, 1, 2, ...

    >>> round(float(trigamma(1.0)), 4)  # π²/6
    1.6449
    """
    x, steps = _large(x, lambda x: 1 / x**2)
    series = sum(b / x ** (2 * k + 1) for k, b in enumerate(BERNOULLI, start=1))
    values: Floats = 1 / x + 1 / (2 * x**2) + series + steps
    return values


def _large(x: ArrayLike, term: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Each x plus the least whole number that makes it large, and the sum of the terms before."""
    x = np.array(x, dtype=np.float64)
    passed = np.zeros_like(x)
    # By the recurrence ψ(x) = ψ(x + 1) - 1/x, and that of its derivative.
    while (small := x < LARGE).any():
        passed += np.where(small, term(x), 0.0)
        x = x + small
    return x, passed


def exponential_integral(x: float) -> float:
    """Ei(x) for x > 0, by its power series; that of log x is the integral of 1/log.

    >>> round(exponential_integral(1.0), 4)  # Abramowitz and Stegun, Table 5.1
    1.8951
    """
    terms, power = [EULER, math.log(x)], 1.0
    for k in range(1, 1000):
        power *= x / k
        terms.append(power / k)
        # Terms grow until k passes x.
        if k > x and power / k < EPSILON * terms[2] / 1000:
            break
    return math.fsum(terms)
