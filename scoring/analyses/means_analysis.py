"""Means of many runs, or by many measures, from their stored grades."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.costs import Size
from scoring.analyses.studies import Study, declare
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.means import Means, graded_runs, means_of


@dataclass(frozen=True)
class MeansOfRuns:
    measures: Sequence[str]
    run_ids: Sequence[str] | None  # None: all live runs


@dataclass(frozen=True, eq=False)
class MeansByMeasure:
    """float64[measures of the question, runs], NaN if not defined."""

    run_ids: NDArray[np.str_]
    base: NDArray[np.float64]
    residual: NDArray[np.float64]


def compute(campaign: Campaign, qrels: Qrels, question: MeansOfRuns) -> MeansByMeasure:
    measures = [parse_measure(name) for name in question.measures]
    runs = graded_runs(campaign, qrels, question.run_ids)
    means = means_of(campaign, qrels, measures, runs)
    run_ids = [run.run_id for run in runs]
    table = np.array(
        [[means[measure][run_id] for run_id in run_ids] for measure in measures], np.float64
    ).reshape(len(measures), len(runs), 2)
    return MeansByMeasure(np.array(run_ids, dtype=np.str_), table[:, :, 0], table[:, :, 1])


def _seconds(size: Size, question: MeansOfRuns) -> float:
    share = 1.0 if question.run_ids is None else len(question.run_ids) / max(size.runs, 1)
    return 1e-8 * len(question.measures) * size.documents * share


MEANS: Final = declare(
    Study(
        kind="means",
        title="mean scores",
        question=MeansOfRuns,
        compute=compute,
        result=MeansByMeasure,
        seconds=_seconds,
    )
)


def means_from_result(result: MeansByMeasure) -> list[Means]:
    """The means by each measure."""
    run_ids = result.run_ids.tolist()
    return [
        dict(zip(run_ids, zip(_values(bases), _values(residuals), strict=True), strict=True))
        for bases, residuals in zip(result.base, result.residual, strict=True)
    ]


def _values(values: Any) -> list[float | None]:
    return [none_if_nan(value) for value in values.tolist()]
