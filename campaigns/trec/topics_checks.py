"""Topics as they are written and as they are kept, and the rules for all formats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from campaigns.trec.blocks import unseen_name
from campaigns.trec.columns import TOPIC_BYTES
from campaigns.trec.problems import Problem, ProblemList, refuse, shown

MAX_TOPICS = 10_000
MAX_FIELDS = 100  # of one topic
ASCII_BLANKS = re.compile(r"[ \t\n\v\f\r]+")
# Not allowed in HTML or XML.
FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
# The first that a topic has.
ID_NAMES = (
    *("qid", "query_id", "q_id", "queryid", "question_id", "topic_id", "topicid"),
    *("number", "num", "id", "_id", "uid", "identifier", "topic"),
)
# Of the field that is the query, in this order. Others are attributes, languages or categories.
QUERY_NAMES = ("title", "query", "question", "text", "utterance", "raw_utterance")
NO_ID = "the topic has no id"
WHITE_SPACE = "topic id contains white space"
NO_IDS = (NO_ID, WHITE_SPACE)
# Of the topics, in a file of texts without ids: a text of one word looks like an id.
WITHOUT_IDS = 0.9
NAMED = 10  # fields, in a warning
# What is left where text in Windows-1252 was taken for Latin-1, and the character that was meant.
REMAINS = re.compile("[\x7f-\x9f]")
MEANT = {code: bytes([code]).decode("cp1252", "replace") for code in range(0x80, 0xA0)}
MEANT = {0x7F: " "} | {code: " " if each == "\ufffd" else each for code, each in MEANT.items()}
WINDOWS_1252 = (
    "{n} {text has|texts have} control characters that are remains of Windows-1252: they became the"
    " characters of Windows-1252"
)


@dataclass(frozen=True)
class ParsedTopic:
    """One topic: its code is text (`001` is not `1`), its fields are in file order."""

    code: str
    fields: tuple[tuple[str, str], ...]  # (name, text) with single spaces


@dataclass(frozen=True)
class RawTopic:
    """A topic as written in the file, unchecked. `code` is None if it has none."""

    line: int
    code: str | None
    fields: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...] = ()  # names of fields that are not text


def squeezed(text: str) -> str:
    """The text with each sequence of white space replaced by one space."""
    return ASCII_BLANKS.sub(" ", text).strip(" ")


def query_field(fields: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Name and text of the field that is the query, of unknown fields the first; empty texts if
    there is none."""
    by_name = {name.lower(): (name, text) for name, text in reversed(fields)}
    first = fields[0] if fields else ("", "")
    return next((by_name[name] for name in QUERY_NAMES if name in by_name), first)


def refuse_more(most: int, line: int) -> NoReturn:
    """Raises FormatError for a file of more topics than this."""
    message = f"more than {most:,} topics in one file: divide it, or have the site's limit raised"
    refuse("TOO_MANY", message, line)


def checked_topics(
    raw_topics: Iterable[RawTopic], findings: ProblemList, most: int
) -> tuple[ParsedTopic, ...]:
    """The topics in file order. Their problems go to `findings`."""
    topics = _Topics(findings)
    for raw in raw_topics:
        if len(topics.checked) == most:
            refuse_more(most, raw.line)
        topics.add(raw)
    topics.finish()
    return tuple(topics.checked)


