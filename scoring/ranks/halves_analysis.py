"""Leaderboards of disjoint halves of the topics."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import OfMeasure, Study, declare
from scoring.core.measures.names import parse_measure
from scoring.core.statistics.split_halves import (
    bin_width,
    half_sizes,
    split_halves,
    unknown_halves,
    why_no_halves,
)
from scoring.significance.analysis import ordered_vectors

SPLITS, SEED = 500, 1  # as on the command line
PAIRS: Final = 20_000_000  # of runs and splits, for each size: some seconds


@dataclass(frozen=True, eq=False)
class SplitHalves:
    """As `core.statistics.split_halves` has them: for each size τ-b, and swaps and pairs by the
    difference in steps of `width`. No size with one topic."""

    sizes: NDArray[np.int64]  # topics of each half
    mean: NDArray[np.float64]  # float64[sizes]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    width: float
    swaps: NDArray[np.int64]  # int64[sizes, BINS]
    pairs: NDArray[np.int64]
    splits: int  # fewer than SPLITS for a thousand runs
    runs: int
    topics: int
    unknown: str  # a sentence: why there is no τ and no pair


def compute(campaign: Campaign, qrels: Qrels, question: OfMeasure) -> SplitHalves:
    (vectors,) = ordered_vectors(campaign, qrels, [parse_measure(question.measure)])
    base = vectors.sign * vectors.base
    # Topics on which no run has a score count in neither half.
    counted = base[:, ~np.isnan(base).all(axis=0)]
    runs, topics = counted.shape
    sizes, width = half_sizes(topics), bin_width(vectors.base)
    splits = max(50, min(SPLITS, PAIRS // max(runs * (runs - 1), 1)))
    unknown = why_no_halves(base)
    if unknown:
        found = unknown_halves(sizes, width)
    else:
        found = split_halves(counted, sizes=sizes, splits=splits, seed=SEED, width=width)
    return SplitHalves(
        sizes=found.sizes,
        mean=found.mean,
        lowest=found.lowest,
        highest=found.highest,
        width=found.width,
        swaps=found.swaps,
        pairs=found.pairs,
        splits=splits,
        runs=runs,
        topics=topics,
        unknown=unknown,
    )


SPLIT_HALVES: Final = declare(
    Study(
        kind="split_halves",
        title="agreement of halves of the topics",
        question=OfMeasure,
        compute=compute,
        result=SplitHalves,
        seconds=lambda size, _: 1.5e-5 * size.pairs + 1.3e-4 * size.scores,
        version=2,
    )
)
