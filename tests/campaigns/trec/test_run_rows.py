"""One test for each kind of run file, with the result that reading it must give.

The ids R01 to R103 only number the kinds. Two of them concern the site, not the file: R72, a file
name that differs from the tag (only the tag counts), and in R93 the share of document ids that are
missing from the list of documents in the database.
"""

from __future__ import annotations

import codecs

import pytest

from campaigns.trec.runs import read_run
from tests.campaigns.trec.outcomes import Row, accept, check, refuse

pytestmark = pytest.mark.usefixtures("either_way")

GOOD = b"1 Q0 A 1 3.0 r\n1 Q0 B 2 2.0 r\n2 Q0 A 1 1.0 r\n"
TOPICS = ("1", "2")


def one(
    topic: bytes = b"1",
    literal: bytes = b"Q0",
    doc: bytes = b"A",
    rank: bytes = b"1",
    score: bytes = b"3.0",
    tag: bytes = b"r",
) -> bytes:
    """A good file whose line 2 has the given fields."""
    odd = b" ".join((topic, literal, doc, rank, score, tag))
    return b"2 Q0 Z 1 9.0 r\n" + odd + b"\n1 Q0 B 2 2.0 r\n"


def swap(old: bytes, new: bytes, count: int = -1) -> bytes:
    return GOOD.replace(old, new, count)


