"""Columns of runs and qrels: the topics and documents of each block, and the blocks joined."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from campaigns.trec.fields import WORD, Fields, Positions, Words
from campaigns.trec.likely_topics import LikelyTopic, LikelyTopics
from campaigns.trec.problems import Problem, ProblemList, refuse, shown

DOC_BYTES = 1024
MAX_DOC_TABLE = 256 << 20  # bytes: lines × width of the longest document id
MAX_ROWS = 20_000_000
LARGE_BYTES = 32 << 20  # from here on the C library takes every array from the system
SHORT_BYTES = 4 << 20  # of a column that is kept as its blocks

DocIds = NDArray[np.bytes_]


class _Pile:
    """Blocks of rows, copied into large arrays as they come. A large array is taken from the system
    and goes back to it, while blocks that are kept leave holes in memory between them. A short file
    has a block or two: these are kept as they are."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._full: list[NDArray[Any]] = []
        self._short: list[NDArray[Any]] = []
        self._short_bytes = 0
        self._large: NDArray[Any] | None = None
        self._used = 0  # rows of the large one

    def push(self, block: NDArray[Any]) -> None:
        """Keep a block [rows, width]."""
        self._short.append(block)
        self._short_bytes += block.nbytes
        # Once a large array exists, every block goes into it, and its own memory is free again.
        if self._large is None and self._short_bytes < SHORT_BYTES:
            return
        for each in self._short:
            rows, width = each.shape
            large = self._large
            if large is None or self._used + rows > len(large) or width > large.shape[1]:
                self._close()
                least = LARGE_BYTES // (width * self._dtype.itemsize)
                large = self._large = np.zeros((max(rows, least), width), self._dtype)
            large[self._used : self._used + rows, :width] = each
            self._used += rows
        self._short = []

    def _close(self) -> None:
        if self._large is not None:
            self._full.append(self._large[: self._used])
        self._large, self._used = None, 0

    def join(self) -> NDArray[Any]:
        """All of them in one array, padded with zeros to the widest. The pile is empty
        afterwards, and each block is let go when it is copied."""
        self._close()
        blocks = self._full + self._short
        self._full, self._short = [], []
        if len(blocks) == 1:
            return blocks[0]
        width = max((block.shape[1] for block in blocks), default=1)
        joined = np.zeros((sum(map(len, blocks)), width), self._dtype)
        # Popped from the end, so that each block is free as soon as it is copied.
        blocks.reverse()
        begin = 0
        while blocks:
            block = blocks.pop()
            joined[begin : begin + len(block), : block.shape[1]] = block
            begin += len(block)
        return joined


class ColumnStack:
    """Blocks of one column."""

    def __init__(self, dtype: type[Any]) -> None:
        self._pile = _Pile(dtype)
        self._dtype = dtype

    def push(self, block: NDArray[Any]) -> None:
        """Keep a block."""
        self._pile.push(block.astype(self._dtype, copy=False).reshape(-1, 1))

    def join(self) -> NDArray[Any]:
        """All rows in one array; the stack is empty afterwards."""
        return self._pile.join().reshape(-1)


class DocColumn:
    """The document ids of a file, as words of eight bytes."""

    def __init__(self) -> None:
        self._pile = _Pile("<u8")
        self._rows = 0
        self._width = 1  # words

    def push(self, words: Words, lines: NDArray[np.integer]) -> None:
        """Keep the ids of a block; refuse a table that memory should not hold."""
        self._rows += len(words)
        self._width = max(self._width, words.shape[1])
        if self._rows > MAX_ROWS:
            refuse("TOO_MANY", f"more than {MAX_ROWS:,} lines", int(lines[-1]))
        if self._rows * self._width * WORD > MAX_DOC_TABLE:
            message = (
                f"{self._rows:,} lines with document ids of up to {self._width * WORD:,} bytes "
                f"need more than {MAX_DOC_TABLE >> 20} MiB"
            )
            refuse("TOO_BIG", message, int(lines[-1]))
        self._pile.push(words)

    def join(self) -> DocIds:
        """All ids, S{w}[rows], NUL padded, w a multiple of 8."""
        joined = self._pile.join()
        return joined.view(f"S{WORD * self._width}").reshape(-1)


def doc_words(fields: Fields, column: int, findings: ProblemList) -> Words:
    """The document ids of a block, uint64[rows, words], NUL padded; ids that are too long
    become problems."""
    rows = np.flatnonzero(fields.lengths(column) > DOC_BYTES)

    def describe(k: int) -> Problem:
        row = int(rows[k])
        text = fields.text(row, column)
        message = f"document id of {len(text):,} bytes, at most {DOC_BYTES:,} allowed"
        return Problem("LINE_TOO_LONG", int(fields.lines[row]), message, column + 1, shown(text))

    findings.add_rows(range(rows.size), rows.size, describe)
    return fields.words(column, DOC_BYTES)


DOC = 2  # the column of the document, in runs and qrels


@dataclass(frozen=True)
class Rows:
    """Lines of one block of a run or of qrels, one row for each line."""

    lines: NDArray[np.integer]  # [rows]: physical line numbers
    heads: Positions  # first rows of consecutive rows with one topic
    topics: list[bytes]  # the topic of each head
    doc_words: Words  # uint64[rows, words]: document ids, NUL padded

    @cached_property
    def lengths(self) -> Positions:
        """The number of rows from each head to the next."""
        lengths = np.empty_like(self.heads)
        np.subtract(self.heads[1:], self.heads[:-1], out=lengths[:-1])
        # Slices, because a block can have no row.
        lengths[-1:] = self.lines.size - self.heads[-1:]
        return lengths

    def line_of(self, head: int) -> int:
        """The line of a head, for a message."""
        return int(self.lines[self.heads[head]])

    def only(self, kept: NDArray[np.bool_]) -> Rows:
        """The rows of a mask. Each of them becomes a head."""
        topic = np.repeat(np.arange(self.heads.size), self.lengths)[kept]
        names = [self.topics[number] for number in topic.tolist()]
        return Rows(self.lines[kept], np.arange(topic.size), names, self.doc_words[kept])


