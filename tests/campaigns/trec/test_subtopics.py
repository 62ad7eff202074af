"""Judgments by subtopic: read with their true lines."""

import gzip

import pytest

from campaigns.trec.problems import FormatError
from campaigns.trec.subtopics import SubtopicJudgment, read_subtopics

GOOD = b"1 1 a 1\n1\t2\ta\t0\r\n\n  2 x b -1"


@pytest.mark.parametrize("data", [GOOD, gzip.compress(GOOD, mtime=0), b"\xef\xbb\xbf" + GOOD])
def test_judgments_are_read_in_their_order(data: bytes) -> None:
    assert read_subtopics(data).judgments == (
        SubtopicJudgment("1", "1", "a", 1),
        SubtopicJudgment("1", "2", "a", 0),
        SubtopicJudgment("2", "x", "b", -1),
    )


@pytest.mark.parametrize("name", ["subtopic", "subtopic_id"])
def test_a_table_has_its_columns_in_any_order(name: str) -> None:
    data = f"query_id,doc_id,relevance,{name},iteration\n1,a,1,1,0\n1,a,0,2,0\n2,b,-1,x,0\n"
    assert read_subtopics(data.encode()).judgments == read_subtopics(GOOD).judgments
    assert read_subtopics(data.replace(",", "\t").encode()).judgments[2].subtopic == "x"


def test_only_ascii_white_space_separates_fields() -> None:
    (judgment,) = read_subtopics("1 2 a\u00a0b 1".encode()).judgments
    assert judgment.doc_id == "a\u00a0b"


def test_one_subtopic_for_all_is_warned_of() -> None:
    (warning,) = read_subtopics(b"1 0 a 1\n2 0 b 1\n").warnings
    assert (warning.code, warning.value) == ("FIELD_2", "0")
    assert read_subtopics(b"1 1 a 1\n1 2 a 1\n").warnings == ()


def test_comments_are_left_out_with_a_warning() -> None:
    parsed = read_subtopics(b"# by hand\n1 1 a 1\n1 2 a 1\n# the end\n")
    assert len(parsed.judgments) == 2
    assert [str(each) for each in parsed.warnings] == [
        "line 1: COMMENT 2 lines beginning with # left out as comments"
    ]


@pytest.mark.parametrize(
    ("data", "code", "line", "words"),
    [
        (b"", "EMPTY", None, "no judgment"),
        (b"\n \n", "EMPTY", None, "no judgment"),
        (b"1 1 a 1\n1 a 1\n", "FIELDS", 2, "3 fields, 4 expected: topic, subtopic, document"),
        (b"qid,subtopic,docno,rel\n1,,a,1\n1,1,b,1\n", "FIELDS", 2, "subtopic is missing"),
        (b"qid,intent,docno,rel\n1,1,a,1\n1,1,b,1\n", "FIELDS", 1, "needs a column subtopic"),
        (b"qid,subtopic,docno,rel\n1,1,a,1\n1,1,b\n", "FIELDS", 3, "3 columns, 4 expected"),
        (b"qid,subtopic,docno,rel\n1,1,a,1\n1,1,a,0\n", "DUP", 3, "is already on line 2"),
        (b"1\n", "FIELDS", 1, "1 field, 4 expected"),
        (b"1 Q0 a 1 .5 tag\n", "FIELDS", 1, "6 fields, 4 expected"),
        (b"1 1 a 1\n1 1 b x\n", "GRADE", 2, "not a whole number from -127 to 127"),
        (b"1 1 b 1.0\n", "GRADE", 1, "not a whole number"),
        (b"1 1 b +1\n", "GRADE", 1, "not a whole number"),
        (b"1 1 b 01\n", "GRADE", 1, "not a whole number"),
        (b"1 1 b 128\n", "GRADE", 1, "from -127 to 127"),
        ("1 1 b \u0661\n".encode(), "GRADE", 1, "not a whole number"),
        (
            b"1 1 a 1\n1 2 a 1\n1 1 a 0\n",
            "DUP",
            3,
            "topic '1' and subtopic '1' is already on line 1",
        ),
        (b"1 1 a 1\n1 1 \xff 1\n", "ENCODING", 2, "not UTF-8"),
        (b"1 1 a 1\n1 1 b\0 1\n", "NUL", 2, "NUL"),
        (gzip.compress(GOOD, mtime=0)[:-9], "GZIP", None, ""),
    ],
)
def test_what_is_wrong_has_its_line(data: bytes, code: str, line: int | None, words: str) -> None:
    with pytest.raises(FormatError) as refused:
        read_subtopics(data)
    problem = refused.value.problems[0]
    assert (problem.code, problem.line) == (code, line)
    assert words in problem.message


def test_the_same_fault_on_many_lines_is_one_problem() -> None:
    with pytest.raises(FormatError) as refused:
        read_subtopics(b"1 a 1\n" * 50)
    (problem,) = refused.value.problems
    assert (problem.line, problem.count) == (1, 50)
