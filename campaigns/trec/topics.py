"""Topics in four formats, told apart by their content: TREC tags, XML, `code TAB text`, JSON lines.

XML needs the package defusedxml; where it is not installed the other formats are still read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from campaigns.trec.problems import Problem, ProblemList, refuse
from campaigns.trec.topic_records import ParsedTopic, RawTopic, checked_topics
from campaigns.trec.topics_text import TOP, json_topics, table_topics, trec_topics
from campaigns.trec.whole_text import read_text

try:
    from campaigns.trec.topics_xml import xml_topics
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] != "defusedxml":
        raise
    HAS_XML = False
else:
    HAS_XML = True

MAX_TOPIC_BYTES = 16 << 20
XML_ENCODING = re.compile(r"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
UTF_8_NAMES = ("utf-8", "utf8", "us-ascii", "ascii")
FIRST_TAG = re.compile(r"\s*<[A-Za-z!?/]")

__all__ = ["ParsedTopic", "read_topics"]


def read_topics(
    source: BinaryIO | bytes,
    *,
    max_bytes: int = MAX_TOPIC_BYTES,
    on_warning: Callable[[Problem], None] | None = None,
) -> tuple[ParsedTopic, ...]:
    """Read a topics file, plain or gzipped, in UTF-8; at most 10,000 topics, in file order.

    Codes stay text as written. Each topic has at least one field with text; a format without
    field names gives the name `query`. `on_warning` hears what was accepted all the same.
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
