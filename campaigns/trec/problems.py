"""The problems of a file: each has a code, a line and a sentence."""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NoReturn, TypeAlias

SHOWN_PROBLEMS = 25  # as NIST's checkers: the first 25 are listed, all are counted
SHOWN_CHARACTERS = 40
DESCRIBED = 1_000  # rows of a block that are described one by one to find out whether they differ
REPEATED = 4  # as many equal problems or more are one problem with a count
MAX_PROBLEMS = 1_000_000  # then reading stops
BY_VALUE = frozenset({"TOPIC", "UNKNOWN_TOPIC"})  # problems of topics, which are listed
MAX_KINDS = 200  # of problems of one file; 25 are shown
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
    "RANK": "A rank is not a whole number, or is repeated in a run without scores.",
    "SCORE": "A retrieval score is not a finite decimal number.",
    "GRADE": "A grade is not a whole number from -127 to 127.",
    "TAG": "A run tag is malformed, or the lines disagree about it.",
    "DUP": "A document or a topic is repeated.",
    "TOO_MANY": "There are more documents, lines or topics than allowed.",
    "TOO_BIG": "The file is larger than allowed.",
    "TOO_SLOW": "The file takes too much processor time to read.",
    "TYPE": "The file has another type.",
    "GZIP": "The gzip data are truncated, damaged or compressed twice.",
    "XML": "The XML is not well-formed, or has a DOCTYPE with more than elements and attributes.",
    "JSON": "The JSON is malformed, or has something else than objects with ids.",
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
    "TEXT_AFTER": "Text after the last field was ignored.",
    "RANKS": "The file has ranks instead of scores: rank r became score -r.",
    "HEADER": "A header was ignored.",
    "TAG_OF_FILE": "The file has no tag: its name became the tag.",
    "UNCLOSED": "Tags are not closed.",
    "LEFT_OUT": "Parts of topics or documents that are not their text were left out.",
    "LEFT_OUT_TEXT": "Text outside the topics was left out.",
    "LEFT_OUT_ELEMENTS": "Elements without an id beside the topics were left out.",
    "LEFT_OUT_TURNS": "Turns of the system in conversations were left out.",
    "NO_TEXT": "Topics have no text.",
    "WINDOWS_1252": "Control characters became the characters of Windows-1252.",
    "LONG_NAME": "A topic id or the tag is longer than a site allows.",
    "RUN_TYPE": "A run type in a runs table is unknown and counts as automatic.",
}
CODES = REFUSALS | WARNINGS
Kind: TypeAlias = tuple[str, int | None, str]  # code, field and message


def shown(value: bytes | str) -> str:
    """The value escaped for display, in at most 40 characters."""
    if isinstance(value, bytes):
        # A character has at most four bytes in UTF-8; a value can have a million.
        value = value[: 4 * SHOWN_CHARACTERS + 4].decode("utf-8", "backslashreplace")
    head = value[: SHOWN_CHARACTERS + 1]
    text = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in head
    )
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def latin_1_hint(byte: int) -> str:
    """What a byte may be that is not UTF-8."""
    return f": if this is {'Latin-1' if byte >= 0xA0 else 'Windows-1252'}, save it as UTF-8"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem or warning. `line` counts physical lines of the uncompressed file from 1."""

    code: str
    line: int | None
    message: str
    field: int | None = None
    value: str = ""  # already passed through `shown`
    count: int = 1  # of the lines with this problem; `line` is the first of them

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
            "count": self.count,
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
        if self.total > sum(problem.count for problem in self.problems):
            lines.append(f"{self.total:,} problems, the first {len(lines)} shown")
        return "\n".join(lines)


class LimitReached(FormatError):
    """Reading stopped because the file is larger, or takes longer, than the caller allows. With
    higher limits it may be valid."""


def refuse(code: str, message: str, line: int | None = None, value: bytes | str = "") -> NoReturn:
    """Stop reading, because the rest of the file cannot be interpreted."""
    raise FormatError([Problem(code, line, message, None, shown(value))])


def refuse_large(max_bytes: int) -> NoReturn:
    """Stop reading, because the plain file is larger than the caller allows."""
    raise LimitReached(
        [Problem("TOO_BIG", None, f"the plain file is larger than {max_bytes:,} bytes")]
    )


def refuse_slow(max_seconds: float, hint: str) -> NoReturn:
    """Stop reading, because it takes more processor time than the caller allows."""
    message = f"reading the file takes more than {max_seconds:g} s: {hint}"
    raise LimitReached([Problem("TOO_SLOW", None, message)])


def _place(problem: Problem) -> tuple[int, int]:
    return (problem.line or 0, problem.field or 0)


def _kind(problem: Problem) -> Kind:
    return problem.code, problem.field, problem.message


class _Group:
    """Problems of one kind: their number, and the first 25."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[Problem] = []

    def add(self, problem: Problem) -> None:
        self.count += 1
        insort(self.first, problem, key=_place)
        del self.first[SHOWN_PROBLEMS:]

    def problems(self, records: int) -> list[Problem]:
        """One problem if there are many that are equal. `records` counts the lines of the file."""
        first = self.first[0]
        if self.count < REPEATED or first.code in BY_VALUE:
            return self.first
        is_all = self.count == records
        lines = (
            f"all {self.count:,} lines" if is_all else f"this and {self.count - 1:,} other lines"
        )
        message = f"{lines}: {first.message}"
        return [replace(first, message=message, count=self.count)]


