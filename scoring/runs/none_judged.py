"""Whether no document of a run is judged, which its scores do not tell from a bad run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from campaigns.access import Viewer
from campaigns.models import Run
from campaigns.stored_files import FileLost
from scoring.core.data.unmatched import LongerIds, first_cells, longer_ids
from scoring.evaluation.storage import load_grades, load_ranking, load_table
from scoring.models import Score, StoredGrades, StoredRanking


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
        if (load_grades(row.storage_key, row.digest) >= 0).any():
            return None
        longer = _longer_ids(viewer, ranking) if viewer.is_organiser else None
    except FileLost:
        return None
    return NoneJudged(ranking.document_count, longer)


def _longer_ids(viewer: Viewer, stored: StoredRanking) -> LongerIds | None:
    table = load_table(viewer.campaign.active_qrels, viewer.campaign)
    ranking = load_ranking(stored)
    row_of_topic = np.array([table.row_of.get(topic, -1) for topic in ranking.topics], np.int32)
    rows = np.repeat(row_of_topic, ranking.lengths)
    return longer_ids(table, first_cells(rows, ranking.doc_ids))
