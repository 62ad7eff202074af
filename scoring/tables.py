"""A table of rows, and its dresses: CSV for spreadsheets, records for scripts."""

import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from defusedcsv import csv

from scoring.core.measures.measure import Measure

ROWS_AT_A_TIME: Final = 1_000


@dataclass(frozen=True)
class Table:
    """Rows of cells under their columns. None and NaN: not defined, or not shown."""

    columns: Sequence[str]
    rows: Iterable[Sequence[Any]]

    def as_csv(self) -> str:
        return "".join(self.csv_blocks())

    def csv_blocks(self) -> Iterator[str]:
        """At full precision; empty where a value is not defined. Text cells are made safe for
        spreadsheets. Some rows at a time, so that a long table is never in memory as a whole."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        left = iter(self.rows)
        while rows := list(islice(left, ROWS_AT_A_TIME)):
            writer.writerows([_plain(cell) for cell in row] for row in rows)
            if len(rows) == ROWS_AT_A_TIME:
                yield out.getvalue()
                out.seek(0)
                out.truncate()
        yield out.getvalue()

    def as_records(self) -> list[dict[str, Any]]:
        """The same cells by their columns; None for infinity."""
        return [
            {name: _of_json(cell) for name, cell in zip(self.columns, row, strict=True)}
            for row in self.rows
        ]


def _plain(cell: Any) -> Any:
    if isinstance(cell, float) and math.isnan(cell):
        return None
    return str(cell) if isinstance(cell, Measure) else cell


def _of_json(cell: Any) -> Any:
    """JSON has no infinity: an effect without any deviation is not a number there."""
    is_infinite = isinstance(cell, float) and math.isinf(cell)
    return None if is_infinite else _plain(cell)