class ProblemList:
    """The problems and warnings of one file. Tells equal problems once, keeps the first 25 by line,
    and counts all."""

    def __init__(self) -> None:
        self.total = 0
        self.records = 0  # lines that are neither blank nor comments
        self.source_lines: Sequence[int] | None = None  # of converted lines, in the file itself
        self.blanked_lines: set[int] = set()  # headers and faulty rows, converted to blank lines
        self.lacks_tag = False  # of a run in a layout without tags
        self._groups: dict[Kind, _Group] = {}
        self._latest: Kind | None = None  # of the kinds with few problems, if there are many kinds
        self._at_end: list[Callable[[], Problem]] = []
        self._warnings: dict[str, list[Any]] = {}  # code: [count, line, message, field, value]

    @property
    def problems(self) -> list[Problem]:
        found = [each for group in self._groups.values() for each in group.problems(self.records)]
        return sorted(map(self._at_source, found), key=_place)[:SHOWN_PROBLEMS]

    def _at_source(self, problem: Problem) -> Problem:
        if self.source_lines is None or problem.line is None:
            return problem
        return replace(problem, line=self.source_lines[problem.line - 1])

    def add(self, problem: Problem) -> None:
        self.total += 1
        kind = _kind(problem)
        if kind in self._groups or self._has_room_for(problem):
            self._groups.setdefault(kind, _Group()).add(problem)

    def add_at_end(self, describe: Callable[[], Problem]) -> None:
        """Count a problem now, and describe it when the whole file is known."""
        self.total += 1
        self._at_end.append(describe)

    def _has_room_for(self, problem: Problem) -> bool:
        """A file can have a million different problems. The earliest are kept."""
        if len(self._groups) < MAX_KINDS:
            return True
        if self._latest is None:
            alone = (kind for kind, group in self._groups.items() if group.count < REPEATED)
            # Kept until it is replaced: a search for it at each of a million problems would take
            # long.
            self._latest = max(
                alone, key=lambda kind: _place(self._groups[kind].first[0]), default=None
            )
        if self._latest is None or _place(problem) >= _place(self._groups[self._latest].first[0]):
            return False
        del self._groups[self._latest]
        self._latest = None
        return True

    def add_rows(self, rows: Iterable[int], count: int, describe: Callable[[int], Problem]) -> None:
        """Count the problems of `count` rows (in line order), describing no more than 1,000. If the
        second half of these are equal, the others count as equal too: only the first line of a file
        may be a header."""
        described = [describe(row) for row in islice(rows, DESCRIBED)]
        for problem in described:
            self.add(problem)
        left = count - len(described)
        self.total += left
        kinds = set(map(_kind, described[len(described) // 2 :]))
        if len(kinds) == 1 and (group := self._groups.get(kinds.pop())):
            group.count += left
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
        warnings = []
        for code, (count, line, message, field, value) in self._warnings.items():
            chosen = ONE_OR_MANY.sub(r"\1" if count == 1 else r"\2", message)
            text = chosen.replace("{n}", f"{count:,}")
            warnings.append(self._at_source(Problem(code, line, text, field, value)))
        return tuple(sorted(warnings, key=lambda w: (w.line is None, w.line or 0, w.code)))

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Refuse the file at the end if it has problems, or when reading stops."""
        refused = FormatError
        try:
            yield
        except FormatError as error:
            refused = LimitReached if isinstance(error, LimitReached) else FormatError
            for problem in error.problems:
                self.add(problem)
        # They are counted already, and `add` counts them again.
        self.total -= len(self._at_end)
        for describe in self._at_end:
            self.add(describe())
        if self.total:
            raise refused(self.problems, self.total, self.warnings)
