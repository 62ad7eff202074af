"""The problems of a file: each has a code, a line and a sentence."""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

SHOWN_PROBLEMS = 25  # as NIST's checkers: the first 25 are listed, all are counted
SHOWN_CHARACTERS = 40
MAX_PROBLEMS = 1_000_000  # then reading stops
ONE_OR_MANY = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")

# Why a file is refused.
REFUSALS = {
    "EMPTY": "The file contains no record.",
    "ENCODING": "The file is not UTF-8.",
    "NUL": "The file contains a NUL byte.",
    "CTRL": "A line contains a control character.",
    "INVISIBLE": "A field contains an invisible character.",
    "LINES_CR": "The lines end in CR alone.",
    "STRAY_CR": "A CR is not at the end of its line.",
    "LINE_TOO_LONG": "A line or a document id is too long.",
    "FIELDS": "A line has the wrong number of fields.",
    "TOPIC": "A topic id is missing or malformed.",
    "UNKNOWN_TOPIC": "A topic is not in the list of topics.",
    "RANK": "A rank is not a whole number.",
    "SCORE": "A retrieval score is not a finite decimal number.",
    "GRADE": "A grade is not a whole number from -127 to 127.",
    "TAG": "A run tag is malformed, or the lines disagree about it.",
    "DUP": "A document or a topic is repeated.",
    "TOO_MANY": "There are more documents, lines or topics than allowed.",
    "TOO_BIG": "The file is larger than allowed.",
    "TOO_SLOW": "The file takes too much processor time to read.",
    "TYPE": "The file has another type.",
    "GZIP": "The gzip data are truncated, damaged or compressed twice.",
    "XML": "The XML is not well-formed, or contains a DOCTYPE.",
    "JSON": "A line is not a JSON object with text values.",
    "TABLE": "A runs table has a wrong column, row or value.",
}
# What is accepted with a warning.
WARNINGS = {
    "BOM": "A byte order mark was removed.",
    "CRLF": "Lines end in CR LF.",
    "CTRL_Z": "A Ctrl-Z at the end was removed.",
    "VT_FF": "Vertical tabs or form feeds were read as spaces.",
    "LEADING_SPACE": "Lines begin with white space.",
    "BLANK": "Blank lines were ignored.",
    "COMMENT": "Lines that begin with # were ignored.",
    "COMMENTED_RECORD": "A line that begins with # looks like a record.",
    "NOT_NFC": "Text is not in Unicode normal form C.",
    "DROPPED_TOPICS": "Lines of unknown topics were ignored.",
    "MISSING_TOPICS": "Known topics have no line.",
    "INTERLEAVED": "The lines of a topic are not contiguous.",
    "FIELD_2": "Field 2 differs from TREC's convention.",
    "RANK_BELOW_1": "Ranks below 1 occur.",
    "RANK_ORDER": "Ranks contradict the retrieval scores.",
    "TIES": "Retrieval scores are tied.",
    "UNDERFLOW": "A retrieval score is too small and counts as 0.",
    "UNJUDGED": "Judgments of grade -1: in the pool, not judged.",
    "NEGATIVE": "Grades below -1 are treated as not judged.",
    "NO_GRADES": "A topic has no grade of 0 or more.",
    "NO_RELEVANT": "A topic, or the whole file, has no relevant document.",
    "COLUMNS": "The columns look swapped.",
    "UNCLOSED": "Tags are not closed.",
}
CODES = REFUSALS | WARNINGS


def shown(value: bytes | str) -> str:
    """The value escaped for display, in at most 40 characters."""
    if isinstance(value, bytes):
        value = value[: 4 * SHOWN_CHARACTERS + 4].decode("utf-8", "backslashreplace")
    head = value[: SHOWN_CHARACTERS + 1]
    text = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in head
    )
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem or warning. `line` counts physical lines of the uncompressed file from 1."""

    code: str
    line: int | None
    message: str
    field: int | None = None
    value: str = ""  # already passed through `shown`

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        field = "" if self.field is None else f"field {self.field}"
        value = f"'{self.value}'" if self.value else ""
        detail = ": ".join(part for part in (field, value) if part)
        return f"{place}{self.code} {self.message}" + (f" ({detail})" if detail else "")

    def as_dict(self) -> dict[str, Any]:
        """The problem for JSON, with the keys of the API."""
        return {
            "code": self.code,
            "line": self.line,
            "field": self.field,
            "value": self.value,
            "message": self.message,
        }


class FormatError(Exception):
    """The file is refused. Has the first 25 problems by line, their number, and the warnings."""

    def __init__(
        self,
        problems: Iterable[Problem],
        total: int | None = None,
        warnings: Iterable[Problem] = (),
    ) -> None:
        self.problems = tuple(problems)[:SHOWN_PROBLEMS]
        self.total = len(self.problems) if total is None else total
        self.warnings = tuple(warnings)[:SHOWN_PROBLEMS]
        super().__init__(self.problems, self.total, self.warnings)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems]
        if self.total > len(lines):
            lines.append(f"{self.total:,} problems, the first {len(lines)} shown")
        return "\n".join(lines)


def refuse(code: str, message: str, line: int | None = None, value: bytes | str = "") -> NoReturn:
    """Stop reading, because the rest of the file cannot be interpreted."""
    raise FormatError([Problem(code, line, message, None, shown(value))])


def _place(problem: Problem) -> tuple[int, int]:
    return (problem.line or 0, problem.field or 0)


class ProblemList:
    """The problems and warnings of one file. Keeps the first 25 by line and counts all."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.total = 0
        self._warnings: dict[str, list[Any]] = {}  # code: [count, line, message, field, value]

    def add(self, problem: Problem) -> None:
        """Count a problem, and keep it if it is among the first 25 of the file."""
        self.total += 1
        insort(self.problems, problem, key=_place)
        del self.problems[SHOWN_PROBLEMS:]

    def add_rows(self, rows: Iterable[int], count: int, describe: Callable[[int], Problem]) -> None:
        """Count the problems of `count` rows (in line order), describing no more than 25."""
        described = 0
        for row in rows:
            if described == SHOWN_PROBLEMS:
                break
            self.add(describe(row))
            described += 1
        self.total += count - described
        if self.total > MAX_PROBLEMS:
            raise FormatError(())  # `gathered` adds what is known

    def warn(
        self,
        code: str,
        message: str,
        *,
        line: int | None = None,
        count: int = 1,
        field: int | None = None,
        value: bytes | str = "",
    ) -> None:
        """Warn once for each code. In the message `{n}` becomes the count over the file, and
        `{one|many}` the form that fits it."""
        if code in self._warnings:
            self._warnings[code][0] += count
        else:
            self._warnings[code] = [count, line, message, field, shown(value)]

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings so far by line, those of the whole file last."""
        warnings = [
            Problem(code, line, _counted(message, count), field, value)
            for code, (count, line, message, field, value) in self._warnings.items()
        ]
        return tuple(sorted(warnings, key=lambda w: (w.line is None, w.line or 0, w.code)))

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Refuse the file at the end if it has problems, or when reading stops."""
        try:
            yield
        except FormatError as error:
            for problem in error.problems:
                self.add(problem)
        if self.total:
            raise FormatError(self.problems, self.total, self.warnings)


def _counted(message: str, count: int) -> str:
    chosen = ONE_OR_MANY.sub(r"\1" if count == 1 else r"\2", message)
    return chosen.replace("{n}", f"{count:,}")
