"""Topics in formats that are recognised by their content: TREC tags, XML, tables, JSON.

XML needs the package defusedxml. The other formats are read without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, NoReturn
from xml.etree.ElementTree import Element, ParseError, TreeBuilder
from xml.parsers.expat import ErrorString, errors
from xml.sax.saxutils import escape, quoteattr

from campaigns.trec.compression import read_text
from campaigns.trec.documents_trec import INLINE
from campaigns.trec.problems import Problem, ProblemList, refuse
from campaigns.trec.topics_checks import (
    ID_NAMES,
    MAX_TOPICS,
    ParsedTopic,
    RawTopic,
    checked_topics,
)
from campaigns.trec.topics_json import json_topics
from campaigns.trec.topics_text import QUERY, TOP, table_topics, trec_topics

try:
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser
except ModuleNotFoundError:
    HAS_XML = False
else:
    HAS_XML = True

MAX_TOPIC_BYTES = 16 << 20
XML_ENCODING = re.compile(r"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
UTF_8_NAMES = ("utf-8", "utf8", "us-ascii", "ascii")
FIRST_TAG = re.compile(r"\s*<[A-Za-z!?/]")
XML_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
MAX_ELEMENTS = 1_000_000
MAX_DECLARED_ATTRIBUTES = 100
CHILD_DEPTH = 2  # of the root's children
XML_IDS = (*ID_NAMES, "docno")
SECOND_ROOT = errors.codes[errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]
HINTS = {
    errors.codes[errors.XML_ERROR_INVALID_TOKEN]: ": write & as &amp; and < as &lt;",
    errors.codes[errors.XML_ERROR_MISPLACED_XML_PI]: (
        ". If several files were joined here, divide them"
    ),
}
PROLOG = re.compile(
    r"\s*(?:<\?xml\b[^>]*\?>)?\s*(?:<!DOCTYPE[^\[>]*\[[^\]]*\]\s*>)?", re.IGNORECASE
)
GENERIC = "field"  # the element for names that are not valid in XML
KEPT = ("name", "lang", "{http://www.w3.org/XML/1998/namespace}lang")  # or without a meaning


def read_topics(
    source: BinaryIO | bytes,
    *,
    max_bytes: int = MAX_TOPIC_BYTES,
    max_topics: int = MAX_TOPICS,
    on_warning: Callable[[Problem], None] | None = None,
) -> tuple[ParsedTopic, ...]:
    """Read a topics file, plain or gzipped, in UTF-8; the topics are in file order.

    Codes stay text as written. Topics without text are read if others of the file have text. A
    format without field names gives the name `query`. `on_warning` is called with each warning.
    Raises FormatError with the first 25 problems in line order and the number of all; TOO_BIG and
    TOO_MANY beyond `max_bytes` of plain data and `max_topics`.
    """
    findings = ProblemList()
    with findings.gathered():
        text = read_text(source, findings, max_bytes=max_bytes)
        topics = checked_topics(_raw_topics(text, findings, max_topics), findings, max_topics)
        if not topics and not findings.total:
            refuse("EMPTY", "the file contains no topic")
    if on_warning is not None:
        for warning in findings.warnings:
            on_warning(warning)
    return topics


def _raw_topics(text: str, findings: ProblemList, most: int) -> Iterator[RawTopic]:
    begin = text.lstrip()
    # TREC's tags look like XML, but need not be closed.
    if TOP.match(begin):
        return trec_topics(text, findings, most)
    if FIRST_TAG.match(begin):
        return _xml_topics(text, findings, most)
    if begin.startswith(("{", "[")):
        return json_topics(text, findings, most)
    return table_topics(text, findings, most)


def _xml_topics(text: str, findings: ProblemList, most: int) -> Iterator[RawTopic]:
    if not HAS_XML:
        refuse("TYPE", "the file is XML: install the package defusedxml to read it")
    declared = XML_ENCODING.match(text.lstrip()[:200])
    if declared and declared[1].lower() not in UTF_8_NAMES and not text.isascii():
        refuse("ENCODING", "the XML declares another encoding: only UTF-8 is read", 1, declared[1])
    try:
        return _elements(text, findings)
    except ParseError as error:
        fault = error
    # Topics without an element around them, as TREC's files often have them, are enclosed here.
    if fault.code == SECOND_ROOT:
        prolog = PROLOG.match(text)
        start = prolog.end() if prolog else 0
        try:
            return _elements(
                f"{text[:start]}<topics>{text[start:]}</topics>", findings, is_enclosed=True
            )
        except ParseError as error:
            fault = error
    if TOP.search(text):  # in TREC's layout, within other tags
        return trec_topics(text, findings, most)
    message = f"not well-formed XML: {ErrorString(fault.code)}{HINTS.get(fault.code, '')}"
    refuse("XML", message, fault.position[0])


# --- XML, without entities, and written ----------------------------------------------------------


class _Placed(TreeBuilder):
    """Builds the tree and records the lines where the root and its children begin and end."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int] = []
        self.ends: list[int] = []
        self.root_line = 0
        self.parser: DefusedXMLParser | None = None
        self._depth = 0
        self._count = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        line = self._line()
        self.root_line = self.root_line or line
        self._depth += 1
        self._count += 1
        if self._count > MAX_ELEMENTS:
            refuse("TOO_MANY", f"more than {MAX_ELEMENTS:,} elements", line)
        if self._depth == CHILD_DEPTH:
            self.lines.append(line)
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        if self._depth == CHILD_DEPTH:
            self.ends.append(self._line())
        self._depth -= 1
        return super().end(tag)

    def _line(self) -> int:
        return int(self.parser.parser.CurrentLineNumber) if self.parser else 0


