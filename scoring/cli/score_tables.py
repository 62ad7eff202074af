"""Scores of runs as CSV or JSON: one row for each run, topic and measure."""

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from scoring.cli.tables import Cell, print_json
from scoring.library.score_tables import COLUMNS, NUMBERS, ScoreTable


def print_score_csv(tables: Iterable[ScoreTable]) -> None:
    """Numbers at full precision, as `tables.print_csv` writes them, in a fraction of its time."""
    sys.stdout.write(_csv_line(COLUMNS))
    for table in tables:
        # The empty cell gives the comma between this part of the line and the next.
        run = _csv_line((table.run, "")).rstrip()
        keys = _key_texts(table.topics, table.measures)
        columns = map(_texts, table.numbers.reshape(NUMBERS, -1))
        sys.stdout.write(
            "".join(
                f"{run}{key}{value},{residual},{low},{high}\n"
                for key, value, residual, low, high in zip(keys, *columns, strict=True)
            )
        )


def print_score_json(tables: Iterable[ScoreTable]) -> None:
    """A list of objects, one a line; null where there is no number."""
    print_json(COLUMNS, (row for table in tables for row in _rows(table)))


def _rows(table: ScoreTable) -> Iterator[Sequence[Cell]]:
    keys = product(table.topics, table.measures)
    for key, numbers in zip(keys, table.numbers.reshape(NUMBERS, -1).T.tolist(), strict=True):
        yield (table.run, *key, *numbers)


@lru_cache(maxsize=1)  # most runs have the topics of the one before
def _key_texts(topics: tuple[str, ...], measures: tuple[str, ...]) -> list[str]:
    return [_csv_line((*key, "")).rstrip() for key in product(topics, measures)]


def _texts(numbers: NDArray[np.float64]) -> list[str]:
    """Empty for NaN, which alone differs from itself."""
    if np.isnan(numbers).all():  # most tables have no values for ties
        return [""] * len(numbers)
    return ["" if number != number else repr(number) for number in numbers.tolist()]


def _csv_line(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
