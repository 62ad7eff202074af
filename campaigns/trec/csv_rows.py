"""Rows of tables, whose quoted cells may have several lines."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, NoReturn

from campaigns.trec.problems import refuse

SEPARATORS: Final = (",", ";", "\t")  # spreadsheets write ; where , is the decimal point
CELL_CHARACTERS: Final = csv.field_size_limit()


class TableRow(NamedTuple):
    """The cells of a row, none if it is blank, and the lines that it takes in the file."""

    line: int
    last_line: int
    cells: list[str]


NO_ROW: Final = TableRow(0, 0, [])  # of an empty file


def csv_rows(text: str, separator: str, *, code: str = "FIELDS") -> Iterator[TableRow]:
    """The rows of a whole file, whose cells may be quoted also between tabs."""
    return table_rows(enumerate(text.split("\n"), 1), separator, has_quotes=True, code=code)


def table_rows(
    lines: Iterable[tuple[int, str]],
    separator: str,
    *,
    has_quotes: bool | None = None,
    code: str = "FIELDS",
) -> Iterator[TableRow]:
    """The rows of numbered lines, with or without their ends. Quotes have a meaning except, by
    default, between tabs. Raises FormatError: a quote that is not closed or not doubled, with the
    given code, STRAY_CR, LINE_TOO_LONG."""
    if not (separator != "\t" if has_quotes is None else has_quotes):
        for number, line in lines:
            line = line.rstrip("\r\n")
            if "\r" in line:
                refuse_stray_cr(number)
            yield TableRow(number, number, line.split(separator) if line else [])
        return
    # csv.reader takes as many lines as a row has, and counts only those of its own input.
    numbers: list[int] = []  # of the lines of a row

    def feed() -> Iterator[str]:
        for number, line in lines:
            numbers.append(number)
            # Without LF, csv.reader would join the lines of a quoted cell.
            yield line.rstrip("\r\n") + "\n"

    rows = csv.reader(feed(), delimiter=separator, strict=True)
    while True:
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            _refuse_csv(str(error), numbers, code)
        yield TableRow(numbers[0], numbers[-1], cells)
        numbers.clear()


def refuse_stray_cr(line: int) -> NoReturn:
    """Raises FormatError: what follows would be taken for a part of the row."""
    refuse("STRAY_CR", "CR inside the line: save the file with LF line ends", line)


def _refuse_csv(error: str, numbers: Sequence[int], code: str) -> NoReturn:
    """`numbers` are the lines of the row so far."""
    # The csv module has one class of errors: only their texts, in English, tell them apart.
    if "new-line" in error:
        refuse_stray_cr(numbers[-1])
    if "field limit" in error and len(numbers) == 1:
        message = f"the line has a cell of more than {CELL_CHARACTERS:,} characters"
        refuse("LINE_TOO_LONG", message, numbers[0])
    if "end of data" in error:
        refuse(code, "a quote is not closed: close it", numbers[0])
    if "field limit" in error:
        message = f"a quote is not closed within {CELL_CHARACTERS:,} characters: close it"
        refuse(code, message, numbers[0])
    message = f"not CSV: {error}. Write a quote inside a quoted cell twice"
    if len(numbers) > 1:
        message = (
            f"a quote of this row is closed only on line {numbers[-1]:,}, and text follows it: "
            "close it here, or write a quote inside a quoted cell twice"
        )
    refuse(code, message, numbers[0])


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
