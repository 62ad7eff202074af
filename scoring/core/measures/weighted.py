"""Weighted precision: P@k, RBP and all measures that are a sum of weight times gain.

One mechanism gives the base and the residual of every such measure (measures.md section 3;
RBP paper 4.4). The base counts unjudged documents as worthless. The residual is what they and the
ranks after the last document would add if each had the highest gain: exact, both ends are reached.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.workings import Places, Workings


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of the ranks; everything is divided by `norm` at the end (exact for counts)."""

    by_rank: NDArray[np.float64]  # float64[ranks], weight of rank 1, 2, ... as far as we look
    after: NDArray[np.float64]  # float64[ranks + 1], all weight after a list of 0, 1, ... documents
    norm: float = 1.0

    def __post_init__(self) -> None:
        if self.after.shape != (len(self.by_rank) + 1,):
            raise ValueError(
                f"{len(self.by_rank)} weights need one more tail, not {self.after.shape}"
            )


@dataclass(frozen=True, eq=False)
class Weighting:
    """A weighted precision: its weights, and what they weigh."""

    weights: Weights
    # The documents in the first so many ranks that bring a gain, and their gains (None: 1 each).
    collect: Callable[[int], tuple[Places, NDArray[np.float64] | None]]
    highest_gain: float = 1.0  # what an unjudged document could bring at most


def score_weighting(workings: Workings, weighting: Weighting) -> Scores:
    """Base and residual per topic."""
    places, gains = weighting.collect(len(weighting.weights.by_rank))
    return weighted_scores(
        workings, weighting.weights, places, gains, highest_gain=weighting.highest_gain
    )


def weighted_scores(
    workings: Workings,
    weights: Weights,
    places: Places,
    gains: NDArray[np.float64] | None,
    *,
    highest_gain: float = 1.0,
) -> Scores:
    """Base and residual per topic.

    `places` are the documents that bring a gain among the ranks that have weights, `gains` theirs
    (None: 1 each), `highest_gain` what an unjudged document could bring at most.
    """
    ranks = len(weights.by_rank)
    worth = weights.by_rank[places.positions]
    base = places.sums(worth if gains is None else worth * gains)
    unjudged = workings.unjudged(ranks)
    unknown = unjudged.sums(weights.by_rank[unjudged.positions])
    unknown += weights.after[np.minimum(workings.graded.lengths, ranks)]
    return Scores(base / weights.norm, unknown * highest_gain / weights.norm)
