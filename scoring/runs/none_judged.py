"""Whether no document of a run is judged, which its scores do not tell from a bad run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Run
from campaigns.stored_files import FileLost
from scoring.core.data.grades import PAST_END
from scoring.core.data.unmatched import LongerIds, longer_ids
from scoring.evaluation.storage import load_doc_ids, load_grades, load_table
from scoring.models import Score, StoredGrades, StoredRanking

TOPICS: Final = 20
DOCUMENTS: Final = 50  # of each topic


@dataclass(frozen=True)
class NoneJudged:
    documents: int  # of the run, for the topics of the campaign
    longer_ids: LongerIds | None  # only for organisers: it depends on the ids in the qrels


def none_judged(viewer: Viewer, run: Run, stored: Sequence[Score]) -> NoneJudged | None:
    """None if a document is judged, or if the viewer sees no scores of the run. `stored` are those
    that the viewer sees; no file is read unless one of them is 0."""
    qrels = viewer.campaign.active_qrels
    if qrels is None or all(score.mean_base != 0 for score in stored):
        return None
    row = StoredGrades.objects.filter(run=run, qrels=qrels).first()
    ranking = StoredRanking.objects.filter(run=run).first()
    if row is None or ranking is None:
        return None
    try:
        grades = load_grades(row.storage_key, row.digest)
        # Cells without a grade, unjudged or past the end, are negative.
        if (grades >= 0).any():
            return None
        longer = _longer_ids(viewer, ranking, grades) if viewer.is_organiser else None
    except FileLost:
        return None
    return NoneJudged(ranking.document_count, longer)


def _longer_ids(
    viewer: Viewer, stored: StoredRanking, grades: NDArray[np.int8]
) -> LongerIds | None:
    """By the first documents of some topics: a whole ranking is too much for a web process."""
    table = load_table(viewer.campaign.active_qrels, viewer.campaign)
    is_retrieved = grades[:, 0] != PAST_END
    # A topic may have been added since the grades were stored.
    rows = np.flatnonzero(is_retrieved & table.is_judged_topic[: len(grades)])[:TOPICS].tolist()
    places = [(row, rank) for row in rows for rank in range(min(DOCUMENTS, grades.shape[1]))]
    found = load_doc_ids(stored, [(table.topics[row], rank) for row, rank in places])
    cells = [(row, doc_id) for (row, _), doc_id in zip(places, found, strict=True) if doc_id]
    return longer_ids(table, cells)
