"""The normal, Student's t, chi-square and Fisher's F distributions, with numpy and the standard
library. scipy is larger than everything else that the command line needs. The tests compare these
functions with scipy's.

A t test with two tails is an F test with one degree of freedom above: t² is F-distributed, and
noncentral t² is noncentral F. So the power of both comes from noncentral F.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Number = TypeVar("Number", float, Floats)

# Γ(a + 1/2) / (Γ(a) √a) in powers of 1/a, from a = LARGE_RATIO on (Abramowitz and Stegun 6.1.47)
RATIO: Final = (
    1.0, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304, 39325 / 33554432,
)  # fmt: skip
LARGE_RATIO: Final = 40.0
STUDENT_STEPS: Final = 50  # of Newton's method at most; a dozen do for one degree of freedom
STUDENT_CLOSE: Final = 1e-9
EPSILON: Final = float(np.finfo(np.float64).eps)
_DEVIATIONS: Final = 9  # of the Poisson distribution: what lies beyond them weighs less than 1e-16
_FEW: Final = 40  # more weights at least, because a small mean has a long tail
_NARROW: Final = 1e8  # from this noncentrality on, the mean stands for the Poisson distribution
_NEGLIGIBLE: Final = 1e-13  # of a critical value
_F_STEPS: Final = 200
_GAMMA_STEPS: Final = 50  # half a dozen do


def normal_cdf(x: Floats) -> Floats:
    """The probability that a standard normal variable is at most x.

    >>> normal_cdf(np.array([0.0, 1.96])).round(4).tolist()
    [0.5, 0.975]
    """
    return _each(lambda value: math.erfc(-value / math.sqrt(2)) / 2, x)


def normal_quantile(probability: Floats) -> Floats:
    """The inverse of `normal_cdf`.

    >>> normal_quantile(np.array([0.5, 0.975, 1.0])).round(4).tolist()
    [0.0, 1.96, inf]
    """
    ends = {0.0: -math.inf, 1.0: math.inf}
    inverse = NormalDist().inv_cdf
    return _each(lambda p: ends[p] if p in ends else inverse(p), probability)


def _each(function: Callable[[float], float], values: Floats) -> Floats:
    values = np.asarray(values, dtype=np.float64)
    return np.array([function(value) for value in values.ravel().tolist()]).reshape(values.shape)


def student_cdf(degrees: Floats, t: Floats) -> Floats:
    """The probability that a variable of Student's t distribution is at most t.

    Below 0 it is half of the incomplete beta function I_x(degrees/2, 1/2) at
    x = degrees/(degrees + t²). Its tails keep their relative precision.

    With one degree of freedom it is Cauchy's distribution, 1/2 + atan(t)/π:

    >>> student_cdf(np.array([1.0]), np.array([1.0])).round(4).tolist()
    [0.75]
    """
    degrees, t = np.broadcast_arrays(np.asarray(degrees, np.float64), np.asarray(t, np.float64))
    # Beyond these, squares overflow, and the tail is 0 in any case.
    squares = np.clip(t, -1e150, 1e150) ** 2 / degrees
    half = degrees / 2
    front = np.exp(-half * np.log1p(squares)) * np.sqrt(squares / (1 + squares))
    front *= _gamma_ratio(half) / math.sqrt(math.pi)
    # The continued fraction converges fast on this side of the mean of the beta distribution.
    is_far = 1 + squares > (half + 2.5) / (half + 1)
    a, b = np.where(is_far, half, 0.5), np.where(is_far, 0.5, half)
    shares = 1 / (1 + squares), squares / (1 + squares)  # x and 1 - x, both exact
    x, rest = np.where(is_far, shares, shares[::-1])
    beta = front / _beta_fraction(x, rest, a, b)
    tail = np.where(is_far, beta, 1 - beta) / 2
    tail = np.where(np.isinf(t), 0.0, tail)
    values: Floats = np.where(np.isnan(t), np.nan, np.where(t > 0, 1 - tail, tail))
    return values


def _gamma_ratio(a: Floats) -> Floats:
    """Γ(a + 1/2) / Γ(a)."""
    a = np.array(a)
    factor = np.ones_like(a)
    # From Γ(a + 1) = a Γ(a), up to where the series is exact.
    while (small := a < LARGE_RATIO).any():
        factor *= np.where(small, a / (a + 0.5), 1.0)
        a = a + small
    series = sum(coefficient / a**power for power, coefficient in enumerate(RATIO))
    ratio: Floats = factor * np.sqrt(a) * series
    return ratio


def _beta_fraction(x: Number, rest: Number, a: Number, b: Number) -> Number:
    """x^a (1 - x)^b / B(a, b) divided by I_x(a, b), with rest = 1 - x: the continued fraction of
    DiDonato and Morris (1992, equation 9), from the front by the method of Lentz."""
    fraction = a * (a * rest - b * x + 1) / (a + 1)
    numerator, denominator = fraction, 0 * fraction
    for m in range(1, 100_000):
        over = a + 2 * m - 1
        factor = m * (a + m - 1) * (a + b + m - 1) * (b - m) * (x / over) ** 2
        term = m + m * (b - m) * x / over
        term += (a + m) * (a * rest - b * x + 1 + m * (1 + rest)) / (a + 2 * m + 1)
        denominator = 1 / (term + factor * denominator)
        numerator = term + factor / numerator
        change = numerator * denominator
        fraction = fraction * change
        # Of an array, the slowest element decides.
        goes_on = abs(change - 1) > 2 * EPSILON
        if not (goes_on if isinstance(goes_on, bool) else goes_on.any()):
            break
    return fraction


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """I_x(a, b), the regularised incomplete beta function, for a, b > 0 and rest = 1 - x, which the
    caller knows without rounding. The absolute error is about 1e-16 times the larger of a and b.

    >>> round(incomplete_beta(2.0, 1.0, 0.5, 0.5), 12)  # x² if a is 2 and b is 1
    0.25
    """
    if x <= 0:
        return 0.0
    if rest <= 0:
        return 1.0
    if x > (a + 1) / (a + b + 2):  # there the continued fraction converges fast
        return 1.0 - incomplete_beta(b, a, rest, x)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(logarithm + a * math.log(x) + b * math.log(rest))
    return front / _beta_fraction(x, rest, a, b)


def student_quantile(degrees: Floats, probability: float) -> Floats:
    """The inverse of `student_cdf` above its middle. Newton's method begins at the normal quantile:
    the distribution function bends down, so each step stays below the quantile.

    Raises ValueError unless 1/2 < probability < 1.

    >>> student_quantile(np.array([1.0, 10.0]), 0.975).round(4).tolist()  # as in any table
    [12.7062, 2.2281]
    """
    if not 0.5 < probability < 1:
        raise ValueError(f"probability must lie between 1/2 and 1, not {probability}")
    degrees = np.asarray(degrees, np.float64)
    scale = _gamma_ratio(degrees / 2) / np.sqrt(degrees * math.pi)
    t = np.full_like(degrees, NormalDist().inv_cdf(probability))
    for _ in range(STUDENT_STEPS):
        density = scale * np.exp(-(degrees + 1) / 2 * np.log1p(t**2 / degrees))
        step = (probability - student_cdf(degrees, t)) / density
        t = t + step
        # The number of exact digits doubles with each step.
        if (np.abs(step) < STUDENT_CLOSE * t).all():
            break
    return t


@lru_cache(maxsize=1_000)
def chi_square_quantile(degrees: float, probability: float) -> float:
    """The value that a chi-square variable does not exceed with this probability. Newton's method
    begins at the approximation by Wilson and Hilferty.

    Raises ValueError unless 0 < probability < 1.

    >>> round(chi_square_quantile(2, 0.95), 4)  # with two degrees, -2 log(1 - probability)
    5.9915
    """
    if not 0 < probability < 1:
        raise ValueError(f"probability must lie between 0 and 1, not {probability}")
    a, ninth = degrees / 2, 2 / (9 * degrees)
    cube_root = 1 - ninth + NormalDist().inv_cdf(probability) * math.sqrt(ninth)
    # The approximation can be negative for few degrees and a small probability.
    x = a * max(cube_root, 0.01) ** 3  # half of the quantile
    for _ in range(_GAMMA_STEPS):
        density = math.exp((a - 1) * math.log(x) - x - math.lgamma(a))
        step = (probability - _incomplete_gamma(a, x)) / density
        # A step must not leave the positive numbers.
        x = max(x + step, x / 2)
        if abs(step) <= _NEGLIGIBLE * x:
            break
    return 2 * x


def _incomplete_gamma(a: float, x: float) -> float:
    """P(a, x), the regularised lower incomplete gamma function, by its series of positive terms."""
    term = total = 1.0
    above = a
    while term > EPSILON * total:
        above += 1
        term *= x / above
        total += term
    return total * math.exp(a * math.log(x) - x - math.lgamma(a + 1))


def f_tail(above: float, below: float, f: float) -> float:
    """The probability that an F variable with `above` and `below` degrees of freedom exceeds f.

    >>> round(f_tail(2, 2, 3.0), 12)  # with 2 and 2 degrees it is 1/(1 + f)
    0.25
    """
    return noncentral_f_tail(above, below, 0.0, f)


def noncentral_f_tail(above: float, below: float, noncentrality: float, f: float) -> float:
    """The same for the noncentral F distribution: the power of an F test with critical value f.

    It is the mean of tails of the beta distribution, weighted by the Poisson distribution with mean
    noncentrality / 2 (N. L. Johnson, S. Kotz and N. Balakrishnan, Continuous Univariate
    Distributions 2, 1995, chapter 30). One tail follows from another by adding positive terms.
    From _NARROW on it is right to three digits, and needs no more memory.

    The power of 100 topics for a difference of .3 standard deviations is 0.8439 (R's pwr.t.test):

    >>> round(noncentral_f_tail(1, 99, 100 * 0.3**2, f_critical(1, 99, 0.05)), 4)
    0.8439
    """
    if f <= 0:
        return 1.0
    share, rest = below / (below + above * f), above * f / (below + above * f)
    mean, a = noncentrality / 2, below / 2
    if noncentrality >= _NARROW:
        return incomplete_beta(a, above / 2 + mean, share, rest)
    first = max(0, math.floor(mean - _DEVIATIONS * math.sqrt(mean)))
    # Only the terms whose weight can be seen in the sum.
    counts = np.arange(first, math.ceil(mean + _DEVIATIONS * math.sqrt(mean)) + _FEW)
    b = above / 2 + counts
    start = incomplete_beta(a, float(b[0]), share, rest)
    if mean == 0:
        return start
    # I_x(a, b + 1) - I_x(a, b), from one b to the next
    step = a * math.log(share) + b[0] * math.log(rest) - math.lgamma(a) - math.lgamma(b[0] + 1)
    ratios = np.log(rest * (a + b[:-1]) / (b[:-1] + 1))
    steps = np.exp(step + math.lgamma(a + b[0]) + np.append(0.0, ratios.cumsum()))
    tails = start + np.append(0.0, steps[:-1].cumsum())
    weight = first * math.log(mean) - mean - math.lgamma(first + 1)
    weights = np.exp(weight + np.append(0.0, np.log(mean / counts[1:]).cumsum()))
    return min(float(weights @ tails), 1.0)


@lru_cache(maxsize=10_000)
def f_critical(above: float, below: float, level: float) -> float:
    """The value that an F variable exceeds with the probability `level`.

    Found by Newton's method between bounds. Raises ValueError unless 0 < level < 1.

    >>> round(f_critical(1, 10, 0.05), 4)  # the square of Student's 2.2281
    4.9646
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    low, high = 0.0, 1.0
    # Doubled until the value is between the two.
    while f_tail(above, below, high) > level:
        low, high = high, 2 * high
    f = (low + high) / 2
    a, b = above / 2, below / 2
    constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(above / below)
    for _ in range(_F_STEPS):
        excess = f_tail(above, below, f) - level
        low, high = (f, high) if excess > 0 else (low, f)
        ratio = math.log1p(above * f / below)
        density = math.exp(constant + (a - 1) * math.log(f) - (a + b) * ratio)
        step = excess / density
        if abs(step) <= _NEGLIGIBLE * f:
            break
        # Where Newton's step leaves the bounds, halving them gets closer all the same.
        f = f + step if low < f + step < high else (low + high) / 2
    return f
