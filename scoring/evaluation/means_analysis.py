"""Means of many runs, or by many measures, from their stored grades."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from campaigns.models import Campaign, Qrels
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.means import Means, graded_runs, means_of


def compute(campaign: Campaign, qrels: Qrels, question: Mapping[str, Any]) -> dict[str, Any]:
    """`base` and `residual` by each of the question's `measures`, float64[measures, runs], NaN if
    not defined; of the runs in `run_ids`, or of all live runs if that is None."""
    measures = [parse_measure(name) for name in question["measures"]]
    runs = graded_runs(campaign, qrels, question["run_ids"])
    means = means_of(campaign, qrels, measures, runs)
    run_ids = [run.run_id for run in runs]
    table = np.array(
        [[means[measure][run_id] for run_id in run_ids] for measure in measures], np.float64
    ).reshape(len(measures), len(runs), 2)
    return {
        "run_ids": np.array(run_ids, dtype=np.str_),
        "base": table[:, :, 0],
        "residual": table[:, :, 1],
    }


def means_from_result(result: Mapping[str, Any]) -> list[Means]:
    """The means by each measure, from the result of `compute`."""
    run_ids = result["run_ids"].tolist()
    return [
        dict(zip(run_ids, zip(_values(bases), _values(residuals), strict=True), strict=True))
        for bases, residuals in zip(result["base"], result["residual"], strict=True)
    ]


def _values(values: Any) -> list[float | None]:
    return [none_if_nan(value) for value in values.tolist()]
