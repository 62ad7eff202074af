"""Topics named on the command line. Those who score runs do not wait for the readers of XML."""

import sys
from collections.abc import Callable
from functools import partial
from typing import BinaryIO, Final

from campaigns.trec.problems import Problem
from campaigns.trec.topics import read_topics
from campaigns.trec.topics_checks import ParsedTopic
from scoring.cli.opening import read_file

MAX_TOPICS: Final = 1_000_000  # a site allows less
MAX_TOPIC_BYTES: Final = 1 << 30
TOLD: Final = (
    *("LEFT_OUT", "LEFT_OUT_TURNS", "LEFT_OUT_TEXT", "LEFT_OUT_ELEMENTS"),
    *("NO_TEXT", "WINDOWS_1252"),
)


def open_topics(path: str) -> tuple[ParsedTopic, ...]:
    """Topics, with the warnings of what is left out or replaced."""

    def warn(warning: Problem) -> None:
        if warning.code in TOLD:
            sys.stderr.write(f"{path}: warning: {warning}\n")

    return read_file(path, partial(read_many_topics, on_warning=warn))


def read_many_topics(
    source: BinaryIO | bytes, *, on_warning: Callable[[Problem], None] | None = None
) -> tuple[ParsedTopic, ...]:
    """Raises FormatError."""
    return read_topics(
        source, max_bytes=MAX_TOPIC_BYTES, max_topics=MAX_TOPICS, on_warning=on_warning
    )
