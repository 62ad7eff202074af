"""What a read run holds, its limits, and writing it again."""

from __future__ import annotations

import io
import itertools
import subprocess
import sys
import tracemalloc
from typing import Literal

import numpy as np
import pytest

from campaigns.trec.compression import READ_BYTES
from campaigns.trec.problems import FormatError
from campaigns.trec.runs import ParsedRun, read_run, write_run

pytestmark = pytest.mark.usefixtures("either_way")

GOOD = b"1 Q0 A 1 3.0 r\n1 Q0 longdocument 2 2.5 r\n2 Q0 A 1 -1e-3 r\n"


def same(a: ParsedRun, b: ParsedRun) -> bool:
    return (
        (a.tag, a.topics, a.line_count) == (b.tag, b.topics, b.line_count)
        and a.topic_index.tobytes() == b.topic_index.tobytes()
        and a.doc_ids.dtype == b.doc_ids.dtype
        and a.doc_ids.tobytes() == b.doc_ids.tobytes()
        and a.retrieval_scores.tobytes() == b.retrieval_scores.tobytes()
    )


def test_columns_have_their_shapes() -> None:
    run = read_run(GOOD)
    assert (run.tag, run.topics, run.line_count) == ("r", ("1", "2"), 3)
    assert run.topic_index.dtype == np.int32
    assert run.topic_index.tolist() == [0, 0, 1]
    assert run.doc_ids.dtype == "S16"
    assert run.doc_ids.tolist() == [b"A", b"longdocument", b"A"]
    assert run.doc_ids.tobytes()[:16] == b"A".ljust(16, b"\0")
    assert run.retrieval_scores.dtype == np.float64
    assert run.retrieval_scores.tolist() == [3.0, 2.5, -1e-3]
    assert run.warnings == ()


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 17, 63, 64, 65, 1023, 1024])
def test_documents_of_any_length_come_back(length: int) -> None:
    short, long = b"s", b"d" * length
    run = read_run(b"1 Q0 " + short + b" 1 3 r\n1 Q0 " + long + b" 2 2 r")
    assert run.doc_ids.tolist() == [short, long]
    assert run.doc_ids.itemsize % 8 == 0


def test_dropping_unknown_topics_counts_them_and_keeps_the_rest() -> None:
    data = b"8 Q0 A 1 3 r\n" + GOOD + b"9 Q0 A 1 2 r\n9 Q0 A 2 1 r\n"
    run = read_run(data, known_topics=["1", "2", "3"], unknown_topics="drop", max_lines=3)
    assert run.topics == ("1", "2")
    assert run.line_count == 3
    assert [str(warning) for warning in run.warnings] == [
        "line 1: DROPPED_TOPICS 3 lines of 2 topics that are not in the list of topics "
        "were ignored",
        "MISSING_TOPICS 1 of 3 topics has no line ('3')",
    ]


def test_faults_of_dropped_lines_are_still_faults() -> None:
    with pytest.raises(FormatError) as caught:
        read_run(GOOD + b"9 Q0 A 1 x r\n", known_topics=["1", "2"], unknown_topics="drop")
    assert [problem.code for problem in caught.value.problems] == ["SCORE"]


def test_the_message_reveals_the_given_list_only() -> None:
    with pytest.raises(FormatError) as caught:
        read_run(b"Q7 Q0 A 1 3 r\n", known_topics=["q7", "unrelated"])
    message = str(caught.value)
    assert "did you mean 'q7'?" in message
    assert "unrelated" not in message


