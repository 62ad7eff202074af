"""Topics, the rules for all formats, and the formats other than XML: TREC's SGML-like tags, tables
of two columns and JSON lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from campaigns.trec.blocks import unseen_name
from campaigns.trec.columns import TOPIC_BYTES
from campaigns.trec.csv_rows import columns_fault, csv_cells, csv_rows, separator_of
from campaigns.trec.problems import Problem, ProblemList, refuse, shown

MAX_TOPICS = 10_000
MAX_FIELDS = 100  # of one topic
ASCII_BLANKS = re.compile(r"[ \t\n\v\f\r]+")
# Not allowed in HTML or XML.
FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
COLUMN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_ -]{0,63}")
METADATA = "metadata"  # of BEIR and MTEB: an object, which is left out
ID_NAMES = ("number", "num", "id", "_id", "qid", "query_id", "topic_id", "topic", "uid")


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


def squeezed(text: str) -> str:
    """The text with each sequence of white space replaced by one space."""
    return ASCII_BLANKS.sub(" ", text).strip(" ")


def checked_topics(
    raw_topics: Iterable[RawTopic], findings: ProblemList
) -> tuple[ParsedTopic, ...]:
    """The topics in file order. Their problems go to `findings`."""
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


# --- TREC's form, tables, JSON lines --------------------------------------------------------------

ROW_CHARACTERS = 1 << 20
QUERY = "query"  # the field name in formats without names
TOP = re.compile(r"<top\b[^<>]*>", re.IGNORECASE)
END_OF_TOP = re.compile(r"</top\s*>", re.IGNORECASE)
TREC_NAMES = frozenset({"num", "number", "title", "desc", "description", "narr", "narrative"})
TREC_NAMES |= {"query", "question", "smry", "con", "fac", "def", "dom"}
NUMBER_NAMES = ("num", "number")
# Known names begin a field anywhere, others only at the start of a line: they may be text.
TAG = re.compile(r"(^[^\S\n]*)?<([A-Za-z][A-Za-z0-9_.-]{0,63})\s*>", re.MULTILINE)
LABELS = {
    "num": re.compile(r"\A\s*(?:Number|Topic)\s*:", re.IGNORECASE),
    "title": re.compile(r"\A\s*Topic\s*:", re.IGNORECASE),
    "desc": re.compile(r"\A\s*Description\s*:", re.IGNORECASE),
    "narr": re.compile(r"\A\s*Narrative\s*:", re.IGNORECASE),
}


def trec_topics(text: str, findings: ProblemList) -> Iterator[RawTopic]:
    """Topics between `<top>` and `</top>`. End tags of fields are optional."""
    starts = list(islice(TOP.finditer(text), MAX_TOPICS + 1))
    if text[: starts[0].start()].strip():
        refuse("FIELDS", "there is text before the first <top>: remove it", 1)
    stops = [start.start() for start in starts[1:]] + [len(text)]
    line, counted = 1, 0
    for start, stop in zip(starts, stops, strict=True):
        line += text.count("\n", counted, start.start())
        counted = start.start()
        end = END_OF_TOP.search(text, start.end(), stop)
        fields, is_closed = _trec_fields(text[start.end() : end.start() if end else stop])
        if not (end and is_closed):
            message = "{n} {topic has|topics have} unclosed tags, which is common at TREC"
            findings.warn("UNCLOSED", message, line=line)
        if end and text[end.end() : stop].strip():
            findings.add(
                Problem("FIELDS", line, "there is text after the </top> of the topic: remove it")
            )
        code = next((value for name, value in fields if name in NUMBER_NAMES), None)
        rest = tuple(field for field in fields if field[0] not in NUMBER_NAMES)
        yield RawTopic(line, code, rest)


def _trec_fields(body: str) -> tuple[list[tuple[str, str]], bool]:
    """Names and texts, and whether every field had its end tag."""
    tags = (tag for tag in TAG.finditer(body) if tag[1] is not None or _is_known(tag))
    begins = list(islice(tags, MAX_FIELDS))
    stops = [tag.start(2) - 1 for tag in begins] + [len(body)]
    fields = [(QUERY, body[: stops[0]])]  # usually blank, and then left out
    is_closed = True
    for tag, stop in zip(begins, stops[1:], strict=True):
        name = tag[2].lower()
        text = body[tag.end() : stop]
        cut = text.lower().rfind(f"</{name}>")
        is_closed &= cut >= 0
        text = text[:cut] if cut >= 0 else text
        fields.append((name, LABELS[name].sub("", text, count=1) if name in LABELS else text))
    return fields, is_closed


def _is_known(tag: re.Match[str]) -> bool:
    return tag[2].lower() in TREC_NAMES


def _rows(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers. Lines with an error count against the limit of
    topics too, because a million of them would take minutes to report."""
    rows = 0
    for line, row in enumerate(text.split("\n"), 1):
        if len(row) > ROW_CHARACTERS:
            refuse("LINE_TOO_LONG", f"the line is longer than {ROW_CHARACTERS:,} characters", line)
        if row.strip():
            rows += 1
            if rows > MAX_TOPICS:
                refuse("TOO_MANY", f"more than {MAX_TOPICS:,} topics", line)
            yield line, row


