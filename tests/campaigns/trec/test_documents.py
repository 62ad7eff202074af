"""Files of documents: what is read, and what is refused with its line."""

import gzip
import tracemalloc

import pytest

from campaigns.trec.documents import read_documents
from campaigns.trec.documents_checks import ParsedDocument
from campaigns.trec.problems import FormatError

JSON_LINES = b"""\
{"doc_id": "a1", "title": "First  one", "text": "Some text.", "other": [1]}

{"docno": "b2", "body": "More text."}
{"id": 7, "contents": "A number is an id as it is written."}
"""
TREC = b"""\
<DOC>
<DOCNO> LA-1 </DOCNO>
<HEADLINE><P>A head &amp; a half</P></HEADLINE>
<TEXT>
<P>One.</P>
<P>Two &lt;b&gt;.</P>
</TEXT>
</DOC>
<DOC>
<DOCNO>2</DOCNO>
compact memories
have capacities
</DOC>
"""


def refused(data: bytes) -> list[str]:
    with pytest.raises(FormatError) as fault:
        list(read_documents(data))
    return [f"{problem.line} {problem.code}" for problem in fault.value.problems]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_json_lines_are_read_plain_and_packed(pack) -> None:
    assert list(read_documents(pack(JSON_LINES))) == [
        ParsedDocument("a1", "First one", "Some text."),
        ParsedDocument("b2", "", "More text."),
        ParsedDocument("7", "", "A number is an id as it is written."),
    ]


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_trecs_own_form_is_read_as_text_without_its_tags(ends: bytes) -> None:
    first, second = read_documents(b"\xef\xbb\xbf" + TREC.replace(b"\n", ends))
    assert (first.doc_id, first.title) == ("LA-1", "A head & a half")
    assert first.text == "One.\n\nTwo <b>."
    assert second == ParsedDocument("2", "", "compact memories have capacities")


def test_a_document_on_one_line_is_read() -> None:
    (document,) = read_documents(b"<doc><docno>x</docno><text>y z</text></doc>\n")
    assert document == ParsedDocument("x", "", "y z")


def test_what_no_page_may_carry_becomes_a_blank() -> None:
    (document,) = read_documents(b'{"id": "a", "text": "x\\u0000y\\ud800z"}\n')
    assert document.text == "x y z"


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (b"", ["None EMPTY"]),
        (b"\n\n", ["None EMPTY"]),
        (b"1 Q0 d 1 1.0 tag\n", ["1 TYPE"]),
        (b'{"id": "a"}\n{"id": "a"}\n{"id": "b"\n{"id": ["c"]}\n', ["2 DUP", "3 JSON", "4 JSON"]),
        (b'{"text": "no id"}\n', ["1 FIELDS"]),
        (b'{"id": "a b"}\n{"id": "\\u200b"}\n', ["1 INVISIBLE", "2 INVISIBLE"]),
        (b'{"id": "a", "text": "\xff"}\n{"id": "b"}\n', ["1 ENCODING"]),
        (b"\xff\xfe{\0", ["1 ENCODING"]),
        (b"<DOC>\n<DOCNO>1</DOCNO>\n<DOC>\n", ["3 UNCLOSED"]),
        (b"<DOC>\n<DOCNO>1</DOCNO>\n", ["1 UNCLOSED"]),
        (b"<DOC>\ntext\n</DOC>\n", ["1 FIELDS"]),
        (b"<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\nstray\n", ["4 FIELDS"]),
        (gzip.compress(b'{"id": "a"}\n', mtime=0)[:-6], ["None GZIP"]),
        (b"PK\x03\x04", ["None TYPE"]),
        (b'{"id": "' + b"d" * 1025 + b'"}', ["1 INVISIBLE"]),
        (b'{"id": "a", "text": "' + b"d" * (5 << 20) + b'"}', ["1 LINE_TOO_LONG"]),
        (b'{"id": "a", "text": "' + b"d" * (2 << 20) + b'"}', ["1 TOO_BIG"]),
    ],
)
def test_a_faulty_file_is_refused_with_its_lines(data: bytes, problems: list[str]) -> None:
    assert refused(data) == problems