@pytest.mark.parametrize(
    ("known", "ids", "hint"),
    [
        (["MB001", "MB002"], ["1", "2"], "the prefix differs for 2 of 2 unknown topics, 'MB001'"),
        (["1", "2"], ["Q0", "MB01"], "the prefix differs, '1'"),
        (["051", "052", "9"], ["51", "52", "x"], "leading zeros matter for 2 of 3 unknown topics,"),
        (["q1"], ["Q1"], "case differs"),
        (["A-1", "B-1"], ["1"], ""),  # either could be meant
        (["31_1"], ["32_1"], ""),
        (["31_1"], ["31_2"], ""),  # another turn
        (["31_1", "31_2"], ["31"], ""),  # either could be meant
        (["31_1", "32_1"], ["31-1", "32-1"], "the separator differs for 2 of 2 unknown topics,"),
        (["1", "2"], ["1.0", "2.0"], "a table wrote numbers with .0 for 2 of 2 unknown topics,"),
        (["301", "302"], ["301_title"], "a part was added at the end, '301'"),
        (["301_title"], ["301"], "a part was added at the end, '301_title'"),
        (["a"], ["b"], ""),
    ],
)
def test_ids_of_another_scheme_get_a_hint(known: list[str], ids: list[str], hint: str) -> None:
    data = "".join(f"{topic} Q0 A 1 3 r\n" for topic in ids).encode()
    with pytest.raises(FormatError) as refused:
        read_run(data, known_topics=known)
    messages = [each.message for each in refused.value.problems]
    assert refused.value.total == len(messages) == len(ids)
    question = hint.replace(", '", ", did you mean '")
    assert "".join(messages).count(question) == 1 if hint else "mean" not in "".join(messages)
    with pytest.raises(FormatError) as dropped:
        read_run(data, known_topics=known, unknown_topics="drop")
    expected = hint.replace("'1'", "'1' for 'MB01'").replace("'MB001'", "'MB001' for '1'")
    assert expected in dropped.value.problems[0].message


def test_all_problems_come_in_line_order() -> None:
    data = (
        b"1 Q0 A 1 x r\n"  # SCORE
        b"1 Q0 B z 3 r\n"  # RANK
        b"\n"
        b"1 Q0 A 2 3 r\n"  # DUP of line 1
        b"1 Q0\n"  # FIELDS
        b"9 Q0 A y w q\n"  # UNKNOWN_TOPIC, RANK, SCORE, TAG
    )
    with pytest.raises(FormatError) as caught:
        read_run(data, known_topics=["1"])
    found = [(problem.line, problem.code) for problem in caught.value.problems]
    assert found == [
        (1, "SCORE"),
        (2, "RANK"),
        (4, "DUP"),
        (5, "FIELDS"),
        (6, "UNKNOWN_TOPIC"),
        (6, "RANK"),
        (6, "SCORE"),
        (6, "TAG"),
    ]
    assert caught.value.total == 8


@pytest.mark.parametrize(
    ("data", "unknown_topics", "said"),
    [
        (b"1 Q0 A 1 r\n" * 5, "refuse", "all 5 lines: 5 fields, 6 expected"),
        (b"7 Q0 A 1 3 r\n", "refuse", "topic is not in the list of topics"),
        (b"7 Q0 A 1 3 r\n", "drop", "no line is about a topic in the list of topics"),
    ],
)
def test_a_fault_on_every_line_is_told_without_missing_topics(
    data: bytes, unknown_topics: Literal["refuse", "drop"], said: str
) -> None:
    with pytest.raises(FormatError) as caught:
        read_run(data, known_topics=["1", "2", "3"], unknown_topics=unknown_topics)
    (problem,) = caught.value.problems
    assert problem.message.startswith(said)
    assert "MISSING_TOPICS" not in {warning.code for warning in caught.value.warnings}


