"""A matrix of scores as CSV: topics down, systems across, the systems' names in the first row."""

import math
import re
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.compression import read_text
from campaigns.trec.csv_rows import NO_ROW, csv_rows, separator_of
from campaigns.trec.problems import Problem, ProblemList, refuse, shown

_TOPIC_HEADER: Final = re.compile(
    r"#?(?:topics?|query|queries|q[ _.-]?(?=id|no))[ _.-]?(?:id|no|num|number|code)?"
)
_DECIMAL_COMMA: Final = re.compile(r"[+-]?[0-9]*,[0-9]+", re.ASCII)
TIDY: Final = {"run", "topic", "measure", "value"}  # columns of `evaluate --format csv`
LARGEST: Final = 1e100  # the squares of larger scores have no finite sum
_MAX_BYTES: Final = 1 << 28


def read_matrix(source: BinaryIO) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """The systems' names, and float64[systems, topics]; an empty cell is NaN.

    Columns headed `topic` (or the first, headed by nothing) name the topics and are left out. Plain
    or gzipped. Raises FormatError with the first 25 problems and the number of all.
    """
    findings = ProblemList()
    with findings.gathered():
        text = read_text(source, findings, max_bytes=_MAX_BYTES)
        lines = csv_rows(text, separator_of(text))
        header = [cell.strip() for cell in next(lines, NO_ROW).cells]
        systems = _systems(header, findings)
        names = tuple(header[column] for column in systems)
        every = (_row(row.cells, systems, len(header), row.line, findings) for row in lines)
        rows = [row for row in every if row]
        if not rows and not findings.total:
            refuse("EMPTY", "the file holds no row of scores")
    # Copied, so that the scores of a system are contiguous.
    return names, np.array(rows, np.float64).T.copy()


def _systems(header: list[str], findings: ProblemList) -> list[int]:
    """The columns that hold scores of systems."""
    # A likely mistake, for which a fault of each line would explain less.
    if TIDY.issubset(header):
        refuse("FIELDS", "a row holds one score: a matrix has topics down, systems across", 1)
    columns = [column for column, name in enumerate(header) if not is_topics(column, name)]
    names = [header[column] for column in columns]
    if not any(names):
        refuse("EMPTY", "the file holds no row of system names")
    for name in sorted({each for each in names if names.count(each) > 1}):
        findings.add(Problem("DUP", 1, "two systems have this name", None, shown(name)))
    for column in columns:
        if not header[column]:
            findings.add(Problem("FIELDS", 1, "the system has no name", column + 1))
    return columns


def is_topics(column: int, name: str) -> bool:
    return (column == 0 and not name) or bool(_TOPIC_HEADER.fullmatch(name.lower()))


def _row(
    cells: list[str], systems: list[int], width: int, line: int, findings: ProblemList
) -> list[float] | None:
    """The scores of a topic; None for a blank line, or what a refused file makes of it."""
    if not cells:
        return None
    if len(cells) != width:
        message = f"{len(cells)} fields, expected {width} as in the first row"
        findings.add(Problem("FIELDS", line, message))
        return None
    row = []
    for column in systems:
        score = _score(cells[column].strip())
        if score is None:
            message = "score is not a finite decimal number"
            if _DECIMAL_COMMA.fullmatch(cells[column].strip()):
                message += ": write a point, not a comma"
            elif cells[column].strip().lower() == "nan":
                message += ": leave the cell empty where there is no score"
            findings.add(Problem("SCORE", line, message, column + 1, shown(cells[column])))
        elif abs(score) > LARGEST:
            message = f"score is beyond {LARGEST:g}"
            findings.add(Problem("SCORE", line, message, column + 1, shown(cells[column])))
        row.append(math.nan if score is None else score)
    return row


def _score(text: str) -> float | None:
    # R writes missing numbers as NA.
    if not text or text == "NA":
        return math.nan
    try:
        score = float(text)
    except ValueError:
        return None
    return score if math.isfinite(score) else None
