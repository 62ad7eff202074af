"""Means of many runs, or by many measures, from their stored grades."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from campaigns.models import Campaign, Qrels
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.means import Means, graded_runs, means_of


def compute(campaign: Campaign, qrels: Qrels, question: Mapping[str, Any]) -> dict[str, Any]:
    """`base` and `residual` by each of the question's `measures`, float64[measures, runs]: NaN
    where there is none. Of the runs that `run_ids` names; of all live ones where it is None."""
    measures = [parse_measure(name) for name in question["measures"]]
    runs = graded_runs(campaign, qrels, question["run_ids"])
    found = means_of(campaign, qrels, measures, runs)
    run_ids = [run.run_id for run in runs]
    table = np.array(
        [[found[measure][run_id] for run_id in run_ids] for measure in measures], np.float64
    ).reshape(len(measures), len(runs), 2)
    return {
        "run_ids": np.array(run_ids, dtype=np.str_),
        "base": table[:, :, 0],
        "residual": table[:, :, 1],
    }


def means_from_result(answered: Mapping[str, Any]) -> list[Means]:
    """Of each measure, from what `answer` answered."""
    run_ids = answered["run_ids"].tolist()
    return [
        dict(zip(run_ids, zip(_known(bases), _known(residuals), strict=True), strict=True))
        for bases, residuals in zip(answered["base"], answered["residual"], strict=True)
    ]


def _known(values: Any) -> list[float | None]:
    return [none_if_nan(value) for value in values.tolist()]