def test_one_fault_on_many_lines_is_told_once() -> None:
    lines = [b"1 Q0 D%d 1 %b r\n" % (k, b"x" if k % 2 else b"1") for k in range(20_000)]
    with pytest.raises(FormatError) as caught:
        read_run(b"".join(lines))
    (problem,) = caught.value.problems
    assert (problem.line, problem.count, caught.value.total) == (2, 10_000, 10_000)
    assert problem.message == "this and 9,999 other lines: score is not a decimal number"


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (b"301 FT911-3 1 14.2 bm25\n", "5 fields, 6 expected: the second field, Q0, is missing"),
        (b"301 Q0 FT911-3 1 14.2\n", "5 fields, 6 expected: the run tag is missing"),
        (b"301 Q0 FT911-3 1 14.2 my run\n", "7 fields, 6 expected: the run tag contains spaces"),
        (b"301,Q0,FT911-3,1,14.2,bm25\n", "1 field, 6 expected: this looks like CSV"),
        (b'["301", "FT911-3", 14.2]\n', "3 fields, 6 expected: this looks like JSON"),
        (b"301 0 FT911-3 1\n", "4 fields, 6 expected: this looks like a qrels file"),
    ],
)
def test_a_foreign_form_gets_one_sentence_with_the_way_out(line: bytes, hint: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_run(line * 2000)
    (problem,) = caught.value.problems
    assert problem.message.startswith(f"all 2,000 lines: {hint}")
    assert (problem.line, problem.count) == (1, 2000)


def test_the_header_of_beir_qrels_is_recognised() -> None:
    with pytest.raises(FormatError) as caught:
        read_run(b"query-id\tcorpus-id\tscore\n1\tA\t1\n2\tB\t0\n")
    assert caught.value.problems[0].message == "these are qrels of BEIR, not a run"


def test_a_fatal_fault_stands_beside_the_problems_before_it() -> None:
    with pytest.raises(FormatError) as caught:
        read_run(b"1 Q0 A 1 x r\n" + GOOD * 120_000 + b"1 Q0 \xff 1 1 r\n")
    found = [(problem.code, problem.line) for problem in caught.value.problems]
    assert found == [("SCORE", 1), ("ENCODING", 360_002)]


def test_reading_stops_at_the_block_that_has_the_millionth_problem() -> None:
    with pytest.raises(FormatError) as caught:
        read_run(b"1\n" * 3_000_000)
    assert 1_000_000 < caught.value.total < 2_200_000
    assert caught.value.problems[0].line == 1


def test_duplicates_far_apart_name_both_lines() -> None:
    lines = [b"%d Q0 D%d 1 1 r\n" % (k % 3, k) for k in range(60_000)]
    lines.append(b"1 Q0 D1 1 1 r\n")
    with pytest.raises(FormatError) as caught:
        read_run(b"".join(lines))
    assert [str(problem) for problem in caught.value.problems] == [
        "line 60001: DUP document of topic '1' is already on line 2 (field 3: 'D1')"
    ]


def test_every_repetition_is_a_problem_and_names_the_first_line() -> None:
    data = b"1 Q0 A 1 3 r\n1 Q0 A 2 2 r\n1 Q0 B 3 1 r\n1 Q0 A 4 0 r\n"
    with pytest.raises(FormatError) as caught:
        read_run(data)
    places = [(problem.line, problem.message[-6:]) for problem in caught.value.problems]
    assert places == [(2, "line 1"), (4, "line 1")]


def test_documents_that_hash_alike_are_not_duplicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("campaigns.trec.records.MIX", np.uint64(0))
    run = read_run(b"1 Q0 A 1 3 r\n1 Q0 B 2 2 r\n2 Q0 A 1 1 r\n2 Q0 verylongdocument 2 0 r\n")
    assert run.line_count == 4


def test_ranks_are_compared_within_topics_that_do_not_stand_together() -> None:
    data = b"1 Q0 A 1 9 r\n2 Q0 A 5 1 r\n1 Q0 B 2 8 r\n2 Q0 B 6 2 r\n"
    warnings = {warning.code: warning for warning in read_run(data).warnings}
    assert set(warnings) == {"INTERLEAVED", "RANK_ORDER"}
    assert warnings["RANK_ORDER"].line == 4


def test_ties_are_counted_in_runs_of_any_order() -> None:
    data = b"1 Q0 A 3 1 r\n1 Q0 B 1 3 r\n1 Q0 C 4 1 r\n1 Q0 D 2 2 r\n1 Q0 E 5 1.0 r\n"
    (warning,) = read_run(data).warnings
    assert warning.code == "TIES"
    assert warning.message.startswith("3 lines share their score")


def test_the_tag_is_that_of_the_first_record_whatever_comes_later() -> None:
    with pytest.raises(FormatError) as caught:
        read_run(b"1 Q0 A 1 3 0\n1 Q0 B 2 2 r\n1 Q0 C 3 1 0\n1 Q0 D 4 1 rr\n")
    assert [(problem.code, problem.line) for problem in caught.value.problems] == [
        ("TAG", 2),
        ("TAG", 4),
    ]


def test_reading_stops_at_the_line_limit() -> None:
    class Endless(io.RawIOBase):
        pieces = itertools.count()

        def read(self, size: int = -1) -> bytes:
            begin = next(self.pieces) * 1000
            return b"".join(b"1 Q0 D%d 1 1 r\n" % k for k in range(begin, begin + 1000))

    with pytest.raises(FormatError) as caught:
        read_run(Endless(), max_lines=5000)
    (problem,) = caught.value.problems
    assert (problem.code, problem.line) == ("TOO_MANY", 5001)


def test_five_megabytes_without_a_line_end_are_refused_at_once() -> None:
    source = io.BytesIO(b"1" * 5_000_000)
    with pytest.raises(FormatError, match="LINE_TOO_LONG"):
        read_run(source)
    assert source.tell() <= READ_BYTES  # not read to its end


def test_long_documents_in_many_lines_are_refused_before_memory_is_taken() -> None:
    long = b"1 Q0 " + b"x" * 1024 + b" 1 1 r\n"
    short = b"".join(b"1 Q0 D%d 1 1 r\n" % k for k in range(20_000))
    source = io.BytesIO(long + short * 30)
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"TOO_BIG .* need more than 256 MiB"):
        read_run(source)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 700 << 20


