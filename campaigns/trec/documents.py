"""Documents to be judged: JSON lines, TREC's `<DOC>` form, or a table, plain or gzipped.

A document is text: tags of the TREC form are left out, entities are read, and what no page may
carry becomes a blank. Only one document is in memory at a time, and the ids of all of them.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from campaigns.trec.blocks import unseen_name
from campaigns.trec.compression import BOM, WIDE_BOMS, plain_blocks, with_line_feeds
from campaigns.trec.csv_rows import columns_fault, table_cells, table_rows
from campaigns.trec.problems import Problem, ProblemList, latin_1_hint, refuse, shown
from campaigns.trec.topics_checks import FORBIDDEN, squeezed

MAX_BYTES = 4 << 30  # uncompressed
MAX_DOCUMENTS = 500_000
MAX_BLANK_LINES = 2_000_000  # four for each document
DOC_ID_BYTES = 1024
TITLE_CHARACTERS = 500
TEXT_CHARACTERS = 1 << 20
# The first that a document has. A passage of MS MARCO has the id of its document, too.
ID_NAMES = (
    *("passage_id", "pid", "segment_id", "chunk_id", "paragraph_id", "para_id"),
    *("doc_id", "docno", "docid", "id", "_id", "corpus_id", "document_id", "did"),
    "cord_uid",
)
TEXT_NAMES = (
    "text", "body", "contents", "content", "segment", "passage", "paragraph", "article",
    "body_text", "full_text", "fulltext", "document", "abstract",
)  # fmt: skip

DOC = re.compile(r"\s*<DOC(?:\s[^<>]{0,1000})?>", re.IGNORECASE)
DOC_TAG = re.compile(r"<(/?)DOC(?:\s[^<>]{0,1000})?>", re.IGNORECASE)
ID_OF_DOC = re.compile(r"\s(?:id|docno)\s*=\s*([\"'])(.*?)\1", re.IGNORECASE)
TITLE_NAMES = ("title", "headline", "ti", "hl", "head", "doctitle")
# Outside <TEXT>, in collections of newspapers: shown before the text, and after it.
LEAD_NAMES = ("lp", "leadpara", "summary", "abstract")
REMARK_NAMES = ("caption", "graphic", "correction")
ELEMENTS = {
    name: (
        re.compile(rf"<{name}>", re.IGNORECASE),
        re.compile(rf"</{name}\s{{0,9}}>", re.IGNORECASE),
    )
    for name in ("docno", "text", *TITLE_NAMES, *LEAD_NAMES, *REMARK_NAMES)
}
BREAK = re.compile(r"<(?:/?P|BR|/H\d|/LI)\b[^<>]{0,200}>", re.IGNORECASE)
TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>")
PARAGRAPHS = re.compile(r"\n{2,}")


@dataclass(frozen=True)
class ParsedDocument:
    """One document; its id is text, as in runs."""

    doc_id: str
    title: str
    text: str


@dataclass(frozen=True)
class FieldNames:
    """Names of the fields in JSON and in tables: the first that a document has is taken, of the
    texts the first that is not empty."""

    doc_id: tuple[str, ...] = ID_NAMES
    text: tuple[str, ...] = TEXT_NAMES


@dataclass(frozen=True)
class _Raw:
    """A document as written in the file, unchecked."""

    line: int
    doc_id: str
    title: str
    text: str


def read_documents(
    source: BinaryIO | bytes,
    *,
    names: FieldNames = FieldNames(),
    max_bytes: int = MAX_BYTES,
    max_seconds: float | None = None,
) -> Iterator[ParsedDocument]:
    """Yields the documents in file order. Raises FormatError at the end, with the first 25
    problems in line order and the number of all. The caller must store nothing before
    that."""
    findings, seen = ProblemList(), dict[str, int]()
    with findings.gathered():
        lines = text_lines(source, findings, max_bytes=max_bytes, max_seconds=max_seconds)
        for raw in _raw_documents(lines, names, findings):
            if len(seen) == MAX_DOCUMENTS:
                refuse("TOO_MANY", f"more than {MAX_DOCUMENTS:,} documents", raw.line)
            problem = _problem_of(raw, seen)
            if problem:
                findings.add(problem)
                continue
            seen[raw.doc_id] = raw.line
            yield ParsedDocument(raw.doc_id, _clean(raw.title)[:TITLE_CHARACTERS], _clean(raw.text))
        if not seen and not findings.total:
            refuse("EMPTY", "the file contains no document")


def _raw_documents(
    lines: Iterator[tuple[int, str]], names: FieldNames, findings: ProblemList
) -> Iterator[_Raw]:
    """The format is recognised by the first line that is not blank."""
    for number, line in lines:
        if line.strip():
            rest = chain([(number, line)], lines)
            if DOC.match(line):
                return _trec_documents(rest)
            if line.lstrip().startswith("{"):
                return _json_documents(rest, names, findings)
            if table := table_of(line):
                return table.documents(lines if table.names else rest, names, findings)
            message = (
                "the file does not begin with <DOC>, a JSON object, an id and a tab, or a header "
                "with id and text"
            )
            refuse("TYPE", message, number, line)
    return iter(())


def _problem_of(raw: _Raw, seen: dict[str, int]) -> Problem | None:
    doc_id, message = raw.doc_id, ""
    if not doc_id:
        return Problem("FIELDS", raw.line, "the document has no id")
    if doc_id in seen:
        message = f"the document is already on line {seen[doc_id]}"
        return Problem("DUP", raw.line, message, None, shown(doc_id))
    if any(char.isspace() for char in doc_id):
        message = "the document id contains white space"
    elif FORBIDDEN.search(doc_id) or unseen_name(doc_id.encode()):
        message = "the document id contains an invisible character"
    elif len(doc_id.encode()) > DOC_ID_BYTES:
        message = f"the document id is longer than {DOC_ID_BYTES:,} bytes"
    if message:
        return Problem("INVISIBLE", raw.line, message, None, shown(doc_id))
    if len(raw.text) > TEXT_CHARACTERS:
        message = f"the text is longer than {TEXT_CHARACTERS:,} characters"
        return Problem("TOO_BIG", raw.line, message, None, shown(doc_id))
    return None


def _clean(text: str) -> str:
    return FORBIDDEN.sub(" ", text).strip()


# --- JSON lines -----------------------------------------------------------------------------------


def _json_documents(
    lines: Iterator[tuple[int, str]], names: FieldNames, findings: ProblemList
) -> Iterator[_Raw]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            yield _json_document(number, line, names)
        except ValueError as error:
            findings.add(Problem("JSON", number, str(error), None, shown(line)))


def _json_document(number: int, line: str, names: FieldNames) -> _Raw:
    try:
        record = json.loads(line, parse_int=str, parse_float=str, object_pairs_hook=_record)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    texts = [_text_of(record, name) for name in names.text if name in record]
    return _Raw(
        line=number,
        doc_id=next((_text_of(record, name) for name in names.doc_id if name in record), ""),
        title=squeezed(_text_of(record, "title")),
        text=next(filter(None, texts), ""),
    )


def _record(items: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(items)
    if len(record) < len(items):
        raise ValueError("a key is repeated")
    return record


def _text_of(record: dict[str, Any], name: str) -> str:
    value = record.get(name) or ""
    if not isinstance(value, str):
        raise ValueError(f"'{name}' is not text")
    return value


# --- tables ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """Of documents. Without names: an id, a tab, and the text, as MS MARCO's `collection.tsv`."""

    separator: str
    names: tuple[str, ...] = ()

    def documents(
        self, lines: Iterator[tuple[int, str]], names: FieldNames, findings: ProblemList
    ) -> Iterator[_Raw]:
        for line, _, cells in table_rows(lines, self.separator):
            if not any(map(str.strip, cells)):
                continue
            raw = self._by_name(line, cells, names) if self.names else self._of_two(line, cells)
            if raw is None:
                text = self.separator.join(cells)
                findings.add(Problem("FIELDS", line, self._fault(cells), None, shown(text)))
            else:
                yield raw

    def _of_two(self, line: int, cells: list[str]) -> _Raw | None:
        doc_id, *texts = cells
        return _Raw(line, doc_id.strip(), "", self.separator.join(texts)) if texts else None

    def _by_name(self, line: int, cells: list[str], names: FieldNames) -> _Raw | None:
        if len(cells) != len(self.names):
            return None
        row = dict(zip(self.names, cells, strict=True))
        return _Raw(
            line=line,
            doc_id=next((row[name] for name in names.doc_id if name in row), "").strip(),
            title=squeezed(row.get("title", "")),
            text=next(filter(None, (row.get(name, "").strip() for name in names.text)), ""),
        )

    def _fault(self, cells: list[str]) -> str:
        if not self.names:
            return "1 column, 2 expected: id, tab, text"
        return columns_fault(cells, self.names)