def test_a_large_file_is_read_in_little_memory() -> None:
    line = b'{"id": "%d", "text": "' + b"word " * 4000 + b'"}\n'
    data = gzip.compress(b"".join(line % number for number in range(2000)), 1)  # 40 MB unpacked
    tracemalloc.start()
    count = sum(1 for _ in read_documents(data))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 2000
    assert peak < 16 << 20


TWO = [("1", "first text"), ("2", "second text")]
LAYOUTS = {
    # beir-cellar/beir: corpus.jsonl
    "BEIR": b'{"_id": "1", "title": "", "text": "first text", "metadata": {}}\n'
    b'{"_id": "2", "title": "", "text": "second text"}\n',
    # microsoft/MSMARCO-Passage-Ranking: collection.tsv
    "MS MARCO": b"1\tfirst text\n2\tsecond text\n",
    # msmarco v2: msmarco_v2_passage_00.gz, one object a line
    "MS MARCO v2": b'{"pid": "1", "passage": "first text", "spans": "(0,10)", "docid": "d"}\n'
    b'{"pid": "2", "passage": "second text", "spans": "(11,22)", "docid": "d"}\n',
    # TREC RAG 2024: the segmented corpus of MS MARCO v2.1
    "TREC RAG": b'{"docid": "1", "url": "x", "headings": "h", "segment": "first text", '
    b'"start_char": 0}\n{"docid": "2", "segment": "second text"}\n',
    # allenai/ir_datasets, export docs --format tsv
    "ir_datasets": b"doc_id\ttext\n1\tfirst text\n2\tsecond text\n",
    "a CSV": b'docno,text\n1,first text\n2,"second text"\n',
    "a CSV of Windows": b"\xef\xbb\xbfDocNo;Text\r\n1;first text\r\n2;second text\r\n",
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_documents_of_a_collection(name: str) -> None:
    assert [(each.doc_id, each.text) for each in read_documents(LAYOUTS[name])] == TWO


def test_a_table_has_titles_and_other_columns() -> None:
    (document,) = read_documents(b'url,docno,title,body\nx,d1," A, title","a ""text"""\n')
    assert document == ParsedDocument("d1", "A, title", 'a "text"')


def test_quotes_between_tabs_are_text() -> None:
    (document,) = read_documents(b'doc_id\ttext\n1\t"quoted" and "open\n')
    assert document.text == '"quoted" and "open'
    (document,) = read_documents(b'1\t"quoted"\tand more\n')
    assert document.text == '"quoted"\tand more'


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"doc_id\ttext\n1\ta\n2\n", ["3 FIELDS"]),
        (b"doc_id\ttext\n1\ta\tb\n2\tc\n", ["2 FIELDS"]),
        (b"docno,text\n1,a,b\n", ["2 FIELDS"]),
        (b'docno,text\n1,"a\nb\n', ["2 FIELDS"]),
        (b'docno,text\n1,"a\nb"\n2\n', ["4 FIELDS"]),
        (b'docno,text\n1,"a"b\n', ["2 FIELDS"]),
        (b"docno,text\n1,a\rb\n", ["2 STRAY_CR"]),
        (b"\ndocno,text,TEXT\n1,a,b\n", ["2 FIELDS"]),
        (b"docno,text\n,a\n", ["2 FIELDS"]),
        (b"docno,text\n1,a\n\n1,b\n", ["4 DUP"]),
        (b"docno,text\n1 2,a\n", ["2 INVISIBLE"]),
        (b"docno,title\n1,a\n", ["1 TYPE"]),
        (b"url,text\nx,a\n", ["1 TYPE"]),
        (b"docno,text\n", ["None EMPTY"]),
        (b"1\ta\n2 b\n", ["2 FIELDS"]),
        (b"1\ta\n\tb\n", ["2 FIELDS"]),
        (b"1\ta\n1\tb\n", ["2 DUP"]),
        (b"1 2\ta\n", ["1 INVISIBLE"]),
        (b"1\ta\n\xff\tb\n", ["2 ENCODING"]),
        (b"just text\n", ["1 TYPE"]),
        (b'{"pid": "1", "passage": "a"}\n{"passage": "b"}\n', ["2 FIELDS"]),
        (b'{"_id": "1", "text": "a"}\n{"_id": "1", "text": "b"}\n', ["2 DUP"]),
        (b'{"docid": "1", "segment": 1}\n[1]\n', ["2 JSON"]),
    ],
)
def test_a_wrong_row_has_its_line(data: bytes, expected: list[str]) -> None:
    assert refused(data) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"<DOC><DOCNO>1</DOCNO>first text</DOC><DOC><DOCNO>2</DOCNO>second text</DOC>",
        b"<DOC>\n<DOCNO>1</DOCNO>\nfirst text\n</DOC><DOC>\n<DOCNO>2</DOCNO>second text\n</DOC>\n",
        b"<DOC>\n<DOCNO>1</DOCNO>\nfirst\ntext</DOC> <DOC><DOCNO>2</DOCNO>\nsecond text</DOC >\n",
    ],
)
@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
def test_the_tags_of_documents_may_be_anywhere_on_a_line(data: bytes, ends: bytes) -> None:
    found = read_documents(data.replace(b"\n", ends))
    assert [(each.doc_id, each.text) for each in found] == TWO


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (b"<DOC>\n<DOCNO>1</DOCNO>\n</DOC> stray <DOC>\n", ["3 FIELDS"]),
        (b"<DOC>\n<DOCNO>1</DOCNO>\n</DOC></DOC>\n", ["3 FIELDS"]),
        (b"<DOC><DOCNO>1</DOCNO><DOC>x</DOC></DOC>\n", ["1 UNCLOSED"]),
        (b"<DOC>\n<DOCNO>1</DOCNO></DOC><DOC>\n<DOCNO>2</DOCNO>\n", ["2 UNCLOSED"]),
    ],
)
def test_tags_that_do_not_match_are_refused_with_their_line(
    data: bytes, problems: list[str]
) -> None:
    assert refused(data) == problems