ROWS = [
    refuse("R01", b"", "EMPTY", None, "empty"),
    refuse("R02", b"\n", "EMPTY", None),
    refuse("R03", b"  \t \n \n", "EMPTY", None),
    refuse("R04", b"# hello\n", "EMPTY", None),
    accept("R05", GOOD[:-1]),
    accept("R06", swap(b"\n", b"\r\n"), "CRLF", says="3 lines end in CR LF"),
    refuse("R07", swap(b"\n", b"\r"), "LINES_CR", 1),
    accept("R08", swap(b"\n", b"\r\n", 1), "CRLF", says="1 line ends in CR LF"),
    refuse("R09", b"2 Q0 Z 1 9.0 r\n1 Q0 A 1 3.0 r\r1 Q0 B 2 2.0 r\n", "STRAY_CR", 2),
    accept("R10", codecs.BOM_UTF8 + GOOD, "BOM"),
    refuse("R11", codecs.BOM_UTF16_LE + GOOD.decode().encode("utf-16-le"), "ENCODING", 1, "UTF-16"),
    refuse("R11-be", GOOD.decode().encode("utf-16"), "ENCODING", 1, "UTF-8"),
    refuse("R12", GOOD.decode().encode("utf-16-le"), "NUL", 1, "UTF-16"),
    accept("R13", swap(b" ", b"\t")),
    accept("R14", swap(b" ", b"   ")),
    accept("R15", b"  " + GOOD, "LEADING_SPACE"),
    accept("R16", swap(b"\n", b"  \n")),
    accept("R17-vt", swap(b" ", b"\v"), "VT_FF"),
    accept("R17-ff", swap(b" ", b" \f "), "VT_FF"),
    refuse("R18", swap(b" ", b"\xc2\xa0"), "FIELDS", 1, "NO-BREAK SPACE"),
    refuse("R19", swap(b"\n", b"\xe2\x80\xa8", 1), "FIELDS", 1, "11 fields, 6 expected"),
    refuse("R19-hint", swap(b"\n", b"\xe2\x80\xa8", 1), "FIELDS", 1, "U+2028"),
    refuse("R20", one(doc=b"A\xe2\x80\x8b"), "INVISIBLE", 2, "ZERO WIDTH SPACE"),
    accept("R21", b"1 Q0 A 1 3.0 r\n\n \n2 Q0 A 1 1.0 r\n", "BLANK"),
    refuse("R21-number", b"1 Q0 A 1 3.0 r\n\n \n2 Q0 A 1 x r\n", "SCORE", 4),
    refuse("R22", b"1\n", "FIELDS", 1, "1 field, 6 expected"),
    refuse("R23", b"1 Q0 A\n", "FIELDS", 1, "3 fields, 6 expected"),
    refuse("R24", b"1 0 A 1\n", "FIELDS", 1, "looks like a qrels file"),
    refuse("R25", b"1 Q0 A 1 3.0 r\n1 Q0 B 2 2.0\n", "FIELDS", 2, "run tag is missing"),
    refuse("R26", one(tag=b"r x"), "FIELDS", 2, "7 fields, 6 expected"),
    refuse("R27", one(doc=b"A B"), "FIELDS", 2, "7 fields, 6 expected"),
    refuse("R28", b"1 Q0 A 1 3.0 r\n\0\n1 Q0 B 2 2.0 r\n", "NUL", 2, "byte 1"),
    refuse("R29", one(doc=b"A\0B"), "NUL", 2, "byte 7"),
    refuse("R30", b"\0" + GOOD, "NUL", 1, "byte 1"),
    accept("R31", GOOD + b"\x1a", "CTRL_Z"),
    refuse("R31-middle", GOOD + b"\x1a\n" + GOOD, "CTRL", 4),
    refuse("R32", one(score=b"nan"), "SCORE", 2, "not finite"),
    refuse("R33", b"1 Q0 A 1 nan r\n1 Q0 B 2 NaN r\n", "SCORE", 1),
    refuse("R34", one(score=b"inf"), "SCORE", 2, "not finite"),
    refuse("R35", one(score=b"-inf"), "SCORE", 2, "not finite"),
    refuse("R36", one(score=b"abc"), "SCORE", 2),
    refuse("R37", one(score=b"3,5"), "SCORE", 2, "point, not a comma"),
    refuse("R38", one(score=b"3.0abc"), "SCORE", 2),
    refuse("R39", one(score=b"1_000"), "SCORE", 2),
    refuse("R40", one(score="٣.٠".encode()), "SCORE", 2),
    refuse("R41", one(score=b"0x1p3"), "SCORE", 2, "hexadecimal"),
    refuse("R42", one(score=b"1e400"), "SCORE", 2, "too large"),
    accept("R43", one(score=b"1e-400"), "UNDERFLOW", "RANK_ORDER"),
    accept("R44", one(score=b"-3.0"), "RANK_ORDER"),
    accept("R45-plus", one(score=b"+3.0")),
    accept("R45-point", one(score=b".5"), "RANK_ORDER"),
    accept("R45-whole", one(score=b"5.")),
    accept("R45-exponent", one(score=b"1E3")),
    refuse("R45-sign-only", one(score=b"+"), "SCORE", 2),
    refuse("R45-point-only", one(score=b"."), "SCORE", 2),
    refuse("R45-two-points", one(score=b"1.2.3"), "SCORE", 2),
    refuse("R45-half-exponent", one(score=b"1e"), "SCORE", 2),
    accept("R46", b"1 Q0 A 1 -0.0 r\n1 Q0 B 2 0.0 r\n2 Q0 A 1 1 r\n", "TIES"),
    accept(
        "R47",
        b"1 Q0 A 1 0.1 r\n1 Q0 B 2 0.10000000000000000001 r\n2 Q0 A 1 1 r\n",
        "TIES",
    ),
    accept("R48", b"1 Q0 A 1 16777217 r\n1 Q0 B 2 16777216 r\n2 Q0 A 1 1 r\n"),
    accept("R49", swap(b"2.0", b"3.0"), "TIES", says="2 lines share their score"),
    accept("R50", swap(b"2.0", b"4.0"), "RANK_ORDER", says="line 2: RANK_ORDER the rank of 1 line"),
    refuse("R51", one(rank=b"x"), "RANK", 2, "not a whole number"),
    accept("R52-negative", one(rank=b"-1"), "RANK_BELOW_1"),
    accept("R52-zero", one(rank=b"0"), "RANK_BELOW_1"),
    accept("R52-zeros", one(rank=b"001")),
    refuse("R52-point", one(rank=b"1.0"), "RANK", 2),
    refuse("R52-long", one(rank=b"1" * 30), "RANK", 2, "more than 8 digits"),
    refuse("R52-plus", one(rank=b"+1"), "RANK", 2),
    refuse("R52-minus", one(rank=b"-"), "RANK", 2),
    accept("R53", swap(b" 1 ", b" 0 ").replace(b" 2 ", b" 0 "), "RANK_BELOW_1"),
    accept("R54", swap(b"Q0", b"ZZ"), "FIELD_2", says="on 3 lines"),
    accept("R55-zero", swap(b"Q0", b"0"), "FIELD_2"),
    accept("R55-small", swap(b"Q0", b"q0", 1), "FIELD_2", says="line 1"),
    refuse("R56", GOOD + b"1 Q0 A 3 0.5 r\n", "DUP", 4, "on line 1"),
    refuse("R57", b"1 Q0 A 1 3.0 r\n" + GOOD, "DUP", 2, "on line 1"),
    refuse("R58", b"1 Q0 A 1 3 r\n2 Q0 A 1 3 r\n\n1 Q0 A 2 2 r\n", "DUP", 4, "on line 1"),
    refuse("R59", GOOD + b"9 Q0 A 1 2 r\n9 Q0 A 2 1 r\n", "UNKNOWN_TOPIC", 4, "on line 4"),
    accept("R60", GOOD),
    accept("R61", b"1 Q0 A 1 3 r\n2 Q0 A 1 3 r\n1 Q0 B 2 2 r\n", "INTERLEAVED"),
    refuse("R62", one(topic=b"99"), "UNKNOWN_TOPIC", 2, "not in the list of topics"),
    accept("R63", b"1 Q0 A 1 3.0 r\n", "MISSING_TOPICS", says="1 of 2 topics has no line"),
    refuse("R64", swap(b"\n1 ", b"\n7 ").replace(b"2 Q0", b"8 Q0"), "UNKNOWN_TOPIC", 2),
    refuse("R64-drop", b"9 Q0 A 1 3 r\n", "UNKNOWN_TOPIC", 1, unknown_topics="drop"),
    refuse("R65", one(topic=b"01"), "UNKNOWN_TOPIC", 2, "leading zeros matter"),
    refuse("R66-point", one(topic=b"1.0"), "UNKNOWN_TOPIC", 2),
    refuse("R66-wide", one(topic="１".encode()), "UNKNOWN_TOPIC", 2),
    refuse("R67", b"mb1 Q0 A 1 3 r\n", "UNKNOWN_TOPIC", 1, "case differs", known_topics=("MB1",)),
    refuse("R68", GOOD, "TOO_MANY", 2, "2 documents for topic '1', at most 1", max_depth=1),
    accept("R69", GOOD, max_depth=1000),
    accept("R70", b"1 Q0 A 1 3.0 r\n", "MISSING_TOPICS"),
    refuse("R71", one(tag=b"other"), "TAG", 2, "differs from 'r' on line 1"),
    accept("R73", swap(b" r\n", b" 0\n")),
    accept("R74-64", swap(b" r\n", b" " + b"x" * 64 + b"\n")),
    refuse("R74-65", swap(b" r\n", b" " + b"x" * 65 + b"\n"), "TAG", 1, "65 bytes"),
    refuse("R74-1MB", one(tag=b"x" * 1_000_000), "LINE_TOO_LONG", 2),
    *(
        refuse(
            f"{row}-name",
            swap(b" r\n", b" %b\n" % tag),
            "TAG",
            1,
            says,
            max_tag_bytes=1024,
            is_named_by_tag=True,
        )
        for row, tag, says in [
            ("R75", b"<script>alert(1)</script>", "a run name begins with a letter or a digit"),
            ("R76-equals", b"=HYPERLINK(1)", "a run name begins with a letter or a digit"),
            ("R76-at", b"@SUM", "a run name begins with a letter or a digit"),
            ("R76-minus", b"-2+3", "with another run name (field Run name; in the API, name; in a"),
            ("R77-path", b"../../evil", "a run name begins with a letter or a digit"),
            ("R77-root", b"/evil", "a run name begins with a letter or a digit"),
            ("R77-inside", b"a/../evil", "a run name does not contain '..'"),
            ("R77-folder", b"evil/", "a run name does not end with '/'"),
            ("R74", b"x" * 65, "at most 64 characters, and this one has 65: submit the file"),
            ("R77-percent", b"a%00", "a run name does not contain '%'"),
        ]
    ),
    *(
        accept(f"{row}-name", swap(b" r\n", b" %b\n" % tag), is_named_by_tag=True)
        for row, tag in [
            ("R77-con", b"con"),
            ("R77-tools", b"BM25(k1=0.9,b=0.4)/splade++_ed"),
            ("R77-org", b"org/model"),
            ("R77-script", "検索".encode()),
        ]
    ),
    # Commands and the library do not name runs on a site, so they read any tag.
    accept("R75", swap(b" r\n", b" <script>alert(1)</script>\n")),
    accept("R76-equals", swap(b" r\n", b" =HYPERLINK(1)\n")),
    accept("R76-at", swap(b" r\n", b" @SUM\n")),
    accept("R76-minus", swap(b" r\n", b" -2+3\n")),
    accept("R77-path", swap(b" r\n", b" ../../evil\n")),
    accept("R77-con", swap(b" r\n", b" con\n")),
    accept("R77-tools", swap(b" r\n", b" BM25(k1=0.9,b=0.4)/splade++_ed\n")),
    accept("R77-percent", swap(b" r\n", b" a%00\n")),
    accept("R78-first", b"# one\n" + GOOD, "COMMENT"),
    accept("R78-three", b"# one\n# two\n#three\n" + GOOD, "COMMENT", says="3 lines"),
    accept("R78-middle", swap(b"\n", b"\n  # indented\n"), "COMMENT"),
    refuse("R78-number", b"# one\n#\n" + one(score=b"x"), "SCORE", 4),
    accept("R79", GOOD + b"#end", "COMMENT"),
    accept("R80", swap(b" A ", b" #A ").replace(b" B ", b" msmarco#12 ")),
    accept(
        "R81", GOOD + b"#1 Q0 C 1 3.0 r\n", "COMMENT", "COMMENTED_RECORD", says="'#1 Q0 C 1 3.0 r'"
    ),
    accept("R82", b'#{"team": "x", "run": 1}\n' + GOOD, "COMMENT"),
    accept("R83", b"qid Q0 docno rank score tag\n" + one(), "HEADER"),
    refuse("R84", b'"1" "Q0" "A" "1" "3.0" "r"\n', "SCORE", 1, "remove the quotes"),
    refuse("R85", b"1,Q0,A,1,3.0,r\n", "FIELDS", 1, "looks like CSV"),
    accept("R86", b'{"1":{"A":3},"2":{"A":1}}'),
    refuse("R86", b'["1","A",3]', "FIELDS", 1, "looks like JSON"),
    refuse("R87", b"<!DOCTYPE html>\n<html><body>404</body></html>\n", "FIELDS", 1, "HTML"),
    refuse("R88", b"1 0 A 1\n1 0 B 0\n", "FIELDS", 1, "looks like a qrels file"),
    refuse("R89", swap(b"1 Q0", b"301 Q0"), "UNKNOWN_TOPIC", 1),
    refuse("R90", one(doc=b"A\xff\xfe"), "ENCODING", 2, "byte 7 of the line (0xFF)"),
    refuse("R91", one(doc=b"caf\xe9"), "ENCODING", 2, "Latin-1"),
    accept("R92", b"1 Q0 e\xcc\x81 1 3 r\n1 Q0 \xc3\xa9 2 2 r\n2 Q0 A 1 1 r\n", "NOT_NFC"),
    accept("R93", b"1 Q0 a 1 3 r\n1 Q0 A 2 2 r\n2 Q0 A 1 1 r\n"),
    refuse("R94-overlong", one(doc=b"A\xc0\xaf"), "ENCODING", 2),
    refuse("R94-surrogate", one(doc=b"A\xed\xa0\x80"), "ENCODING", 2),
    refuse("R94-beyond", one(doc=b"A\xf4\x90\x80\x80"), "ENCODING", 2),
    *(
        refuse(f"R95-{byte:02X}", one(doc=b"A" + bytes([byte])), "CTRL", 2, f"0x{byte:02X}")
        for byte in (*range(1, 9), *range(0x0E, 0x20), 0x7F)
    ),
    refuse("R96", one(doc="A\u202eB".encode()), "INVISIBLE", 2, "RIGHT-TO-LEFT OVERRIDE"),
    refuse("R96", one(doc="A\u3164".encode()), "INVISIBLE", 2, "HANGUL FILLER"),
    refuse("R97", one(doc=b"x" * 20_000), "LINE_TOO_LONG", 2, "20,000 bytes, at most 1,024"),
    accept("R97-1024", one(doc=b"x" * 1024)),
    refuse("R97-line", one(doc=b"x" * 70_000), "LINE_TOO_LONG", 2, "longer than 65,536 bytes"),
    refuse("R98", b"x" * 5_000_000, "LINE_TOO_LONG", 1),
    refuse("R99", GOOD * 100, "TOO_MANY", 11, "more than 10 lines", max_lines=10),
    refuse("R100", b"".join(b"x%d Q0 A 1 1 r\n" % k for k in range(99)), "UNKNOWN_TOPIC", 1),
    refuse("R101", b"- - - - - -\n", "SCORE", 1),
    refuse("R102-zip", b"PK\x03\x04" + b"\0" * 50, "TYPE", None, "zip"),
    refuse("R102-tar", b"run.txt".ljust(257, b"\0") + b"ustar\x0000" + GOOD, "TYPE", None, "tar"),
    refuse("R102-pdf", b"%PDF-1.7\n", "TYPE", None, "PDF"),
    refuse("R102-png", b"\x89PNG\r\n\x1a\n\0\0", "TYPE", None, "PNG"),
    refuse("R103", GOOD + b"\0" * 512, "NUL", 4),
]


