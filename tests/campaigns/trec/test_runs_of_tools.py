"""Lines as public tools write them, by the formats in their sources and with their own tags, are
accepted unchanged, or refused with the one hint that mends them."""

from collections.abc import Sequence

import pytest

from campaigns.trec.problems import FormatError
from campaigns.trec.runs import read_run
from tests.lines_of_tools import LINES, REFUSED


@pytest.mark.parametrize("tool", LINES)
def test_lines_of_a_tool_are_accepted_unchanged(tool: str) -> None:
    data, tag = LINES[tool]
    run = read_run(data)
    assert run.tag == tag
    assert run.line_count == sum(not line.startswith(b"#") for line in data.splitlines())
    if tool != "Galago":
        assert list(run.retrieval_scores) == sorted(run.retrieval_scores, reverse=True)


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_tool_writes_otherwise_gets_one_hint(name: str) -> None:
    lines, (line, hint) = REFUSED[name]
    check_one_problem(lines, line, hint)


RECORDS = [b"%d Q0 d%d %d %d ours" % (t, r, r, 10 - r) for t in (1, 2) for r in range(1, 6)]


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        (
            [line.replace(b" ", b", ") for line in RECORDS],
            "all 10 lines: this looks like CSV: separate fields by spaces or tabs, without commas",
        ),
        (
            [b'["topic", "1", "doc", "d%d", "score", %d]' % (r, r) for r in range(1, 6)],
            "all 5 lines: this looks like JSON",
        ),
    ],
)
def test_lines_of_another_format_with_six_fields_are_one_problem(
    lines: list[bytes], hint: str
) -> None:
    check_one_problem(lines, 1, hint)


def test_the_tag_is_not_that_of_a_header() -> None:
    with pytest.raises(FormatError) as caught:
        read_run(b"\n".join([b"qid iter docno rank score run", *RECORDS, b"2 Q0 d9 9 0 other"]))
    (problem,) = caught.value.problems
    assert "tag differs from 'ours' on line 2" in problem.message
    assert [warning.code for warning in caught.value.warnings] == ["HEADER"]


def check_one_problem(lines: Sequence[bytes], line: int, hint: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_run(b"\n".join(lines) + b"\n", known_topics=["1", "2", "301", "1048585"])
    (problem,) = caught.value.problems
    assert problem.line == line
    assert hint in problem.message


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1\tQ0\tdoc 1\t1\t2.0\tt", "the document id contains a space, or the run tag does"),
        ("1 Q0 d 1 2.0 my run", "the run tag contains spaces, or text follows it"),
        ("1 Q0 e 2", "the line is cut"),
        ("1 Q0", "the line is cut"),
        ("1 Q0 d 1 2.0 t1 Q0 e 2 1.0 t", "two lines are joined here"),
        ("1 d1 0 1 0.5", "this looks like prels"),
        ("1 Q0 d1 1 0.5", "the run tag is missing"),
        ("1 d1 1 0.5 t", "the second field, Q0, is missing"),
        ("map all 0.25", "this looks like the output of trec_eval"),
        ("1 0 d 2", "this looks like a qrels file"),
        ("qid,docno,score,score", "its header is the first line and has qid,docno,score once"),
        ("1,d1,2.5", "begin with a header, such as qid,docno,score"),
    ],
)
def test_the_hint_names_the_true_cause(line: str, words: str) -> None:
    with pytest.raises(FormatError) as refused:
        read_run(f"1 Q0 c 1 3.0 t\n{line}\n".encode())
    assert words in refused.value.problems[0].message
