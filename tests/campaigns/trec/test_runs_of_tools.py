"""Lines as public tools write them, by the formats in their sources and with their own tags, are
accepted unchanged, or refused with the one hint that mends them."""

from collections.abc import Sequence

import pytest

from campaigns.trec.problems import FormatError
from campaigns.trec.runs import read_run

LINES = {
    # apache/lucene, benchmark/quality/utils/SubmissionReport.java: padded, tabs, ranks from 0
    "Lucene": (
        b"301 \t Q0 \t FR940202-2-00150     \t 0       \t 8.0211 \t lucene\n"
        b"301 \t Q0 \t FR940920-2-00106     \t 1       \t 7.9800 \t lucene\n",
        "lucene",
    ),
    # castorini/anserini, io/anserini/search/SearchCollection.java: "%f", six decimals
    "Anserini": (
        b"301 Q0 FBIS4-40260 1 10.692500 Anserini\n301 Q0 FBIS3-55219 2 10.416599 Anserini\n",
        "Anserini",
    ),
    # castorini/pyserini, pyserini/eval/convert_msmarco_run_to_trec_run.py: 1 / rank as the score
    "Pyserini": (
        b"1048585 Q0 7187158 1 1.0 anserini\n1048585 Q0 7187157 2 0.5 anserini\n"
        b"1048585 Q0 7187163 3 0.3333333333333333 anserini\n",
        "anserini",
    ),
    # terrier-org/terrier-core, TRECDocnoOutputFormat.java: ranks from 0, the model with parameters
    "Terrier": (
        b"1 Q0 8172 0 13.746087074279785 InL2c1.0\n1 Q0 9881 1 12.352665901184082 InL2c1.0\n",
        "InL2c1.0",
    ),
    # terrier-org/pyterrier, pyterrier/io.py: pandas writes the columns, ranks from 0
    "PyTerrier": (
        b"1 Q0 8172 0 13.746087158752578 pyterrier\n1 Q0 9881 1 12.352666319456976 pyterrier\n",
        "pyterrier",
    ),
    # lemur-project/indri, IndriRunQuery -trecFormat=true: logarithms of probabilities
    "Indri": (
        b"701 Q0 GX268-35-11839875 1 -4.83646 indri\n701 Q0 GX262-86-10646960 2 -4.84157 indri\n",
        "indri",
    ),
    # lemur-project/galago, ScoredDocument.toTRECformat: eight decimals, small ones with exponent
    "Galago": (
        b"1 Q0 WSJ870605-0094 1 -5.45863232 galago\n1 Q0 WSJ870901-0085 2 -1.20000000e-05 galago\n",
        "galago",
    ),
    # AmenRa/ranx, ranx/data_structures/run.py: no line end after the last line, None without a name
    "ranx": (b"q_1 Q0 d_12 1 0.9 None\nq_1 Q0 d_25 2 0.2 None", "None"),
    # texttron/tevatron, src/tevatron/utils/format/convert_result_to_trec.py
    "Tevatron": (
        b"2 Q0 4339068 1 78.45704650878906 dense\n2 Q0 1782337 2 77.9 dense\n",
        "dense",
    ),
    # usnistgov/trec_eval, test/results.comment.test: comments, tabs, padded scores, any order
    "trec_eval": (
        b"# This is my favorite run\n"
        b"301\tQ0\tFR940202-2-00150\t104\t  2.129133\tSTANDARD\n"
        b"# And has another comment here.\n"
        b"301\tQ0\tFR940202-2-00151\t414\t  1.724760\tSTANDARD\n",
        "STANDARD",
    ),
}


@pytest.mark.parametrize("tool", LINES)
def test_lines_of_a_tool_are_accepted_unchanged(tool: str) -> None:
    data, tag = LINES[tool]
    run = read_run(data)
    assert run.tag == tag
    assert run.line_count == sum(not line.startswith(b"#") for line in data.splitlines())
    if tool != "Galago":
        assert list(run.retrieval_scores) == sorted(run.retrieval_scores, reverse=True)


REFUSED = {
    # SubmissionReport.java formats scores for people: a comma for thousands
    "Lucene, from 1,000 on": (
        (b"301 Q0 FR940202-2-00150 0 1,234.5678 lucene", b"301 Q0 FT934-1 1 999.1000 lucene"),
        (1, "write it without a comma for thousands"),
    ),
    # ScoredPassage.toString of Galago: begin and end of the passage after the tag
    "Galago's passages": (
        [b"1 Q0 WSJ870605-0094 %d -5.4%d galago 0 50" % (rank, rank) for rank in range(1, 6)],
        (1, "all 5 lines: 8 fields, 6 expected: the run tag contains spaces, or text follows it"),
    ),
    # pandas quotes a run_name with spaces
    "PyTerrier, with a name of two words": (
        [b'1 Q0 %d %d 13.7 "my run"' % (rank, rank) for rank in range(5)],
        (1, "all 5 lines: 7 fields, 6 expected: the run tag contains spaces"),
    ),
}


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
