"""What a block of lines says of topics and documents, before the checks that need all blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.columns import doc_words
from campaigns.trec.fields import Fields, Positions, Words
from campaigns.trec.problems import ProblemList

DOC = 2  # the column of the document, in runs and qrels


@dataclass(frozen=True)
class Rows:
    """Lines of one block, one row a line; runs and qrels alike."""

    lines: NDArray[np.int64]  # int64[rows]: physical line numbers
    heads: Positions  # rows that begin a stretch of one topic; the first row is one
    topics: list[bytes]  # the topic of each head
    doc_words: Words  # uint64[rows, words]: document ids, NUL padded

    @cached_property
    def lengths(self) -> Positions:
        """How many rows each head stands for."""
        return np.diff(self.heads, append=self.lines.size)

    def only(self, kept: NDArray[np.bool_]) -> Rows:
        """The rows of a mask; all of them heads of their own."""
        topic = np.repeat(np.arange(self.heads.size), self.lengths)[kept]
        names = [self.topics[number] for number in topic.tolist()]
        return Rows(self.lines[kept], np.arange(topic.size), names, self.doc_words[kept])


def rows_of(fields: Fields, findings: ProblemList) -> Rows:
    """The topics and documents of a block of a run or of qrels."""
    topics = fields.texts(fields.heads, 0)
    return Rows(fields.lines, fields.heads, topics, doc_words(fields, DOC, findings))
