"""The records of a run or of qrels, as columns: topic, document and what the format adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.blocks import Block
from campaigns.trec.columns import ColumnStack, DocColumn, DocIds
from campaigns.trec.duplicates import note_repeated
from campaigns.trec.problems import ProblemList, refuse
from campaigns.trec.records import Rows
from campaigns.trec.topic_column import DROPPED, TopicColumn


@dataclass(frozen=True)
class Records:
    """All rows of a file; the arrays have one entry a kept line."""

    topics: tuple[str, ...]
    topic_index: NDArray[np.int32]
    doc_ids: DocIds
    lines: NDArray[np.uint32]  # physical line numbers; a file has fewer than 2**32 bytes
    values: dict[str, NDArray[Any]]


class RecordTable:
    """Collects blocks; topics that are dropped leave no row."""

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
        kept = numbers != DROPPED
        if not kept.all():
            self._dropped = rows.lines[~kept]
            rows, numbers = rows.only(kept), numbers[kept]
            values = {name: column[kept] for name, column in values.items()}
        self._topic_index.push(numbers)
        self._doc_ids.push(rows.doc_words, rows.lines)
        self._lines.push(rows.lines)
        for name, column in values.items():
            self._values[name].push(column)

    def count_lines(self, block: Block) -> None:
        """To be called when a block is read. Every line counts, also a blank one or a comment,
        except those of topics that are dropped. Raises FormatError where there are too many."""
        last = block.first_line + block.line_count - 1
        dropped, self._dropped = self._dropped, self._dropped[:0]
        counted = last - self._dropped_count - dropped.size
        if self._max_lines is not None and counted > self._max_lines:
            counts = np.ones(block.line_count, np.bool_)
            counts[dropped - block.first_line] = False
            before = block.first_line - 1 - self._dropped_count
            line = block.first_line + int(np.flatnonzero(counts)[self._max_lines - before])
            refuse("TOO_MANY", f"more than {self._max_lines:,} lines", line)
        self._dropped_count += dropped.size

    def join(self) -> Records:
        """All rows, after the checks that need them all."""
        self._topics.finish()
        records = Records(
            topics=tuple(self._topics.topics),
            topic_index=self._topic_index.join(),
            doc_ids=self._doc_ids.join(),
            lines=self._lines.join(),
            values={name: stack.join() for name, stack in self._values.items()},
        )
        note_repeated(
            records.topic_index, records.doc_ids, records.lines, records.topics, self._findings
        )
        return records