class _Topics:
    """Checks topics one by one, and in the end what concerns all of them."""

    def __init__(self, findings: ProblemList) -> None:
        self.checked: list[ParsedTopic] = []
        self._findings = findings
        self._lines: dict[str, int] = {}
        self._without_id: list[Problem] = []
        self._without_text: list[Problem] = []
        self._left_out: dict[str, None] = {}  # names of fields that are not text
        self._incomplete: list[int] = []  # lines of the topics that had them

    def add(self, raw: RawTopic) -> None:
        code = (raw.code or "").strip(" \t\n\v\f\r")
        if len(raw.fields) >= MAX_FIELDS:
            refuse("TOO_MANY", f"{MAX_FIELDS:,} fields or more in one topic", raw.line)
        fields = tuple(
            (squeezed(name), squeezed(self._restored(text, raw.line))) for name, text in raw.fields
        )
        fields = tuple((name, text) for name, text in fields if text)
        problem = _code_problem(code, raw.line) or _text_problem(fields, raw.line)
        if problem is None and code in self._lines:
            message = f"topic is already on line {self._lines[code]}"
            problem = Problem("DUP", raw.line, message, None, shown(code))
        # Held back until the end: if nearly all topics have none, the file has one fault.
        if problem and problem.message in NO_IDS:
            self._without_id.append(problem)
        elif problem:
            self._findings.add(problem)
        elif not fields:
            self._without_text.append(_without_text(raw))
        self._note_left_out(raw)
        self._lines.setdefault(code, raw.line)
        self.checked.append(ParsedTopic(code, fields))

    def _restored(self, text: str, line: int) -> str:
        if not REMAINS.search(text):
            return text
        self._findings.warn("WINDOWS_1252", WINDOWS_1252, line=line)
        return text.translate(MEANT)

    def _note_left_out(self, raw: RawTopic) -> None:
        if raw.left_out:
            self._incomplete.append(raw.line)
        for name in raw.left_out:
            # One more than are named, to know whether there are others.
            if len(self._left_out) <= NAMED:
                self._left_out[shown(name)] = None

    def finish(self) -> None:
        """A file of texts without ids, or of ids without texts, has one fault."""
        names = ", ".join(list(self._left_out)[:NAMED])
        more = " and others" if len(self._left_out) > NAMED else ""
        message = f"fields that are not text are left out of {{n}} {{topic|topics}}: {names}{more}"
        if self._incomplete:
            line, incomplete = self._incomplete[0], len(self._incomplete)
            self._findings.warn("LEFT_OUT", message, line=line, count=incomplete)
        count = len(self._without_id)
        if count > 1 and count >= WITHOUT_IDS * len(self.checked):
            first = self._without_id[0]
            topics = f"{count:,} of {len(self.checked):,} topics"
            message = f"{topics} have no id, or one with white space: add the ids that qrels name"
            refuse("TOPIC", message, first.line, first.value)
        for each in self._without_id:
            self._findings.add(each)
        for each in self._without_text:
            if len(self._without_text) == len(self.checked):
                self._findings.add(each)
            else:
                message = "{n} {topic has|topics have} no text"
                self._findings.warn("NO_TEXT", message, line=each.line, value=each.value)


def _without_text(raw: RawTopic) -> Problem:
    others = f": {', '.join(map(shown, raw.left_out[:3]))} is not text" if raw.left_out else ""
    message = f"the topic has no text (title, query, description ...){others}"
    return Problem("FIELDS", raw.line, message, None, shown(raw.code or ""))


def _code_problem(code: str, line: int) -> Problem | None:
    message = ""
    if not code:
        message = NO_ID
    elif FORBIDDEN.search(code):
        message = "topic id contains a control character"
    elif ASCII_BLANKS.search(code):
        message = WHITE_SPACE
    elif unseen_name(code.encode()):
        message = f"topic id contains {unseen_name(code.encode())}"
    elif code.startswith("#"):
        message = "topic id begins with #, which begins a comment in runs and qrels"
    elif {".", ".."} & set(code.split("/")):
        message = "topic id contains a path segment . or .., which browsers remove from URLs"
    elif len(code.encode()) > TOPIC_BYTES:
        message = f"topic id of {len(code.encode()):,} bytes, at most {TOPIC_BYTES} allowed"
    return Problem("TOPIC", line, message, None, shown(code)) if message else None


def _text_problem(fields: tuple[tuple[str, str], ...], line: int) -> Problem | None:
    for name, text in fields:
        found = FORBIDDEN.search(text) or FORBIDDEN.search(name)
        if found:
            code = f"U+{ord(found.group()):04X}"
            message = f"the text of '{shown(name)}' contains the control character {code}"
            return Problem("CTRL", line, message)
    return None
