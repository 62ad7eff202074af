"""One test for each kind of topic file, with the result that reading it must give.

The ids T01 to T21 only number the kinds. Two of them concern the site: templates escape the text of
T14, and T21, the removal of a topic after runs exist, is refused.
"""

from __future__ import annotations

import codecs
import gzip
import tracemalloc

import pytest

from campaigns.trec.problems import FormatError, Problem
from campaigns.trec.topics import ParsedTopic, read_topics, write_topics_xml
from tests.campaigns.trec.outcomes import Row, check, refuse

TSV = b"1\tfirst query\n2\tsecond query\n"
XML = b"<topics>\n<topic number='1'>\n<query>a</query></topic>\n</topics>\n"
XML_DECLARED = b"<?xml version='1.0'?>\n" + XML
TREC = b"""
<top>
<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that
participate in <b>crime</b>.

<narr> Narrative:
A relevant document must < 3.
</top>

<top>
<num> Number: 302 </num>
<title> Topic: Poliomyelitis </title>
</top>
"""
LAUGHS = b'<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY lol "lol">]>\n<t>&lol;</t>'
OUTSIDE = b'<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><t>&x;</t>'


def tagged(code: str, text: str = "query") -> bytes:
    return f"1\tgood\n{code}\t{text}\n".encode()


