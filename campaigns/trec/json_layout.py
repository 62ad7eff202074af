"""JSON of the form `{topic: {document: number}}`, as pytrec_eval and ranx have it, by entries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Final, NamedTuple, NoReturn

from campaigns.trec.columns import MAX_TOPICS
from campaigns.trec.foreign import FORM_OF_JSON
from campaigns.trec.problems import FormatError, Problem, ProblemList, refuse, shown

# Not strict: a control character in a key is reported by its line, as in other layouts.
DECODER: Final = JSONDecoder(strict=False)
BLANKS: Final = re.compile(r"[ \t\r\n]*")
VALUE: Final = re.compile(r"[^,}\]\[{ \t\r\n\"]+")
NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
SPACE: Final = re.compile(r"[\x00- ]")
# What UTF-8 cannot write. "\udc80" to "\udcff" are the bytes of the file that are not UTF-8.
LONE_SURROGATE: Final = re.compile("[\ud800-\udc7f\udd00-\udfff]")


class Entry(NamedTuple):
    line: int
    topic: str
    doc_id: str
    number: str  # as it is written


def json_entries(text: str, findings: ProblemList) -> Iterator[Entry | None]:
    """All entries, also those with problems, and None for each topic, so that the caller can look
    at the time. Raises FormatError at the first place that is not of this form, for more topics
    than a file may have, and at the end if there are problems."""
    scanner = _Scanner(text)
    topics: set[str] = set()
    for topic in scanner.members():
        yield None
        if len(topics) == MAX_TOPICS:
            refuse("TOO_MANY", f"more than {MAX_TOPICS:,} different topics", scanner.line)
        if topic in topics:
            message = "the topic is already in the file"
            findings.add(Problem("DUP", scanner.line, message, None, shown(topic)))
        topics.add(topic)
        _check_id(topic, "topic", scanner.line, findings)
        for doc_id in scanner.members():
            number = scanner.number()
            line = scanner.line
            findings.records += 1
            _check_id(doc_id, "document", line, findings)
            yield Entry(line, topic, doc_id, number)
    scanner.end()
    if findings.total:
        raise FormatError(())  # `gathered` adds what is known


def _check_id(value: str, what: str, line: int, findings: ProblemList) -> None:
    if not value or SPACE.search(value):
        message = f"the id of the {what} is empty or contains white space"
        findings.add(Problem("FIELDS", line, message, None, shown(value)))
    if fault := surrogate_fault(value):
        findings.add(Problem("ENCODING", line, fault, None, shown(value)))


def surrogate_fault(text: str) -> str:
    """What is wrong with a text that UTF-8 cannot write; "" for others."""
    found = LONE_SURROGATE.search(text)
    if found is None:
        return ""
    return f"\\u{ord(found[0]):04x} is half of a character: write both halves, or the character"


class _Scanner:
    """Reads a text from its beginning to its end, and counts lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.line = 1
        self._at = 0
        self._counted = 0

    def members(self) -> Iterator[str]:
        """The keys of an object. The caller reads the value of each before the next key."""
        self._expect("{")
        if self._next() == "}":
            self._at += 1
            return
        while True:
            if self._next() != '"':
                self._refuse("a key in double quotes is missing")
            try:
                key, self._at = DECODER.raw_decode(self.text, self._at)
            except JSONDecodeError as error:
                self._refuse(error.msg)
            self._expect(":")
            yield str(key)
            sign = self._next()
            self._at += 1
            if sign == "}":
                return
            if sign != ",":
                self._refuse("a comma or a closing brace is missing")

    def number(self) -> str:
        self._next()
        matched = VALUE.match(self.text, self._at)
        if matched is None or not NUMBER.fullmatch(matched[0]):
            found = matched[0] if matched else self.text[self._at : self._at + 1]
            self._refuse("the value of a document is not a number", found)
        self._at = matched.end()
        return matched[0]

    def end(self) -> None:
        if self._next():
            self._refuse("text follows the closing brace")

    def _expect(self, sign: str) -> None:
        if self._next() != sign:
            self._refuse(f"{'an object' if sign == '{' else 'a colon'} is missing")
        self._at += 1

    def _next(self) -> str:
        """The next character that is not blank, "" at the end."""
        matched = BLANKS.match(self.text, self._at)
        self._at = matched.end() if matched else self._at
        # Counted from where the last count ended: from the beginning would take quadratic time.
        self.line += self.text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self.text[self._at : self._at + 1]

    def _refuse(self, fault: str, value: str = "") -> NoReturn:
        refuse("JSON", f"{fault}: {FORM_OF_JSON}", self.line, value)
