"""Numbers that are not defined: NaN in arrays, None everywhere else."""

import math


def none_if_nan(value: float) -> float | None:
    """As Python's own number."""
    return None if math.isnan(value) else float(value)


def nan_if_none(value: float | None) -> float:
    return math.nan if value is None else value
