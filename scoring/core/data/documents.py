"""The documents of a run beside their judgments."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED
from scoring.core.data.judgments import JudgmentTable, find_judgments
from scoring.core.data.ranking import Ranking


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
    """Topics that the table lacks are left out."""
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
