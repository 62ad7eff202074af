"""How much the scores of runs vary over topics, by each measure."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import OfMeasures, Study, declare
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.limits import LEAST_TOPICS
from scoring.core.statistics.topic_set_size import UNKNOWN, variances
from scoring.significance.analysis import ordered_vectors


@dataclass(frozen=True, eq=False)
class ScoreVariances:
    """One entry for each measure; variances are NaN where the scores do not suffice, as on fewer
    than LEAST_TOPICS topics."""

    within_runs: NDArray[np.float64]
    of_differences: NDArray[np.float64]
    runs: NDArray[np.int64]
    pairs: NDArray[np.int64]  # of runs with a variance of differences
    topics: NDArray[np.int64]  # with a score


def compute(campaign: Campaign, qrels: Qrels, question: OfMeasures) -> ScoreVariances:
    measures = [parse_measure(name) for name in question.measures]
    by_measure = ordered_vectors(campaign, qrels, measures)
    topics = [int((~np.isnan(vectors.base).all(axis=0)).sum()) for vectors in by_measure]
    found = [
        variances(vectors.base) if count >= LEAST_TOPICS else UNKNOWN
        for vectors, count in zip(by_measure, topics, strict=True)
    ]
    return ScoreVariances(
        within_runs=np.array([each.within_runs for each in found]),
        of_differences=np.array([each.of_differences for each in found]),
        runs=np.array([len(vectors.run_ids) for vectors in by_measure], dtype=np.int64),
        pairs=np.array([each.pairs for each in found], dtype=np.int64),
        topics=np.array(topics, dtype=np.int64),
    )


VARIANCES: Final = declare(
    Study(
        kind="variances",
        title="variance of scores",
        question=OfMeasures,
        compute=compute,
        result=ScoreVariances,
        seconds=lambda size, question: 4e-6 * len(question.measures) * size.scores,
        version=3,
    )
)
