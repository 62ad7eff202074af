"""Documents to be judged: JSON lines, TREC's `<DOC>` form, or a table, plain or gzipped.

A document is text: tags of the TREC form are left out, entities are read, and what no page may
carry becomes a blank. Only one document is in memory at a time, and the ids of all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

from campaigns.trec.compression import BOM, WIDE_BOMS, plain_blocks, with_line_feeds
from campaigns.trec.csv_rows import columns_fault, table_cells, table_rows
from campaigns.trec.documents_checks import (
    ID_NAMES,
    TEXT_NAMES,
    FieldNames,
    ParsedDocument,
    RawDocument,
    checked_document,
    document_problem,
    field_name,
)
from campaigns.trec.documents_json import json_documents
from campaigns.trec.documents_trec import AROUND, trec_documents
from campaigns.trec.problems import Problem, ProblemList, latin_1_hint, refuse, shown
from campaigns.trec.topics_checks import squeezed

MAX_BYTES = 4 << 30  # uncompressed
MAX_DOCUMENTS = 500_000
MAX_BLANK_LINES = 2_000_000  # four for each document
LINE_BYTES = 4 << 20  # a document in JSON is one line


def read_documents(
    source: BinaryIO | bytes,
    *,
    names: FieldNames | None = None,
    max_bytes: int = MAX_BYTES,
    max_seconds: float | None = None,
    findings: ProblemList | None = None,
) -> Iterator[ParsedDocument]:
    """Yields the documents in file order; warnings go to `findings`. Raises FormatError at the end,
    with the first 25 problems in line order and the number of all. The caller must store nothing
    before that."""
    findings, seen = ProblemList() if findings is None else findings, dict[str, int]()
    with findings.gathered():
        lines = text_lines(source, findings, max_bytes=max_bytes, max_seconds=max_seconds)
        for raw in _raw_documents(lines, names or FieldNames(), findings):
            if len(seen) == MAX_DOCUMENTS:
                refuse("TOO_MANY", f"more than {MAX_DOCUMENTS:,} documents", raw.line)
            problem = document_problem(raw, seen)
            if problem:
                findings.add(problem)
                continue
            # Ids of faulty documents are not kept: a document with one of them is not repeated.
            seen[raw.doc_id] = raw.line
            yield checked_document(raw, findings)
        if not seen and not findings.total:
            refuse("EMPTY", "the file contains no document")


def _raw_documents(
    lines: Iterator[tuple[int, str]], names: FieldNames, findings: ProblemList
) -> Iterator[RawDocument]:
    """The format is recognised by the first line that is not blank."""
    for number, line in lines:
        if line.strip():
            rest = chain([(number, line)], lines)
            if AROUND.match(line.lstrip()):
                return trec_documents(rest, findings)
            if line.lstrip().startswith(("{", "[")):
                return json_documents((number, line), lines, names, findings)
            if table := table_of(line, number):
                return table.documents(lines if table.names else rest, names, findings)
            message = (
                "the file does not begin with <DOC>, JSON, an id and a tab, or a header "
                "with id and text"
            )
            refuse("TYPE", message, number, line)
    return iter(())


# --- tables ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """Of documents. Without names: an id, a tab, and the text, as MS MARCO's `collection.tsv`."""

    separator: str
    names: tuple[str, ...] = ()

    def documents(
        self, lines: Iterator[tuple[int, str]], names: FieldNames, findings: ProblemList
    ) -> Iterator[RawDocument]:
        for line, _, cells in table_rows(lines, self.separator):
            if not any(map(str.strip, cells)):
                continue
            raw: RawDocument | None = None
            if not self.names:
                doc_id, *texts = cells
                if texts:
                    raw = RawDocument(line, doc_id.strip(), "", self.separator.join(texts))
            elif len(cells) == len(self.names):
                row = dict(zip(self.names, cells, strict=True))
                raw = RawDocument(
                    line=line,
                    doc_id=next((row[name] for name in names.doc_id if name in row), "").strip(),
                    title=squeezed(row.get("title", "") or row.get("headline", "")),
                    text=next(filter(None, (row.get(name, "").strip() for name in names.text)), ""),
                )
            if raw is None:
                text = self.separator.join(cells)
                expected = "1 column, 2 expected: id, tab, text"
                fault = columns_fault(cells, self.names) if self.names else expected
                findings.add(Problem("FIELDS", line, fault, None, shown(text)))
            else:
                yield raw


def table_of(line: str, number: int = 1) -> Table | None:
    """The table that begins with this line. Raises FormatError for a column that is repeated."""
    for separator in ("\t", ",", ";"):
        names = tuple(field_name(name) for name in table_cells(line, separator))
        has_id = any(name in names for name in ID_NAMES)
        if has_id and any(name in names for name in TEXT_NAMES):
            for name, count in Counter(names).items():
                if name and count > 1:
                    refuse("FIELDS", f"the column '{shown(name)}' is repeated", number)
            return Table(separator, names)
    return Table("\t") if "\t" in line else None


# --- lines ---------------------------------------------------------------------------------------


def text_lines(
    source: BinaryIO | bytes, findings: ProblemList, *, max_bytes: int, max_seconds: float | None
) -> Iterator[tuple[int, str]]:
    """Line numbers from 1, and lines without their ends. One that is not UTF-8 is a problem."""
    for number, line in enumerate(_byte_lines(source, max_bytes, max_seconds), 1):
        if number == 1:
            if line.startswith(WIDE_BOMS):
                refuse("ENCODING", "the file is UTF-16 or UTF-32: save it as UTF-8", 1)
            line = line.removeprefix(BOM)
        try:
            yield number, line.decode()
        except UnicodeDecodeError as error:
            byte = line[error.start]
            message = f"byte 0x{byte:02X} is not UTF-8{latin_1_hint(byte)}"
            findings.add(Problem("ENCODING", number, message))


def _byte_lines(
    source: BinaryIO | bytes, max_bytes: int, max_seconds: float | None
) -> Iterator[bytes]:
    number, blank, kept, size = 0, 0, list[bytes](), 0
    blocks = plain_blocks(source, max_bytes=max_bytes, max_seconds=max_seconds)
    for block in with_line_feeds(blocks):
        *whole, rest = block.split(b"\n")
        for line in whole:
            number += 1
            line = (b"".join(kept) + line).removesuffix(b"\r")
            blank += not line
            if blank > MAX_BLANK_LINES:
                refuse("TOO_MANY", f"more than {MAX_BLANK_LINES:,} blank lines", number)
            yield line
            kept, size = [], 0
        # Pieces of a long line are joined once: adding each to a text would copy what is before it.
        kept.append(rest)
        size += len(rest)
        if size > LINE_BYTES:
            message = f"the line is longer than {LINE_BYTES:,} bytes"
            if kept[0].lstrip()[:1] == b"[":
                message += ": write each object of the array on a line of its own"
            refuse("LINE_TOO_LONG", message, number + 1)
    if last := b"".join(kept):
        yield last.removesuffix(b"\r")
