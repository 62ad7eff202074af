"""How certain the rank of each run is: over other topics, and over unjudged documents."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import Study, declare
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.rank_intervals import (
    bootstrap_ranks,
    possible_ranks,
    why_no_ranges,
)
from scoring.core.statistics.rank_sets import RankCorrection, enough_samples, rank_sets
from scoring.significance.analysis import ordered_vectors

SAMPLES, SEED, LEVEL = 10_000, 1, 0.95  # as on the command line
UNKNOWN: Final = 0  # in place of a rank


@dataclass(frozen=True)
class RanksQuestion:
    measure: str
    correction: RankCorrection  # of the simultaneous sets


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """Of each ranked run by the measure. Where the scores say nothing about other topics, all but
    the possible ranks are UNKNOWN."""

    run_ids: NDArray[np.str_]
    best: NDArray[np.int64]  # the first rank of the range in 95 % of the samples of topics
    worst: NDArray[np.int64]
    first_shares: NDArray[np.float64]  # of the samples in which it is first
    set_best: NDArray[np.int64]  # the first rank of the simultaneous set
    set_worst: NDArray[np.int64]
    no_sets: str  # a sentence: why the sets are UNKNOWN, and the ranges if they are
    caution: str  # a sentence about sets that are wide
    possible_best: NDArray[np.int64]  # UNKNOWN without residuals
    possible_worst: NDArray[np.int64]


def compute(campaign: Campaign, qrels: Qrels, question: RanksQuestion) -> RankIntervals:
    (vectors,) = ordered_vectors(campaign, qrels, [parse_measure(question.measure)])
    run_ids = np.array(vectors.run_ids, dtype=np.str_)
    unknown = np.full(len(run_ids), UNKNOWN)
    possible_best = possible_worst = unknown
    # Without residuals there are no bounds. `possible_ranks` takes higher scores for better ones.
    if not (np.isnan(vectors.mean_residual).all() or vectors.sign < 0):
        upper = vectors.mean_base + vectors.mean_residual
        possible_best, possible_worst = possible_ranks(vectors.mean_base, upper)
    found = RankIntervals(
        run_ids=run_ids,
        best=unknown,
        worst=unknown,
        first_shares=np.full(len(run_ids), np.nan),
        set_best=unknown,
        set_worst=unknown,
        no_sets="",
        caution="",
        possible_best=possible_best,
        possible_worst=possible_worst,
    )
    base = vectors.sign * vectors.base
    if why := why_no_ranges(base):
        return replace(found, no_sets=why)
    ranges = bootstrap_ranks(base, samples=SAMPLES, seed=SEED, level=LEVEL)
    found = replace(found, best=ranges.best, worst=ranges.worst, first_shares=ranges.first_shares)
    sets = rank_sets(
        base,
        correction=question.correction,
        level=LEVEL,
        # So many are enough to find a critical value.
        samples=min(SAMPLES, enough_samples(LEVEL)),
        seed=SEED,
    )
    if sets.undefined:
        return replace(found, no_sets=sets.undefined)
    return replace(found, set_best=sets.best, set_worst=sets.worst, caution=sets.caution)


RANK_INTERVALS: Final = declare(
    Study(
        kind="rank_intervals",
        title="how certain the ranks are",
        question=RanksQuestion,
        compute=compute,
        result=RankIntervals,
        seconds=lambda size, _: 1e-4 * size.scores + 1e-5 * size.pairs,
        version=3,
    )
)
