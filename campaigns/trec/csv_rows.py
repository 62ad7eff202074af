"""Single lines of CSV, so that every line keeps its number."""

import csv
from collections.abc import Sequence
from typing import Final

SEPARATORS: Final = (",", ";", "\t")  # spreadsheets write ; where , is the decimal point


def csv_cells(line: str, separator: str) -> list[str]:
    """The cells of a line; the line as one cell if it isn't CSV."""
    try:
        return next(csv.reader([line.rstrip("\r")], delimiter=separator), [])
    except csv.Error:
        return [line]


def separator_of(text: str) -> str:
    """The separator that gives the header, the first line that is not blank, most cells; a comma if
    it has one cell."""
    header = text.lstrip("\r\n ").partition("\n")[0]
    return max(SEPARATORS, key=lambda each: len(csv_cells(header, each)))


def table_cells(line: str, separator: str) -> list[str]:
    """The cells of a line; quotes have a meaning only in CSV, not between tabs."""
    is_tabs = separator == "\t"
    return line.rstrip("\r").split("\t") if is_tabs else csv_cells(line, separator)


def columns_fault(cells: Sequence[str], names: Sequence[str]) -> str:
    """What is wrong with a row that has other columns than the header."""
    columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
    return f"{columns}, {len(names)} expected, as in the header"