def table_topics(text: str, findings: ProblemList) -> Iterator[RawTopic]:
    """`code TAB text` lines, where further tabs belong to the text; or a table with a header, with
    tabs, commas or semicolons, whose columns are the fields."""
    line, row = next(_rows(text), (0, ""))
    names = _header(row.split("\t"))
    if names and _is_id(names[0]):  # else it may be a topic: further tabs belong to the text
        cells = ((number, each.split("\t")) for number, each in _rows(text) if number > line)
        yield from _named_columns(cells, names, findings)
    elif "\t" not in row and (names := _header(csv_cells(row, separator := separator_of(row)))):
        yield from _named_columns(_csv_rows(text, line, separator), names, findings)
    else:
        yield from _two_columns(text, findings)


def _two_columns(text: str, findings: ProblemList) -> Iterator[RawTopic]:
    for line, row in _rows(text):
        code, tab, query = row.partition("\t")
        if not tab:
            is_csv = "," in row or ";" in row
            hint = ". CSV needs a header, such as qid,query" if is_csv else ""
            message = f"1 column, 2 expected: topic id, tab, text{hint}"
            findings.add(Problem("FIELDS", line, message, None, shown(row)))
            continue
        yield RawTopic(line, code, ((QUERY, query),))


def _header(cells: list[str]) -> list[str]:
    """The names of the columns if these cells are a header: one is a name of the id."""
    names = [cell.strip(" \r") for cell in cells]
    is_header = len(names) > 1 and any(map(_is_id, names))
    return names if is_header and all(map(COLUMN_NAME.fullmatch, names)) else []


def _is_id(name: str) -> bool:
    return name.lower().replace("-", "_") in ID_NAMES


def _named_columns(
    rows: Iterable[tuple[int, list[str]]], names: list[str], findings: ProblemList
) -> Iterator[RawTopic]:
    place = next(place for place, name in enumerate(names) if _is_id(name))
    for line, cells in rows:
        if len(cells) != len(names):
            message = columns_fault(cells, names)
            findings.add(Problem("FIELDS", line, message, None, shown(" ".join(cells))))
            continue
        fields = list(zip(names, cells, strict=True))
        _, code = fields.pop(place)
        yield RawTopic(line, code, tuple(fields))


def _csv_rows(text: str, header: int, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows after the header; a quoted cell can have several lines."""
    rows = 0
    for line, _, cells in csv_rows(text, separator):
        if line > header and any(cell.strip() for cell in cells):
            rows += 1
            if rows > MAX_TOPICS:
                refuse("TOO_MANY", f"more than {MAX_TOPICS:,} topics", line)
            yield line, cells


class _Raw(str):
    """A JSON number as it is written: `1e3` stays `1e3`."""

    __slots__ = ()


def json_topics(text: str, findings: ProblemList) -> Iterator[RawTopic]:
    """One JSON object on each line: an id and texts."""
    for line, row in _rows(text):
        try:
            yield _json_topic(line, row)
        except ValueError as error:
            findings.add(Problem("JSON", line, str(error), None, shown(row)))


def _json_topic(line: int, row: str) -> RawTopic:
    try:
        pairs = _DECODER.decode(row.strip())
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    if not isinstance(pairs, _Pairs):
        raise ValueError("not a JSON object")
    code = next((pairs.get(name) for name in ID_NAMES if name in pairs), None)
    if code is not None and not isinstance(code, str):
        raise ValueError("the id is neither text nor a number")
    fields = []
    for name, value in pairs.items():
        if name == METADATA and not isinstance(value, str):
            continue
        if not isinstance(value, str):
            raise ValueError(f"'{shown(name)}' is not text")
        fields.append((name, str(value)))
    id_name = next((name for name in ID_NAMES if name in pairs), None)
    rest = tuple((name, value) for name, value in fields if name != id_name)
    return RawTopic(line, None if code is None else str(code), rest)


class _Pairs(dict[str, Any]):
    """A JSON object without repeated keys."""


def _pairs(items: list[tuple[str, Any]]) -> _Pairs:
    pairs = _Pairs(items)
    if len(pairs) < len(items):
        raise ValueError("a key is repeated")
    return pairs


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs,
    parse_int=_Raw,
    parse_float=_Raw,
    parse_constant=_no_constant,
)
