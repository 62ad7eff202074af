"""From a ranking and the qrels to grades: what the judges said at every rank of every topic."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import PAST_END, UNJUDGED
from scoring.core.data.judgments import JudgmentTable, find_judgments
from scoring.core.data.ranking import Ranking

__all__ = ["PAST_END", "UNJUDGED", "Alignment", "align", "align_beginnings", "align_fully"]


@dataclass(frozen=True, eq=False)
class Alignment:
    """All that a ranking and the qrels say of every rank: matrices [topics of the table, depth]."""

    grades: NDArray[np.int8]  # as `align` gives them
    begins: NDArray[np.bool_]  # as `align_beginnings` gives them
    pooled: NDArray[np.bool_]  # the qrels name this document, but nobody judged it (grade below 0)


def align(ranking: Ranking, table: JudgmentTable, *, depth: int) -> NDArray[np.int8]:
    """int8[topics of the table, depth]: the grade at each rank, UNJUDGED or PAST_END.

    Topics of the run that the table does not have are left out; a topic that the run misses is
    PAST_END throughout. Documents past `depth` are not looked at. Raises ValueError for a depth
    below 1.

    The grades of d1, d3 and d2. For t2 the run has one document, which nobody judged.

    >>> align(ranking, table, depth=3).tolist()
    [[2, 0, -1], [-1, -128, -128]]
    """
    if depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")
    row_of_topic = np.array([table.row_of.get(t, -1) for t in ranking.topics], np.int32)
    rows = np.repeat(row_of_topic, ranking.lengths)
    doc_ids, hashes, positions = ranking.doc_ids, ranking.hashes, ranking.positions
    if ranking.max_length > depth or bool((row_of_topic < 0).any()):
        # Only if something is left out: each mask copies a column.
        seen = (rows >= 0) & (positions < depth)
        rows, doc_ids, hashes, positions = rows[seen], doc_ids[seen], hashes[seen], positions[seen]
    places = find_judgments(table, rows=rows, doc_ids=doc_ids, hashes=hashes)
    # Place -1 (nobody's) takes the entry appended behind the table's own grades.
    grade_at = np.append(table.grades, np.int8(UNJUDGED))
    grades = np.full((len(table.topics), depth), PAST_END, np.int8)
    # As int64: many topics times a large depth are more than an int32 holds.
    grades.reshape(-1)[rows.astype(np.int64) * depth + positions] = grade_at[places]
    return grades


def align_beginnings(ranking: Ranking, table: JudgmentTable, *, depth: int) -> NDArray[np.bool_]:
    """bool[topics of the table, depth]: for each cell of `align` whether a tied group begins there:
    no document above has its score. A rank without a document is a group of its own.

    A group that goes on past `depth` is cut there, as `rank` cuts at its own depth. Raises
    ValueError for a depth below 1.

    >>> align_beginnings(ranking, table, depth=3).tolist()
    [[True, True, False], [True, True, True]]
    """
    if depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")
    begins = np.ones((len(table.topics), depth), np.bool_)
    cells, seen = _cells(ranking, table, depth)
    # A tied group is named by the position of its first document.
    begins.reshape(-1)[cells] = ranking.tie_groups[seen] == ranking.positions[seen]
    return begins


def align_fully(ranking: Ranking, table: JudgmentTable, *, depth: int) -> Alignment:
    """Grades, tied groups, and which unjudged documents were in the pool. Raises ValueError.

    >>> align_fully(ranking, table, depth=3).pooled.tolist()
    [[False, False, True], [False, False, False]]
    """
    grades = align(ranking, table, depth=depth)
    pooled = np.zeros(grades.shape, np.bool_)
    # Qrels without such judgments spare a second look-up.
    if bool((table.grades == UNJUDGED).any()):
        cells, seen = _cells(ranking, table, depth)
        places = find_judgments(
            table,
            rows=(cells // depth).astype(np.int32),
            doc_ids=ranking.doc_ids[seen],
            hashes=ranking.hashes[seen],
        )
        pooled.reshape(-1)[cells] = (places >= 0) & (table.grades[places] == UNJUDGED)
    return Alignment(grades, align_beginnings(ranking, table, depth=depth), pooled)


def _cells(
    ranking: Ranking, table: JudgmentTable, depth: int
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Where the documents that the matrices hold stand in them, and which of the run's they are."""
    row_of_topic = np.array([table.row_of.get(t, -1) for t in ranking.topics], np.int64)
    rows = np.repeat(row_of_topic, ranking.lengths)
    seen = np.flatnonzero((rows >= 0) & (ranking.positions < depth))
    return rows[seen] * depth + ranking.positions[seen], seen


@dataclass(frozen=True, eq=False)
class GradedDocuments:
    """Every document that a run has for the topics of a table, topic after topic as the run has
    them, best first."""

    rows: NDArray[np.int32]  # int32[documents], the topic of the table
    positions: NDArray[np.int32]  # int32[documents], 0-based
    doc_ids: NDArray[np.bytes_]  # S{w}[documents]
    grades: NDArray[np.int8]  # int8[documents], UNJUDGED where nobody judged
    is_tied: NDArray[np.bool_]  # bool[documents], another of the topic has the same score


def graded_documents(ranking: Ranking, table: JudgmentTable) -> GradedDocuments:
    """Topics that the table lacks are left out.

    >>> found = graded_documents(ranking, table)
    >>> found.grades.tolist(), found.is_tied.tolist()
    ([2, 0, -1, -1], [False, True, True, False])
    """
    row_of_topic = np.array([table.row_of.get(topic, -1) for topic in ranking.topics], np.int32)
    rows = np.repeat(row_of_topic, ranking.lengths)
    found = find_judgments(table, rows=rows, doc_ids=ranking.doc_ids, hashes=ranking.hashes)
    grade_at = np.append(table.grades, np.int8(UNJUDGED))  # place -1, nobody's, takes the last
    begins = ranking.tie_groups == ranking.positions
    goes_on = np.append(~begins[1:], False)
    known = np.flatnonzero(rows >= 0)
    return GradedDocuments(
        rows=rows[known],
        positions=ranking.positions[known],
        doc_ids=ranking.doc_ids[known],
        grades=grade_at[found[known]],
        is_tied=(~begins | goes_on)[known],
    )
