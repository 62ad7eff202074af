"""Topics as test collections publish them, by the layouts in their documentation: read with their
fields and true lines."""

import random

import pytest

from campaigns.trec.problems import FormatError, Problem
from campaigns.trec.topics import read_topics
from tests.campaigns.trec.fuzz import mutants

TWO = ("1", "first query"), ("2", "second query")
GOOD = {
    # beir-cellar/beir, beir/datasets/data_loader.py: queries.jsonl with _id, text and metadata
    "BEIR": b"""{"_id": "1", "text": "first query", "metadata": {"url": "x", "n": [1, null]}}
{"_id": "2", "text": "second query", "metadata": {}}
""",
    # embeddings-benchmark/mteb: retrieval data sets of the same layout, with id
    "MTEB": b'{"id": "1", "text": "first query"}\n{"id": "2", "text": "second query"}\n',
    # microsoft/MSMARCO-Passage-Ranking: queries.tsv
    "MS MARCO": b"1\tfirst query\n2\tsecond query\n",
    # TREC RAG 2024: topics.rag24.test.txt, id, tab, question
    "TREC RAG": b"1\tfirst query\n2\tsecond query",
    # allenai/ir_datasets, export: query_id and text
    "ir_datasets, TSV": b"query_id\ttext\n1\tfirst query\n2\tsecond query\n",
    "a CSV": b"qid,query\n1,first query\n2,second query\n",
    "a CSV of Windows": b"\xef\xbb\xbfqid,query\r\n1,first query\r\n2,second query\r\n",
    "Excel where the decimal point is a comma": b"\xef\xbb\xbfqid;query\r\n1;first query\r\n"
    b'2;"second query"\r\n',
    "a header with a hyphen": b"query-id\tquery\n\n1\tfirst query\n2\tsecond query\n",
    # allenai/ir_datasets: a list of namedtuples as JSON
    "a JSON array": b"""[
  {"query_id": "1", "text": "first query"},
  {"query_id": "2", "text": "second query"}
]""",
    "ids as keys": b'{"1": "first query", "2": "second query"}',
    "ids as keys of objects": b'{"1": {"text": "first query"}, "2": {"text": "second query"}}',
    "JSON over lines": b'{\n"id": 1,\n"text": "first query"\n}\n{"id": 2,\n"text": "second query"}',
    "other values": b"""{"qid": "1", "query": "first query", "excluded_ids": ["a"], "options": null}
{"qid": "2", "query": "second query", "excluded_ids": [], "is_yes": true}
""",
    # NTCIR's CLIR topics and CACM have no root
    "several roots": b"""<TOPIC>
<NUM>1</NUM>
<TITLE>first query</TITLE>
</TOPIC>
<TOPIC>
<NUM>2</NUM>
<TITLE>second query</TITLE>
</TOPIC>
""",
    "documents as topics": b"""<?xml version="1.0"?>
<DOC>
<DOCNO> 1 </DOCNO>
first query
</DOC>
<DOC>
<DOCNO> 2 </DOCNO>
second query
</DOC>""",
    # FIRE: TREC's layout within a root, where a topic is not closed
    "TREC's layout within a root": b"""<?xml version="1.0"?>
<topics>
<top lang='en'>
<num>1</num>
<title>first query</title>
<top lang='en'>
<num>2</num>
<title>second query</title>
</top>
</topics>
""",
    "q_id": b"q_id\tquestion\n1\tfirst query\n2\tsecond query\n",
    "names of two words": b"Topic ID,Title\n1,first query\n2,second query\n",
    "no root below a DOCTYPE": b"<!DOCTYPE t [\n<!ELEMENT t ANY>\n]>\n<t id='1'>first query</t>\n"
    b"<t id='2'>second query</t>\n",
    "capitals": b'Topic,Query\n1,first query\n2,"second query"\n',
}


@pytest.mark.parametrize("name", GOOD)
def test_topics_are_read_and_a_header_is_no_topic(name: str) -> None:
    topics = read_topics(GOOD[name])
    assert tuple((topic.code, topic.fields[0][1]) for topic in topics) == TWO
    assert all(len(topic.fields) == 1 for topic in topics)


def test_texts_between_semicolons_have_commas() -> None:
    (topic,) = read_topics(b'id;title;"desc"\n1;a, b;"c; d"\n')
    assert topic.fields == (("title", "a, b"), ("desc", "c; d"))


