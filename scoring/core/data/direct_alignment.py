"""From the lines of a run straight to grades, without the ranking between them.

The result is that of `align_fully(rank(...))`. What is saved is the order of documents whose
scores tie where all of them are alike to the judges, which are most: only tied groups that differ
in their grades are put in order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from scoring.core.data import compiled
from scoring.core.data.alignment import Alignment
from scoring.core.data.grades import IN_POOL, PAST_END, UNJUDGED
from scoring.core.data.judgments import JudgmentTable, judged_documents
from scoring.core.data.ranking import (
    begins_group,
    check_columns,
    hash_doc_ids,
    id_words,
    score_order,
    tie_keys,
    tie_order,
    whole_words,
)

_T = TypeVar("_T", bound=np.generic)
_CODE_BITS = 8
NO_LIMIT = 1 << 31


@dataclass(frozen=True, eq=False)
class _Lines:
    """The lines of a run in the order of topics and scores, ties in that of the file."""

    doc_ids: NDArray[np.bytes_]
    begins: NDArray[np.bool_]  # a group of equal scores begins here
    lengths: NDArray[np.int64]  # int64[topics]


def align_lines(
    table: JudgmentTable,
    *,
    topics: Sequence[str],
    topic_index: NDArray[np.int32],
    doc_ids: NDArray[np.bytes_],
    retrieval_scores: NDArray[np.float64],
    max_depth: int | None = None,
) -> Alignment:
    """`align_fully(rank(topics=..., max_depth=...), table, depth=...)` for the columns of a run,
    at the depth of its longest topic.

    `topic_index`, `doc_ids` and `retrieval_scores` are those of `rank`. Raises ValueError as it
    does.

    Lines may come in any order:

    >>> columns = {"doc_ids": np.array([b"d3", b"d1"]), "retrieval_scores": np.array([1.0, 2.0])}
    >>> columns |= {"topics": ["t1"], "topic_index": np.zeros(2, np.int32)}
    >>> align_lines(table, **columns).grades.tolist()
    [[2, 0], [-128, -128]]
    """
    check_columns(topics, topic_index, doc_ids, retrieval_scores, max_depth)
    row_of_topic = np.array([table.row_of.get(topic, -1) for topic in topics], np.int32)
    if compiled.align is not None:
        columns = topic_index, doc_ids, retrieval_scores
        return _align_compiled(compiled.align, table, row_of_topic, *columns, max_depth or NO_LIMIT)
    lines = _in_order(topics, topic_index, doc_ids, retrieval_scores)
    codes = _codes(lines, table, row_of_topic)
    longest = int(lines.lengths.max(initial=1))
    places = _Places(
        row_of_topic,
        lines.lengths,
        shape=(len(table.topics), longest if max_depth is None else min(longest, max_depth)),
    )
    grades = places.spread(codes, np.full(places.shape, PAST_END, np.int8))
    return _alignment(grades, places.spread(lines.begins, np.ones(places.shape, np.bool_)))


def _alignment(codes: NDArray[np.int8], begins: NDArray[np.bool_]) -> Alignment:
    pooled = codes == IN_POOL
    codes[pooled] = UNJUDGED
    return Alignment(codes, begins, pooled)


def _align_compiled(
    compiled_align: ModuleType,
    table: JudgmentTable,
    row_of_topic: NDArray[np.int32],
    topic_index: NDArray[np.int32],
    doc_ids: NDArray[np.bytes_],
    retrieval_scores: NDArray[np.float64],
    max_depth: int,
) -> Alignment:
    head, ids = (*table.arrays, row_of_topic), id_words(doc_ids)
    aligned = compiled_align.align(*head, topic_index, retrieval_scores, ids, max_depth)
    # The compiled code takes lines in the order of topics and scores, as most files have them.
    if aligned is None:
        order = score_order(topic_index, retrieval_scores)
        columns = topic_index[order], retrieval_scores[order], ids[order]
        aligned = compiled_align.align(*head, *columns, max_depth)
    grades, begins, depth = aligned
    return _alignment(
        np.frombuffer(grades, np.int8).reshape(-1, depth),
        np.frombuffer(begins, np.bool_).reshape(-1, depth),
    )


@dataclass(frozen=True, eq=False)
class _Places:
    """Where the lines stand in a matrix [topics of the table, ranks]."""

    row_of_topic: NDArray[np.int32]  # int32[topics of the run], -1 for those the table lacks
    lengths: NDArray[np.int64]
    shape: tuple[int, int]

    def spread(self, values: NDArray[_T], matrix: NDArray[_T]) -> NDArray[_T]:
        """The matrix with the lines' values written over it."""
        depth = self.shape[1]
        # Where all topics are equally long, as in a run that was cut, one copy does for all.
        if bool((self.row_of_topic >= 0).all() and (self.lengths == depth).all()):
            matrix[self.row_of_topic] = values.reshape(len(self.lengths), depth)
            return matrix
        ends = np.cumsum(self.lengths)
        starts = (ends - self.lengths).tolist()
        kept = np.minimum(self.lengths, depth).tolist()
        for row, start, length in zip(self.row_of_topic.tolist(), starts, kept, strict=True):
            if row >= 0:
                matrix[row, :length] = values[start : start + length]
        return matrix


