"""Rows of tables: every reader of tables takes the same files, row by row, at the same lines."""

import csv
import io
import random
import tracemalloc

import pytest

from campaigns.trec.csv_rows import table_rows
from campaigns.trec.problems import FormatError
from campaigns.trec.qrels import as_qrels, read_qrels
from campaigns.trec.topics import read_topics

NOTE = 'topic,doc_id,grade,note\n301,d1,2,"see\n301,d2,0,"\n301,d3,1,ok\n'
EXPECTED = [("301", "d1", 2, 2), ("301", "d3", 1, 4)]  # with the line in the file


def judgments(data: bytes) -> list[tuple[str, str, int, int]]:
    found = read_qrels(data)
    columns = (found.topic_index, found.doc_ids, found.grades, found.lines)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [(found.topics[topic], doc.decode(), grade, line) for topic, doc, grade, line in rows]


@pytest.mark.parametrize("convert", [bytes, as_qrels], ids=["qrels", "judgments"])
@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_a_line_of_a_quoted_note_is_no_judgment(ends: str, separator: str, convert: type) -> None:
    data = NOTE.replace(",", separator).replace("\n", ends).encode()
    assert judgments(convert(data)) == EXPECTED


@pytest.mark.parametrize("convert", [bytes, as_qrels], ids=["qrels", "judgments"])
def test_columns_are_known_by_their_names_in_any_order(convert: type) -> None:
    data = b'\xef\xbb\xbfassessor,"grade",topic,doc_id\nann,2,301,d1\n"b, c",1,301,d3\n'
    assert judgments(convert(data)) == [("301", "d1", 2, 2), ("301", "d3", 1, 3)]


@pytest.mark.parametrize("convert", [bytes, as_qrels], ids=["qrels", "judgments"])
@pytest.mark.parametrize(
    ("data", "code", "line", "words"),
    [
        ('topic,doc_id,grade,note\n1,a,1,"x\n1,b,1,y\n', "FIELDS", 2, "a quote is not closed"),
        (
            'topic,doc_id,grade,note\n1,a,1,x\n1,b,1,"y"z\n',
            "FIELDS",
            3,
            "inside a quoted cell twice",
        ),
        (
            'topic,doc_id,grade,note\n1,a,1,"x\n1,b,1,y\n1,c,1,"z"\n',
            "FIELDS",
            2,
            "is closed only on line 4, and text follows it",
        ),
        ("topic,doc_id,grade,note\n1,a,1,x\ry\n", "STRAY_CR", 2, "CR inside the line"),
        ('topic,doc_id,grade,note\n1,a,1,"x\n\n"\n1,b,2.5,y\n', "GRADE", 5, "not a whole number"),
    ],
)
def test_a_faulty_table_is_refused_at_its_line(
    data: str, code: str, line: int, words: str, convert: type
) -> None:
    with pytest.raises(FormatError) as refused:
        read_qrels(convert(data.encode()))
    (problem,) = refused.value.problems
    assert (problem.code, problem.line) == (code, line)
    assert words in problem.message


def test_judgments_in_trecs_layout_are_not_cut_into_lines_first() -> None:
    """A gz of 1 MB can hold 64 MB of short lines, each of which would be an object of 60 bytes."""
    data = b"301 0 d1 1\n" * 100_000
    tracemalloc.start()
    try:
        assert as_qrels(data) is data
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(data)


@pytest.mark.parametrize(
    "data",
    [
        b"1\tfirst\r2\tsecond\r",
        b"qid,query\r1,first\r2,second",
        b'{"qid": "1", "query": "first"}\r{"qid": "2", "query": "second"}\r',
        b"<top>\r<num> 1\r<query> first\r</top>\r<top>\r<num> 2\r<query> second\r</top>\r",
    ],
)
def test_topics_of_lines_that_end_in_cr_alone(data: bytes) -> None:
    found = [(topic.code, dict(topic.fields)) for topic in read_topics(data)]
    assert found == [("1", {"query": "first"}), ("2", {"query": "second"})]


def test_rows_are_those_of_pythons_csv_and_their_lines_those_of_the_file() -> None:
    """Random cells, written by Python's csv; the twin counts the line ends that were written."""
    draw = random.Random(7)
    for _ in range(300):
        separator, out, expected, line = draw.choice(",;"), io.StringIO(), [], 1
        writer = csv.writer(out, delimiter=separator, lineterminator="\n")
        for _ in range(draw.randrange(1, 6)):
            cells = ["".join(draw.choices('ab",; \n', k=draw.randrange(1, 6))) for _ in range(3)]
            before = out.tell()
            writer.writerow(cells)
            last = line + out.getvalue()[before:].count("\n") - 1
            expected.append((line, last, cells))
            line = last + 1
        lines = enumerate(out.getvalue().split("\n")[:-1], 1)
        assert [tuple(row) for row in table_rows(lines, separator)] == expected


def test_quotes_between_tabs_are_text_unless_said() -> None:
    lines = [(1, '"a'), (2, 'b"\tc')]
    assert list(table_rows(lines, "\t")) == [(1, 1, ['"a']), (2, 2, ['b"', "c"])]
    assert list(table_rows(lines, "\t", has_quotes=True)) == [(1, 2, ["a\nb", "c"])]
