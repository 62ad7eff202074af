"""Judgments by subtopic: `topic subtopic document grade`, as TREC's diversity tasks have them, or a
table with a header."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from campaigns.trec.compression import plain_blocks, read_text
from campaigns.trec.layouts import trec_qrels
from campaigns.trec.problems import Problem, ProblemList, refuse, shown
from campaigns.trec.qrels import MAX_GRADE, QRELS_WIDTH

GRADE = re.compile(r"-?(?:0|[1-9][0-9]{0,2})", re.ASCII)
MAX_LINES = 10_000_000
NO_SUBTOPIC = "0"  # what a table without such a column is given


class SubtopicJudgment(NamedTuple):
    """A grade below 0: not judged."""

    topic: str
    subtopic: str
    doc_id: str
    grade: int


@dataclass(frozen=True)
class ParsedSubtopics:
    """The judgments in the order of their lines."""

    judgments: tuple[SubtopicJudgment, ...]
    warnings: tuple[Problem, ...]


def read_subtopics(source: BinaryIO | bytes, *, max_bytes: int = 1 << 30) -> ParsedSubtopics:
    """Reads judgments by subtopic, plain or gzipped, and checks all of them.

    Raises FormatError with the first 25 problems in line order and the number of all."""
    findings = ProblemList()
    with findings.gathered():
        lines = trec_qrels(plain_blocks(source, max_bytes=max_bytes), findings)
        # `plain_blocks` before has decompressed it: this checks the encoding of the lines.
        text = read_text(b"".join(lines), findings, max_bytes=max_bytes)
        judgments = tuple(_judgments(text, findings))
        is_table = any(warning.code == "HEADER" for warning in findings.warnings)
        if not judgments and not findings.total:
            refuse("EMPTY", "the file contains no judgment")
        if is_table and all(judgment.subtopic == NO_SUBTOPIC for judgment in judgments):
            refuse("FIELDS", "a table of judgments by subtopic needs a column subtopic", 1)
    if len({judgment.subtopic for judgment in judgments}) == 1:
        message = "field 2 is the same on every line: every topic has one subtopic"
        findings.warn("FIELD_2", message, field=2, value=shown(judgments[0].subtopic))
    return ParsedSubtopics(judgments, findings.warnings)


def _judgments(text: str, findings: ProblemList) -> Iterator[SubtopicJudgment]:
    lines: dict[tuple[str, str, str], int] = {}
    for line, row in enumerate(text.split("\n"), 1):
        fields = [field.decode() for field in row.encode().split()]  # at ASCII white space
        if not fields:
            continue
        if fields[0].startswith("#"):
            message = "{n} {line|lines} beginning with # left out as {a comment|comments}"
            findings.warn("COMMENT", message, line=line)
            continue
        if line > MAX_LINES:
            refuse("TOO_MANY", f"more than {MAX_LINES:,} lines", line)
        if problem := _problem(fields, line):
            findings.add(problem)
            continue
        topic, subtopic, doc_id, grade = fields
        first = lines.setdefault((topic, subtopic, doc_id), line)
        if first != line:
            place = f"topic '{shown(topic)}' and subtopic '{shown(subtopic)}'"
            message = f"document of {place} is already on line {first}"
            findings.add(Problem("DUP", line, message, 3, shown(doc_id)))
            continue
        yield SubtopicJudgment(topic, subtopic, doc_id, int(grade))


def _problem(fields: list[str], line: int) -> Problem | None:
    if len(fields) != QRELS_WIDTH:
        many = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
        message = f"{many}, {QRELS_WIDTH} expected: topic, subtopic, document, grade"
        return Problem("FIELDS", line, message, None, shown(" ".join(fields)))
    if not GRADE.fullmatch(fields[3]) or abs(int(fields[3])) > MAX_GRADE:
        message = f"grade is not a whole number from -{MAX_GRADE} to {MAX_GRADE}"
        return Problem("GRADE", line, message, QRELS_WIDTH, shown(fields[3]))
    return None