def test_topics_without_end_are_refused() -> None:
    data = b"".join(b"t%d Q0 A 1 1 r\n" % k for k in range(100_001))
    with pytest.raises(FormatError) as caught:
        read_run(data)
    (problem,) = caught.value.problems
    assert (problem.code, problem.line) == ("TOO_MANY", 100_001)


def test_a_topic_id_of_more_than_64_bytes_is_refused() -> None:
    with pytest.raises(FormatError, match="TOPIC topic id of 65 bytes"):
        read_run(b"t" * 65 + b" Q0 A 1 1 r\n")
    assert read_run(b"t" * 64 + b" Q0 A 1 1 r\n").topics == ("t" * 64,)


@pytest.mark.parametrize("size", [1, 5, 17, 64, 1000])
def test_blocks_may_be_cut_anywhere(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        b"%d Q0 D%d %d %.3f run-name\r\n" % (k // 40, k, k % 40, 9 - k / 7) for k in range(200)
    ]
    lines[50:50] = [b"\n", b"# comment\n", b" \t\n"]
    lines[90] = "2\tQ0  dóc 1 1.5 run-name  \n".encode()
    data = b"".join(lines)
    whole = read_run(data)
    monkeypatch.setattr("campaigns.trec.compression.READ_BYTES", size)
    cut = read_run(data)
    assert same(whole, cut)
    assert whole.warnings == cut.warnings


def test_problems_are_the_same_wherever_blocks_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = [b"1 Q0 A\n", b"1 Q0 B 1 x r\n", b"\n", b"1 Q0 C\x02 1 1 r\n", b"1 Q0 D 1 1 r\n"]
    data = b"".join(odd) * 40
    with pytest.raises(FormatError) as whole:
        read_run(data)
    monkeypatch.setattr("campaigns.trec.compression.READ_BYTES", 7)
    with pytest.raises(FormatError) as cut:
        read_run(data)
    assert whole.value.problems == cut.value.problems
    assert whole.value.total == cut.value.total


def test_a_written_run_reads_back_equal() -> None:
    data = "9 Q0 dóc 7 1e300 r\n1 Q0 A 1 -0.0 r\n9 Q0 B 1 5e-324 r\n1 Q0 C 3 0.1 r".encode()
    run = read_run(data)
    target = io.BytesIO()
    write_run(run, target)
    assert same(read_run(target.getvalue()), run)
    assert target.getvalue().splitlines()[2] == b"9 Q0 B 2 5e-324 r"


def test_written_ranks_follow_the_scores() -> None:
    lines = "2 Q0 z 1 1 r\n1 Q0 a 1 1 r\n1 Q0 b 2 3 r\n1 Q0 c 3 1 r\n2 Q0 y 2 5 r\n"
    target = io.BytesIO()
    write_run(read_run(lines.encode()), target)
    ranks = [line.split()[3] for line in target.getvalue().splitlines()]
    assert ranks == [b"2", b"3", b"1", b"2", b"1"]


def test_runs_and_qrels_need_neither_django_nor_an_xml_package() -> None:
    code = (
        "import sys\n"
        "for name in ('django', 'defusedxml'): sys.modules[name] = None\n"
        "import campaigns.trec.runs, campaigns.trec.qrels, campaigns.trec.runs_table\n"
        "from campaigns.trec.topics import read_topics\n"
        "assert read_topics(b'1\\tquery\\n')[0].code == '1'\n"
        "try: read_topics(b'<topics/>')\n"
        "except Exception as error: assert 'install the package defusedxml' in str(error)\n"
        "assert not [name for name in sys.modules if name.startswith('scoring')]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_header_does_not_change_the_count_of_the_other_lines() -> None:
    with pytest.raises(FormatError) as caught:
        read_run(b"qid docid rank score tag\n" + b"1 A 1 2.5 r\n" * 4_999)
    header, others = caught.value.problems
    assert (header.line, header.count, "header" in header.message) == (1, 1, True)
    assert (others.line, others.count, caught.value.total) == (2, 4_999, 5_000)
