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
    # NaN alone differs from itself.
    rest = ([None if cell != cell else cell for cell in row] for row in rows)
    while text.tell():  # standard output takes far longer over many lines than over many at once
        sys.stdout.write(text.getvalue())
        text.seek(0)
        text.truncate()
        table.writerows(islice(rest, ROWS_AT_ONCE))


def print_json(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """A list of objects, one a line; null where there is no number."""
    json = import_module("json")  # few ask for it: the others need not wait for it to load
    objects = (
        {
            # JSON has no NaN, and its module does not take the numbers of numpy.
            name: none_if_nan(cell) if isinstance(cell, float) else cell
            for name, cell in zip(columns, row, strict=True)
        }
        for row in rows
    )
    lines = (json.dumps(each, ensure_ascii=False) for each in objects)
    print("[\n" + ",\n".join(lines) + "\n]")
