"""Qrels: `topic iteration document grade`, one line for each judgment, read and written."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.blocks import Block, read_blocks, warn_carriage_returns
from campaigns.trec.columns import TOPIC_BYTES, Rows, TopicColumn, UnknownTopics, rows_of
from campaigns.trec.compiled import scan_qrels
from campaigns.trec.compression import plain_blocks, with_line_feeds
from campaigns.trec.csv_rows import TableRow, csv_cells, csv_rows, separator_of
from campaigns.trec.fields import DECIMAL, Fields, read_integers, split_fields
from campaigns.trec.foreign import HEADER, foreign_format, is_header, set_aside
from campaigns.trec.layouts import trec_qrels
from campaigns.trec.problems import FormatError, Problem, ProblemList, refuse, shown
from campaigns.trec.records import Records, RecordTable

MAX_BYTES = 1 << 30  # uncompressed
QRELS_WIDTH = 4
ITERATION, GRADE = 1, 3  # columns, from 0
MAX_GRADE = 127
ITERATION_BYTES = 64
WRITE_ROWS = 50_000
COMMENTED_JUDGMENT = re.compile(rb"#\S+\s+\S+\s+\S+\s+-?\d{1,3}")
INTEGER = re.compile(rb"[+-]?\d+")
LOW_NUMBER = re.compile(rb"\d{1,3}")
NAMED_TOPICS = 20
BY_FIELD_2 = (
    "a document of a topic has several lines that differ in field 2, as in qrels of a diversity "
    "task, where it is the subtopic, or of several assessors: write one line for each document. The"
    " command trackside diversity reads judgments by subtopic"
)


@dataclass(frozen=True, eq=False)
class ParsedQrels:
    """One set of judgments as columns; row i of each is the i-th kept line of the file."""

    topics: tuple[str, ...]  # in order of first appearance
    topic_index: NDArray[np.int32]  # int32[lines]: index into `topics`
    doc_ids: NDArray[np.bytes_]  # S{w}[lines], w a multiple of 8, NUL padded
    grades: NDArray[np.int16]  # int16[lines], -127..127 as written; below 0: not judged
    lines: NDArray[np.integer]  # [lines], each one's number in the file, from 1
    line_count: int
    warnings: tuple[Problem, ...]


def read_qrels(
    source: BinaryIO | bytes,
    *,
    known_topics: Collection[str] | None = None,
    unknown_topics: UnknownTopics = "refuse",
    max_lines: int | None = None,
    max_bytes: int = MAX_BYTES,
    max_seconds: float | None = None,
    max_name_bytes: int = TOPIC_BYTES,
) -> ParsedQrels:
    """Read qrels, plain or gzipped, and check all of them.

    Field 2 may have any value and is not used. Grades are whole numbers from -127 to 127 without
    plus sign or leading zeros. Limits are those of `read_run`. Raises FormatError with the first 25
    problems in line order and the number of all.
    """
    findings = ProblemList()
    topics = TopicColumn(findings, known_topics, unknown_topics, max_name_bytes)
    reader = _QrelsReader(findings, topics, max_lines)
    with findings.gathered():
        for block in read_blocks(
            source, findings, max_bytes=max_bytes, max_seconds=max_seconds, convert=trec_qrels
        ):
            reader.take(block)
            reader.table.count_lines(block)
        records = reader.records()
    warn_content(records, findings)
    lines: NDArray[np.integer] = records.lines
    if findings.source_lines is not None:
        # The file was converted line by line: its own numbers are those that a reader can look up.
        lines = np.array(findings.source_lines, np.int64)[lines - 1]
    return ParsedQrels(
        topics=records.topics,
        topic_index=records.topic_index,
        doc_ids=records.doc_ids,
        grades=records.values["grades"],
        lines=lines,
        line_count=records.lines.size,
        warnings=findings.warnings,
    )


class _QrelsReader:
    """Reads blocks and collects their columns."""

    def __init__(self, findings: ProblemList, topics: TopicColumn, max_lines: int | None) -> None:
        self.findings = findings
        self.iteration, self.varies = b"", False
        values = {"grades": np.int16}
        self.table = RecordTable(findings, topics, max_lines=max_lines, values=values)

    def take(self, block: Block) -> None:
        """Read a block."""
        scanned = scan_qrels(block)
        if scanned is not None and not scanned.literals[0].endswith(b","):  # CSV with spaces
            self.findings.records += scanned.rows.lines.size
            warn_carriage_returns(scanned.carriage_returns, self.findings)
            self._compare_iterations(scanned.literals, scanned.rows)
            self.table.push(scanned.rows, grades=scanned.numbers)
            return
        fields = split_fields(
            block, QRELS_WIDTH, self.findings, hint=_hint, record=COMMENTED_JUDGMENT
        )
        fields = set_aside(fields, self.findings, numbers=range(QRELS_WIDTH), code="GRADE")
        if fields.lines.size:
            rows = rows_of(fields, self.findings)
            self._compare_iterations(fields.texts(fields.heads, ITERATION), rows)
            self.table.push(rows, grades=self._grades(fields))

    def _compare_iterations(self, iterations: list[bytes], rows: Rows) -> None:
        """Field 2, given for each head of the rows."""
        if not self.iteration:
            self.iteration = iterations[0][:ITERATION_BYTES]
        head = next((k for k, each in enumerate(iterations) if each != self.iteration), None)
        if head is not None:
            self.varies = True
            self.findings.warn(
                "FIELD_2",
                "field 2 varies: if it names assessors, their judgments are not distinguished",
                line=rows.line_of(head),
                field=ITERATION + 1,
                value=iterations[head],
            )

    def _grades(self, fields: Fields) -> NDArray[np.int64]:
        grades, bad = read_integers(fields, GRADE)
        starts = fields.starts[GRADE]
        digits = starts + (fields.data[starts] == ord("-"))
        bad |= np.abs(grades) > MAX_GRADE
        # Leading zeros, also of "-01".
        bad |= (fields.data[digits] == ord("0")) & (fields.ends[GRADE] - digits > 1)
        rows = np.flatnonzero(bad)
        if rows.size:
            # Any valid grade: the file is refused at its end.
            grades[rows] = 0
            self.findings.add_rows(
                rows.tolist(), rows.size, lambda row: _grade_problem(fields, row)
            )
        return grades

    def records(self) -> Records:
        """Join the blocks and check the whole file."""
        if not self.iteration and not self.findings.total:
            refuse("EMPTY", "the file contains no judgment")
        return self.table.join(on_repetition=BY_FIELD_2 if self.varies else "")


def _hint(parts: list[bytes], line: int) -> str:
    """What a line with another number of fields may be."""
    if foreign := foreign_format(parts):
        return foreign
    if len(parts) == 6 and DECIMAL.fullmatch(parts[4]):
        return "this looks like a run"
    # Before preferences, whose last field is a decimal as well.
    if len(parts) == PRELS_FIELDS and _is_prels(parts):
        return "this looks like prels (judgments with probabilities): write qrels"
    if len(parts) == PRELS_FIELDS and DECIMAL.fullmatch(parts[-1]):
        return (
            "this looks like preferences of trec_eval (topic, group, subgroup, document, level), "
            "which are not read: write qrels"
        )
    # One comma may be part of an id or of a decimal number.
    if max(b" ".join(parts).count(each) for each in (b",", b";")) > 1:
        return "this looks like CSV: begin with a header, such as qid,docno,grade"
    if len(parts) == 3 and (INTEGER.fullmatch(parts[2]) or parts[:1] == [b"query-id"]):
        return "this looks like qrels of BEIR: begin with its header, query-id corpus-id score"
    if line == 1 and len(parts) > 1 and is_header(parts):
        return HEADER
    return ""


def _is_prels(parts: list[bytes]) -> bool:
    """`topic document grade method probability`, where the probability may be 0 or 1."""
    _, _, grade, method, probability = parts
    if not DECIMAL.fullmatch(probability) or not INTEGER.fullmatch(method):
        return False
    if not INTEGER.fullmatch(probability):
        return True
    return bool(INTEGER.fullmatch(grade)) and int(probability) in (0, 1)


def _grade_problem(fields: Fields, row: int) -> Problem:
    """The problem of a field 4 that is not a grade."""
    text = fields.text(row, GRADE)
    message = "grade is not a whole number"
    if INTEGER.fullmatch(text):
        message = f"grade is outside -{MAX_GRADE}..{MAX_GRADE}"
        # The first characters are enough to tell, and int() of very long digits is refused by
        # Python.
        if abs(int(text[:8])) <= MAX_GRADE:
            message = "grade has a plus sign or leading zeros"
    elif DECIMAL.fullmatch(text):
        message = "grade is not a whole number: grades are 0, 1, 2 and so on"
    return Problem("GRADE", int(fields.lines[row]), message, GRADE + 1, shown(text))


def warn_content(records: Records, findings: ProblemList) -> None:
    """Warn of grades that are no judgments, of topics without relevant documents, and of swapped
    columns."""
    grades = records.values["grades"]
    unjudged = int(np.count_nonzero(grades == -1))
    if unjudged:
        message = "{n} {line has|lines have} grade -1: in the pool, not judged"
        findings.warn("UNJUDGED", message, count=unjudged, field=4)
    negative = int(np.count_nonzero(grades < -1))
    if negative:
        message = "{n} {line has|lines have} a grade below -1, treated as not judged"
        findings.warn("NEGATIVE", message, count=negative, field=4)
    _warn_topics(records.topics, records.topic_index, grades, findings)
    # If iteration and document are swapped, the documents are a few low numbers. The first of them
    # tells most files apart without sorting all.
    doc_ids = records.doc_ids
    if doc_ids.size > 1 and LOW_NUMBER.fullmatch(doc_ids[0]):
        distinct = np.unique(doc_ids)
        is_low = all(LOW_NUMBER.fullmatch(doc_id) for doc_id in distinct.tolist())
        if distinct.size < 2 or is_low:
            message = "field 3 has low numbers only: are the columns swapped?"
            findings.warn("COLUMNS", message, field=3, value=distinct[0])


def _warn_topics(
    topics: Sequence[str],
    topic_index: NDArray[np.int32],
    grades: NDArray[np.int16],
    findings: ProblemList,
) -> None:
    judged = np.bincount(topic_index[grades >= 0], minlength=len(topics))
    relevant = np.bincount(topic_index[grades >= 1], minlength=len(topics))
    empty = [topics[k] for k in np.flatnonzero(judged == 0).tolist()]
    if empty:
        message = f"{{n}} of {len(topics):,} topics {{has|have}} no grade from 0 up: not scored"
        value = " ".join(empty[:NAMED_TOPICS])
        findings.warn("NO_GRADES", message, count=len(empty), value=value)
    poor = [topics[k] for k in np.flatnonzero((judged > 0) & (relevant == 0)).tolist()]
    if not relevant.any():
        findings.warn("NO_RELEVANT", "no document of any topic is relevant")
    elif poor:
        message = f"{{n}} of {len(topics):,} topics {{has|have}} no relevant document"
        value = " ".join(poor[:NAMED_TOPICS])
        findings.warn("NO_RELEVANT", message, count=len(poor), value=value)


def second_fields(data: bytes) -> list[bytes]:
    """Field 2 of each line of plain qrels in TREC's layout without comments or blank lines."""
    return [line.split(maxsplit=2)[1] for line in data.splitlines()]


