"""Special functions of scipy, which is loaded by the first that is called: it takes longer to start
than everything else together, and few measures and tests need it."""

from importlib import import_module

import numpy as np
from numpy.typing import NDArray


def digamma(x: NDArray[np.floating]) -> NDArray[np.float64]:
    """ψ(x): ψ(n + 1) - ψ(m + 1) is the sum of 1/i over i = m + 1 ... n."""
    values: NDArray[np.float64] = import_module("scipy.special").digamma(x)
    return values


def trigamma(x: NDArray[np.floating]) -> NDArray[np.float64]:
    """ψ'(x), the sum of 1/(x + i)² over i = 0, 1, 2, ..."""
    values: NDArray[np.float64] = import_module("scipy.special").polygamma(1, x)
    return values


def exponential_integral(x: float) -> float:
    """Ei(x); that of log x is the integral of 1/log."""
    return float(import_module("scipy.special").expi(x))


def normal_cdf(x: NDArray[np.floating]) -> NDArray[np.float64]:
    """The probability that a standard normal variable is at most x."""
    values: NDArray[np.float64] = import_module("scipy.special").ndtr(x)
    return values


def normal_quantile(probability: NDArray[np.floating]) -> NDArray[np.float64]:
    """The inverse of `normal_cdf`."""
    values: NDArray[np.float64] = import_module("scipy.special").ndtri(probability)
    return values


def student_cdf(degrees: NDArray[np.floating], t: NDArray[np.floating]) -> NDArray[np.float64]:
    """The probability that a variable of Student's t distribution is at most t."""
    values: NDArray[np.float64] = import_module("scipy.special").stdtr(degrees, t)
    return values