def table_of(line: str) -> Table | None:
    """The table that begins with this line."""
    for separator in ("\t", ",", ";"):
        names = tuple(
            name.strip().lower().replace("-", "_") for name in table_cells(line, separator)
        )
        has_id = any(name in names for name in ID_NAMES)
        if has_id and any(name in names for name in TEXT_NAMES):
            return Table(separator, names)
    return Table("\t") if "\t" in line else None


# --- TREC's form ----------------------------------------------------------------------------------


def _trec_documents(lines: Iterator[tuple[int, str]]) -> Iterator[_Raw]:
    """The documents between `<DOC>` and `</DOC>`, of which a line may have several."""
    start, opening, kept, size = 0, "", list[str](), 0
    for number, line in lines:
        at = 0
        for tag in DOC_TAG.finditer(line) if "<" in line else ():
            before, at = line[at : tag.start()], tag.end()
            if not start:
                _refuse_text_outside(before if not tag[1] else line, number)
                start, opening, kept, size = number, tag[0], [], 0
            elif not tag[1]:
                refuse("UNCLOSED", f"the document of line {start} has no </DOC>", number)
            else:
                yield _trec_document(start, opening, "\n".join([*kept, before]))
                start = 0
        rest = line[at:]
        if not start:
            _refuse_text_outside(rest, number)
            continue
        kept.append(rest)
        size += len(rest)
        if size > 4 * TEXT_CHARACTERS:
            refuse("TOO_BIG", f"the document is longer than {4 * TEXT_CHARACTERS:,} bytes", start)
    if start:
        refuse("UNCLOSED", f"the document of line {start} has no </DOC>", start)


