"""Documents in JSON: one object on each line, objects over several lines, or one array of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NoReturn

from campaigns.trec.documents_checks import (
    ID_NAMES,
    TEXT_CHARACTERS,
    TEXT_NAMES,
    FieldNames,
    RawDocument,
    field_name,
)
from campaigns.trec.documents_trec import plain_text
from campaigns.trec.problems import Problem, ProblemList, refuse, shown
from campaigns.trec.topics_checks import squeezed
from campaigns.trec.topics_json import JsonNumber

OBJECT_CHARACTERS: Final = 4 * TEXT_CHARACTERS
# A string, a bracket, or a quote that is not closed on its line, as JSON demands.
TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]"]')
READ_NAMES: Final = (*ID_NAMES, *TEXT_NAMES, "title", "headline")
# Parts of an article of the Washington Post that are its title or no text.
TITLE_PART: Final = "title"
OTHER_PARTS: Final = (TITLE_PART, "date")
PART_NAMES: Final = ("content", "text", "fullcaption", "blurb")


def json_documents(
    first: tuple[int, str],
    lines: Iterator[tuple[int, str]],
    names: FieldNames,
    findings: ProblemList,
) -> Iterator[RawDocument]:
    """Faulty objects go to `findings`. Raises FormatError where an array, or an object over several
    lines, is not JSON."""
    for line, text in json_objects(first, lines):
        try:
            record = json_record(text)
            texts = [paragraphs_of(record, name) for name in names.text if name in record]
            ids = (_text_of(record, name) for name in names.doc_id if name in record)
            yield RawDocument(
                line=line,
                doc_id=next(ids, ""),
                title=squeezed(_title(record)),
                text=next(filter(None, texts), ""),
            )
        except ValueError as error:
            findings.add(Problem("JSON", line, str(error), None, shown(text)))


def json_objects(
    first: tuple[int, str], lines: Iterator[tuple[int, str]]
) -> Iterator[tuple[int, str]]:
    """The text of each object and the line on which it begins. The first line that is not blank
    tells how the file is written."""
    head = first[1].strip()
    every = chain([first], lines)
    if head.startswith("[") or not (head.endswith("}") or _is_json(head)):
        return _ObjectsOverLines().found(every)
    return ((number, line) for number, line in every if line.strip())


def json_record(text: str) -> dict[str, Any]:
    """The fields of an object by their names in lower case. Raises ValueError."""
    try:
        record = _DECODER.decode(text.strip())
    except json.JSONDecodeError as error:
        place = f" on its line {error.lineno}" if error.lineno > 1 else ""
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}{place}") from None
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    plain = {field_name(name): value for name, value in record.items()}
    # Names are compared without their case, so two keys can become one.
    if len(plain) < len(record):
        named = Counter(map(field_name, record))
        repeated = [name for name in READ_NAMES if named[name] > 1]
        if repeated:
            raise ValueError(f"the key '{repeated[0]}' is repeated, in another case")
    return plain


def paragraphs_of(record: Mapping[str, Any], name: str) -> str:
    """A text, which may be a list of paragraphs. Raises ValueError."""
    value = record.get(name)
    if not isinstance(value, list):
        return _text_of(record, name)
    parts = [_paragraph(part) for part in value if part is not None]
    if None in parts:
        raise ValueError(f"'{shown(name)}' is a list of what is not text")
    return "\n\n".join(filter(None, parts))


def _title(record: Mapping[str, Any]) -> str:
    """Also where CORD-19 and the Washington Post have it."""
    if title := _text_of(record, "title") or _text_of(record, "headline"):
        return title
    metadata = record.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("title"), str):
        return str(metadata["title"])
    parts = record.get("contents")
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and part.get("type") == TITLE_PART:
            return str(part.get("content") or "")
    return ""


def _fields(items: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(items)
    if len(record) < len(items):
        raise ValueError("a key is repeated")
    return record


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_fields, parse_int=JsonNumber, parse_float=JsonNumber
)


def _text_of(record: Mapping[str, Any], name: str) -> str:
    # null and an empty list count as missing.
    value = record.get(name) or ""
    if not isinstance(value, str):
        raise ValueError(f"'{shown(name)}' is not text")
    return value


def _paragraph(part: Any) -> str | None:
    """None if it is neither text nor an object that may have some, as a picture has a caption."""
    if not isinstance(part, dict):
        return part if isinstance(part, str) and not isinstance(part, JsonNumber) else None
    if part.get("type") in OTHER_PARTS:
        return ""
    text = next((part[key] for key in PART_NAMES if part.get(key)), "")
    if isinstance(text, dict):  # of a message elsewhere
        text = text.get("text", "")
    if isinstance(text, list):
        text = "\n\n".join(each for each in text if isinstance(each, str))
    if not isinstance(text, str):
        return ""
    return plain_text(text) if part.get("type") == "sanitized_html" else text


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


class _ObjectsOverLines:
    """Finds the ends of objects. Only one is in memory at a time, and between them is nothing but
    what JSON demands."""

    def __init__(self) -> None:
        self._separator: str | None = None  # between objects; None before the first
        self._outside = ""  # the text since the last object
        self._depth = 0  # open brackets of the object
        self._begin = 0
        self._kept: list[str] = []
        self._size = 0

    def found(self, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        number = 0
        for number, line in lines:
            yield from self._of_line(number, line)
        if self._depth:
            refuse("JSON", "not JSON: the object that begins here is not closed", self._begin)
        if self._outside not in (("]",) if self._separator else ("", "[]")):
            refuse("JSON", "not JSON: the file is cut, or a ] is missing", number)

    def _of_line(self, number: int, line: str) -> Iterator[tuple[int, str]]:
        at = 0
        for token in TOKEN.finditer(line):
            # A string is matched whole, so a quote alone is one that has no other on its line.
            if token[0] == '"':
                message = "not JSON: a quote is not closed on its line, or one is too many"
                refuse("JSON", message, number, line[token.start() :])
            if self._depth == 0 and token[0] == "{":
                self._open(number, self._outside + line[at : token.start()].strip())
                at = token.start()
            elif self._depth and token[0] in "{[":
                self._depth += 1
            elif self._depth and token[0] in "}]":
                self._depth -= 1
                if self._depth == 0:
                    yield self._begin, "\n".join([*self._kept, line[at : token.end()]])
                    at, self._kept, self._size = token.end(), [], 0
        if self._depth:
            self._kept.append(line[at:])
            self._size += len(line[at:])
            if self._size > OBJECT_CHARACTERS:
                message = f"the object is longer than {OBJECT_CHARACTERS:,} characters"
                refuse("TOO_BIG", message, self._begin)
        else:
            self._outside += line[at:].strip()
            # What may stand at the end of a line outside of objects, by what stood between them so
            # far.
            ends = {None: ("", "[", "[]"), "": ("",), ",": ("", ",", "]")}
            if self._outside not in ends[self._separator]:
                self._refuse_outside(self._outside, number)

    def _open(self, number: int, outside: str) -> None:
        if self._separator is None and outside in ("", "["):
            self._separator = "," if outside else ""
        elif outside != self._separator:
            self._refuse_outside(outside, number)
        self._begin, self._depth, self._outside = number, 1, ""

    def _refuse_outside(self, outside: str, line: int) -> NoReturn:
        if self._separator == "," and not outside:
            refuse("JSON", "not JSON: a comma is missing before this object", line)
        message = "not JSON: an object is expected here"
        refuse("JSON", message + ", after one comma" * (self._separator == ","), line, outside)
