"""One table in all its formats: CSV, JSON for scripts, LaTeX for papers, and pages.

A subject declares each column once, in its `tables.py`. A column of `Column("base", heading="base",
text=number)` is headed `base` in the CSV, is the key `base` of the JSON, and has a column in LaTeX,
where `number` writes the value. Without a heading LaTeX leaves it out.
"""

import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import Any, Final

from defusedcsv import csv
from rest_framework.renderers import JSONRenderer

from scoring.core.measures.measure import Measure
from scoring.output import latex

ROWS_AT_A_TIME: Final = 1_000
LATEX_ROWS: Final = 1_000  # more are no table of a paper


def text_of(value: Any) -> latex.Cell:
    """The default text of a cell in LaTeX."""
    if isinstance(value, latex.Marked):
        return value
    return "–" if value is None else str(value)


@dataclass(frozen=True)
class Column:
    """`of` gets the value from a row, at full precision: a function of the row, or the path of an
    attribute ("run.name"); the default is the key."""

    key: str
    of: str | Callable[[Any], Any] = ""
    heading: str | None = None  # in LaTeX; None: no such column there
    text: Callable[[Any], latex.Cell] = text_of
    align: str = "r"
    kind: Any = None  # of its values in the schema: one of `scoring.output.api.FIELDS`
    help_text: str = ""

    @property
    def value(self) -> Callable[[Any], Any]:
        return self.of if callable(self.of) else attrgetter(self.of or self.key)


@dataclass(frozen=True)
class PageColumn:
    """A column of a table on a page: `cell` writes what it shows of a row."""

    heading: str
    cell: Callable[[Any], str]
    css: str = "num"
    explanation: str = ""  # in the key of the page


def printed(
    heading: str,
    of: str | Callable[[Any], Any],
    text: Callable[[Any], latex.Cell] = text_of,
    align: str = "r",
) -> Column:
    """A column that only LaTeX has, such as an interval, which CSV and JSON have as two numbers."""
    return Column("", of, heading, text, align)


def same(key: str, value: Any, kind: Any = None) -> Column:
    """A column with the same value in every row, such as the version of the qrels."""
    return Column(key, lambda row: value, kind=kind)


@dataclass(frozen=True)
class Table:
    """Rows under their columns. None and NaN: not defined, or not shown."""

    columns: Sequence[Column]
    rows: Iterable[Any]
    caption: str = ""  # in LaTeX, after the name of the campaign; escaped there
    last: Sequence[latex.Cell] = ()  # the last line in LaTeX, below the rows
    in_latex: "Table | None" = None  # the table in LaTeX, if its rows differ
    row_count: int | None = None  # if it may be large and is known before the rows are written

    def as_csv(self) -> str:
        return "".join(self.csv_blocks())

    def csv_blocks(self) -> Iterator[str]:
        """At full precision; empty if a value is not defined. Text cells are escaped for
        spreadsheets. Yields blocks of rows, so that a long table is never completely in memory."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self._keys)
        left = self._cells()
        while block := list(islice(left, ROWS_AT_A_TIME)):
            writer.writerows(block)
            if len(block) == ROWS_AT_A_TIME:
                yield out.getvalue()
                out.seek(0)
                out.truncate()
        yield out.getvalue()

    def records(self) -> Iterator[dict[str, Any]]:
        """The same cells by their keys; None for infinity, which JSON does not have."""
        keys = self._keys
        return (dict(zip(keys, map(_finite, cells), strict=True)) for cells in self._cells())

    def as_latex(self, *, title: str, source: str) -> str:
        """With booktabs. `title` is the name of the campaign, `source` the table's URL. Ends
        after LATEX_ROWS rows, and says so."""
        if self.in_latex is not None:
            return self.in_latex.as_latex(title=title, source=source)
        columns = [column for column in self.columns if column.heading is not None]
        cells = [(column.value, column.text) for column in columns]
        shown = list(islice(self.rows, LATEX_ROWS + 1))
        caption = f"{title}: {self.caption}"
        if len(shown) > LATEX_ROWS:
            del shown[LATEX_ROWS:]
            caption += f" Only the first {LATEX_ROWS:,} rows; the CSV file has all of them."
        rows: list[Sequence[latex.Cell]] = [
            [text(value(row)) for value, text in cells] for row in shown
        ]
        return latex.table(
            "".join(column.align for column in columns),
            [column.heading or "" for column in columns],
            [*rows, self.last] if self.last else rows,
            caption=caption,
            source=source,
        )

    @property
    def _keys(self) -> list[str]:
        return [column.key for column in self.columns if column.key]

    def _cells(self) -> Iterator[list[Any]]:
        values = [column.value for column in self.columns if column.key]
        return ([_plain(value(row)) for value in values] for row in self.rows)


def json_blocks(records: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """A list of objects, in blocks of text."""
    left, between = iter(records), b"["
    while block := list(islice(left, ROWS_AT_A_TIME)):
        yield between + JSONRenderer().render(block)[1:-1]
        between = b","
    yield b"[]" if between == b"[" else b"]"


def _plain(cell: Any) -> Any:
    if isinstance(cell, float) and math.isnan(cell):
        return None
    if isinstance(cell, bool):
        return int(cell)
    return str(cell) if isinstance(cell, Measure) else cell


def _finite(cell: Any) -> Any:
    """None for infinity, which JSON does not have: an effect without deviation is infinite."""
    return None if isinstance(cell, float) and math.isinf(cell) else cell