ROWS = [
    refuse("T01", b"", "EMPTY", None),
    refuse("T01-blank", b" \n\n", "EMPTY", None),
    refuse("T01-root", b"<topics></topics>", "EMPTY", None),
    refuse("T02-tsv", tagged("1"), "DUP", 2, "on line 1"),
    refuse("T02-trec", TREC + TREC, "DUP", 19, "on line 2"),
    refuse("T02-xml", XML.replace(b"</topics>", XML[9:]), "DUP", 4, "on line 2"),
    refuse("T03", tagged("1 2"), "TOPIC", 2, "white space"),
    refuse("T03-blank", tagged("1\u00a02"), "TOPIC", 2, "NO-BREAK SPACE"),
    refuse("T04", tagged("#3"), "TOPIC", 2, "begins with #"),
    refuse("T04-steps", tagged(".."), "TOPIC", 2, "remove from URLs"),
    refuse("T04-step", tagged("a/./b"), "TOPIC", 2, "remove from URLs"),
    refuse("T05", tagged("x" * 65), "TOPIC", 2, "65 bytes"),
    refuse("T06-id", b"<a><topic><query>x</query></topic></a>", "TOPIC", 1, "no id"),
    refuse("T06-text", b"<a><topic number='1'><query> </query></topic></a>", "FIELDS", 1, "text"),
    refuse("T06-tsv", b"1\t \n2\t\n", "FIELDS", 1, "the topic has no text"),
    refuse("T06-some", b"a b\tx\nc\tx\n", "TOPIC", 1, "topic id contains white space"),
    refuse("T06-questions", b"a b\tx\nc d\tx\n", "TOPIC", 1, "2 of 2 topics have no id"),
    refuse("T06-no-ids", b'{"q": "x", "title": "y"}\n' * 9, "TOPIC", 1, "9 of 9 topics have no id"),
    refuse("T06-vectors", b'{"id": 1, "vector": [0.5]}\n', "FIELDS", 1, "vector is not text"),
    refuse("T07-xml", b"<topics>\n<topic number='1'>\n<query>x\n</topics>", "XML", 4),
    refuse("T07-joined", XML_DECLARED + XML_DECLARED, "XML", 6, "If several files were joined"),
    refuse("T09", LAUGHS, "XML", 2, "the DOCTYPE declares entities"),
    refuse("T09-parameter", LAUGHS.replace(b"lol ", b"% lol ", 1), "XML", 2, "declares entities"),
    refuse("T10", OUTSIDE, "XML", 1, "the DOCTYPE declares entities"),
    refuse("T10-html", b"<!DOCTYPE html><html></html>", "XML", 1, "the DOCTYPE declares nothing"),
    refuse("T10-system", b"\n<!DOCTYPE a SYSTEM 'a.dtd'><a/>", "XML", 2, "names another file"),
    refuse("T10-public", b"<!DOCTYPE a PUBLIC 'x' 'y' [<!ELEMENT a ANY>]><a/>", "XML", 1, "names"),
    refuse(
        "T10-attributes",
        b"<!DOCTYPE a [" + b"<!ATTLIST a b CDATA 'x'>" * 101 + b"]><a/>",
        "XML",
        1,
        "more than 100 attributes",
    ),
    refuse("T10-undeclared", b"<t><a id='1'>&eacute;</a></t>", "XML", 1, "undefined entity"),
    refuse("roots-text", b"<t id='1'>x</t>\n\nloose\n<t id='2'>y</t>", "FIELDS", 3, "outside"),
    refuse("roots-after", b"<t id='1'>x</t>\n<t id='2'>y</t>\n loose", "FIELDS", 3, "outside"),
    refuse(
        "within-topics",
        b"<f>\n<topics year='2009'>\n<topic number='1'><q>a</q></topic></topics></f>",
        "XML",
        2,
        "topics are within <topics>",
    ),
    refuse(
        "within-sections",
        b"<ts><s n='easy'><topic number='1'>a</topic></s>\n<s><t><num>2</num></t></s></ts>",
        "XML",
        1,
        "topics are within <s>",
    ),
    refuse(
        "within-and-beside",
        b"<ts>\n<topic number='1'>a</topic>\n</ts>\n<topic number='2'>b</topic>",
        "XML",
        1,
        "topics are within <ts>",
    ),
    refuse("T07-ampersand", b"<ts><t id='1'>R&D</t></ts>", "XML", 1, "write & as &amp;"),
    refuse("two-numbers", b"<top>\n<num> 1\n<num> 2\n<title> a\n</top>", "TOPIC", 1, "two numbers"),
    refuse("stray-cr", b"1\tfirst\n2\tsecond\r3\tthird\n", "STRAY_CR", 2, "LF line ends"),
    refuse("a-run", b"qid,docno,score\n1,d,2\n", "TYPE", 1, "it is a run or qrels"),
    refuse("qrels", b"query-id\tcorpus-id\tscore\n1\td1\t2\n", "TYPE", 1, "it is a run or qrels"),
    refuse("T20-qrels", b'{"1": {"d1": 2},\n"2": {"d1": 1}}', "JSON", 1, "with a text, title"),
    refuse("T20-parts", b'{"queries": {"1": "a"}, "corpus": {"d": "t"}}', "JSON", 1, "neither"),
    refuse("roots-broken", b"<t id='1'>x</t>\n<t id='2'>y\n", "XML", 3, "mismatched tag"),
    refuse("nested", b"<a>\n<t><id>1</id>x<t><id>2</id>y</t></t></a>", "XML", 2, "within another"),
    refuse("top-before", b"<a>\nloose <top>\n<num>1<title>x</top></b>", "FIELDS", 1, "before"),
    refuse(
        "T11",
        '<?xml version="1.0" encoding="ISO-8859-1"?><a><t id="1"><q>é</q></t></a>'.encode(),
        "ENCODING",
        1,
        "declares another encoding",
    ),
    refuse(
        "T11-bytes",
        '<?xml version="1.0" encoding="UTF-8"?>\n<a><t id="1"><q>é</q></t></a>'.encode("latin-1"),
        "ENCODING",
        2,
    ),
    refuse("T11-wide", TSV.decode().encode("utf-16"), "ENCODING", 1, "UTF-16"),
    refuse("T12", b"1\tgood\n2 no tab\n", "FIELDS", 2, "1 column, 2 expected"),
    refuse("T16", b"1\tgood\n2\tb\0d\n", "NUL", 2),
    refuse("T16-json", b'{"id": 1, "title": "b\\u0000d"}', "CTRL", 1, "U+0000"),
    refuse("T17", b"".join(b"%d\tx\n" % k for k in range(10_001)), "TOO_MANY", 10_001),
    refuse("T20-list", b'{"id": 1, "title": "x"}\n[1]\n', "JSON", 2, "not a JSON object"),
    refuse("T20-twice", b'{"id": 1, "title": "x", "id": 2}\n', "JSON", 1, "repeated"),
    refuse("T20-nan", b'{"id": 1, "title": NaN}\n', "JSON", 1, "NaN"),
    refuse("T20-broken", b'{"id": 1, "title": "x"}\n{"id": 2\n', "JSON", 2, "not JSON"),
    refuse("T20-deep", b'{"id": ' + b"[" * 100_000, "JSON", 1),
    refuse("T20-nested", b'{"id": 1, "title": ["x"]}', "FIELDS", 1, "title is not text"),
    refuse("T20-array", b'[{"id": 1, "title": "x"}\n, 2]', "JSON", 2, "not a JSON object"),
    refuse("T20-array-open", b'[{"id": 1, "title": "x"},\n', "JSON", 2, "Expecting value"),
    refuse("T20-array-comma", b'[{"id": 1, "title": "x"}\n{}]', "JSON", 2, "a comma or ]"),
    refuse("T20-array-after", b'[{"id": 1, "title": "x"}]\nx', "JSON", 2, "text after the end"),
    refuse("T20-array-twice", b'[\n{"id": 1, "title": "x", "id": 2}]', "JSON", 2, "repeated"),
    refuse("T20-array-id", b'[\n{"title": "x"}]', "TOPIC", 2, "no id"),
    refuse("T20-array-dup", b'[{"id": 1, "q": "x"},\n{"id": 1, "q": "y"}]', "DUP", 2, "line 1"),
    refuse("T20-array-deep", b"[" * 100_000, "JSON", 1, "nested too deeply"),
    refuse(
        "T20-array-long", b'[{"id": "' + b"x" * (2 << 20) + b'"}]', "LINE_TOO_LONG", 1, "longer"
    ),
    refuse("T20-array-empty", b"[ ]", "EMPTY", None),
    refuse("T20-lines", b'{\n"id": 1,\n"title" "x"}', "JSON", 3, "a colon"),
    refuse("T20-lines-two", b'{\n"id": 1, "q": "x"}\n{\n"id": 1, "q": "x"}', "DUP", 3, "line 1"),
    refuse("T20-lines-name", b"{\n1: 2}", "JSON", 2, "a key in quotes"),
    refuse("T20-lines-end", b'{\n"id": 1,\n"title": "x"', "JSON", 3, "a comma or }"),
    refuse("T20-lines-twice", b'{\n"id": 1,\n"id": 2}', "JSON", 1, "repeated"),
    refuse("T20-keys", b'{"1": "x",\n"2": [1]}', "JSON", 2, "neither text nor an object"),
    refuse("T20-keys-id", b'{"1": "x",\n"2 3": "y"}', "TOPIC", 2, "white space"),
    refuse("T20-keys-text", b'{"1": "x",\n"2": 3,\n"4": {}, "5": null}', "JSON", 3, "neither"),
    refuse("T20-turn", b'[{"id": 1, "turns": [{"utterance": "x"}]}]', "TOPIC", 1, "no id"),
    refuse(
        "T20-turn-dup",
        b'[{"id": 1, "turns": [{"id": 1, "q": "x"}, {"id": 1, "q": "y"}]}]',
        "DUP",
        1,
        "line 1",
    ),
    refuse("T20-id-null", b'{"id": null, "title": "x"}', "TOPIC", 1, "no id"),
    refuse("T16-id", '{"id": "a\u0093", "title": "x"}'.encode(), "TOPIC", 1, "control"),
    refuse("T16-c0", b"1\tx\x07\n", "CTRL", 1, "U+0007"),
    refuse("T11-latin-1", "1\tx\n2\té\n".encode("latin-1"), "ENCODING", 2, "save it as UTF-8"),
    refuse("T20-id", b'{"id": [1], "title": "x"}', "JSON", 1, "the id is neither"),
    refuse("surrogate", b'{"id": 1, "title": "\\ud800"}', "CTRL", 1, "U+D800"),
    refuse("many-fields", b"<top>\n<num>1\n" + b"<title>x\n" * 200, "TOO_MANY", 1, "100 fields"),
    refuse("many-elements", b"<a>" + b"<b/>" * 1_000_001, "TOO_MANY", 1, "1,000,000 elements"),
    refuse("long-line", b"1\t" + b"x" * 2_000_000, "LINE_TOO_LONG", 1),
    refuse("zip", b"PK\x03\x04", "TYPE", None),
]


