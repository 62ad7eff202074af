"""How certain the rank of each run is: over other topics, and over unjudged documents."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import OfMeasure, Study, declare
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.rank_intervals import bootstrap_ranks, possible_ranks
from scoring.results.vectors import Vectors
from scoring.significance.analysis import ordered_vectors

SAMPLES, SEED, LEVEL = 10_000, 1, 0.95  # as on the command line
UNKNOWN: Final = 0  # in place of a rank


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """Of each ranked run by the measure. With less than two topics there are no other samples, and
    `best` and `worst` are UNKNOWN."""

    run_ids: NDArray[np.str_]
    best: NDArray[np.int64]  # the first rank of the interval
    worst: NDArray[np.int64]
    wins: NDArray[np.float64]  # the share of samples in which it is first
    possible_best: NDArray[np.int64]  # UNKNOWN without residuals
    possible_worst: NDArray[np.int64]


def compute(campaign: Campaign, qrels: Qrels, question: OfMeasure) -> RankIntervals:
    (vectors,) = ordered_vectors(campaign, qrels, [parse_measure(question.measure)])
    run_ids = np.array(vectors.run_ids, dtype=np.str_)
    possible = _possible(vectors)
    base = vectors.sign * vectors.base
    if len(run_ids) == 0 or (~np.isnan(base).all(axis=0)).sum() < 2:
        unknown, wins = np.full(len(run_ids), UNKNOWN), np.full(len(run_ids), np.nan)
        return RankIntervals(run_ids, unknown, unknown, wins, *possible)
    found = bootstrap_ranks(base, samples=SAMPLES, seed=SEED, level=LEVEL)
    return RankIntervals(run_ids, found.best, found.worst, found.wins, *possible)


def _possible(vectors: Vectors) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if np.isnan(vectors.mean_residual).all() or vectors.sign < 0:
        unknown = np.full(len(vectors.run_ids), UNKNOWN)
        return unknown, unknown
    return possible_ranks(vectors.mean_base, vectors.mean_base + vectors.mean_residual)


RANK_INTERVALS: Final = declare(
    Study(
        kind="rank_intervals",
        title="how certain the ranks are",
        question=OfMeasure,
        compute=compute,
        result=RankIntervals,
        seconds=lambda size, _: 1e-4 * size.scores,
    )
)
