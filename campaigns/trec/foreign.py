"""Lines of another format that happen to have the right number of fields: a header, CSV, JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from campaigns.trec.fields import Fields
from campaigns.trec.problems import Problem, ProblemList, shown

FORM_OF_JSON = 'its form is {"topic": {"document": number}}'
LAST_NAMES = frozenset(  # of the score or the grade
    (b"score", b"sim", b"similarity", b"grade", b"rel", b"relevance", b"label", b"judgment")
)
HEADER = "this looks like a header: remove it"
WORDS_OF_A_HEADER = re.compile(rb"[A-Za-z][A-Za-z_@ -]*")


def set_aside(
    fields: Fields, findings: ProblemList, *, numbers: Sequence[int], code: str
) -> Fields:
    """The lines of a block without those of another format, which become one problem, and without
    a header. A header has words in the columns `numbers`, where a record has a number in at least
    one. If the last of them is a usual name, the header is left out with a warning; else it may be
    a faulty record, and is a problem of this code."""
    if not fields.lines.size:
        return fields
    # The first line of the block stands for all: such files do not change their format.
    parts = [fields.text(0, column) for column in range(len(fields.starts))]
    kept = np.zeros(fields.lines.size, np.bool_)
    message = foreign_format(parts)
    if not message:
        if fields.lines[0] != 1 or not is_header([parts[column] for column in numbers]):
            return fields
        kept[1:] = True
        if parts[numbers[-1]].lower() in LAST_NAMES:
            findings.warn("HEADER", "the header was left out", line=1)
            return fields.only(kept)
        message = HEADER
    else:
        code = "TYPE"
    others = np.flatnonzero(~kept)

    def problem(row: int) -> Problem:
        text = b" ".join(fields.text(row, column) for column in range(len(fields.starts)))
        return Problem(code, int(fields.lines[row]), message, None, shown(text))

    findings.add_rows(others.tolist(), others.size, problem)
    return fields.only(kept)


def foreign_format(parts: Sequence[bytes]) -> str:
    """What a line may be that is cut at white space."""
    if parts[0].startswith((b"{", b"[")):
        return f"this looks like JSON: {FORM_OF_JSON}"
    if len(parts) > 1 and all(part.endswith(b",") for part in parts[:-1]):
        return "this looks like CSV: separate fields by spaces or tabs, without commas"
    return ""


def is_header(parts: Sequence[bytes]) -> bool:
    """Whether the numeric fields of the first line are words."""
    # Words as well, but more likely a faulty score than the name of a column.
    numbers = (b"nan", b"inf", b"infinity")
    return all(WORDS_OF_A_HEADER.fullmatch(part) and part.lower() not in numbers for part in parts)
