"""Results: named columns, which are also rows."""

import csv
import io
import os
import re
from collections import namedtuple
from collections.abc import Iterator, Mapping
from functools import cached_property
from html import escape
from typing import Any, TextIO, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Column: TypeAlias = "list[str] | NDArray[Any]"  # texts, or numbers with NaN for what is not defined

_SHOWN = 20  # rows that are displayed
_DIGITS = 4


class Table:
    """Named columns of one length.

    `pandas.DataFrame(table.columns)` and `polars.DataFrame(table.columns)` make a data frame of it.
    Iteration gives the rows as named tuples, where the column `nDCG@10` is `row.nDCG_10`. Numbers
    are NaN where they are not defined.

    >>> table = Table({"run": ["a", "b"], "value": np.array([0.25, np.nan])})
    >>> len(table), table["run"], table[0].value
    (2, ['a', 'b'], 0.25)
    >>> [row.run for row in table.where(run="b")], len(table[:1])
    (['b'], 1)
    >>> print(table.to_csv(), end="")
    run,value
    a,0.25
    b,
    """

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self.columns: dict[str, Column] = dict(columns)
        lengths = {len(column) for column in self.columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"columns of different lengths: {sorted(lengths)}")
        self._length = lengths.pop() if lengths else 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        columns = (each if isinstance(each, list) else each.tolist() for each in self._in_order())
        return map(self._row_type._make, zip(*columns, strict=True))

    @overload
    def __getitem__(self, key: str) -> Column: ...
    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> "Table": ...
    def __getitem__(self, key: str | int | slice) -> Any:
        """A column by its name, a row by its number, or some rows as a table."""
        if isinstance(key, str):
            return self.columns[key]
        if isinstance(key, slice):
            return Table({name: column[key] for name, column in self.columns.items()})
        cells = (column[key] for column in self._in_order())
        return self._row_type._make(
            cell.item() if isinstance(cell, np.generic) else cell for cell in cells
        )

    def where(self, **values: object) -> "Table":
        """The rows with these values: `scores.where(measure="AP")`. A number stands for its text in
        a column of texts: `scores.where(topic=301)`."""
        kept = np.ones(self._length, np.bool_)
        for name, value in values.items():
            column = self.columns[name]
            wanted = str(value) if isinstance(column, list) else value
            kept &= np.array([cell == wanted for cell in column], np.bool_)
        rows = np.flatnonzero(kept)
        return Table(
            {
                name: [column[row] for row in rows] if isinstance(column, list) else column[rows]
                for name, column in self.columns.items()
            }
        )

    @overload
    def to_csv(self, target: None = None) -> str: ...
    @overload
    def to_csv(self, target: str | os.PathLike[str] | TextIO) -> None: ...
    def to_csv(self, target: str | os.PathLike[str] | TextIO | None = None) -> str | None:
        """Writes CSV at full precision to a path or an open text file; without a target, returns
        it. A cell without a number is empty."""
        if isinstance(target, str | os.PathLike):
            with open(target, "w", encoding="utf-8", newline="") as file:
                self.to_csv(file)
            return None
        text = io.StringIO() if target is None else target
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.names)
        # NaN alone differs from itself; csv leaves the cell of None empty.
        writer.writerows([None if cell != cell else cell for cell in row] for row in self)
        return text.getvalue() if isinstance(text, io.StringIO) and target is None else None

    def __getstate__(self) -> dict[str, Any]:
        # The type of the rows is no attribute of a module, so it cannot be pickled.
        return {name: value for name, value in vars(self).items() if name != "_row_type"}

    def __repr__(self) -> str:
        cells = [list(self.names), *self._shown_rows()]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
        return "\n".join([*lines, *self._left_out()])

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.names)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._shown_rows()
        )
        rest = "".join(f"<p>{escape(line)}</p>" for line in self._left_out())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"

    def _shown_rows(self) -> list[list[str]]:
        rows = [self[row] for row in range(min(self._length, _SHOWN))]
        return [[_shown(cell) for cell in row] for row in rows]

    def _left_out(self) -> list[str]:
        return [f"... {self._length:,} rows"] if self._length > _SHOWN else []

    def _in_order(self) -> Iterator[Column]:
        return iter(self.columns.values())

    @cached_property
    def _row_type(self) -> Any:
        # A column such as `P@5 (rel=2)` is no name in Python; `rename` numbers those that coincide.
        return namedtuple("Row", [re.sub(r"\W", "_", name) for name in self.names], rename=True)


def _shown(cell: Any) -> str:
    if isinstance(cell, float):
        return "–" if cell != cell else f"{cell:.{_DIGITS}f}"
    return str(cell)
