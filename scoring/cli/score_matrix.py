"""A matrix of scores as CSV: topics down, systems across, the systems' names in the first row."""

import csv
import io
import math
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.problems import Findings, Problem, refuse, shown
from campaigns.trec.whole_text import read_text

_TOPIC_HEADERS: Final = ("", "topic", "topics", "qid", "query")
_MAX_BYTES: Final = 1 << 28


def read_matrix(source: BinaryIO) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """The systems' names, and float64[systems, topics]; an empty cell is NaN.

    A first column headed `topic` (or by nothing) names the topics and is left out. Plain or
    gzipped. Raises FormatError with the first 25 problems and the number of all.
    """
    findings = Findings()
    with findings.gathered():
        lines = csv.reader(io.StringIO(read_text(source, findings, max_bytes=_MAX_BYTES)))
        header = next(lines, [])
        first = 1 if header and header[0].strip().lower() in _TOPIC_HEADERS else 0
        names = tuple(cell.strip() for cell in header[first:])
        if not any(names):
            refuse("EMPTY", "the file holds no row of system names")
        for name in sorted({each for each in names if names.count(each) > 1}):
            findings.add(Problem("DUP", 1, "two systems have this name", None, shown(name)))
        rows = [_row(cells, first, len(header), lines.line_num, findings) for cells in lines]
        rows = [row for row in rows if row]
        if not rows and not findings.total:
            refuse("EMPTY", "the file holds no row of scores")
    return names, np.array(rows, np.float64).T.copy()


def _row(
    cells: list[str], first: int, width: int, line: int, findings: Findings
) -> list[float] | None:
    """The scores of a topic; None for a blank line, or what a refused file makes of it."""
    if not cells:
        return None
    if len(cells) != width:
        message = f"{len(cells)} fields, expected {width} as in the first row"
        findings.add(Problem("FIELDS", line, message))
        return None
    row = []
    for field, cell in enumerate(cells[first:], start=first + 1):
        score = _score(cell.strip())
        if score is None:
            message = "score is not a finite decimal number"
            findings.add(Problem("SCORE", line, message, field, shown(cell)))
        row.append(math.nan if score is None else score)
    return row


def _score(text: str) -> float | None:
    if not text or text == "NA":
        return math.nan
    try:
        score = float(text)
    except ValueError:
        return None
    return score if math.isfinite(score) else None