NEWSPAPERS = {  # made up, in the forms of the collections
    "lead paragraph": (
        "<HL>A head</HL><LP>The lead.</LP><TEXT>The text.</TEXT>",
        "A head",
        "The lead.\n\nThe text.",
    ),
    "lead paragraph alone": ("<HL>A head</HL>\n<LP>\nThe lead.\n</LP>", "A head", "The lead."),
    "two headlines": (
        "<HEAD>First head</HEAD><HEAD>Second head</HEAD><TEXT>The text.</TEXT>",
        "First head",
        "Second head\n\nThe text.",
    ),
    "who and where": (  # as in the Los Angeles Times and the Financial Times
        "<HEADLINE>A head</HEADLINE><BYLINE>By A. Writer</BYLINE><DATELINE>ROME</DATELINE>"
        "<DATE>931018</DATE><TEXT>The text.</TEXT>",
        "A head",
        "By A. Writer\n\nROME\n\nThe text.",
    ),
    "text within a body": (
        "<BODY><HEADLINE>A head</HEADLINE><TEXT>The text.</TEXT></BODY>",
        "A head",
        "The text.",
    ),
    "body beside the text": (
        "<TEXT>The text.</TEXT><BODY>More text.</BODY>",
        "",
        "The text.\n\nMore text.",
    ),
    "attributes": (
        "<HEADLINE lang='en'>A head</HEADLINE><TEXT type=story><P align=left nowrap>a</TEXT>",
        "A head",
        "a",
    ),
    "comments": (
        "<!-- <TEXT>none</TEXT> --><TEXT>a<!-- b --> c <!-- d</TEXT>",
        "",
        "a  c <!-- d",
    ),
    "unparsed": (
        "<TEXT><![CDATA[if a<b then </TEXT> & &lt;]]> and <![CDATA[ b</TEXT>",
        "",
        "if a<b then </TEXT> & &lt; and <![CDATA[ b",
    ),
    "a page of the web": (
        "<DOCHDR>HTTP/1.0 200</DOCHDR><!DOCTYPE html><html><head><title>A head</title><style>b{}"
        "</style></head><body>One<script>if (a<b) x()</script><p>wor<b>d</b>s</p></body></html>",
        "A head",
        "One\n\nwords",
    ),
    "a page of the web within the text": ("<TEXT><BODY>hi</BODY></TEXT>", "", "hi"),
    "what is around the text": (
        "<BODY>before<TEXT>in</TEXT>after</BODY>",
        "",
        "in\n\nbefore after",
    ),
    "no names of tags": (
        "<TEXT>mail <john@x.org> or <http://a.b/c>, List<String> and n<z>m, H<sub>2</sub>O</TEXT>",
        "",
        "mail <john@x.org> or <http://a.b/c>, List<String> and n<z>m, H2O",
    ),
    "names that are closed": ("<TEXT>a <place>b</place> c</TEXT>", "", "a  b  c"),
    "no tags": (
        "<TEXT>if a<b then c>d or a<b and b>c, <DOC x> < x >, <i class=a>so</i></TEXT>",
        "",
        "if a<b then c>d or a<b and b>c, <DOC x> < x >, so",
    ),
    "caption": (
        "<LEADPARA>The lead.</LEADPARA><CAPTION>A map.</CAPTION><TEXT>The text.</TEXT>",
        "",
        "The lead.\n\nThe text.\n\nA map.",
    ),
    "summary inside the text": (
        "<DATE>931018</DATE><TEXT><SUMMARY>In short.</SUMMARY> At length.</TEXT>",
        "",
        "In short.  At length.",
    ),
}


