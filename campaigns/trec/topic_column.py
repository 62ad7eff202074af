"""Column 1 of runs and qrels: topic ids numbered in order of first appearance."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.fields import WORD, Fields, Words, column_words
from campaigns.trec.problems import Findings, Problem, refuse, shown

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
        self, findings: Findings, known: Collection[str] | None, unknown_topics: UnknownTopics
    ) -> None:
        self.topics: list[str] = []
        self._findings = findings
        self._known = None if known is None else frozenset(known)
        self._drops = unknown_topics == "drop"
        self._numbers: dict[bytes, int] = {}
        self._dropped_topics = 0
        self._dropped_lines = 0
        self._first_dropped = 0

    def numbers(self, fields: Fields) -> NDArray[np.int32]:
        """Topic number of each row, int32[rows]; DROPPED for rows to leave out."""
        heads = np.flatnonzero(_is_head(fields))
        codes = fields.texts(heads, 0)
        numbers = np.empty(heads.size, np.int32)
        for k, code in enumerate(codes):
            number = self._numbers.get(code)
            if number is None:
                number = self._enter(code, int(fields.lines[heads[k]]))
            numbers[k] = number
        rows = np.repeat(numbers, np.diff(heads, append=fields.lines.size))
        if self._dropped_topics:
            self._count_dropped(rows, fields)
        return rows

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

    def _count_dropped(self, rows: NDArray[np.int32], fields: Fields) -> None:
        dropped = rows == DROPPED
        count = int(np.count_nonzero(dropped))
        if count and not self._dropped_lines:
            self._first_dropped = int(fields.lines[np.argmax(dropped)])
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
            message = (
                f"{self._dropped_lines:,} lines of {self._dropped_topics:,} topics that are not "
                "in the list of topics were left out"
            )
            self._findings.warn("DROPPED_TOPICS", message, line=self._first_dropped)
        if self._known is None:
            return
        if self._dropped_lines and not self.topics:
            message = "no line is about a topic in the list of topics"
            self._findings.add(Problem("UNKNOWN_TOPIC", self._first_dropped, message, 1))
        missing = sorted(self._known.difference(self.topics), key=lambda code: (len(code), code))
        if missing:
            message = f"{len(missing):,} of {len(self._known):,} topics have no line"
            self._findings.warn("MISSING_TOPICS", message, value=" ".join(missing[:20]))


def _plain(code: str) -> str:
    return code.casefold().lstrip("0") or "0"


def _is_head(fields: Fields) -> NDArray[np.bool_]:
    """True where the topic differs from that of the row above (bool[rows])."""
    lengths = fields.lengths(0)
    is_head = np.ones(lengths.size, np.bool_)
    is_head[1:] = lengths[1:] != lengths[:-1]
    # Ids that are too long may look alike here: they are refused all the same.
    longest = min(int(lengths.max(initial=0)), TOPIC_BYTES + 1)
    words: Words = column_words(fields, 0, -(-longest // WORD))
    for k in range(words.shape[1]):
        is_head[1:] |= words[1:, k] != words[:-1, k]
    return is_head
