"""Topics as test collections publish them, by the layouts in their documentation: read with their
fields and true lines."""

import pytest

from campaigns.trec.problems import FormatError
from campaigns.trec.topics import read_topics

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
        (b'{"_id": "1", "text": {"en": "a"}}', "JSON", 1, "'text' is not text"),
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
    first, second = read_topics(b"anchor\ttopic\nquery\tid\n")
    assert (first.code, first.fields) == ("anchor", (("query", "topic"),))
    assert (second.code, second.fields) == ("query", (("query", "id"),))