@pytest.mark.parametrize("row", ROWS)
def test_refused_row(row: Row) -> None:
    check(row, read_topics)


def heard(data: bytes) -> tuple[tuple[ParsedTopic, ...], list[str]]:
    warnings: list[Problem] = []
    topics = read_topics(data, on_warning=warnings.append)
    return topics, [warning.code for warning in warnings]


def test_t07_and_t08_trec_tags_may_be_open_and_labels_are_stripped() -> None:
    topics, warnings = heard(TREC)
    assert warnings == ["UNCLOSED"]
    assert topics == (
        ParsedTopic(
            "301",
            (
                ("title", "International Organized Crime"),
                ("desc", "Identify organizations that participate in <b>crime</b>."),
                ("narr", "A relevant document must < 3."),
            ),
        ),
        ParsedTopic("302", (("title", "Poliomyelitis"),)),
    )


def test_a_topic_without_text_among_others_is_kept_with_a_warning() -> None:
    topics, warnings = heard(b"1\tgood\n3\t \n")
    assert topics == (ParsedTopic("1", (("query", "good"),)), ParsedTopic("3", ()))
    assert warnings == ["NO_TEXT"]
    assert read_topics(write_topics_xml(topics)) == topics


def test_closed_trec_tags_need_no_warning() -> None:
    topics, warnings = heard(b"<top>\n<num>1</num><title>\nDIELECTRIC\n</title>\n</top>\n")
    assert warnings == []
    assert topics == (ParsedTopic("1", (("title", "DIELECTRIC"),)),)


