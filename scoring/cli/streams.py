"""Standard input as a file, and standard output as it may be: of few characters, or full, or with a
reader who has gone."""

import codecs
import io
import os
import sys
from typing import BinaryIO, Final

STANDARD_INPUT: Final = "-"  # in place of a path
_ERRORS: Final = "trackside"  # what Python calls the way of `_in_ascii`
_UNDEFINED: Final = "–"


def standard_input() -> BinaryIO:
    """Raises OSError where the shell has closed it."""
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return sys.stdin.buffer


def escape_what_stdout_lacks() -> None:
    """Where standard output is not UTF-8, characters that it does not have are written in ASCII:
    a dash for a score that is not defined, others as JSON writes them (`\\u00e9`)."""
    codecs.register_error(_ERRORS, _in_ascii)
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    # Python sets surrogateescape in the C locale, which knows ASCII only. A user who set another
    # way of handling such characters keeps it.
    is_narrow = codecs.lookup(sys.stdout.encoding).name != "utf-8"
    if sys.stdout.errors == "strict" or (is_narrow and sys.stdout.errors == "surrogateescape"):
        sys.stdout.reconfigure(errors=_ERRORS)


def drop_stdout() -> None:
    """Nothing is written any more, not at the end of the process either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    # After a tab it is the value of a line in trec_eval's text; elsewhere a part of a name.
    if lacking == _UNDEFINED and error.object[: error.start].endswith("\t"):
        return "-", error.end
    # JSON escapes a character beyond U+FFFF as its two UTF-16 units.
    units = lacking.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end