def write_qrels(qrels: ParsedQrels, target: BinaryIO) -> None:
    """Write the judgments as text with 0 in field 2; reading it again gives the same columns."""
    topics = [topic.encode() for topic in qrels.topics]
    for begin in range(0, qrels.line_count, WRITE_ROWS):
        rows = slice(begin, begin + WRITE_ROWS)
        lines = [
            b"%b 0 %b %d\n" % (topics[topic], doc_id, grade)
            for topic, doc_id, grade in zip(
                qrels.topic_index[rows].tolist(),
                qrels.doc_ids[rows].tolist(),
                qrels.grades[rows].tolist(),
                strict=True,
            )
        ]
        target.write(b"".join(lines))


def refuse_high_grades(parsed: ParsedQrels, highest_grade: int) -> None:
    """Raises FormatError if a grade is higher than a campaign allows."""
    above = (parsed.grades > highest_grade).nonzero()[0].tolist()
    message = f"grade is above {highest_grade}, the campaign's highest: if it is right, set a "

    def problem(row: int) -> Problem:
        grade = str(parsed.grades[row])
        line = int(parsed.lines[row])
        return Problem("GRADE", line, f"{message}higher one in the settings", GRADE + 1, grade)

    findings = ProblemList()
    findings.records = parsed.line_count
    findings.add_rows(above, len(above), problem)
    if above:
        raise FormatError(findings.problems, findings.total)


