"""From a ranking and the qrels to grades: what the judges said at every rank of every topic."""

import numpy as np
from numpy.typing import NDArray

from scoring.core.grades import PAST_END, UNJUDGED
from scoring.core.judgments import JudgmentTable, find_judgments
from scoring.core.ranking import Ranking

__all__ = ["PAST_END", "UNJUDGED", "align"]


def align(ranking: Ranking, table: JudgmentTable, *, depth: int) -> NDArray[np.int8]:
    """int8[topics of the table, depth]: the grade at each rank, UNJUDGED or PAST_END.

    Topics of the run that the table does not have are left out; a topic that the run misses is
    PAST_END throughout. Documents past `depth` are not looked at. Raises ValueError for a depth
    below 1.
    """
    if depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")
    row_of_topic = np.array([table.row_of.get(t, -1) for t in ranking.topics], np.int32)
    rows = np.repeat(row_of_topic, ranking.lengths)
    doc_ids, hashes, positions = ranking.doc_ids, ranking.hashes, ranking.positions
    if ranking.max_length > depth or bool((row_of_topic < 0).any()):
        seen = (rows >= 0) & (positions < depth)
        rows, doc_ids, hashes, positions = rows[seen], doc_ids[seen], hashes[seen], positions[seen]
    places = find_judgments(table, rows=rows, doc_ids=doc_ids, hashes=hashes)
    # Place -1 (nobody's) takes the entry appended behind the table's own grades.
    grade_at = np.append(table.grades, np.int8(UNJUDGED))
    grades = np.full((len(table.topics), depth), PAST_END, np.int8)
    grades.reshape(-1)[rows.astype(np.int64) * depth + positions] = grade_at[places]
    return grades
