"""The one place that rounds a score for a reader: pages, LaTeX, charts and the badge.

A value is first rounded to 12 decimals, which removes what summing in another order leaves behind,
and then to the decimals shown, half away from zero as by hand: 0.83875 and 0.8387499999999999 are
both written 0.8388. Python's `format` and JavaScript's number formats round the binary value
instead, so that one number computed in two ways may be written in two ways; scores that a script
formats are rounded here before. CSV and JSON are not rounded, and trec_eval's text is printed as
trec_eval prints it.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.statistics.ranks import DECIMALS

WHOLE: Final = 1e15  # a double as large as this has no decimals
FINEST: Final = 0.01  # the smallest step of the Ladder


def rounded(value: float, places: int) -> float:
    """NaN and infinity stay; nothing is rounded to -0.

    >>> rounded(0.8387499999999999, 4), rounded(-0.00001, 4)
    (0.8388, 0.0)
    """
    if math.isnan(value) or abs(value) >= WHOLE:
        return value
    scale = 10.0**places
    # Half away from zero, which round() does not do.
    units = math.floor(round(abs(value) * scale, DECIMALS - places) + 0.5)
    return (-units if value < 0 else units) / scale


def rounded_array(values: NDArray[np.float64], places: int) -> NDArray[np.float64]:
    """The same for each of the values, for figures that hold too many to be written out.

    >>> rounded_array(np.array([0.8387499999999999, np.nan]), 4).tolist()
    [0.8388, nan]
    """
    scale = 10.0**places
    units = np.floor(np.round(np.abs(values) * scale, DECIMALS - places) + 0.5)
    # -0.0 + 0.0 is 0.0.
    found: NDArray[np.float64] = np.copysign(units / scale, values) + 0.0
    return np.where(np.abs(values) < WHOLE, found, values)


def decimal_text(value: float, places: int) -> str:
    """0.8388; inf and nan as such.

    >>> decimal_text(0.5, 4), decimal_text(float("nan"), 4)
    ('0.5000', 'nan')
    """
    return f"{rounded(value, places):.{places}f}"


def addition_text(value: float, places: int) -> str:
    """What could be added to a score: +0.06, and <0.01 where rounding would say nothing.

    >>> addition_text(0.06, 2), addition_text(0.001, 2)
    ('+0.06', '<0.01')
    """
    least = 10.0**-places
    is_hidden = round(value, DECIMALS) > 0 and rounded(value, places) == 0
    return f"<{least:.{places}f}" if is_hidden else f"+{decimal_text(value, places)}"


def difference_text(value: float, places: int) -> str:
    """With its sign; one that would be rounded to nothing says between what it lies.

    >>> difference_text(0.06, 2), difference_text(-0.001, 2), difference_text(0.0, 2)
    ('+0.06', '>-0.01', '0')
    """
    least = 10.0**-places
    if round(value, DECIMALS) == 0:
        return "0"
    if rounded(value, places) == 0:
        return f">-{least:.{places}f}" if value < 0 else f"<+{least:.{places}f}"
    return f"{rounded(value, places):+.{places}f}"


def ladder(value: float, best: float | None, step: float) -> float | None:
    """What is told of a value when `best` was the last that was told; None where it is not more
    than `step` above that (Blum and Hardt, "The Ladder: A Reliable Leaderboard for Machine Learning
    Competitions", ICML 2015).

    What is told is the value to the nearest whole step. Higher is better: for others give the
    negatives of value and best. Raises ValueError for a step finer than two decimals.

    >>> ladder(0.534, None, 0.05), ladder(0.59, 0.55, 0.05), ladder(0.61, 0.55, 0.05)
    (0.55, None, 0.6)
    """
    if not step >= FINEST:
        raise ValueError(f"a step must be at least {FINEST}, not {step}")
    if best is not None and not value > best + step:
        return None
    return round(round(value / step) * step, 2)
