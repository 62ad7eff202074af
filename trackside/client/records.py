"""JSON of the API as tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from scoring.library.table import Column, Table


def table_of(records: Iterable[Mapping[str, Any]]) -> Table:
    """One row for each record. Nested values become columns of their own: `ties_low`, and for
    further measures `AP` and `AP residual`."""
    rows = [_flat(record) for record in records]
    names = dict.fromkeys(name for row in rows for name in row)
    return Table({name: _column(name, [row.get(name) for row in rows]) for name in names})


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            flat |= {f"{name}_{key}": each for key, each in value.items()}
        elif isinstance(value, list) and all(map(_is_score, value)):
            for each in value:
                flat[each["measure"]] = each["base"]
                flat[f"{each['measure']} residual"] = each["residual"]
        elif isinstance(value, list):
            flat[name] = ", ".join(map(str, value))
        else:
            flat[name] = value
    return flat


def _is_score(value: object) -> bool:
    """Of a further measure on a leaderboard."""
    return isinstance(value, Mapping) and value.keys() >= {"measure", "base", "residual"}


def _is_number(value: object) -> bool:
    """One that numpy can hold."""
    return isinstance(value, float) or (isinstance(value, int) and -(2**63) <= value < 2**63)


def _column(name: str, values: Sequence[Any]) -> Column:
    """Numbers with NaN for null, or texts with "" for null. A column of nulls has numbers, such as
    the residuals of a measure without bounds, unless it has times: other texts are never null."""
    known = [value for value in values if value is not None]
    if values and not known and not name.endswith("_at"):
        return np.full(len(values), np.nan)
    if known and all(isinstance(value, bool) for value in known) and len(known) == len(values):
        return np.array(values, np.bool_)
    if known and all(map(_is_number, known)):
        if len(known) == len(values) and all(isinstance(value, int) for value in known):
            return np.array(values, np.int64)
        return np.array([np.nan if value is None else value for value in values], np.float64)
    return ["" if value is None else str(value) for value in values]
