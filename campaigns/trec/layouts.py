"""Runs and qrels in other layouts than TREC's, converted to TREC's lines before they are read.

A table with a header (tabs, commas or semicolons), one JSON object on each line, and MS MARCO's
three columns are converted line by line, so that each line keeps its number. A JSON object of
objects is converted entry by entry, and `ProblemList.source_lines` has the line of each. The file
itself is stored as it is, and converted again whenever it is read.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from campaigns.trec.blocks import LINE_BYTES
from campaigns.trec.compression import BOM, with_line_feeds
from campaigns.trec.csv_rows import TableRow, columns_fault, table_rows
from campaigns.trec.foreign import FORM_OF_JSON
from campaigns.trec.json_layout import json_entries, surrogate_fault
from campaigns.trec.problems import Problem, ProblemList, refuse, shown
from campaigns.trec.rank_lines import RankLines, repeated_rank

Pieces = Iterator[bytes]
Row = Mapping[str, str]

TAG: Final = "run"  # of runs in layouts without tags whose files have no name
TOPIC: Final = ("topic", "qid", "query_id", "q_id", "topic_id", "query")
BEIR_QRELS: Final = ("query_id", "corpus_id", "score")
DOCUMENT: Final = (
    "docno",
    "doc",
    "doc_id",
    "docid",
    "corpus_id",
    "document",
    "document_id",
    "pid",
    "did",
)
SCORE: Final = ("score", "retrieval_score", "sim")
GRADE: Final = ("grade", "relevance", "label", "rel", "score")
SUBTOPIC_NAMES: Final = ("subtopic", "subtopic_id")
ITERATION: Final = ("iteration", "iter", "q0")
NAME: Final = ("tag", "run", "run_id", "runid", "run_name", "name")
SEPARATORS: Final = ("\t", ",", ";")
AS_WRITTEN: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
PIECE_BYTES: Final = 1 << 20
MAX_JSON_BYTES: Final = 1 << 27
ENTRIES_AT_ONCE: Final = 10_000
IN_RUNS: Final = ("topic", "Q0", "document", "rank", "score", "tag")
IN_QRELS: Final = ("topic", "iteration or subtopic", "document", "grade")
FIELDS: Final = re.compile(r"\S+(?:\t\S+)*\n", re.ASCII)
WHOLE: Final = re.compile(rb"[-+]?[0-9]+")
WHOLE_FLOAT: Final = re.compile(r"(-?[0-9]+)\.0+", re.ASCII)
ARRAY: Final = re.compile(rb"\[\s*(?:\{.*)?", re.DOTALL)
RANK_LINE: Final = re.compile(rb"\s*(\S+)\s+(\S+)\s+([0-9]{1,9})\s*")


def trec_run(pieces: Pieces, findings: ProblemList) -> Pieces:
    """The lines of a run in TREC's layout."""
    number, first, pieces = _first_line(pieces)
    _refuse_array(first, number)
    # Before the JSON of entries: an object on each line begins with a brace as well.
    if table := _header(first, TOPIC, DOCUMENT, SCORE):
        if table.names == BEIR_QRELS:
            refuse("TYPE", "these are qrels of BEIR, not a run", number)
        names = table.names or _json_row(first.decode("utf-8", "replace")) or ()
        # The name of the file then becomes the tag.
        findings.lacks_tag = not _has_all(names, [NAME])
        return _gathered(_of_table(pieces, table, _run_line, findings))
    if first.startswith(b"{"):
        _refuse_unknown_names(first, number, "qid, docno and score")
        findings.lacks_tag = True
        return _of_json(pieces, findings, _run_line_of_entry)
    if RANK_LINE.fullmatch(first):
        findings.lacks_tag = True
        return _gathered(_of_ranks(pieces, findings))
    return pieces


