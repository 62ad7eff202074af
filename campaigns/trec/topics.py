"""Topics in formats that are recognised by their content: TREC tags, XML, tables, JSON lines.

XML needs the package defusedxml. The other formats are read without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element, ParseError, TreeBuilder
from xml.sax.saxutils import escape, quoteattr

from campaigns.trec.compression import read_text
from campaigns.trec.problems import Problem, ProblemList, refuse
from campaigns.trec.topics_text import (
    ID_NAMES,
    QUERY,
    TOP,
    ParsedTopic,
    RawTopic,
    checked_topics,
    json_topics,
    table_topics,
    trec_topics,
)

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
CHILD_DEPTH = 2  # of the root's children
GENERIC = "field"  # the element for names that are not valid in XML


def read_topics(
    source: BinaryIO | bytes,
    *,
    max_bytes: int = MAX_TOPIC_BYTES,
    on_warning: Callable[[Problem], None] | None = None,
) -> tuple[ParsedTopic, ...]:
    """Read a topics file, plain or gzipped, in UTF-8; at most 10,000 topics, in file order.

    Codes stay text as written. Each topic has at least one field with text; a format without
    field names gives the name `query`. `on_warning` is called with each warning.
    Raises FormatError with the first 25 problems in line order and the number of all.
    """
    findings = ProblemList()
    with findings.gathered():
        text = read_text(source, findings, max_bytes=max_bytes)
        topics = checked_topics(_raw_topics(text, findings), findings)
        if not topics and not findings.total:
            refuse("EMPTY", "the file contains no topic")
    if on_warning is not None:
        for warning in findings.warnings:
            on_warning(warning)
    return topics


def _raw_topics(text: str, findings: ProblemList) -> Iterator[RawTopic]:
    begin = text.lstrip()
    if TOP.match(begin):
        return trec_topics(text, findings)
    if FIRST_TAG.match(begin):
        return _xml_topics(text)
    if begin.startswith(("{", "[")):
        return json_topics(text, findings)
    return table_topics(text, findings)


def _xml_topics(text: str) -> Iterator[RawTopic]:
    if not HAS_XML:
        refuse("TYPE", "the file is XML: install the package defusedxml to read it")
    declared = XML_ENCODING.match(text.lstrip()[:200])
    if declared and declared[1].lower() not in UTF_8_NAMES and not text.isascii():
        refuse("ENCODING", "the XML declares another encoding: only UTF-8 is read", 1, declared[1])
    return xml_topics(text.encode())


# --- XML, read without any DOCTYPE, and written ---------------------------------------------------


class _Placed(TreeBuilder):
    """Builds the tree and records the lines where the root's children begin."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int] = []
        self.parser: DefusedXMLParser | None = None
        self._depth = 0
        self._count = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        line = self.parser.parser.CurrentLineNumber if self.parser else 0
        self._depth += 1
        self._count += 1
        if self._count > MAX_ELEMENTS:
            refuse("TOO_MANY", f"more than {MAX_ELEMENTS:,} elements", line)
        if self._depth == CHILD_DEPTH:
            self.lines.append(line)
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        self._depth -= 1
        return super().end(tag)


def xml_topics(data: bytes) -> Iterator[RawTopic]:
    """Every child of the root is a topic. Its id is an attribute or a child, the others are texts.

    Raises FormatError XML: not well-formed, or with a DOCTYPE.
    """
    builder = _Placed()
    parser = DefusedXMLParser(target=builder, forbid_dtd=True)
    builder.parser = parser
    try:
        parser.feed(data)
        root = parser.close()
    except DefusedXmlException:
        refuse("XML", "the file contains a DOCTYPE: remove it", _doctype_line(data))
    except ParseError as error:
        refuse("XML", f"not well-formed: {error.msg}", error.position[0])
    except (LookupError, ValueError) as error:
        refuse("ENCODING", f"the encoding declaration is wrong: {error}", 1)
    for element, line in zip(root, builder.lines, strict=True):
        yield _topic(element, line)


def _doctype_line(data: bytes) -> int:
    return data[: data.upper().find(b"<!DOCTYPE")].count(b"\n") + 1


def _topic(element: Element, line: int) -> RawTopic:
    fields = [(name, text) for name, text in element.attrib.items() if name not in ID_NAMES]
    code = next((element.attrib[name] for name in ID_NAMES if name in element.attrib), None)
    if element.text and element.text.strip():
        fields.append((QUERY, element.text))
    for child in element:
        if code is None and child.tag in ID_NAMES:
            code = "".join(child.itertext())
        else:
            fields.append((_name(child), "".join(child.itertext())))
        if child.tail and child.tail.strip():
            fields.append((QUERY, child.tail))
    return RawTopic(line, code, tuple(fields))


def _name(element: Element) -> str:
    if element.tag == GENERIC and "name" in element.attrib:
        return element.attrib["name"]
    return element.tag


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
