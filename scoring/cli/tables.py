"""Tables on standard output: CSV, or a JSON list of the same rows."""

import csv
import math
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TypeAlias

Cell: TypeAlias = str | int | float | None


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Numbers at full precision (the shortest text that reads back as the same double); empty where
    there is none."""
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(columns)
    # Only what is not a number differs from itself; None is written as nothing.
    table.writerows([None if cell != cell else cell for cell in row] for row in rows)


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
        return None if math.isnan(cell) else float(cell)
    return cell
