"""The scores of a typed ranking by every measure, at full precision."""

from collections.abc import Iterable

from scoring.measures.playground.rows import PlaygroundRow
from scoring.output.table import Column, Table


def scores_table(rows: Iterable[PlaygroundRow]) -> Table:
    columns = (
        *map(Column, ("measure", "base", "residual", "upper")),
        Column("ties_expected", "expected"),
        Column("ties_worst", "worst"),
        Column("ties_best", "best"),
    )
    return Table(columns, rows)
