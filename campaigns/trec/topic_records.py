"""A topic as every format gives it, and the rules that hold for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from campaigns.trec.blocks import unseen_name
from campaigns.trec.problems import Problem, ProblemList, refuse, shown
from campaigns.trec.topic_column import TOPIC_BYTES

MAX_TOPICS = 10_000
MAX_FIELDS = 100  # of one topic
ASCII_BLANKS = re.compile(r"[ \t\n\v\f\r]+")
# Neither a page nor an XML file may carry these.
FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
ID_NAMES = ("number", "num", "id", "_id", "qid", "query_id", "topic_id", "topic", "uid")


@dataclass(frozen=True)
class ParsedTopic:
    """One topic: its code is text (`001` is not `1`), its fields stand in file order."""

    code: str
    fields: tuple[tuple[str, str], ...]  # (name, text), white space made single


@dataclass(frozen=True)
class RawTopic:
    """A topic as it stands in the file, unchecked; `code` is None where there is none."""

    line: int
    code: str | None
    fields: tuple[tuple[str, str], ...]


def squeezed(text: str) -> str:
    """The text with every run of white space made one space."""
    return ASCII_BLANKS.sub(" ", text).strip(" ")


def checked_topics(
    raw_topics: Iterable[RawTopic], findings: ProblemList
) -> tuple[ParsedTopic, ...]:
    """The topics in file order; what is wrong with them goes to `findings`."""
    topics: list[ParsedTopic] = []
    lines: dict[str, int] = {}
    for raw in raw_topics:
        if len(topics) == MAX_TOPICS:
            refuse("TOO_MANY", f"more than {MAX_TOPICS:,} topics", raw.line)
        code = (raw.code or "").strip(" \t\n\v\f\r")
        fields = tuple((squeezed(name), squeezed(text)) for name, text in raw.fields)
        fields = tuple((name, text) for name, text in fields if text)
        if len(raw.fields) >= MAX_FIELDS:
            refuse("TOO_MANY", f"{MAX_FIELDS:,} fields or more in one topic", raw.line)
        problem = _code_problem(code, raw.line) or _text_problem(fields, raw.line)
        if problem is None and code in lines:
            message = f"topic is already on line {lines[code]}"
            problem = Problem("DUP", raw.line, message, None, shown(code))
        if problem:
            findings.add(problem)
        lines.setdefault(code, raw.line)
        topics.append(ParsedTopic(code, fields))
    return tuple(topics)


def _code_problem(code: str, line: int) -> Problem | None:
    message = ""
    if not code:
        message = "the topic has no id"
    elif FORBIDDEN.search(code):
        message = "topic id contains a control character"
    elif ASCII_BLANKS.search(code):
        message = "topic id contains white space"
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
    if not fields:
        return Problem("FIELDS", line, "the topic has no text (title, query, description ...)")
    for name, text in fields:
        found = FORBIDDEN.search(text) or FORBIDDEN.search(name)
        if found:
            code = f"U+{ord(found.group()):04X}"
            message = f"the text of '{shown(name)}' contains the control character {code}"
            return Problem("CTRL", line, message)
    return None
