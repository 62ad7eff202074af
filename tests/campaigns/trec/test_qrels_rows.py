"""One test for each kind of qrels file, with the result that reading it must give.

The ids Q01 to Q39 only number the kinds. Some of them concern the site: in Q37, qrels replaced
after scores exist are a new version, and for Q29 and Q34 the site asks for confirmation.
"""

from __future__ import annotations

import codecs
import gzip
import io

import numpy as np
import pytest

from campaigns.trec.problems import FormatError
from campaigns.trec.qrels import read_qrels, write_qrels
from tests.campaigns.trec.outcomes import Row, accept, check, refuse

pytestmark = pytest.mark.usefixtures("either_way")

GOOD = b"1 0 A 1\n1 0 B 0\n2 0 A 1\n"


def graded(grade: bytes) -> bytes:
    """Good qrels whose line 2 has another grade."""
    return b"1 0 A 1\n1 0 B " + grade + b"\n2 0 A 1\n"


ROWS = [
    refuse("Q01", b"", "EMPTY", None),
    refuse("Q02", b"\n", "EMPTY", None),
    accept("Q03", GOOD[:-1]),
    accept("Q04", GOOD.replace(b"\n", b"\r\n"), "CRLF"),
    refuse("Q05", GOOD.replace(b"\n", b"\r"), "LINES_CR", 1),
    accept("Q06", codecs.BOM_UTF8 + GOOD, "BOM"),
    accept("Q07-middle", GOOD.replace(b"\n", b"\n\n", 1), "BLANK", says="line 2"),
    accept("Q07-end", GOOD + b"\n \t\n", "BLANK", says="2 blank lines"),
    refuse("Q08", GOOD + b"2 0 B\n", "FIELDS", 4, "3 fields, 4 expected"),
    refuse("Q09-number", GOOD + b"2 0 B 1 2\n", "FIELDS", 4, "preferences of trec_eval"),
    refuse("Q09-preferences", b"1 a b d1 1.0\n" * 9, "FIELDS", 1, "all 9 lines: 5 fields"),
    refuse("Q09-csv", b"1,d1,1\n1,d2,0\n", "FIELDS", 1, "looks like CSV: begin with a header"),
    refuse("Q09-semicolons", b"1;0;d1;1\n", "FIELDS", 1, "looks like CSV"),
    refuse("Q09-levels", b"1 0 b d1 0.5\n", "FIELDS", 1, "looks like preferences of trec_eval"),
    refuse("Q09-text", GOOD + b"2 0 B 1 x\n", "FIELDS", 4, "5 fields, 4 expected"),
    refuse("Q09-prels", GOOD + b"2 0 B 1 0.25\n", "FIELDS", 4, "looks like prels"),
    refuse("Q09-certain", b"1 A 0 0 1\n1 B 1 1 1\n", "FIELDS", 1, "looks like prels"),
    refuse("Q23-subtopics", b"1 1 A 1\n1 2 A 0\n1 3 A 1\n", "TYPE", 2, "of a diversity task"),
    refuse("Q10", graded(b"yes"), "GRADE", 2),
    refuse("Q11", graded(b"0.5"), "GRADE", 2, "not a whole number: grades are"),
    accept("Q12", graded(b"-1"), "UNJUDGED", says="1 line has grade -1"),
    accept("Q13", graded(b"-2"), "NEGATIVE", says="treated as not judged"),
    accept("Q14", b"1 0 A -1\n2 0 A 1\n", "UNJUDGED", "NO_GRADES", says="('1')"),
    accept("Q15", b"1 0 A -2\n1 0 B -5\n2 0 A 1\n", "NEGATIVE", "NO_GRADES"),
    accept("Q16-127", graded(b"127")),
    accept("Q16-minus", graded(b"-127"), "NEGATIVE"),
    refuse("Q16", graded(b"128"), "GRADE", 2, "outside -127..127"),
    refuse("Q17", graded(b"1000000"), "GRADE", 2, "outside -127..127"),
    refuse("Q18", graded(b"200000000"), "GRADE", 2, "outside -127..127"),
    refuse("Q19", graded(b"99999999999"), "GRADE", 2, "outside -127..127"),
    refuse("Q20", graded(b"9" * 23), "GRADE", 2, "outside -127..127"),
    refuse("Q21-plus", graded(b"+1"), "GRADE", 2, "plus sign or leading zeros"),
    refuse("Q21-01", graded(b"01"), "GRADE", 2, "plus sign or leading zeros"),
    refuse("Q21-00", graded(b"00"), "GRADE", 2, "plus sign or leading zeros"),
    refuse("Q21-minus", graded(b"-01"), "GRADE", 2, "plus sign or leading zeros"),
    refuse("Q22", GOOD + b"1 0 A 1\n", "DUP", 4, "on line 1"),
    refuse("Q23", GOOD + b"1 0 A 2\n", "DUP", 4, "on line 1"),
    accept("Q24", b"# one\n" + GOOD, "COMMENT"),
    accept("Q25", b"# one\n# two\n" + GOOD, "COMMENT", says="2 lines"),
    accept("Q26", GOOD + b"# last", "COMMENT"),
    accept("Q27", GOOD + b"#1 0 C 1\n", "COMMENT", "COMMENTED_RECORD", says="line 4"),
    refuse("Q28", b"1 0 A 1\n\0\n2 0 A 1\n", "NUL", 2),
    accept("Q29", b"1 0 A 0\n2 0 A 0\n", "NO_RELEVANT", says="no document of any topic"),
    accept("Q30", b"1 0 A 1\n2 0 A 0\n", "NO_RELEVANT", says="('2')"),
    accept("Q31", b"1 A 0 1\n2 B 0 1\n", "COLUMNS", "FIELD_2", says="swapped"),
    accept("Q31-low", b"1 A 0 1\n1 A 1 1\n2 A 2 1\n", "COLUMNS"),
    refuse("Q32", b"1 Q0 A 1 3.0 r\n", "FIELDS", 1, "looks like a run"),
    accept("Q33-tabs", GOOD.replace(b" ", b"\t")),
    accept("Q33-spaces", b"  " + GOOD, "LEADING_SPACE"),
    refuse("Q34", GOOD + b"3 0 A 1\n", "UNKNOWN_TOPIC", 4, known_topics=("1", "2")),
    accept(
        "Q34-confirmed",
        GOOD + b"3 0 A 1\n",
        "DROPPED_TOPICS",
        known_topics=("1", "2"),
        unknown_topics="drop",
    ),
    accept("Q35", GOOD, "MISSING_TOPICS", says="('3')", known_topics=("1", "2", "3")),
    accept("Q36-same", GOOD.replace(b" 0 ", b" Q0 ")),
    accept("Q36-differs", b"1 anna A 1\n1 bob B 1\n", "FIELD_2", says="line 2: FIELD_2"),
    accept("Q38", b"1 0 msmarco#12 1\n1 0 #B 0\n"),
    refuse("Q39", GOOD * 9, "TOO_MANY", 11, "more than 10 lines", max_lines=10),
    accept("gzip", gzip.compress(GOOD)),
    accept("trec-covid", b"1 0.5  010vptx3 2\n1 0.5  02f0opkr 1\n"),
]


