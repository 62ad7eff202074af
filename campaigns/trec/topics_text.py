"""Topics in formats of text: TREC's SGML-like tags and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from campaigns.trec.csv_rows import (
    columns_fault,
    csv_cells,
    csv_rows,
    refuse_stray_cr,
    separator_of,
)
from campaigns.trec.problems import Problem, ProblemList, refuse, shown
from campaigns.trec.topics_checks import ID_NAMES, MAX_FIELDS, RawTopic, refuse_more

COLUMN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_ -]{0,63}")
ROW_CHARACTERS = 1 << 20
QUERY = "query"  # the field name in formats without names
COLON = re.compile(r"\w+:")  # of TREC's Web Track and Million Query Track
TOP = re.compile(r"<top\b[^<>]*>", re.IGNORECASE)
# Around all topics: their tags, before which an XML declaration or a comment may stand.
BEFORE = re.compile(r"<[^<>]*>")
AFTER = re.compile(r"</[^<>]*>")
END_OF_TOP = re.compile(r"</top\s*>", re.IGNORECASE)
TREC_NAMES = frozenset({"num", "number", "title", "desc", "description", "narr", "narrative"})
TREC_NAMES |= {"query", "question", "smry", "con", "fac", "def", "dom"}
OF_DOCUMENTS = frozenset({"docno", "docid", "doc_id", "corpus_id", "document", "document_id"})
OF_LINES = frozenset({"score", "rank", "grade", "relevance", "rel", "label", "rating"})
NUMBER_NAMES = ("num", "number")
# Known names begin a field anywhere, others only at the start of a line: they may be text.
TAG = re.compile(r"(^[^\S\n]*)?<([A-Za-z][A-Za-z0-9_.-]{0,63})\s*>", re.MULTILINE)
LABELS = {
    "num": re.compile(r"\A\s*(?:Number|Topic)\s*:", re.IGNORECASE),
    "title": re.compile(r"\A\s*Topic\s*:", re.IGNORECASE),
    "desc": re.compile(r"\A\s*Description\s*:", re.IGNORECASE),
    "narr": re.compile(r"\A\s*Narrative\s*:", re.IGNORECASE),
}


def trec_topics(text: str, findings: ProblemList, most: int) -> Iterator[RawTopic]:
    """Topics between `<top>` and `</top>`. End tags of fields are optional, and so are tags around
    all topics."""
    # One more than allowed: the caller refuses the file when it meets that topic.
    starts = list(islice(TOP.finditer(text), most + 1))
    if BEFORE.sub("", text[: starts[0].start()]).strip():
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
        after = text[end.end() : stop] if end else ""
        if (AFTER.sub("", after) if stop == len(text) else after).strip():
            begin = stop - len(after.lstrip())
            there = line + text.count("\n", start.start(), begin)
            message = "there is text after the </top> of the topic: remove it"
            findings.add(Problem("FIELDS", there, message))
        codes = [value for name, value in fields if name in NUMBER_NAMES]
        if len(codes) > 1:
            message = "the topic has two numbers: a </top> is missing, or one number is too many"
            findings.add(Problem("TOPIC", line, message, None, shown(codes[1].strip())))
        code = codes[0] if codes else None
        rest = tuple(field for field in fields if field[0] not in NUMBER_NAMES)
        yield RawTopic(line, code, rest)


def _trec_fields(body: str) -> tuple[list[tuple[str, str]], bool]:
    """Names and texts, and whether every field had its end tag."""
    tags = (t for t in TAG.finditer(body) if t[1] is not None or t[2].lower() in TREC_NAMES)
    # As many fields are refused by `checked_topics`; a file of tags alone would take long.
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


def topic_rows(text: str, most: int) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers. Lines with an error count against the limit of
    topics too, because a million of them would take minutes to report."""
    rows = 0
    for line, row in enumerate(text.split("\n"), 1):
        if len(row) > ROW_CHARACTERS:
            refuse("LINE_TOO_LONG", f"the line is longer than {ROW_CHARACTERS:,} characters", line)
        if row.strip():
            rows += 1
            if rows > most:
                refuse_more(most, line)
            if "\r" in row.rstrip("\r"):
                refuse_stray_cr(line)
            yield line, row


def table_topics(text: str, findings: ProblemList, most: int) -> Iterator[RawTopic]:
    """`code TAB text` lines, where further tabs belong to the text; or a table with a header, with
    tabs, commas or semicolons, whose columns are the fields."""
    line, row = next(topic_rows(text, most), (0, ""))
    names = _header(row.split("\t"))
    # Else it may be a topic: further tabs belong to the text.
    texts = TREC_NAMES | {"text"}
    if names and (_is_id(names[0]) or all(_is_id(n) or _plain(n) in texts for n in names)):
        cells = (
            (number, each.split("\t")) for number, each in topic_rows(text, most) if number > line
        )
        yield from _named_columns(cells, names, findings)
    elif "\t" not in row and (names := _header(csv_cells(row, separator := separator_of(row)))):
        yield from _named_columns(_csv_rows(text, line, separator, most), names, findings)
    else:
        for line, row in topic_rows(text, most):
            code, tab, query = row.partition("\t")
            if tab:
                yield RawTopic(line, code, ((QUERY, query),))
                continue
            hint = ". CSV needs a header, such as qid,query" if "," in row or ";" in row else ""
            hint = ". Write a tab for the colon after the id" if COLON.match(row) else hint
            message = f"1 column, 2 expected: topic id, tab, text{hint}"
            findings.add(Problem("FIELDS", line, message, None, shown(row)))


def _header(cells: list[str]) -> list[str]:
    """The names of the columns if these cells are a header: one is a name of the id."""
    names = [cell.strip(" \r") for cell in cells]
    is_header = len(names) > 1 and any(map(_is_id, names))
    return names if is_header and all(map(COLUMN_NAME.fullmatch, names)) else []


def _is_id(name: str) -> bool:
    return _plain(name) in ID_NAMES


def _plain(name: str) -> str:
    return re.sub("[- ]", "_", name.lower())


def _named_columns(
    rows: Iterable[tuple[int, list[str]]], names: list[str], findings: ProblemList
) -> Iterator[RawTopic]:
    plain = [_plain(name) for name in names]
    if set(plain) & OF_DOCUMENTS and set(plain) & OF_LINES:
        refuse("TYPE", "the table has documents with scores or grades: it is a run or qrels", 1)
    place = plain.index(next(name for name in ID_NAMES if name in plain))
    for line, cells in rows:
        if len(cells) != len(names):
            message = columns_fault(cells, names)
            findings.add(Problem("FIELDS", line, message, None, shown(" ".join(cells))))
            continue
        fields = list(zip(names, cells, strict=True))
        _, code = fields.pop(place)
        yield RawTopic(line, code, tuple(fields))


def _csv_rows(text: str, header: int, separator: str, most: int) -> Iterator[tuple[int, list[str]]]:
    """The rows after the header; a quoted cell can have several lines."""
    rows = 0
    for line, _, cells in csv_rows(text, separator):
        if line > header and any(cell.strip() for cell in cells):
            rows += 1
            if rows > most:
                refuse_more(most, line)
            yield line, cells