# --- judgments in other formats ------------------------------------------------------------------

BOM_CHARACTER = "\ufeff"
CSV_COLUMNS = ("topic", "doc_id", "grade")
GUARDED = re.compile(r"'(?=[@+=|%-])")  # the escape of such a cell in a CSV for spreadsheets
PRELS_FIELDS = 5
NOT_JUDGED = "-1"
NOT_JUDGED_IN_PRELS = "-999"  # lower than grades of qrels go


def as_qrels(
    data: bytes,
    *,
    max_lines: int | None = None,
    max_bytes: int = MAX_BYTES,
    max_seconds: float | None = None,
) -> bytes:
    """Judgments in any format of an exported pool (CSV with grades, prels or qrels) as qrels.

    Each line becomes the line of qrels with the same number, so that problems have the line numbers
    of the file. Other files are returned unchanged. Limits are those of `read_qrels`. Raises
    FormatError.
    """
    blocks = plain_blocks(io.BytesIO(data), max_bytes=max_bytes, max_seconds=max_seconds)
    plain = b"".join(with_line_feeds(blocks))
    if max_lines is not None and plain.count(b"\n") > max_lines:
        refuse("TOO_MANY", f"more than {max_lines:,} lines", max_lines + 1)
    text = plain.decode("utf-8", "surrogateescape").removeprefix(BOM_CHARACTER)
    first = text.lstrip().partition("\n")[0]
    separator = separator_of(first)
    names = [name.strip().lower() for name in csv_cells(first, separator)]
    if set(CSV_COLUMNS) <= set(names):
        return _encoded(_of_csv(csv_rows(text, separator), names))
    if "topic" in names[:1] and len(names) > 1:
        missing = [name for name in CSV_COLUMNS if name not in names]
        refuse("FIELDS", f"the header has no column {' or '.join(missing)}: add it", 1)
    if len(first.split()) == PRELS_FIELDS:
        return _encoded([_of_prels(line) for line in text.split("\n")])
    return data


