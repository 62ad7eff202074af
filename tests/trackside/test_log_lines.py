"""Nobody writes a line of the log but the site."""

import logging
import sys

import pytest
from django.conf import settings

from trackside.log_lines import TextLines, escape_unprintable
from trackside.request_ids import Named

FORGED = "\n2026-11-26 00:00:00 INFO site [-] all is well"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("Zoë  search 検索", "Zoë  search 検索"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b[2J\x7f\x85\0", "\\x1b[2J\\x7f\\x85\\x00"),
        ("\u2028\u202e\ufeff", "\\u2028\\u202e\\ufeff"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text: str, escaped: str) -> None:
    assert escape_unprintable(text) == escaped


def line_of(message: str, *args: object, error: bool = False) -> str:
    where = sys.exc_info() if error else None
    record = logging.LogRecord("site", logging.ERROR, __file__, 1, message, args, where)
    Named().filter(record)
    facts = settings.LOGGING["formatters"]["line"]
    assert facts["()"] == "trackside.log_lines.TextLines"
    return TextLines(facts["format"]).format(record)


def test_a_message_is_one_line() -> None:
    line = line_of("No run %s", FORGED)
    assert "\n" not in line
    assert line.endswith("ERROR site [-] No run \\n2026-11-26 00:00:00 INFO site [-] all is well")


def test_a_line_in_an_exception_is_indented_as_its_traceback() -> None:
    try:
        raise ValueError(f"bad{FORGED}\r\x1b")
    except ValueError:
        first, *others = line_of("Failed", error=True).split("\n")
    assert first.endswith("ERROR site [-] Failed")
    assert all(line.startswith("  ") for line in others)
    assert others[-1] == f"  {FORGED[1:]}\\r\\x1b"
