"""How much the scores of runs vary over topics, by each measure."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from campaigns.models import Campaign, Qrels
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.topic_set_size import variances
from scoring.significance.analysis import ordered_vectors


def compute(campaign: Campaign, qrels: Qrels, question: Mapping[str, Any]) -> dict[str, Any]:
    """For each of the question's `measures`: `within_runs` and `of_differences`, float64[measures],
    NaN where the scores do not suffice; the numbers of `runs` and of `topics` with a score."""
    measures = [parse_measure(name) for name in question["measures"]]
    by_measure = ordered_vectors(campaign, qrels, measures)
    found = [variances(vectors.base) for vectors in by_measure]
    return {
        "within_runs": np.array([each.within_runs for each in found]),
        "of_differences": np.array([each.of_differences for each in found]),
        "runs": np.array([len(vectors.run_ids) for vectors in by_measure], dtype=np.int64),
        "topics": np.array(
            [(~np.isnan(vectors.base).all(axis=0)).sum() for vectors in by_measure], dtype=np.int64
        ),
    }
