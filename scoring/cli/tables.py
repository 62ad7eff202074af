"""Tables on standard output: CSV, or a JSON list of the same rows."""

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import islice
from typing import TypeAlias

from scoring.core.statistics.undefined import none_if_nan

Cell: TypeAlias = str | int | float | None

ROWS_AT_ONCE = 5000


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Numbers at full precision (the shortest text that reads back as the same double); empty where
    there is none."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    rest = map(_defined, rows)
    while text.tell():  # standard output takes far longer over many lines than over many at once
        sys.stdout.write(text.getvalue())
        text.seek(0)
        text.truncate()
        table.writerows(islice(rest, ROWS_AT_ONCE))


def _defined(cells: Iterable[Cell]) -> list[Cell]:
    """The cells with None in place of what is not a number, which alone differs from itself."""
    return [None if cell != cell else cell for cell in cells]


def print_json(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """A list of objects, one a line; null where there is no number."""
    json = import_module("json")  # few ask for it: the others need not wait for it to load
    objects = (
        json.dumps(dict(zip(columns, map(_finite, row), strict=True)), ensure_ascii=False)
        for row in rows
    )
    print("[\n" + ",\n".join(objects) + "\n]")


def _finite(cell: Cell) -> Cell:
    """None for what is not defined; numpy's numbers as Python's."""
    if isinstance(cell, float):
        return none_if_nan(cell)
    return cell