def _of_csv(rows: Iterator[TableRow], names: Sequence[str]) -> Iterator[str]:
    """Each row as a line of qrels, and blank lines for the header and for further lines of a
    row."""
    places = [names.index(name) for name in CSV_COLUMNS]
    has_header = False
    for row in rows:
        cells = [cell.strip() for cell in row.cells]
        # A blank line keeps its place, so that numbers of lines stay those of the file.
        if not (has_header and any(cells)):
            has_header |= any(cells)
            yield ""
        elif len(cells) <= max(places):
            yield " ".join(cells)  # the reader of qrels reports the problem
        else:
            topic, doc_id, grade = (cells[place] for place in places)
            yield f"{_unguarded(topic)} 0 {_unguarded(doc_id)} {grade or NOT_JUDGED}"
        yield from [""] * (row.last_line - row.line)


def _unguarded(cell: str) -> str:
    # Exported pools guard cells that a spreadsheet would take for a formula.
    bare, count = GUARDED.subn("", cell, count=1) if cell.startswith("'") else (cell, 0)
    return bare.replace("\\|", "|") if count else cell


def _of_prels(line: str) -> str:
    fields = line.split()
    if len(fields) != PRELS_FIELDS:
        return line
    topic, doc_id, grade = fields[:3]
    return f"{topic} 0 {doc_id} {NOT_JUDGED if grade == NOT_JUDGED_IN_PRELS else grade}"


def _encoded(lines: Iterable[str]) -> bytes:
    return "\n".join(lines).encode("utf-8", "surrogateescape")