def test_all_columns_of_a_table_with_a_header_are_fields() -> None:
    # allenai/ir_datasets, beir and trec-robust04: title, description and narrative
    (topic,) = read_topics(b"query_id\ttitle\tdescription\tnarrative\n301\tt\td d\t\n")
    assert (topic.code, topic.fields) == ("301", (("title", "t"), ("description", "d d")))


def test_a_cell_of_csv_has_commas_quotes_and_lines() -> None:
    topics = read_topics(b'id,text\n1,"a, ""b""\nc"\n2,d\n1,e\n'.replace(b"1,e\n", b"3,e\n"))
    assert [(each.code, each.fields) for each in topics] == [
        ("1", (("text", 'a, "b" c'),)),
        ("2", (("text", "d"),)),
        ("3", (("text", "e"),)),
    ]


@pytest.mark.parametrize(
    ("data", "code", "line", "words"),
    [
        (b"1;first query\n2;second\n", "FIELDS", 1, "CSV needs a header, such as qid,query"),
        (b"qid;query\n1;a;b\n", "FIELDS", 2, "3 columns, 2 expected, as in the header"),
        (b"1,first query\n2,second\n", "FIELDS", 1, "CSV needs a header, such as qid,query"),
        (b"qid,query\n1,a,b\n", "FIELDS", 2, "3 columns, 2 expected, as in the header"),
        (b'qid,query\n1,"a\nb"\n2\n', "FIELDS", 4, "1 column, 2 expected, as in the header"),
        (b"qid\tquery\n1\ta\n2\n", "FIELDS", 3, "1 column, 2 expected, as in the header"),
        (b"qid\tquery\n1\ta\tb\n", "FIELDS", 2, "3 columns, 2 expected, as in the header"),
        (b"\r\x01", "FIELDS", 2, "1 column, 2 expected: topic id, tab, text"),
        (b"qid,query\ra,b\rc", "FIELDS", 3, "1 column, 2 expected, as in the header"),
        (b'qid,query\n1,"a\n', "FIELDS", 2, "a quote is not closed"),
        (b'qid,query\n1,"a"b\n', "FIELDS", 2, "not CSV"),
        (b"qid,query\n1,a\n1,b\n", "DUP", 3, "already on line 2"),
        (b"qid,query\n,a\n", "TOPIC", 2, "the topic has no id"),
        (b"qid,query\n1,\n", "FIELDS", 2, "the topic has no text"),
        (b"qid,query\n", "EMPTY", None, "no topic"),
        (b"qid\tquery\n", "EMPTY", None, "no topic"),
        (b"qid,query\n" + b"".join(b"%d,a\n" % n for n in range(10_001)), "TOO_MANY", 10_002, ""),
        (b'{"_id": "1", "text": {"en": "a"}}', "FIELDS", 1, "text is not text"),
        (b'{"_id": "1", "metadata": {}}', "FIELDS", 1, "the topic has no text"),
    ],
)
def test_what_is_wrong_has_its_line_and_the_way_out(
    data: bytes, code: str, line: int | None, words: str
) -> None:
    with pytest.raises(FormatError) as refused:
        read_topics(data)
    problem = refused.value.problems[0]
    assert (problem.code, problem.line) == (code, line)
    assert words in problem.message


def test_a_cell_that_is_longer_than_csv_allows() -> None:
    with pytest.raises(FormatError, match="1 column, 2 expected"):
        read_topics(b"qid," + b"q" * 200_000)


def test_the_id_of_a_csv_may_be_in_any_column_but_not_that_of_a_table_with_tabs() -> None:
    (topic,) = read_topics(b'title,"qid",narrative\nA title,7,"two\nlines"\n')
    assert (topic.code, topic.fields) == ("7", (("title", "A title"), ("narrative", "two lines")))
    (topic,) = read_topics(b"query\tqid\nfirst\t1\n")  # all of them are names of columns
    assert (topic.code, topic.fields) == ("1", (("query", "first"),))
    first, second = read_topics(b"anchor\ttopic\nquery\tid\n")
    assert (first.code, first.fields) == ("anchor", (("query", "topic"),))
    assert (second.code, second.fields) == ("query", (("query", "id"),))