@pytest.mark.parametrize("row", ROWS)
def test_row(row: Row) -> None:
    check(row, read_run, known_topics=TOPICS)


def test_the_mark_before_the_first_line_leaves_its_record_whole() -> None:
    run = read_run(codecs.BOM_UTF8 + GOOD)
    assert run.topics == ("1", "2")
    assert run.line_count == 3


def test_r48_scores_are_doubles() -> None:
    run = read_run(b"1 Q0 A 1 16777217 r\n1 Q0 B 2 16777216 r\n")
    assert run.retrieval_scores.tolist() == [16777217.0, 16777216.0]


def test_r59_names_both_faults() -> None:
    row = Row("", GOOD + b"9 Q0 A 1 2 r\n9 Q0 A 2 1 r\n", "UNKNOWN_TOPIC", 4)
    error = check(row, read_run, known_topics=TOPICS)
    assert [(p.code, p.line) for p in error.problems] == [("UNKNOWN_TOPIC", 4), ("DUP", 5)]


def test_r100_stops_at_25_and_counts_on() -> None:
    data = b"".join(b"x%d Q0 A 1 1 r\n" % k for k in range(100_000))
    error = check(Row("", data, "UNKNOWN_TOPIC", 1), read_run, known_topics=TOPICS)
    assert [problem.line for problem in error.problems] == list(range(1, 26))
    assert error.total == 100_000