def test_unknown_trec_tags_at_the_begin_of_a_line_are_fields() -> None:
    data = b"<top>\n<num>MB1</num>\n<querytime> Tue <i>x</i> </querytime>\n</top>\n"
    assert read_topics(data)[0].fields == (("querytime", "Tue <i>x</i>"),)


def test_trec_text_outside_topics_is_refused() -> None:
    with pytest.raises(FormatError, match="FIELDS"):
        read_topics(b"<top><num>1<title>x</top> more\n")


def test_t13_quotes_and_tabs_in_a_table_are_text() -> None:
    assert read_topics(b'1\ta "b\tc\n')[0].fields == (("query", 'a "b c'),)


def test_t14_markup_in_a_title_is_kept_as_text() -> None:
    title = "<script>alert(1)</script>"
    assert read_topics(f"1\t{title}\n".encode())[0].fields == (("query", title),)
    trec = f"<top>\n<num>1\n<title> x {title}\n</top>".encode()
    assert read_topics(trec)[0].fields == (("title", f"x {title}"),)
    xml = write_topics_xml(read_topics(trec))
    assert b"<script>" not in xml
    assert read_topics(xml) == read_topics(trec)


def test_t15_the_mark_is_stripped() -> None:
    topics, warnings = heard(codecs.BOM_UTF8 + TSV)
    assert topics[0].code == "1"
    assert warnings == ["BOM"]


def test_t18_and_t19_codes_stay_text() -> None:
    codes = ["001", "1", "1e3", "1.0", "0x1"]
    table = "".join(f"{code}\tx\n" for code in codes).encode()
    assert [topic.code for topic in read_topics(table)] == codes
    numbers = b'{"id": 1e3, "title": "x"}\n{"id": 1.0, "title": "y"}\n{"id": "001", "title": "z"}\n'
    assert [topic.code for topic in read_topics(numbers)] == ["1e3", "1.0", "001"]


def test_xml_as_trec_covid_writes_it() -> None:
    data = b"""<topics task="COVIDSearch 2020" batch="1">
      <topic number="1">
        <query>coronavirus origin</query>
        <narrative>seeking   range &amp;
          more</narrative>
      </topic>
      <topic number="2" type="faceted"><num>7</num>loose text</topic>
    </topics>"""
    assert read_topics(data) == (
        ParsedTopic("1", (("query", "coronavirus origin"), ("narrative", "seeking range & more"))),
        ParsedTopic("2", (("type", "faceted"), ("num", "7"), ("query", "loose text"))),
    )


def test_xml_ids_may_be_children() -> None:
    data = b"<a><t><num>5</num><title>x</title></t></a>"
    assert read_topics(data) == (ParsedTopic("5", (("title", "x"),)),)


def test_json_lines() -> None:
    data = b'{"query_id": "q1", "title": "a", "weight": 0.50}\n\n{"qid": 7, "text": "b"}\n'
    assert read_topics(gzip.compress(data)) == (
        ParsedTopic("q1", (("title", "a"), ("weight", "0.50"))),
        ParsedTopic("7", (("text", "b"),)),
    )


def test_an_ascii_file_may_declare_any_ascii_encoding() -> None:
    data = b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<a><t id="1"><q>e</q></t></a>'
    assert read_topics(data) == (ParsedTopic("1", (("q", "e"),)),)


def test_deep_xml_costs_little() -> None:
    data = b"<a><t id='1'>" + b"<q>" * 200_000 + b"x" + b"</q>" * 200_000 + b"</t></a>"
    tracemalloc.start()
    assert read_topics(data)[0].fields == (("q", "x"),)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200 * len(data)


def test_all_problems_are_told_with_their_lines() -> None:
    with pytest.raises(FormatError) as caught:
        read_topics(b"1\tx\n#2\ty\nno tab\n1\tz\n")
    assert [(problem.code, problem.line) for problem in caught.value.problems] == [
        ("TOPIC", 2),
        ("FIELDS", 3),
        ("DUP", 4),
    ]


def test_written_xml_reads_back_equal() -> None:
    topics = (
        ParsedTopic('a"<&', (("query", "x < y & z ]]>"), ("my field", "é"), ("field", "f"))),
        ParsedTopic("001", (("num", "7"), ("query", "q"), ("query", "again"))),
    )
    assert read_topics(write_topics_xml(topics)) == topics