@pytest.mark.parametrize("form", NEWSPAPERS)
def test_what_a_newspaper_prints_outside_its_text_is_kept(form: str) -> None:
    body, title, text = NEWSPAPERS[form]
    (document,) = read_documents(f"<DOC>\n<DOCNO>1</DOCNO>\n{body}\n</DOC>\n".encode())
    assert document == ParsedDocument("1", title, text)


@pytest.mark.parametrize(
    "data",
    [
        b'{"id": "1", "text": "first text"}\r{"id": "2", "text": "second text"}\r',
        b"docno,text\r1,first text\r2,second text\r",
        b"1\tfirst text\r2\tsecond text",
    ],
)
def test_lines_that_end_in_cr_alone_are_lines(data: bytes) -> None:
    assert [(each.doc_id, each.text) for each in read_documents(data)] == TWO


def test_a_quoted_text_has_lines() -> None:
    found = list(read_documents(b'docno,text,note\n1,"one\n\n""two""",x\n2,three,"a\nb"\n'))
    assert found == [ParsedDocument("1", "", 'one\n\n"two"'), ParsedDocument("2", "", "three")]


def test_a_passage_has_its_own_id_and_not_that_of_its_document() -> None:
    for name in ("doc_id", "docno", "docid", "id"):
        (document,) = read_documents(
            b'{"%s": "parent", "pid": "own", "passage": "x"}' % name.encode()
        )
        assert document.doc_id == "own"


def test_segments_have_ids_of_their_own() -> None:
    lines = b"".join(b'{"doc_id": "D", "segment_id": "D_%d", "text": "x"}\n' % n for n in range(2))
    assert [each.doc_id for each in read_documents(lines)] == ["D_0", "D_1"]


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b'{"id": "1", "text": "x", "text": "y"}\n', "JSON", 1),
        (b"1\ta\n2\tb\r3\tc\n", "STRAY_CR", 2),
    ],
)
def test_no_part_of_a_document_is_lost(data: bytes, code: str, line: int) -> None:
    with pytest.raises(FormatError) as refused:
        list(read_documents(data))
    (problem,) = refused.value.problems
    assert (problem.code, problem.line) == (code, line)