def _elements(text: str, findings: ProblemList, *, is_enclosed: bool = False) -> Iterator[RawTopic]:
    """Every child of the root is a topic. Its id is an attribute or a child, the others are texts.
    Children without an id are left out if those of another name are topics.

    A DOCTYPE may declare elements and attributes, whose default values are not used. Raises
    ParseError, and FormatError for other declarations and, in a file that is enclosed here, for
    text between the topics.
    """
    data = text.encode()
    builder = _Placed()
    parser = DefusedXMLParser(target=builder)
    builder.parser = parser
    _limit_doctype(parser.parser, data)
    try:
        parser.feed(data)
        root = parser.close()
    except DefusedXmlException:
        _refuse_doctype(data, "declares entities: write their text")
    except (LookupError, ValueError) as error:
        refuse("ENCODING", f"the encoding declaration is wrong: {error}", 1)
    # A file of one topic, whose root is the topic.
    is_one = not is_enclosed and _has_id(root) and not any(map(_has_id, root))
    outside = [] if is_one else [root.text, *(each.tail for each in root)]
    for part, line in zip(outside, (builder.root_line, *builder.ends), strict=False):
        if part and part.strip():
            line += part[: len(part) - len(part.lstrip())].count("\n")
            if is_enclosed:
                refuse("FIELDS", "there is text outside the topics: remove it", line)
            findings.warn("LEFT_OUT_TEXT", "text outside the topics is left out", line=line)
    if is_one:
        return iter([_topic(root, builder.root_line)])
    kinds = {element.tag for element in root if _has_id(element)}
    topics = []
    for element, line in zip(root, builder.lines, strict=True):
        if element.tag in kinds or not kinds or any(map(_has_id, element.iter())):
            topics.append((element, line))
        else:
            message = "{n} {element|elements} without an id {is|are} left out"
            findings.warn("LEFT_OUT_ELEMENTS", message, line=line, value=element.tag)
    return (_topic(element, line) for element, line in topics)