def trec_qrels(pieces: Pieces, findings: ProblemList) -> Pieces:
    """The lines of qrels in TREC's layout."""
    number, first, pieces = _first_line(pieces)
    _refuse_array(first, number)
    if table := _header(first, TOPIC, DOCUMENT, GRADE):
        return _gathered(_of_table(pieces, table, _qrels_line, findings))
    if first.startswith(b"{"):
        _refuse_unknown_names(first, number, "qid, docno and grade")
        return _of_json(pieces, findings, _qrels_line_of_entry)
    return pieces


def _refuse_array(first: bytes, line: int) -> None:
    if ARRAY.fullmatch(first.strip()):
        message = f"a JSON array: write one object on each line, or one object: {FORM_OF_JSON}"
        refuse("TYPE", message, line)


def is_trec_qrels(pieces: Pieces) -> bool:
    """Whether these qrels, which are valid, are in TREC's layout without a header."""
    _, first, _ = _first_line(pieces)
    fields = first.split()
    return first.startswith(b"#") or (len(fields) == 4 and bool(WHOLE.fullmatch(fields[3])))


def are_qrels(pieces: Pieces) -> bool:
    """Whether the first line, leaving comments out, can only be one of qrels: four fields with a
    grade, or the names of BEIR's columns or of a grade. A line of more than 64 KiB, as JSON and
    lines that end in CR alone have, is looked at as far as that."""
    _, first, rest = _first_line(with_line_feeds(pieces))
    if first.startswith(b"#"):
        lines = (line.removeprefix(BOM).strip() for line in _lines(rest))
        first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    first = first.strip()
    if table := _header(first, TOPIC, DOCUMENT, GRADE):
        row = _json_row(first.decode("utf-8", "replace")) or {}
        names = table.names or tuple(row)
        is_whole = bool(WHOLE.fullmatch(_whole(_cell(row, SCORE, "0")).encode()))
        return (names == BEIR_QRELS and is_whole) or not _has_all(names, [SCORE])
    fields = first.split()
    return len(fields) == len(IN_QRELS) and bool(WHOLE.fullmatch(fields[3]))


def _first_line(pieces: Pieces) -> tuple[int, bytes, Pieces]:
    """Number and text of the first line that is not blank, if it ends within 64 KiB, and all
    pieces."""
    head = b""
    taken = []
    for piece in pieces:
        taken.append(piece)
        head += piece[:LINE_BYTES]
        if b"\n" in head.removeprefix(BOM).lstrip() or len(head) >= LINE_BYTES:
            break
    text = head.removeprefix(BOM).lstrip()
    number = head.count(b"\n") - text.count(b"\n") + 1
    first = text.partition(b"\n" if b"\n" in text else b"\r")[0]
    return number, first, chain(taken, pieces)


# --- tables with a header ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Table:
    """How the lines of a table are cut into cells. Without names each line is a JSON object."""

    separator: str = ""
    names: tuple[str, ...] = ()

    def rows(self, lines: Iterable[bytes]) -> Iterator[TableRow]:
        """A line of JSON is one cell."""
        decoded = (line.removeprefix(BOM).decode("utf-8", "surrogateescape") for line in lines)
        if self.names:
            return table_rows(enumerate(decoded, 1), self.separator)
        return (TableRow(n, n, [line.strip("\r\n")]) for n, line in enumerate(decoded, 1))

    def by_name(self, cells: Sequence[str]) -> Row | None:
        """The cells by their names; None if they are not a row of this table."""
        if not self.names:
            return _json_row(cells[0])
        if len(cells) != len(self.names):
            return None
        return dict(zip(self.names, (cell.strip() for cell in cells), strict=True))

    def fault(self, cells: Sequence[str]) -> str:
        """What is wrong with cells that are no row."""
        return columns_fault(cells, self.names) if self.names else "the line is not a JSON object"


