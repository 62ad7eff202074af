"""`trackside convert` of topics and documents."""

import csv
import io
import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.trec.documents import read_documents
from campaigns.trec.problems import FormatError
from campaigns.trec.topics import read_topics
from scoring.cli.text_layouts import DOCUMENT_LAYOUTS, write_topics
from scoring.library.bad_input import BadInput

TOPICS = b"""<topics>
<topic number="7"><title>night; trains, "fast"</title><desc>Which cities?</desc></topic>
<topic number="08"><title>Topic: helmets &amp; heads</title><narr>Narrative: none.</narr></topic>
</topics>
"""
DOCUMENTS = (
    b'{"id": "a-1", "title": "One & <b>", "text": "First <p> \\"x\\", y.\\n\\nLast &amp; best."}\n'
    b'{"id": "2", "text": "No title\\tand a tab"}\n{"id": "3", "title": "no text", "text": ""}\n'
)
TOPIC_LAYOUTS = ("trec", "xml", "tsv", "csv", "jsonl")


@pytest.mark.parametrize("layout", TOPIC_LAYOUTS)
@pytest.mark.parametrize("back_to", TOPIC_LAYOUTS)
def test_topics_there_and_back_are_equal(trackside, layout, back_to):
    file = trackside.write("topics.xml", TOPICS)
    there = trackside("convert", "--topics", file, "--to", layout)
    assert (there.status, there.err) == (0, "")
    back = trackside("convert", "--topics", trackside.write("there", there.out), "--to", back_to)
    assert read_topics(back.out.encode()) == read_topics(TOPICS)


def test_topics_of_ms_marco_have_the_first_field(trackside):
    found = trackside("convert", "--topics", trackside.write("t", TOPICS), "--to", "msmarco")
    assert found.out == '7\tnight; trains, "fast"\n08\tTopic: helmets & heads\n'
    assert "t: warning: only one field of each topic is written, such as title" in found.err


@pytest.mark.parametrize(
    "topics",
    [
        "<t><topic number='1' type='ambiguous'><query>q</query><narr>n</narr></topic></t>",
        "<TOPIC><NUM>1</NUM><SLANG>CH</SLANG><TITLE>q</TITLE></TOPIC>",
        "qid,category,query\n1,sports,q\n",
    ],
)
def test_the_field_of_ms_marco_is_the_query(trackside, topics):
    found = trackside("convert", "--topics", trackside.write("t", topics), "--to", "msmarco")
    assert found.out == "1\tq\n"


def test_fields_that_could_be_the_text_are_told(trackside):
    file = trackside.write("d.csv", "id,docid,title,abstract,text\n1,A,t,short,long\n2,B,t,s,l\n")
    found = trackside("convert", "--documents", file, "--to", "msmarco")
    assert found.out == "A\tlong\nB\tl\n"
    assert "warning: docid, id could be the id: docid was taken" in found.err
    assert (
        "warning: text, abstract could be the text: the first that has one was taken" in found.err
    )


def test_documents_come_by_a_pipe():
    command = [sys.executable, "-m", "trackside", "convert", "--documents", "-", "--to", "trec"]
    written = subprocess.run(command, input=DOCUMENTS, capture_output=True, check=True)
    assert len(list(read_documents(written.stdout))) == 3


def test_topics_with_one_field_are_queries_of_beir(trackside):
    file = trackside.write("queries.tsv", "1\tfirst query\n2\tsecond query\n")
    found = trackside("convert", "--topics", file, "--to", "jsonl")
    assert [json.loads(line) for line in found.out.splitlines()] == [
        {"_id": "1", "text": "first query"},
        {"_id": "2", "text": "second query"},
    ]
    again = trackside.write("queries.jsonl", found.out)
    back = trackside("convert", "--topics", again, "--to", "msmarco")
    assert (back.out, back.err) == ("1\tfirst query\n2\tsecond query\n", "")


