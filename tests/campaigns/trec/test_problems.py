"""How a problem is said, and how many are kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import campaigns.trec
from campaigns.trec.problems import CODES, FormatError, Problem, ProblemList, shown

SOURCES = Path(campaigns.trec.__file__).parent


def test_a_problem_reads_as_the_convention_says() -> None:
    problem = Problem("SCORE", 7, "score is not a decimal number", 5, "abc")
    assert str(problem) == "line 7: SCORE score is not a decimal number (field 5: 'abc')"
    assert str(Problem("EMPTY", None, "the file is empty")) == "EMPTY the file is empty"
    assert str(Problem("CTRL", 2, "x", None, "v")) == "line 2: CTRL x ('v')"


def test_a_problem_as_a_dictionary_has_the_keys_of_the_api() -> None:
    assert Problem("SCORE", 7, "m", 5, "abc").as_dict() == {
        "code": "SCORE",
        "line": 7,
        "field": 5,
        "value": "abc",
        "message": "m",
        "count": 1,
    }


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (b"plain", "plain"),
        (b"a\x1b[31m\n", "a\\x1b[31m\\n"),
        (b"caf\xe9", "caf\\xe9"),
        ("A\u202eB", "A\\u202eB"),
        ("é", "é"),
        ("x" * 40, "x" * 40),
        ("x" * 41, "x" * 39 + "…"),
        (b"\xff" * 1000, "\\xff" * 9 + "\\xf…"),
    ],
)
def test_values_are_shown_escaped_and_short(value: bytes | str, seen: str) -> None:
    assert shown(value) == seen


def test_the_first_25_by_line_are_kept_whatever_the_order_of_finding() -> None:
    findings = ProblemList()
    for line in range(100, 0, -1):
        findings.add(Problem("SCORE", line, f"message {line}"))
    findings.add(Problem("EMPTY", None, "m"))
    with pytest.raises(FormatError) as caught, findings.gathered():
        pass
    assert [p.line for p in caught.value.problems] == [None, *range(1, 25)]
    assert caught.value.total == 101


def test_equal_problems_are_one_problem_with_a_count() -> None:
    findings = ProblemList()
    for line in range(1, 2001):
        findings.add(Problem("FIELDS", line, "5 fields, 6 expected", None, f"line {line}"))
    findings.add(Problem("SCORE", 2001, "score is not finite", 5, "nan"))
    findings.records = 2001
    with pytest.raises(FormatError) as caught, findings.gathered():
        pass
    assert list(map(str, caught.value.problems)) == [
        "line 1: FIELDS this and 1,999 other lines: 5 fields, 6 expected ('line 1')",
        "line 2001: SCORE score is not finite (field 5: 'nan')",
    ]
    assert "shown" not in str(caught.value)


def test_of_a_million_different_problems_the_first_are_kept() -> None:
    findings = ProblemList()
    for line in [*range(5_000, 10_000), *range(100, 50, -1)]:
        findings.add(Problem("DUP", line, f"document is already on line {line // 2}"))
    assert [p.line for p in findings.problems] == list(range(51, 76))
    assert findings.total == 5_050


def test_warnings_are_counted_once_a_code() -> None:
    findings = ProblemList()
    findings.warn("CRLF", "{n} lines", count=3)
    findings.warn("BLANK", "{n} blank", line=9)
    findings.warn("CRLF", "{n} lines", count=1_000)
    assert [str(warning) for warning in findings.warnings] == [
        "line 9: BLANK 1 blank",
        "CRLF 1,003 lines",
    ]


def test_every_code_is_listed_and_every_listed_code_is_used() -> None:
    text = "\n".join(path.read_text() for path in SOURCES.glob("*.py"))
    call = re.compile(r"(?:Problem|refuse|warn|_note_bytes)\([^()]*?\"([A-Z_0-9]{3,})\"", re.DOTALL)
    assert set(call.findall(text)) == set(CODES)
