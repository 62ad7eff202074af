"""A table of rows, and its dresses: CSV for spreadsheets, records for scripts."""

import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from defusedcsv import csv

from scoring.core.measures.measure import Measure


@dataclass(frozen=True)
class Table:
    """Rows of cells under their columns. None and NaN: not defined, or not shown."""

    columns: Sequence[str]
    rows: Iterable[Sequence[Any]]

    def as_csv(self) -> str:
        """At full precision; empty where a value is not defined. Text cells are made safe for
        spreadsheets."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_plain(cell) for cell in row] for row in self.rows)
        return out.getvalue()

    def as_records(self) -> list[dict[str, Any]]:
        """The same cells by their columns."""
        return [
            {name: _plain(cell) for name, cell in zip(self.columns, row, strict=True)}
            for row in self.rows
        ]


def _plain(cell: Any) -> Any:
    if isinstance(cell, float) and math.isnan(cell):
        return None
    return str(cell) if isinstance(cell, Measure) else cell
