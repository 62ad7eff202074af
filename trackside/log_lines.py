"""The site's log as text. What comes from outside can neither begin a line of its own nor change
how a terminal shows the others."""

import logging
import textwrap
from typing import Any


class TextLines(logging.Formatter):
    """A line for each record. Those of a traceback are indented."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return escape_unprintable(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        lines = super().formatException(ei).split("\n")
        return textwrap.indent("\n".join(map(escape_unprintable, lines)), "  ")


def escape_unprintable(text: str) -> str:
    """The text with control characters, separators of lines and marks of direction as `\\n` or
    `\\u2028`."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii")
        for each in text
    )
