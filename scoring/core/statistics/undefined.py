"""Numbers that are not defined: NaN in arrays, None everywhere else."""

import math


def none_if_nan(value: float) -> float | None:
    """As Python's own number.

    >>> none_if_nan(math.nan), none_if_nan(0.5)
    (None, 0.5)
    """
    return None if math.isnan(value) else float(value)


def nan_if_none(value: float | None) -> float:
    """The inverse of `none_if_nan`.

    >>> nan_if_none(None), nan_if_none(0.5)
    (nan, 0.5)
    """
    return math.nan if value is None else value
