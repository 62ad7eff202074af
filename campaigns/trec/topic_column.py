"""Column 1 of runs and qrels: topic ids numbered in order of first appearance."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.problems import Problem, ProblemList, refuse, shown
from campaigns.trec.records import Rows

TOPIC_BYTES = 64
MAX_TOPICS = 100_000  # different ids in one file; a campaign has at most 10,000
DROPPED = -1

UnknownTopics = Literal["refuse", "drop"]


class TopicColumn:
    """Numbers the topics of a file block by block; unknown ones become problems or are dropped.

    The only list compared with is `known`, the one that participants may see: which of its topics
    were judged never shows.
    """

    def __init__(
        self, findings: ProblemList, known: Collection[str] | None, unknown_topics: UnknownTopics
    ) -> None:
        self.topics: list[str] = []
        self._findings = findings
        self._known = None if known is None else frozenset(known)
        self._drops = unknown_topics == "drop"
        self._numbers: dict[bytes, int] = {}
        self._dropped_topics = 0
        self._dropped_lines = 0
        self._first_dropped = 0

    def numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Topic number of each row, int32[rows]; DROPPED for rows to leave out."""
        numbers = np.empty(rows.heads.size, np.int32)
        for k, code in enumerate(rows.topics):
            number = self._numbers.get(code)
            if number is None:
                number = self._enter(code, int(rows.lines[rows.heads[k]]))
            numbers[k] = number
        spread = np.repeat(numbers, rows.lengths)
        if self._dropped_topics:
            self._count_dropped(spread, rows.lines)
        return spread

    def _enter(self, code: bytes, line: int) -> int:
        """The number of a topic met for the first time, after checking it."""
        if len(self._numbers) == MAX_TOPICS:
            refuse("TOO_MANY", f"more than {MAX_TOPICS:,} different topics", line)
        number = len(self.topics)
        if len(code) > TOPIC_BYTES:
            message = f"topic id of {len(code):,} bytes, at most {TOPIC_BYTES} allowed"
            self._findings.add(Problem("TOPIC", line, message, 1, shown(code)))
        elif self._known is not None and code.decode() not in self._known:
            if self._drops:
                number = DROPPED
                self._dropped_topics += 1
            else:
                message = f"topic is not in the list of topics{self._hint(code.decode())}"
                self._findings.add(Problem("UNKNOWN_TOPIC", line, message, 1, shown(code)))
        if number != DROPPED:
            self.topics.append(code.decode())
        self._numbers[code] = number
        return number

    def _count_dropped(self, numbers: NDArray[np.int32], lines: NDArray[np.int64]) -> None:
        dropped = numbers == DROPPED
        count = int(np.count_nonzero(dropped))
        if count and not self._dropped_lines:
            self._first_dropped = int(lines[np.argmax(dropped)])
        self._dropped_lines += count

    def _hint(self, code: str) -> str:
        near = self._near.get(_plain(code))
        if near is None:
            return ""
        reason = "case differs" if near.casefold() == code.casefold() else "leading zeros matter"
        return f": {reason}, did you mean '{shown(near)}'?"

    @cached_property
    def _near(self) -> dict[str, str]:
        return {_plain(code): code for code in self._known or ()}

    def finish(self) -> None:
        """Warn of dropped and of missing topics; refuse a file of unknown topics only."""
        if self._dropped_lines:
            topics = f"{self._dropped_topics:,} topics that are"
            if self._dropped_topics == 1:
                topics = "1 topic that is"
            message = (
                f"{{n}} {{line|lines}} of {topics} not in the list of topics {{was|were}} ignored"
            )
            self._findings.warn(
                "DROPPED_TOPICS", message, line=self._first_dropped, count=self._dropped_lines
            )
        if self._known is None:
            return
        if self._dropped_lines and not self.topics:
            message = "no line is about a topic in the list of topics"
            self._findings.add(Problem("UNKNOWN_TOPIC", self._first_dropped, message, 1))
        missing = sorted(self._known.difference(self.topics), key=lambda code: (len(code), code))
        if missing:
            message = f"{{n}} of {len(self._known):,} topics {{has|have}} no line"
            value = " ".join(missing[:20])
            self._findings.warn("MISSING_TOPICS", message, count=len(missing), value=value)


def _plain(code: str) -> str:
    return code.casefold().lstrip("0") or "0"
