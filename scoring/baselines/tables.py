"""The columns of a difference from a baseline, in the tables of other subjects."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Any

from scoring.baselines.rows import Difference, NamedRun
from scoring.core.statistics.undefined import nan_if_none
from scoring.output.latex import Cell, Marked, signed, stars
from scoring.output.table import Column, printed, same

CORRECTION = (
    "t test, corrected for all runs by Holm’s method; each 95 % interval is for one pair alone"
)


def difference_columns(baseline: NamedRun, path: str) -> tuple[Column, ...]:
    """`path` leads from a row of the table to its `Difference`, which may be None."""
    find = attrgetter(path)
    return (
        same("baseline", baseline.run_id),
        same("baseline_name", baseline.name),
        Column("difference", partial(_field, find, "difference")),
        printed(f"− {baseline.name}", partial(_marked, find)),
        printed("95 % interval", partial(_interval, find)),
        Column("difference_low", partial(_field, find, "low")),
        Column("difference_high", partial(_field, find, "high")),
        Column("effect", partial(_field, find, "effect")),
        Column("p", partial(_field, find, "p")),
        Column("p_corrected", partial(_field, find, "p_corrected")),
        Column("common_topics", partial(_field, find, "topics")),
    )


def difference_record(baseline: str, found: Difference | None) -> dict[str, Any] | None:
    """For JSON."""
    return {"baseline": baseline, **asdict(found)} if found else None


def _field(find: Callable[[Any], Difference | None], name: str, row: Any) -> Any:
    return getattr(find(row), name, None)


def _marked(find: Callable[[Any], Difference | None], row: Any) -> Cell:
    found = find(row)
    if found is None:
        return "–"
    return Marked(signed(found.difference), stars(nan_if_none(found.p_corrected)))


def _interval(find: Callable[[Any], Difference | None], row: Any) -> str:
    found = find(row)
    if found is None or found.low is None:
        return "–"
    return f"[{signed(found.low)}, {signed(found.high)}]"
