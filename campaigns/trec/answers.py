"""Imported judgments in each format of an exported pool: CSV or prels with grades, or qrels.

Each line becomes the line of qrels with the same number, so that problems have the line numbers of
the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from typing import Final

from campaigns.trec.compression import plain_blocks
from campaigns.trec.problems import refuse

BOM: Final = "\ufeff"
COLUMNS: Final = ("topic", "doc_id", "grade")
HEADER: Final = re.compile(rf"{BOM}?\"?topic\"?([,;\t])", re.IGNORECASE)
GUARDED: Final = re.compile(r"'(?=[@+=|%-])")  # the escape of such a cell in a CSV for spreadsheets
PRELS_FIELDS: Final = 5
NOT_JUDGED: Final = "-1"
NOT_JUDGED_IN_PRELS: Final = "-999"  # lower than grades of qrels go


def as_qrels(data: bytes) -> bytes:
    """The judgments as qrels lines. Returns other files than CSV and prels unchanged. Raises
    `FormatError`."""
    text = b"".join(plain_blocks(io.BytesIO(data))).decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    if header := HEADER.match(text):
        return _encoded(["", *map(_csv_reader(lines[0], header[1]), lines[1:])])
    if len(next((line for line in lines if line.strip()), "").split()) == PRELS_FIELDS:
        return _encoded([_of_prels(line) for line in lines])
    return data


def _csv_reader(header: str, separator: str) -> Callable[[str], str]:
    """A function that converts a row to a line of qrels."""
    names = [name.strip().lower() for name in _cells(header.lstrip(BOM), separator)]
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        refuse("FIELDS", f"the header has no column {' or '.join(missing)}: add it", 1)
    places = [names.index(name) for name in COLUMNS]

    def read(line: str) -> str:
        cells = [cell.strip() for cell in _cells(line, separator)]
        if not any(cells):
            return ""
        if len(cells) <= max(places):
            return line  # the reader of qrels reports the problem
        topic, doc_id, grade = (cells[place] for place in places)
        return f"{_unguarded(topic)} 0 {_unguarded(doc_id)} {grade or NOT_JUDGED}"

    return read


def _cells(line: str, separator: str) -> Sequence[str]:
    return next(csv.reader([line.rstrip("\r")], delimiter=separator), [])


def _unguarded(cell: str) -> str:
    bare, count = GUARDED.subn("", cell, count=1) if cell.startswith("'") else (cell, 0)
    return bare.replace("\\|", "|") if count else cell


def _of_prels(line: str) -> str:
    fields = line.split()
    if len(fields) != PRELS_FIELDS:
        return line
    topic, doc_id, grade = fields[:3]
    return f"{topic} 0 {doc_id} {NOT_JUDGED if grade == NOT_JUDGED_IN_PRELS else grade}"


def _encoded(lines: Sequence[str]) -> bytes:
    return "\n".join(lines).encode("utf-8", "surrogateescape")
