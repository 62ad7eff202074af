"""Files that were made to hurt: each a function of the size, in bytes, that it should about have.

What they must not do is take more than a share of time and memory for each byte:
`test_hostile_files.py` counts calls and memory, `measure_hostile.py` looks at the clock.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from itertools import count
from typing import Any

from campaigns.trec.document_fields import ambiguous_fields
from campaigns.trec.documents import read_documents
from campaigns.trec.problems import FormatError
from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run
from campaigns.trec.topics import read_topics

Made = Callable[[int], bytes]
Read = Callable[[bytes], Any]

SPACES = b" " * 10_000
LONG = b"1234567890" * 80
HALFWAY = b"0.1000000000000000055511151231257827021181583404541015625"  # of .1 and its neighbour


def again(piece: bytes) -> Made:
    """The same bytes over and over."""
    return lambda size: piece * (size // len(piece) + 1)


def lines(pattern: bytes) -> Made:
    """Lines in which %d is the number of the line; a pattern may have it twice."""
    numbers = pattern.count(b"%d")

    def make(size: int) -> bytes:
        made, length = [], 0
        for number in count(1):
            made.append(pattern % ((number,) * numbers))
            length += len(made[-1])
            if length >= size:
                return b"".join(made)
        raise AssertionError("count() ends never")

    return make


def headed(head: bytes, make: Made) -> Made:
    return lambda size: head + make(size)


def document(make: Made) -> Made:
    return lambda size: b"<DOC><DOCNO>1</DOCNO>" + make(size) + b"</DOC>"


def packed(make: Made) -> Made:
    return lambda size: gzip.compress(make(size), 1, mtime=0)


def interleaved(size: int) -> bytes:
    """Eight hundred topics, no two lines of one together."""
    made = (b"%d Q0 D%d 1 %d.5 r\n" % (n % 800, n, n) for n in range(size // 20))
    return b"".join(made)


def read_all_documents(data: bytes) -> None:
    """The first documents twice, as the site reads them. None is kept."""
    ambiguous_fields(data)
    for _ in read_documents(data):
        pass


RUNS: dict[str, Made] = {
    "good": lines(b"1 Q0 D%d 1 3.25 r\n"),
    "good, packed": packed(lines(b"1 Q0 D%d 1 3.25 r\n")),
    "CRLF": lines(b"1 Q0 D%d 1 3.25 r\r\n"),
    "comments": again(b"#\n"),
    "comments like lines": lines(b"# 1 Q0 D%d 1 3.25 r\n"),
    "empty lines": again(b"\n"),
    "blank lines": again(b" \t \n"),
    "one field": again(b"x\n"),
    "two fields": again(b"x y\n"),
    "seven fields": lines(b"1 Q0 A D%d 1 3.25 r\n"),
    "many fields": again(b"a " * 30_000 + b"\n"),
    "long blanks": lines(b"1 Q0 D%d 1" + SPACES + b"3.25 r\n"),
    "long ids": lines(b"1 Q0 %d" + b"x" * 1010 + b" 1 3.25 r\n"),
    "one long id": headed(b"1 Q0 " + b"x" * 1024 + b" 1 9 r\n", lines(b"1 Q0 D%d 1 3.25 r\n")),
    "too long ids": lines(b"1 Q0 %d" + b"x" * 1100 + b" 1 3.25 r\n"),
    "no numbers": lines(b"1 Q0 D%d 1 x r\n"),
    "not a number": lines(b"1 Q0 D%d 1 nan r\n"),
    "overflow": lines(b"1 Q0 D%d 1 1e999 r\n"),
    "underflow": lines(b"1 Q0 D%d 1 1e-999 r\n"),
    "smallest doubles": lines(b"1 Q0 D%d 1 4.9406564584124654e-324 r\n"),
    "scientific": lines(b"1 Q0 D%d 1 -1.2345678901234567e-17 r\n"),
    "twenty digits": lines(b"1 Q0 D%d 1 0.12345678901234567890 r\n"),
    "digits halfway": lines(b"1 Q0 D%d 1 " + HALFWAY + b" r\n"),
    "eight hundred digits": lines(b"1 Q0 D%d 1 ." + LONG + b" r\n"),
    "bad ranks": lines(b"1 Q0 D%d 1.0 3.25 r\n"),
    "ranks against scores": lines(b"1 Q0 D%d 1 %d.5 r\n"),
    "other tags": lines(b"1 Q0 D%d 1 3.25 r%d\n"),
    "one document again": again(b"1 Q0 D 1 3.25 r\n"),
    "each document twice": lines(b"1 Q0 D%d 1 3.25 r\n1 Q0 D%d 1 3.25 r\n"),
    "a topic a line": lines(b"%d Q0 D 1 3.25 r\n"),
    "topics interleaved": interleaved,
    "no-break spaces": lines("1\xa0Q0\xa0D%d\xa01\xa03.25\xa0r\n".encode()),
    "invisible": lines("1 Q0 D%d\u200b 1 3.25 r\n".encode()),
    "not NFC": lines("1 Q0 e\u0301%d 1 3.25 r\n".encode()),
    "controls": lines(b"1 Q0 D%d\x07 1 3.25 r\n"),
    "CR in lines": lines(b"1 Q0 D%d\r 1 3.25 r\n"),
    "form feeds": lines(b"1 Q0 D%d\f1 3.25 r\n"),
}

QRELS: dict[str, Made] = {
    "good": lines(b"1 0 D%d 1\n"),
    "comments": again(b"#\n"),
    "one field": again(b"x\n"),
    "grades of long numbers": lines(b"1 0 D%d 00000000000000000000001\n"),
    "grades that are none": lines(b"1 0 D%d 1.5\n"),
    "grades too high": lines(b"1 0 D%d 1000\n"),
    "negative": lines(b"1 0 D%d -1\n"),
    "one document again": again(b"1 0 D 1\n"),
    "each document twice": lines(b"1 0 D%d 1\n1 0 D%d 0\n"),
    "a topic a line": lines(b"%d 0 D 1\n"),
    "prels": lines(b"1 D%d 1 0 0.5\n"),
    "like a run": lines(b"1 Q0 D%d 1 3.25 r\n"),
}

TOPICS: dict[str, Made] = {
    "good": lines(b"<top>\n<num> Number: %d\n<title> t\n</top>\n"),
    "open tags": again(b"<top>\n"),
    "open tags in a line": again(b"<top>"),
    "tags without an end": headed(b"<top>\n", again(b"<top ")),
    "end tags without an end": headed(b"<top>\n", again(b"</top ")),
    "tags in a text": headed(b"<top>\n<num> 1\n<title> ", again(b" <x>")),
    "blanks in a tag": headed(b"<top>\n<num> 1\n<title", again(b" ")),
    "numbers": headed(b"<top>\n", again(b"<num> 1\n")),
    "a topic's fields": headed(b"<top>\n<num> 1\n", lines(b"<f%d> x\n")),
    "less-than": headed(b"<top>\n<num> 1\n<title> ", again(b"<")),
    "ampersands": headed(b"<top>\n<num> 1\n<title> ", again(b"&")),
    "entities": headed(b"<top>\n<num> 1\n<title> ", again(b"&amp;")),
    "a long title": headed(b"<top>\n<num> 1\n<title> ", again(b"x ")),
    "XML, deep": headed(b"<?xml version='1.0'?>", again(b"<a>")),
    "XML, deep and closed": lambda size: b"<a>" * (size // 7) + b"</a>" * (size // 7),
    "XML, wide": headed(b"<topics>", lines(b"<topic number='%d'><q>x</q></topic>")),
    "XML, attributes": headed(b"<topics><topic number='1' ", lines(b"a%d='x' ")),
    "XML, declaration": headed(b"<!DOCTYPE a [", lines(b"<!ENTITY e%d 'x'>")),
    "XML, declared attributes": headed(b"<!DOCTYPE a [", lines(b"<!ATTLIST a b%d CDATA 'x'>")),
    "XML, parts of no topic": lambda size: b"<a><b>" + b"<c/>" * (size // 4) + b"</b></a>",
    "XML, several roots": lines(b"<t id='%d'><q>x</q></t>"),
    "topics in no XML": headed(b"<a>", lines(b"<top><num>%d<title>x</top>")),
    "remains of Windows-1252": lines("%d\tx\u0093\n".encode()),
    "table": lines(b"%d\tx\n"),
    "table, one code": again(b"1\tx\n"),
    "tabs": again(b"\t"),
    "JSON lines": lines(b'{"number": "%d", "title": "x"}\n'),
    "JSON lines, faulty": again(b"{\n"),
    "table, faulty": again(b"x\n"),
    "JSON array": headed(b"[{}", lines(b',{"number": "%d", "title": "x"}')),
    "JSON array of numbers": headed(b"[1", again(b",1")),
    "JSON array of arrays": headed(b"[[]", again(b",[]")),
    "JSON array, deep": again(b"["),
    "JSON, ids as keys": headed(b'{"0":""', lines(b',\n"%d":"x"')),
    "JSON, lists as topics": headed(b'{"0":""', lines(b',\n"%d":[1,2,3,4,5,6,7,8,9]')),
    "JSON, lists as values": headed(b'{"id":"1"', lines(b',\n"%d":[1,2,3,4,5,6,7,8,9]')),
    "JSON, a long list": headed(b'{"id": "1", "a": [1', again(b",1")),
    "JSON over lines": lines(b'{\n"number": "%d",\n"title": "x"\n}\n'),
    "JSON of turns": headed(
        b'[{"id": 1, "turns": [{}', lines(b',{"number": %d, "utterance": "x"}')
    ),
    "JSON, deep": headed(b'{"a":', again(b"[")),
    "JSON, long number": headed(b'{"number":', again(b"1")),
    "JSON, keys": headed(b'{"number":"1"', lines(b',"k%d":"x"')),
}

DOCUMENTS: dict[str, Made] = {
    "good": lines(b"<DOC>\n<DOCNO> D%d </DOCNO>\n<TEXT>\n<P>x\n</TEXT>\n</DOC>\n"),
    "attributes without an end": headed(b"<DOC ", again(b"a=b ")),
    "names without an end": document(again(b"<a b c ")),
    "a long name": document(headed(b"<", again(b"a"))),
    "blanks in tags": document(headed(b"<a", again(b" "))),
    "less-than": document(again(b"<")),
    "quotes in a tag": document(headed(b"<a b=", again(b"'\""))),
    "open bodies": document(headed(b"<TEXT></TEXT>", again(b"<BODY>"))),
    "open comments": document(again(b"<!--")),
    "ampersands": document(again(b"&")),
    "blank lines in a text": document(again(b"\n")),
    "remains of Windows-1252": lines("%d\tx\u0093\n".encode()),
    "JSON lines": lines(b'{"id": "%d", "text": "x"}\n'),
    "JSON array": headed(b"[{}", lines(b'\n,{"id": "%d", "text": "x"}')),
    "JSON array, deep in an object": headed(b'[{"a":', again(b"[")),
    "JSON array of nothing": headed(b"[\n", again(b",")),
    "JSON over lines": lines(b'{\n"id": "%d",\n"text": "x"\n}\n'),
    "JSON over lines, open": again(b"{\n"),
    "JSON, a backslash": headed(b'[{"a": "', again(b"\\")),
    "JSON, keys": headed(b"{", lines(b'"k%d":"x",')),
    "JSON, many lines of a text": headed(b'{\n"id": "1", "text": [', again(b'"x",\n')),
    "JSON, paragraphs": lambda size: b'{"id": "1", "text": ["x"' + b',"x"' * (size // 4) + b"]}",
    "JSON, marked up": lambda size: (
        b'{"id": "1", "text": [{"type": "sanitized_html", "content": "'
        + b"<a " * (size // 3)
        + b'"}]}'
    ),
    "table": lines(b"%d\tx\n"),
    "columns with names": headed(b"id,text", lines(b",c%d")),
    "an open quote": headed(b'id,text\n1,"', again(b"x\n")),
}

ALL: dict[str, tuple[Read, dict[str, Made]]] = {
    "run": (read_run, RUNS),
    "qrels": (read_qrels, QRELS),
    "topics": (read_topics, TOPICS),
    "documents": (read_all_documents, DOCUMENTS),
}


def answer(read: Read, data: bytes) -> str:
    """What the reader says of a file: the first code of a refusal, or nothing."""
    try:
        read(data)
    except FormatError as error:
        return error.problems[0].code
    return ""