def _has_id(element: Element) -> bool:
    """Whether the element is a topic: its id is an attribute, or a child without further parts."""
    if any(name.lower() in XML_IDS for name in element.attrib):
        return True
    return any(child.tag.lower() in XML_IDS and _is_leaf(child) for child in element)


def _is_leaf(element: Element) -> bool:
    return not len(element) and not any(name.lower() in XML_IDS for name in element.attrib)


def _limit_doctype(parser: Any, data: bytes) -> None:
    """An external subset is refused, and so is a DOCTYPE without declarations, as of HTML. The
    default values of attributes are looked through for each element."""
    left = iter(range(MAX_DECLARED_ATTRIBUTES))

    def on_doctype(_: str, system: str | None, public: str | None, has_subset: bool) -> None:
        if system or public:
            _refuse_doctype(data, "names another file, which is not read: remove it")
        if not has_subset:
            _refuse_doctype(data, "declares nothing: remove it")

    def on_attribute(*_: Any) -> None:
        if next(left, None) is None:
            _refuse_doctype(data, f"declares more than {MAX_DECLARED_ATTRIBUTES} attributes")

    parser.StartDoctypeDeclHandler = on_doctype
    parser.AttlistDeclHandler = on_attribute
    parser.specified_attributes = True


def _refuse_doctype(data: bytes, reason: str) -> NoReturn:
    line = data[: data.upper().find(b"<!DOCTYPE")].count(b"\n") + 1
    refuse("XML", f"the DOCTYPE {reason}", line)


def _topic(element: Element, line: int) -> RawTopic:
    ids = {name: text for name, text in element.attrib.items() if name.lower() in XML_IDS}
    fields = [(name, text) for name, text in element.attrib.items() if name not in ids]
    code = ids[min(ids, key=lambda name: XML_IDS.index(name.lower()))] if ids else None
    left_out = [name for name in ids if ids[name] != code]
    is_topic = _has_id(element)
    if element.text and element.text.strip():
        fields.append((QUERY, element.text))
    for child in element:
        if child.tag == element.tag and len(child):
            refuse("XML", f"a <{child.tag}> is within another one: close the first", line)
        if not is_topic and _has_id(child):
            message = f"topics are within <{element.tag}>: write them directly in one root element"
            refuse("XML", message, line)
        if code is None and child.tag.lower() in XML_IDS and _is_leaf(child):
            code = "".join(child.itertext())
        else:
            # As `write_topics_xml` writes names that are not valid in XML.
            is_named = child.tag == GENERIC and "name" in child.attrib
            fields.append((child.attrib["name"] if is_named else child.tag, _text(child)))
            left_out += [f"{child.tag}/@{name}" for name in child.attrib if name not in KEPT]
        if child.tail and child.tail.strip():
            fields.append((QUERY, child.tail))
    return RawTopic(line, code, tuple(fields), tuple(left_out))


def _text(element: Element) -> str:
    """Its text and that of its parts, which are words of their own but within a line of HTML."""
    is_one_line = all(each.tag.lower() in INLINE for each in element.iter() if each is not element)
    return ("" if is_one_line else " ").join(element.itertext())


def write_topics_xml(topics: Iterable[ParsedTopic]) -> bytes:
    """The topics as `<topics><topic number="1"><query>...`; reading it gives equal topics."""
    return "".join(topics_xml_blocks(topics)).encode()


def topics_xml_blocks(topics: Iterable[ParsedTopic]) -> Iterator[str]:
    """The same, topic by topic."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<topics>\n'
    for topic in topics:
        lines = [f"  <topic number={quoteattr(topic.code)}>"]
        for name, text in topic.fields:
            if XML_NAME.fullmatch(name) and name != GENERIC:
                lines.append(f"    <{name}>{escape(text)}</{name}>")
            else:
                attribute = quoteattr(name)
                lines.append(f"    <{GENERIC} name={attribute}>{escape(text)}</{GENERIC}>")
        yield "\n".join([*lines, "  </topic>\n"])
    yield "</topics>\n"