def _refuse_text_outside(text: str, line: int) -> None:
    if text.strip():
        message = "there is text outside <DOC> and </DOC>: remove it"
        refuse("FIELDS", message, line, text.strip())


def _trec_document(line: int, opening: str, body: str) -> _Raw:
    """Its id may be an attribute of `<DOC>`, as in collections of NTCIR."""
    numbers, body = _taken_out(body, "docno")
    if len(numbers) > 1:
        message = "the document has two ids: a </DOC> is missing, or one <DOCNO> is too many"
        refuse("FIELDS", message, line, _plain(numbers[1]).strip())
    if not numbers and (attribute := ID_OF_DOC.search(opening)):
        numbers = [attribute[2]]
    titles, body = _all_taken_out(body, TITLE_NAMES)
    texts, rest = _taken_out(body, "text")
    if texts:
        leads, rest = _all_taken_out(rest, LEAD_NAMES)
        remarks, rest = _all_taken_out(rest, REMARK_NAMES)
        texts = [*titles[1:], *leads, *texts, *remarks]
    return _Raw(
        line=line,
        doc_id=_plain(numbers[0]).strip() if numbers else "",
        title=squeezed(_plain(titles[0])) if titles else "",
        text=_plain("\n\n".join(texts) if texts else "\n\n".join([*titles[1:], rest])),
    )


def _all_taken_out(body: str, names: Sequence[str]) -> tuple[list[str], str]:
    """The contents of the elements of these names, name by name, and the body without them."""
    contents: list[str] = []
    for name in names:
        found, body = _taken_out(body, name)
        contents += found
    return contents, body


def _taken_out(body: str, name: str) -> tuple[list[str], str]:
    """The contents of the elements of this name, and the body without them."""
    begin, end = ELEMENTS[name]
    found, rest, at = list[str](), list[str](), 0
    while (start := begin.search(body, at)) and (stop := end.search(body, start.end())):
        found.append(body[start.end() : stop.start()])
        rest.append(body[at : start.start()])
        at = stop.end()
    return found, " ".join([*rest, body[at:]])


def _plain(markup: str) -> str:
    """The text without tags and line breaks. Blank lines, which separate paragraphs, are kept."""
    text = html.unescape(TAG.sub(" ", BREAK.sub("\n\n", markup)))
    lines = "\n".join(line.strip() for line in text.split("\n"))
    paragraphs = (paragraph.replace("\n", " ") for paragraph in PARAGRAPHS.split(lines))
    return "\n\n".join(filter(None, paragraphs))


LINE_BYTES = 4 << 20  # a document in JSON is one line


def text_lines(
    source: BinaryIO | bytes, findings: ProblemList, *, max_bytes: int, max_seconds: float | None
) -> Iterator[tuple[int, str]]:
    """Line numbers from 1, and lines without their ends. One that is not UTF-8 is a problem."""
    for number, line in enumerate(_byte_lines(source, max_bytes, max_seconds), 1):
        if number == 1:
            line = _without_mark(line)
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
        kept.append(rest)
        size += len(rest)
        if size > LINE_BYTES:
            message = f"the line is longer than {LINE_BYTES:,} bytes"
            refuse("LINE_TOO_LONG", message, number + 1)
    if last := b"".join(kept):
        yield last.removesuffix(b"\r")


def _without_mark(line: bytes) -> bytes:
    if line.startswith(WIDE_BOMS):
        refuse("ENCODING", "the file is UTF-16 or UTF-32: save it as UTF-8", 1)
    return line.removeprefix(BOM)