@pytest.mark.parametrize("row", ROWS)
def test_row(row: Row) -> None:
    check(row, read_qrels)


def test_columns_have_their_shapes() -> None:
    qrels = read_qrels(b"9 0 A -1\n1 0 longdocument 2\n9 0 B 127\n")
    assert qrels.topics == ("9", "1")
    assert qrels.topic_index.dtype == np.int32
    assert qrels.topic_index.tolist() == [0, 1, 0]
    assert qrels.doc_ids.dtype == "S16"
    assert qrels.doc_ids.tolist() == [b"A", b"longdocument", b"B"]
    assert qrels.grades.dtype == np.int16
    assert qrels.grades.tolist() == [-1, 2, 127]
    assert qrels.line_count == 3


def test_written_qrels_read_back_equal() -> None:
    qrels = read_qrels("9 x dóc -1\n1 y longdocument 2\n9 z B 127\n".encode())
    target = io.BytesIO()
    write_qrels(qrels, target)
    assert target.getvalue().decode() == "9 0 dóc -1\n1 0 longdocument 2\n9 0 B 127\n"
    again = read_qrels(target.getvalue())
    assert again.topics == qrels.topics
    assert again.topic_index.tobytes() == qrels.topic_index.tobytes()
    assert again.doc_ids.tobytes() == qrels.doc_ids.tobytes()
    assert again.grades.tobytes() == qrels.grades.tobytes()


def test_all_problems_come_in_line_order() -> None:
    with pytest.raises(FormatError) as caught:
        read_qrels(b"1 0 A x\n1 0\n1 0 A 1\n9 0 A 01\n", known_topics=["1"])
    assert [(problem.line, problem.code) for problem in caught.value.problems] == [
        (1, "GRADE"),
        (2, "FIELDS"),
        (3, "DUP"),
        (4, "UNKNOWN_TOPIC"),
        (4, "GRADE"),
    ]


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ([b"%d, 0, d%d, 1" % (n, n) for n in range(5)], "all 5 lines: this looks like CSV"),
        (
            [b"%d,0,d%d,1" % (n, n) for n in range(5)],
            "all 5 lines: 1 field, 4 expected: this looks",
        ),
        (
            [b'{"topic": "1", "doc": "d%d"}' % n for n in range(5)],
            'the object has topic, doc: qid, docno and grade are needed, or {"topic": ',
        ),
        ([b"topic doc rel", b"1 0 d1 1"], "this looks like a header: remove it"),
        (
            [b"1\td%d\t1" % n for n in range(5)],
            "all 5 lines: 3 fields, 4 expected: this looks like qrels of BEIR",
        ),
    ],
)
def test_qrels_of_another_format_are_one_problem(lines: list[bytes], hint: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_qrels(b"\n".join(lines) + b"\n")
    (problem,) = caught.value.problems
    assert problem.line == 1
    assert hint in problem.message
