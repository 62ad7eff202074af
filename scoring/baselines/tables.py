"""The columns of a difference from a baseline, in the tables of other subjects."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Any, Final

from scoring.baselines.rows import Difference, NamedRun
from scoring.core.statistics.undefined import nan_if_none
from scoring.output.latex import STARS_NOTE, Cell, Marked, number, signed, stars
from scoring.output.numbers import p_or_dash
from scoring.output.table import Column, printed, same

_TESTS: Final = {
    "max-t": "randomisation test, corrected for all runs by the greatest |t|",
    "holm": "t test, corrected for all runs by Holm’s method",
}


def difference_caption(correction: str) -> str:
    """In LaTeX."""
    return (
        f"Differences from the baseline: {_TESTS[correction]}; each 95 % interval is for one pair "
        f"alone; d: Cohen’s d of paired differences; {STARS_NOTE}."
    )


def difference_columns(baseline: NamedRun, correction: str, path: str) -> tuple[Column, ...]:
    """`path` leads from a row of the table to its `Difference`, which may be None."""
    find = attrgetter(path)

    def of(name: str) -> Callable[[Any], Any]:
        return lambda row: getattr(find(row), name, None)

    return (
        same("baseline", baseline.run_id),
        same("baseline_name", baseline.name),
        Column("difference", of("difference")),
        printed(f"− {baseline.name}", partial(_marked, find)),
        printed("95 % interval", partial(_interval, find)),
        Column("difference_low", of("low")),
        Column("difference_high", of("high")),
        Column("effect", of("effect"), "d", partial(number, digits=2)),
        Column("p", of("p"), "p", p_or_dash),
        Column("p_corrected", of("p_corrected"), "corrected p", p_or_dash),
        same("correction", correction),
        Column("common_topics", of("topics")),
    )


def difference_record(
    baseline: str, correction: str, found: Difference | None
) -> dict[str, Any] | None:
    """For JSON."""
    return {"baseline": baseline, **asdict(found), "correction": correction} if found else None


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
