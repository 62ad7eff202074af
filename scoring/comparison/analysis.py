"""Confidence interval of the mean difference of two runs, by a bootstrap over topics."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import Study, declare
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.intervals import bootstrap_intervals
from scoring.results.vectors import Vectors, vectors_of

SAMPLES, SEED = 10_000, 1  # of the bootstrap; a fixed seed gives the same interval every time


@dataclass(frozen=True)
class TwoRuns:
    measure: str
    first: str  # run id
    second: str


@dataclass(frozen=True)
class DifferenceInterval:
    """The 95 % interval of `first` - `second`."""

    low: float
    high: float


def compute(campaign: Campaign, qrels: Qrels, question: TwoRuns) -> DifferenceInterval:
    run_ids = (question.first, question.second)
    measure = parse_measure(question.measure)
    (vectors,) = vectors_of(campaign, qrels, [measure], run_ids=run_ids)
    differences = differences_of(vectors, *run_ids)
    return DifferenceInterval(*interval_of(differences))


DIFFERENCE: Final = declare(
    Study(
        kind="difference",
        title="comparison of two runs",
        question=TwoRuns,
        compute=compute,
        result=DifferenceInterval,
        seconds=lambda size, _: 4e-4 * size.topics,
    )
)


def differences_of(vectors: Vectors, first: str, second: str) -> NDArray[np.float64]:
    """float64[1, topics], of two runs by their public ids."""
    a, b = vectors.run_ids.index(first), vectors.run_ids.index(second)
    differences: NDArray[np.float64] = (vectors.base[a] - vectors.base[b])[None, :]
    return differences


def interval_of(differences: NDArray[np.float64]) -> tuple[float, float]:
    intervals = bootstrap_intervals(differences, samples=SAMPLES, seed=SEED)
    return float(intervals.lower[0]), float(intervals.upper[0])
