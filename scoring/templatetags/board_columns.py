"""Measures beside the one that ranks: as heads and cells of the board, and to choose from."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django import template

from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Facts, Measure
from scoring.leaderboard.rows import BoardCell, BoardRow, Leaderboard, TiedScore
from scoring.leaderboard.tables import bounded
from scoring.output.numbers import score

register = template.Library()

LEAST_SHOWN = 0.0001  # of what a score shows


class ColumnFamily(NamedTuple):
    facts: Facts
    measures: list[Measure]


@register.filter
def by_family(measures: Sequence[Measure]) -> list[ColumnFamily]:
    """In the order in which the families first come."""
    found: dict[str, ColumnFamily] = {}
    for measure in measures:
        family = ColumnFamily(family_of(measure).facts, [])
        found.setdefault(measure.family, family).measures.append(measure)
    return list(found.values())


@register.filter
def column_cells(
    row: BoardRow, board: Leaderboard
) -> Iterator[tuple[Measure, BoardCell, int, bool]]:
    """Each with its measure, the digits worth showing, and whether there is a bound to show."""
    for place, cell in enumerate(row.columns):
        measure = board.columns[place]
        yield measure, cell, board.column_digits[place], bounded(measure)


@register.filter
def tied_range(tied: TiedScore) -> str:
    """From the lowest to the highest score that an order of the ties gives, by their exact ends:
    two that are written alike are not said to be a range."""
    if tied.low is None or tied.high is None:
        return "–"
    if tied.low == tied.high:
        return "no change"
    low, high = score(tied.low), score(tied.high)
    return f"{low}–{high}" if low != high else f"<{LEAST_SHOWN} apart"


@register.filter
def places_moved(places: int | None) -> str:
    """+3, −1 or =; a dash for a run that one of the boards does not rank."""
    if places is None:
        return "–"
    return "=" if places == 0 else f"{'+' if places > 0 else '−'}{abs(places)}"