@pytest.mark.parametrize(
    ("topics", "layouts", "what"),
    [
        ('{"id": "1", "query": "a <title> b", "x": "y"}', ["trec"], "the field 'query'"),
        ('{"id": "1", "the query": "a", "b": "c"}', ["trec"], "the field 'the query'"),
        ('{"id": "1", "a:b": "a", "c": "d"}', ["trec", "csv", "tsv"], "the field 'a:b'"),
        ('{"id": "1", "top": "a", "b": "c"}', ["trec"], "the field 'top'"),
        ("<t><q number='1'><a>x</a><a>y</a></q></t>", ["jsonl", "csv", "tsv"], "2 fields 'a'"),
        ("<t><q number='1'><id>x</id><a>y</a></q></t>", ["jsonl"], "the field 'id'"),
        (
            "<t><q id='1'><number>2</number><a>y</a></q></t>",
            ["trec", "jsonl"],
            "the field 'number'",
        ),
    ],
)
def test_topics_that_a_layout_cannot_hold(trackside, topics, layouts, what):
    file = trackside.write("topics", topics)
    for layout in ("trec", "csv", "tsv", "jsonl", "xml"):
        found = trackside("convert", "--topics", file, "--to", layout)
        if layout in layouts:
            assert (found.status, found.out) == (2, "")
            told = re.search(r": topic 1 has (.*), which this layout cannot hold\. Use", found.err)
            assert told, found.err
            assert told[1] == what
        else:
            again = read_topics(found.out.encode())
            assert again == read_topics(topics.encode()), layout


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=12)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3), st.sampled_from(TOPIC_LAYOUTS))
def test_topics_are_read_as_they_were_or_are_refused(texts, layout):
    rows = (
        json.dumps({"id": str(number), "title": title, "desc": desc})
        for number, (title, desc) in enumerate(texts)
    )
    try:
        topics = read_topics("\n".join(rows).encode())
        found = write_topics(topics, layout, print)
    except (FormatError, BadInput):
        return
    again = read_topics(found)
    assert [topic.code for topic in again] == [topic.code for topic in topics]
    words = [[text for _, text in topic.fields] for topic in topics]
    assert [[text for _, text in topic.fields] for topic in again] == words


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=3))
def test_documents_are_read_as_they_were(texts):
    rows = (json.dumps(dict(zip(("id", "title", "text"), row, strict=True))) for row in texts)
    try:
        documents = list(read_documents("\n".join(rows).encode()))
    except FormatError:
        return
    for layout, write in DOCUMENT_LAYOUTS.items():
        written = io.BytesIO()
        try:
            write(documents, written, str)
        except BadInput:
            assert layout == "msmarco"
            continue
        again = list(read_documents(written.getvalue()))
        assert [each.doc_id for each in again] == [each.doc_id for each in documents]
        assert [each.text.split() for each in again] == [each.text.split() for each in documents]


@pytest.mark.parametrize(("doc_id", "text"), [("<>", "0"), ("{}", "0"), ("id", "text")])
def test_a_first_document_that_begins_another_format_is_refused(trackside, doc_id, text):
    row = json.dumps({"id": doc_id, "text": text})
    file = trackside.write("documents.jsonl", f"{row}\n")
    found = trackside("convert", "--documents", file, "--to", "msmarco")
    message = f"a file that begins with document {doc_id} would be read otherwise"
    assert (found.status, found.out) == (2, "")
    assert f"--to msmarco: {message}. Use --to jsonl" in found.err
    second = trackside.write("two.jsonl", f'{{"id": "1", "text": "one"}}\n{row}\n')
    written = trackside("convert", "--documents", second, "--to", "msmarco")
    assert (written.status, written.out) == (0, f"1\tone\n{doc_id}\t{text}\n")


def test_documents_whose_text_was_repaired_are_told(trackside):
    file = trackside.write("documents.tsv", "1\tit\u0092s\n2\tgood\n3\t\u0093\n")
    found = trackside("convert", "--documents", file, "--to", "msmarco")
    assert found.out == "1\tit\u2019s\n2\tgood\n3\t\u201c\n"
    assert "warning: line 1: WINDOWS_1252 2 texts have control characters" in found.err


@pytest.mark.parametrize("layout", ["trec", "tsv", "csv", "jsonl"])
def test_documents_there_and_back_are_equal(trackside, layout):
    file = trackside.write("documents.jsonl", DOCUMENTS)
    there = trackside("convert", "--documents", file, "--to", layout)
    assert (there.status, there.err) == (0, f"{file}: warning: 1 document has no text, first 3\n")
    expected = list(read_documents(DOCUMENTS))
    found = list(read_documents(there.out.encode()))
    assert [each.doc_id for each in found] == ["a-1", "2", "3"]
    assert [each.title for each in found] == [each.title for each in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.text.split() == theirs.text.split()
    if layout in ("trec", "jsonl"):  # paragraphs stay
        assert found[0].text == expected[0].text


def test_documents_of_ms_marco_have_no_titles(trackside):
    file = trackside.write("documents.jsonl", DOCUMENTS)
    target = trackside.folder / "collection.tsv"
    found = trackside("convert", "--documents", file, "--to", "msmarco", "-o", target)
    assert target.read_text().splitlines()[1:] == ["2\tNo title and a tab", "3\t"]
    assert "documents.jsonl: warning: 2 titles are left out" in found.err


def test_documents_with_an_error_write_nothing(trackside):
    file = trackside.write("documents.jsonl", DOCUMENTS + DOCUMENTS)
    found = trackside("convert", "--documents", file, "--to", "csv")
    assert (found.status, found.out) == (2, "")
    assert "line 4: DUP the document is already on line 1" in found.err


def test_the_names_of_the_columns(trackside):
    topics = trackside("convert", "--topics", trackside.write("t", TOPICS), "--to", "csv").out
    assert next(csv.reader(io.StringIO(topics))) == ["query_id", "title", "desc", "narr"]
    file = trackside.write("d", DOCUMENTS)
    documents = trackside("convert", "--documents", file, "--to", "tsv").out
    assert documents.startswith("doc_id\ttitle\ttext\na-1\tOne & <b>\t")


@pytest.mark.parametrize("text", [TOPICS, DOCUMENTS, b"1 Q0 d1 1 high x\n"])
def test_what_was_refused_as_a_run_may_be_something_else(trackside, text):
    found = trackside("convert", trackside.write("x", text), "--to", "trec")
    assert (found.status, found.out) == (2, "")
    assert found.err.endswith("add --qrels, --topics or --documents.\n")
    named = trackside("convert", "--qrels", trackside.write("x", text), "--to", "trec")
    assert "add --qrels" not in named.err