def _in_order(
    topics: Sequence[str],
    topic_index: NDArray[np.int32],
    doc_ids: NDArray[np.bytes_],
    retrieval_scores: NDArray[np.float64],
) -> _Lines:
    order = score_order(topic_index, retrieval_scores)
    if order is not None:
        topic_index, retrieval_scores = topic_index[order], retrieval_scores[order]
        doc_ids = doc_ids[order]
    ends = np.searchsorted(topic_index, np.arange(len(topics)), side="right")
    return _Lines(
        whole_words(doc_ids),
        begins_group(topic_index, retrieval_scores),
        np.diff(ends, prepend=0),
    )


def _codes(
    lines: _Lines, table: JudgmentTable, row_of_topic: NDArray[np.int32]
) -> NDArray[np.int8]:
    """int8[lines]: what the judges said of each, UNJUDGED, or IN_POOL."""
    hits, places = judged_documents(
        table,
        rows=np.repeat(row_of_topic, lines.lengths),
        doc_ids=lines.doc_ids,
        hashes=hash_doc_ids(lines.doc_ids),
    )
    codes = np.full(len(lines.doc_ids), UNJUDGED, np.int8)
    codes[hits] = table.codes.take(places)
    # Only tied groups whose documents the judges tell apart are put in order: in any other, every
    # order has the same codes.
    groups = _mixed_groups(codes, lines.begins)
    if not len(groups.sizes):
        return codes
    tied = groups.members()
    doc_ids, unordered = lines.doc_ids.take(tied), codes.take(tied)
    numbers = np.arange(len(groups.sizes)).repeat(groups.sizes)
    keys = tie_keys(doc_ids, numbers, spare_bits=_CODE_BITS)
    if keys is None:
        codes[tied] = unordered.take(tie_order(doc_ids, numbers))
        return codes
    keys |= unordered.view(np.uint8)  # sorted along with the documents: far quicker than an order
    keys.sort()
    codes[tied] = keys.astype(np.uint8).view(np.int8)
    return codes


@dataclass(frozen=True, eq=False)
class _Groups:
    """Tied groups by the line of the first document, and how many there are."""

    firsts: NDArray[np.intp]
    sizes: NDArray[np.intp]

    def members(self) -> NDArray[np.intp]:
        """The lines of all of them, group after group."""
        ends = self.sizes.cumsum()
        lines = np.arange(ends[-1])
        lines += (self.firsts - ends + self.sizes).repeat(self.sizes)
        return lines


def _mixed_groups(codes: NDArray[np.int8], begins: NDArray[np.bool_]) -> _Groups:
    """The groups of more than one document that do not have one code throughout."""
    # Lines after the first of a tied group begin none, the one after its last does again: the edges
    # between such lines are the first and the last documents, in turns.
    edges = (begins[1:] != begins[:-1]).nonzero()[0]
    if len(edges) % 2:
        edges = np.append(edges, len(begins) - 1)
    changes = ((codes[1:] != codes[:-1]) > begins[1:]).nonzero()[0]  # within groups
    passed = changes.searchsorted(edges)
    mixed = (passed[::2] != passed[1::2]).nonzero()[0]
    firsts = edges[::2].take(mixed)
    return _Groups(firsts, edges[1::2].take(mixed) - firsts + 1)