def _header(line: bytes, *columns: Sequence[str]) -> _Table | None:
    """The table, if its first line has a name of each of the columns."""
    text = line.decode("utf-8", "replace").strip("\r ")
    if text.startswith("{"):
        return _Table() if _has_all(_json_row(text) or (), columns) else None
    for separator in SEPARATORS:
        if separator in text:
            names = tuple(_plain(cell.strip().strip('"')) for cell in text.split(separator))
            is_header = _has_all(names, columns) and len(set(names)) == len(names)
            return _Table(separator, names) if is_header else None
    return None


def _refuse_unknown_names(line: bytes, number: int, needed: str) -> None:
    """Refuses a row whose names are not those of the columns."""
    if row := _json_row(line.decode("utf-8", "replace")):
        names = ", ".join(map(shown, row))
        other = '{"topic": {"document": number}}'
        refuse("JSON", f"the object has {names}: {needed} are needed, or {other}", number)


def _has_all(names: Collection[str], columns: Iterable[Sequence[str]]) -> bool:
    return all(any(name in names for name in known) for known in columns)


@lru_cache(1000)
def _plain(name: str) -> str:
    return name.lower().replace("-", "_").removeprefix("_")


def _json_row(line: str) -> Row | None:
    """The texts and numbers of a JSON object, as they are written."""
    try:
        found = AS_WRITTEN.decode(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    return {_plain(key): value.strip() for key, value in found.items() if isinstance(value, str)}


def _of_table(
    pieces: Pieces, table: _Table, convert: Callable[[Row], str], findings: ProblemList
) -> Pieces:
    """Each row of the table as a line with the number of its first one; the header and further
    lines of a row as blank ones."""
    has_header = bool(table.names)
    for line, last_line, cells in table.rows(_lines(with_line_feeds(pieces))):
        if not any(map(str.strip, cells)):
            yield b"\n"
        elif has_header:
            has_header = False
            findings.warn("HEADER", "the header was left out", line=line)
            findings.blanked_lines.add(line)
            yield b"\n"
        else:
            row = table.by_name(cells)
            converted = convert(row) if row else ""
            code = "FIELDS"
            fault = _cells_fault(converted) if row else table.fault(cells)
            if not fault and (fault := surrogate_fault(converted)):
                code = "ENCODING"
            if fault:
                findings.records += 1
                findings.add(Problem(code, line, fault, None, shown(table.separator.join(cells))))
                findings.blanked_lines.add(line)
                yield b"\n"
            else:
                yield _encoded(converted)
        for number in range(line + 1, last_line + 1):  # of a row of several lines
            findings.blanked_lines.add(number)
            yield b"\n"


def _run_line(row: Row) -> str:
    tag = _cell(row, NAME, TAG)
    return _joined(_cell(row, TOPIC), "Q0", _cell(row, DOCUMENT), "1", _cell(row, SCORE), tag)


def _qrels_line(row: Row) -> str:
    # pandas writes whole numbers of a column with gaps as 1.0.
    grade = _whole(_cell(row, GRADE))
    # A table with subtopics needs one in each row; others have TREC's 0 in field 2.
    otherwise = "" if row.keys() & SUBTOPIC_NAMES else "0"
    subtopic = _cell(row, (*SUBTOPIC_NAMES, *ITERATION), otherwise)
    return _joined(_cell(row, TOPIC), subtopic, _cell(row, DOCUMENT), grade)


def _cells_fault(converted: str) -> str:
    """What is wrong with a cell that is missing or more than one field."""
    if FIELDS.fullmatch(converted):
        return ""
    cells = converted.removesuffix("\n").split("\t")
    names = IN_RUNS if len(cells) == len(IN_RUNS) else IN_QRELS
    for name, cell in zip(names, cells, strict=False):
        if not cell:
            return f"the {name} is missing"
        if not FIELDS.fullmatch(f"{cell}\n"):
            return f"the {name} contains white space"
    return ""


def _cell(row: Row, names: Iterable[str], otherwise: str = "") -> str:
    for name in names:
        if value := row.get(name):
            return value
    return otherwise


def _whole(grade: str) -> str:
    """1.0 is 1, as tables of numbers have it; 0.5 stays, and is refused."""
    matched = WHOLE_FLOAT.fullmatch(grade)
    return matched[1] if matched else grade


def _joined(*fields: str) -> str:
    return "\t".join(fields) + "\n"


def _encoded(line: str) -> bytes:
    return line.encode("utf-8", "surrogateescape")


def _gathered(lines: Iterator[bytes]) -> Pieces:
    """Many lines in a piece: the readers take as long for a piece of one line."""
    taken: list[bytes] = []
    size = 0
    for line in lines:
        taken.append(line)
        size += len(line)
        if size >= PIECE_BYTES:
            yield b"".join(taken)
            taken, size = [], 0
    if taken:
        yield b"".join(taken)


def _lines(pieces: Pieces) -> Iterator[bytes]:
    """Each with its LF. Raises FormatError for one that is too long to wait for its end."""
    carry, count = b"", 0
    for piece in pieces:
        *whole, carry = (carry + piece).split(b"\n")
        yield from (line + b"\n" for line in whole)
        count += len(whole)
        if len(carry) > LINE_BYTES:
            refuse("LINE_TOO_LONG", f"the line is longer than {LINE_BYTES:,} bytes", count + 1)
    if carry:
        yield carry


# --- MS MARCO ------------------------------------------------------------------------------------


def _of_ranks(pieces: Pieces, findings: ProblemList) -> Pieces:
    """`topic document rank` as a line with the score -rank."""
    # By topic, since the lines of a topic need not be contiguous.
    topics: dict[bytes, RankLines] = {}
    for number, line in enumerate(_lines(pieces), 1):
        matched = RANK_LINE.fullmatch(line)
        if matched is None:
            yield line
            continue
        topic, doc_id, rank = matched[1], matched[2], int(matched[3])
        if topic not in topics:
            topics[topic] = RankLines(rank, number)
        first = topics[topic].first_line(rank, number)
        if first != number:
            findings.records += 1
            findings.add(repeated_rank(topic, rank, (first, number)))
            findings.blanked_lines.add(number)
            yield b"\n"
            continue
        message = "the file has topic, document and rank: rank r becomes score -r"
        findings.warn("RANKS", message, line=number, count=1)
        yield b"%b Q0 %b %d %d %b\n" % (topic, doc_id, rank, -rank, TAG.encode())


# --- JSON ----------------------------------------------------------------------------------------


def _of_json(
    pieces: Pieces, findings: ProblemList, convert: Callable[[str, str, str], str]
) -> Pieces:
    """Of `{topic: {document: number}}`. Empty pieces let the reader look at the time."""
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) > MAX_JSON_BYTES:
            refuse("TOO_BIG", f"JSON of more than {MAX_JSON_BYTES:,} bytes: write TREC's layout")
    text = data.removeprefix(BOM).decode("utf-8", "surrogateescape")
    # As bytes and numbers: the entries themselves take twenty times as much memory as the file.
    converted, lines = bytearray(), array("I")
    for step, entry in enumerate(json_entries(text, findings), 1):
        if step % ENTRIES_AT_ONCE == 0:
            yield b""
        if entry is None:
            continue
        lines.append(entry.line)
        if not findings.total:  # otherwise the file is refused
            converted += _encoded(convert(entry.topic, entry.doc_id, entry.number))
    findings.source_lines = lines
    for first in range(0, len(converted), PIECE_BYTES):
        yield bytes(memoryview(converted)[first : first + PIECE_BYTES])


def _run_line_of_entry(topic: str, doc_id: str, score: str) -> str:
    return _joined(topic, "Q0", doc_id, "1", score, TAG)


def _qrels_line_of_entry(topic: str, doc_id: str, grade: str) -> str:
    return _joined(topic, "0", doc_id, _whole(grade))