def rows_of(fields: Fields, findings: ProblemList) -> Rows:
    """The topics and documents of a block of a run or of qrels."""
    topics = fields.texts(fields.heads, 0)
    return Rows(fields.lines, fields.heads, topics, doc_words(fields, DOC, findings))


TOPIC_BYTES = 64  # on a site
LONGEST_NAME = 1024  # bytes of a topic id or a tag anywhere else
MAX_TOPICS = 100_000  # distinct ids in one file; a campaign has at most 10,000
DROPPED = -1

UnknownTopics = Literal["refuse", "drop"]


class TopicColumn:
    """Numbers the topics of a file by first appearance. Unknown ones become problems or are
    dropped.

    Topics are compared only with `known`, the list that participants see. So messages do not reveal
    which topics were judged.
    """

    def __init__(
        self,
        findings: ProblemList,
        known: Collection[str] | None,
        unknown_topics: UnknownTopics,
        max_bytes: int = TOPIC_BYTES,
    ) -> None:
        self.topics: list[str] = []
        self._findings = findings
        self._max_bytes = max_bytes
        self._known = None if known is None else frozenset(known)
        self._drops = unknown_topics == "drop"
        self._numbers: dict[bytes, int] = {}
        self._likely = LikelyTopics(self._known or ())
        self._dropped_topics = 0
        self._dropped_lines = 0
        self._first_dropped = 0

    def numbers(self, rows: Rows) -> NDArray[np.int32]:
        """Topic number of each row, int32[rows]; DROPPED for rows to leave out."""
        known = self._numbers
        for k, code in enumerate(rows.topics):
            if code not in known:
                known[code] = self._enter(code, rows, k)
        spread = np.array([known[code] for code in rows.topics], np.int32).repeat(rows.lengths)
        if self._dropped_topics:
            dropped = spread == DROPPED
            count = int(np.count_nonzero(dropped))
            if count and not self._dropped_lines:
                self._first_dropped = int(rows.lines[np.argmax(dropped)])
            self._dropped_lines += count
        return spread

    def _enter(self, code: bytes, rows: Rows, head: int) -> int:
        """The number of a new topic, after checking it."""
        if len(self._numbers) == MAX_TOPICS:
            message = f"more than {MAX_TOPICS:,} different topics"
            refuse("TOO_MANY", message, rows.line_of(head))
        topic = code.decode()
        if len(code) > self._max_bytes:
            message = f"topic id of {len(code):,} bytes, at most {self._max_bytes:,} allowed"
            self._findings.add(Problem("TOPIC", rows.line_of(head), message, 1, shown(code)))
        elif self._known is not None and topic not in self._known:
            # Looked up for dropped topics as well: the warning at the end names the most frequent
            # cause.
            likely = self._likely.look_up(topic)
            if self._drops:
                self._dropped_topics += 1
                return DROPPED
            self._refuse_unknown(code, rows.line_of(head), likely)
        if TOPIC_BYTES < len(code) <= self._max_bytes:
            message = f"{{n}} topic {{id is|ids are}} longer than {TOPIC_BYTES} bytes"
            self._findings.warn("LONG_NAME", message, line=rows.line_of(head), field=1, value=code)
        self.topics.append(topic)
        return len(self.topics) - 1

    def _refuse_unknown(self, code: bytes, line: int, likely: LikelyTopic | None) -> None:
        def problem(question: str) -> Problem:
            message = "topic is not in the list of topics" + (question and f": {question}")
            return Problem("UNKNOWN_TOPIC", line, message, 1, shown(code))

        if likely and self._likely.is_first(likely):
            # The question counts the ids that differ in the same way, which is known only at the
            # end.
            self._findings.add_at_end(lambda: problem(self._likely.question(likely)))
        else:
            self._findings.add(problem(""))

    @property
    def drops_some(self) -> bool:
        """Whether rows were dropped so far."""
        return self._dropped_topics > 0

    def finish(self) -> None:
        """Warn of dropped and of missing topics; refuse a file of unknown topics only. If no line
        names a known topic, that has another reason, which is told as a fault."""
        likely = self._likely.most()
        if self._dropped_lines:
            topics = f"{self._dropped_topics:,} topics that are"
            if self._dropped_topics == 1:
                topics = "1 topic that is"
            message = (
                f"{{n}} {{line|lines}} of {topics} not in the list of topics {{was|were}} ignored"
            )
            message += f": {likely}" if likely else ""
            self._findings.warn(
                "DROPPED_TOPICS", message, line=self._first_dropped, count=self._dropped_lines
            )
        if self._known is None:
            return
        if self._dropped_lines and not self.topics:
            message = "no line is about a topic in the list of topics"
            message += f": {likely}" if likely else ""
            self._findings.add(Problem("UNKNOWN_TOPIC", self._first_dropped, message, 1))
        # By length first, so that topic 9 stands before topic 10.
        missing = sorted(self._known.difference(self.topics), key=lambda code: (len(code), code))
        if 0 < len(missing) < len(self._known):
            message = f"{{n}} of {len(self._known):,} topics {{has|have}} no line"
            value = " ".join(missing[:20])
            self._findings.warn("MISSING_TOPICS", message, count=len(missing), value=value)