WEB_TRACK = b"""<?xml version="1.0"?>
<!DOCTYPE webtrack2009 [
  <!ELEMENT webtrack2009 (topic)*>
  <!ELEMENT topic (query, subtopic+)>
  <!ATTLIST topic number CDATA #REQUIRED type (ambiguous|faceted) "ambiguous">
]>
<webtrack2009>
<topic number="1"><query>first</query></topic>
<topic number="2" type="faceted"><query>second</query></topic>
</webtrack2009>
"""


def test_a_doctype_may_declare_elements_and_attributes_whose_defaults_are_not_used() -> None:
    first, second = read_topics(WEB_TRACK)
    assert (first.code, first.fields) == ("1", (("query", "first"),))
    assert (second.code, second.fields) == ("2", (("type", "faceted"), ("query", "second")))


# TREC CAsT 2019 to 2022 and iKAT 2023: the ids of runs are those of the conversation and the turn
CAST = b"""[
  {"number": 31, "description": "about boilers", "turn": [
    {"number": 1, "raw_utterance": "What is pressure?"},
    {"number": 2, "result_id": "M1", "raw_utterance": "Why?", "manual_utterance": "Why so?"}]},
  {"number": "9-1", "title": "a diet", "ptkb": {"1": "I like soup."}, "turns": [
    {"turn_id": 1, "utterance": "A diet?", "provenance": []},
    {"turn_id": 2, "participant": "System", "response": "Soup."},
    {"turn_id": 3, "role": "assistant", "text": "More soup."}]}
]"""


def test_turns_of_conversations_are_topics() -> None:
    warnings: list[Problem] = []
    found = read_topics(CAST, on_warning=warnings.append)
    assert [(topic.code, topic.fields) for topic in found] == [
        ("31_1", (("raw_utterance", "What is pressure?"), ("description", "about boilers"))),
        (
            "31_2",
            (
                *(("raw_utterance", "Why?"), ("manual_utterance", "Why so?"), ("result_id", "M1")),
                ("description", "about boilers"),
            ),
        ),
        ("9-1_1", (("utterance", "A diet?"), ("title", "a diet"))),
    ]
    assert [(each.line, each.message) for each in warnings] == [
        (5, "fields that are not text are left out of 1 topic: ptkb"),
        (5, "2 turns of the system are left out"),
    ]


def test_fields_that_are_not_text_are_told_once() -> None:
    rows = (
        b'{"id": %d, "q": "x", "a": [1], "b": null, "c": {}, "d": false}\n' % k for k in range(9)
    )
    warnings: list[Problem] = []
    found = read_topics(b"\n" + b"".join(rows), on_warning=warnings.append)
    assert {topic.fields for topic in found} == {(("q", "x"),)}
    (warning,) = warnings
    message = "fields that are not text are left out of 9 topics: a, b, d"
    assert (warning.code, warning.line, warning.message) == ("LEFT_OUT", 2, message)


def test_remains_of_windows_1252_become_its_characters() -> None:
    warnings: list[Problem] = []
    data = "1\tplain\n2\t\x93quoted\x94 \x96 dash\x81 \x7f end\x85\n".encode()
    found = read_topics(data, on_warning=warnings.append)
    assert found[1].fields == (("query", "\u201cquoted\u201d \u2013 dash end\u2026"),)
    assert [(each.code, each.line) for each in warnings] == [("WINDOWS_1252", 2)]


@pytest.mark.parametrize(
    "data",
    [
        b"<topic number='1'><query>text</query></topic>",
        b"\n<topic number='1'>text</topic>",
        b"<!DOCTYPE t [<!ELEMENT t ANY>]><t><num>1</num><query>text</query></t>",
    ],
)
def test_one_topic_without_a_root(data: bytes) -> None:
    (topic,) = read_topics(data)
    assert (topic.code, topic.fields) == ("1", (("query", "text"),))


def test_the_most_specific_id_is_taken() -> None:
    (topic,) = read_topics(b'{"id": "7", "query_id": "1", "text": "x"}')
    assert topic.code == "1"
    (topic,) = read_topics(b"topic,qid,query\ncats,1,a\n")
    assert (topic.code, topic.fields) == ("1", (("topic", "cats"), ("query", "a")))


def test_limits_can_be_raised() -> None:
    data = b"".join(b"%d\tx\n" % number for number in range(10_001))
    with pytest.raises(FormatError, match="more than 10,000 topics in one file: divide it"):
        read_topics(data)
    assert len(read_topics(data, max_topics=10_001)) == 10_001


