"""The records of a run or of qrels: all rows of a file, and documents that are repeated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.trec import compiled
from campaigns.trec.blocks import Block
from campaigns.trec.columns import DROPPED, ColumnStack, DocColumn, DocIds, Rows, TopicColumn
from campaigns.trec.fields import WORD, Words
from campaigns.trec.problems import Problem, ProblemList, refuse, shown


@dataclass(frozen=True)
class Records:
    """All rows of a file. The arrays have one entry for each kept line."""

    topics: tuple[str, ...]
    topic_index: NDArray[np.int32]
    doc_ids: DocIds
    lines: NDArray[np.uint32]  # physical line numbers; a file has fewer than 2**32 bytes
    values: dict[str, NDArray[Any]]


class RecordTable:
    """Collects the rows of blocks, without those of dropped topics."""

    def __init__(
        self,
        findings: ProblemList,
        topics: TopicColumn,
        *,
        max_lines: int | None,
        values: dict[str, type[Any]],
    ) -> None:
        self._dropped_count = 0
        self._dropped = np.array([], np.int64)  # line numbers of the block that is being read
        self._findings = findings
        self._topics = topics
        self._max_lines = max_lines
        self._topic_index = ColumnStack(np.int32)
        self._doc_ids = DocColumn()
        self._lines = ColumnStack(np.uint32)
        self._values = {name: ColumnStack(dtype) for name, dtype in values.items()}

    def push(self, rows: Rows, **values: NDArray[Any]) -> None:
        """Add a block and, by name, the values read from its lines."""
        numbers = self._topics.numbers(rows)
        if self._topics.drops_some and not (kept := numbers != DROPPED).all():
            self._dropped = rows.lines[~kept]
            rows, numbers = rows.only(kept), numbers[kept]
            values = {name: column[kept] for name, column in values.items()}
        self._topic_index.push(numbers)
        self._doc_ids.push(rows.doc_words, rows.lines)
        self._lines.push(rows.lines)
        for name, column in values.items():
            self._values[name].push(column)

    def count_lines(self, block: Block) -> None:
        """Count the lines of a block that was read. Blank lines and comments count, lines of
        dropped topics do not. Raises FormatError if there are too many."""
        last = block.first_line + block.line_count - 1
        # Taken once: of the next block `push` sets them only if it has some.
        dropped, self._dropped = self._dropped, self._dropped[:0]
        counted = last - self._dropped_count - dropped.size
        if self._max_lines is not None and counted > self._max_lines:
            # Only now, for the message: the line is the first that counts beyond the limit.
            counts = np.ones(block.line_count, np.bool_)
            counts[dropped - block.first_line] = False
            before = block.first_line - 1 - self._dropped_count
            line = block.first_line + int(np.flatnonzero(counts)[self._max_lines - before])
            refuse("TOO_MANY", f"more than {self._max_lines:,} lines", line)
        self._dropped_count += dropped.size

    def join(self, *, on_repetition: str = "") -> Records:
        """All rows, after the checks that need all of them. `on_repetition` says what the file is
        if it repeats documents."""
        self._topics.finish()
        records = Records(
            topics=tuple(self._topics.topics),
            topic_index=self._topic_index.join(),
            doc_ids=self._doc_ids.join(),
            lines=self._lines.join(),
            values={name: stack.join() for name, stack in self._values.items()},
        )
        note_repeated(records, self._findings, on_repetition)
        return records


# --- documents that are repeated in a topic ------------------------------------------------------

# 2**64 divided by the golden ratio, as Knuth's multiplicative hashing has it (volume 3, 6.4).
MIX = np.uint64(0x9E3779B97F4A7C15)
MAX_WORD = (1 << 64) - 1
PART_ROWS = 1_000_000


def id_words(doc_ids: DocIds) -> Words:
    """Fixed-width ids as words, uint64[rows, words]."""
    return doc_ids.view("<u8").reshape(doc_ids.size, doc_ids.itemsize // WORD)


def repeated_rows(
    topic_index: NDArray[np.int32], doc_ids: DocIds
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows that repeat a document of their topic, and the first row of that document.

    If the rows of each topic are contiguous, some topics are checked at a time, which limits the
    memory needed for long runs.
    """
    words = id_words(doc_ids)
    if compiled.scan is not None:
        found_pairs = compiled.scan.repeated_rows(topic_index, words, words.shape[1])
        if found_pairs is not None:  # None: sorting is better
            pairs = np.frombuffer(found_pairs, np.int64).reshape(-1, 2)
            return pairs[:, 0], pairs[:, 1]
    found = []
    for part in _parts(topic_index):
        again, first = _repeated(topic_index[part], words[part])
        found.append((again + part.start, first + part.start))
    return np.concatenate([a for a, _ in found]), np.concatenate([f for _, f in found])


def _parts(topic_index: NDArray[np.int32]) -> list[slice]:
    """Slices of whole topics, with `PART_ROWS` rows and the rest of a topic each. One slice of all
    rows if the rows of a topic are not contiguous."""
    size = topic_index.size
    if size <= PART_ROWS or (topic_index[1:] < topic_index[:-1]).any():
        return [slice(0, size)]
    bounds = [0]
    while size - bounds[-1] > PART_ROWS:
        last_topic = topic_index[bounds[-1] + PART_ROWS]
        bounds.append(int(np.searchsorted(topic_index, last_topic, side="right")))
    return [slice(a, b) for a, b in pairwise([*bounds, size]) if b > a]


def _repeated(
    topic_index: NDArray[np.int32], words: Words
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The same for one part. Equal hashes are neighbours in sorted order."""
    # The topic and each word, multiplied by different odd numbers and added up.
    hashes = topic_index.astype(np.uint64)
    for k in range(words.shape[1]):
        hashes += words[:, k] * np.uint64(int(MIX) * (2 * k + 1) & MAX_WORD)
    order = np.argsort(hashes)
    alike = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
    # Different documents can have one hash: these few rows are compared in full.
    rows = np.unique(np.concatenate([order[alike], order[alike + 1]]))
    keys = [words[rows, k] for k in range(words.shape[1])]
    keys.append(topic_index[rows].astype(np.uint64))
    rows = rows[np.lexsort(keys)]  # stable: equal rows stay in file order
    same = topic_index[rows][1:] == topic_index[rows][:-1]
    same &= (words[rows[1:]] == words[rows[:-1]]).all(axis=1)
    is_again = np.zeros(rows.size, np.bool_)
    is_again[1:] = same
    begins = np.flatnonzero(~is_again)
    first = rows[np.repeat(begins, np.diff(begins, append=rows.size))]
    order = np.argsort(rows[is_again])
    return rows[is_again][order], first[is_again][order]


def note_repeated(records: Records, findings: ProblemList, on_repetition: str) -> None:
    """Add a problem for every line that repeats a document of its topic; or one, with the given
    message, for the file."""
    rows, first = repeated_rows(records.topic_index, records.doc_ids)

    def describe(k: int) -> Problem:
        row = int(rows[k])
        topic = shown(records.topics[records.topic_index[row]])
        message = f"document of topic '{topic}' is already on line {records.lines[first[k]]}"
        return Problem("DUP", int(records.lines[row]), message, 3, shown(records.doc_ids[row]))

    if on_repetition and rows.size:
        findings.add(replace(describe(0), code="TYPE", message=on_repetition))
    else:
        findings.add_rows(range(rows.size), rows.size, describe)