def test_one_line_may_be_long_where_its_topics_are_short() -> None:
    topics = ",".join(f'{{"id": {k}, "text": "{k:0200}"}}' for k in range(9_000))
    assert len(read_topics(f"[{topics}]".encode())) == 9_000
    ids = ",".join(f'"{k}": "{k:0200}"' for k in range(9_000))
    assert len(read_topics(f"{{{ids}}}".encode())) == 9_000


SAMPLES = [*GOOD.values(), WEB_TRACK, CAST]


def test_mutations_are_read_or_refused_and_nothing_is_invented() -> None:
    """Ids and texts are parts of the file, except for white space, escapes and the ids of turns."""
    draw, read = random.Random(3), 0
    for data in mutants(SAMPLES, draw, 1_000 * len(SAMPLES)):
        try:
            topics = read_topics(data)
        except FormatError:
            continue
        read += 1
        if b"\\" in data or b"&" in data or b'""' in data:
            continue
        written = "".join(data.decode().replace("\x7f", "").split())
        for topic in topics:
            parts = topic.code.split("_") if b"turn" in data else [topic.code]
            assert all(part in written for part in parts)
            texts = ["".join(text.split()) for _, text in topic.fields]
            assert all(text in written or not text.isascii() for text in texts), (data, topic)
    assert read > 4_000


def read(data: bytes) -> tuple[list[tuple[str, tuple[tuple[str, str], ...]]], list[str]]:
    warnings: list[Problem] = []
    topics = read_topics(data, on_warning=warnings.append)
    return [(each.code, each.fields) for each in topics], [str(each) for each in warnings]


def test_what_xml_has_beside_its_topics_is_told() -> None:  # queries of Indri, and exports
    topics, told = read(
        b"<parameters>\n<index>/x</index>\nnote\n<query><number>701</number><text>a</text></query>\n"
        b"<memory/>\n<query><number>702</number><text>b</text></query>\n</parameters>"
    )
    assert topics == [("701", (("text", "a"),)), ("702", (("text", "b"),))]
    assert told == [
        "line 2: LEFT_OUT_ELEMENTS 2 elements without an id are left out ('index')",
        "line 3: LEFT_OUT_TEXT text outside the topics is left out",
    ]


def test_attributes_of_fields_are_told() -> None:  # of the Web Track
    topics, told = read(
        b"<t><topic number='1' id='q1'><query>a</query>\n"
        b"<subtopic number='1' type='nav'>b</subtopic>"
        b"<subtopic number='2' type='inf'>c</subtopic></topic></t>"
    )
    assert topics == [("1", (("query", "a"), ("subtopic", "b"), ("subtopic", "c")))]
    assert told == [
        "line 1: LEFT_OUT fields that are not text are left out of 1 topic: id, subtopic/@number, "
        "subtopic/@type"
    ]


@pytest.mark.parametrize(
    ("field", "text"),
    [
        (b"<NARR><BACK>back words</BACK><REL>rel words</REL></NARR>", "back words rel words"),
        (b"<NARR><p>one.</p><p>two.</p></NARR>", "one. two."),
        (b"<NARR>wor<b>d</b>s</NARR>", "words"),
        (b"<NARR>foo<br/>bar</NARR>", "foo bar"),
    ],
)
def test_parts_of_a_field_are_words_of_their_own(field: bytes, text: str) -> None:
    topics, _ = read(b"<TOPICS><TOPIC><NUM>1</NUM>" + field + b"</TOPIC></TOPICS>")
    assert topics == [("1", (("NARR", text),))]


def test_topics_of_clef_have_identifiers() -> None:
    topics, _ = read(
        b"<t><topic><identifier>10.2452/451-AH</identifier><title>a</title></topic></t>"
    )
    assert topics == [("10.2452/451-AH", (("title", "a"),))]


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (
            b"<top>\n<num> 1\n<title> a\n</top>\n\nstray\n<top>\n<num> 2\n</top>\n",
            6,
            "after the </top>",
        ),
        (b"1:obama family tree\n2:b\n", 1, "a tab for the colon after the id"),
        (b"1\tit\x92s\n", 1, "if this is Windows-1252, save it as UTF-8"),
    ],
)
def test_a_fault_of_a_collection_is_told_at_its_line(data: bytes, line: int, words: str) -> None:
    with pytest.raises(FormatError) as refused:
        read_topics(data)
    first = refused.value.problems[0]
    assert first.line == line
    assert words in first.message
