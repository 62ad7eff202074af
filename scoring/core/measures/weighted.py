"""Weighted precision: P@k, RBP and all measures that are a sum of weight times gain.

One mechanism gives the base and the residual of every such measure (RBP paper, section 4.4). The
base counts unjudged documents as worthless. The residual is what they and the ranks after the last
document would add if each had the highest gain: exact, both ends are reached.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.workings import Workings


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
    rel: int  # the lowest grade that brings a gain
    gains: NDArray[np.float64] | None = None  # float64[highest_grade + 1], by grade; None: 1 each

    @property
    def highest_gain(self) -> float:
        """What an unjudged document could bring at most."""
        return 1.0 if self.gains is None else float(self.gains.max())


def score_weighting(workings: Workings, weighting: Weighting) -> Scores:
    """Base and residual per topic.

    The weights are those of RBP(.5) as far as rank 2. Rank 2 of the second topic is unjudged.

    >>> weights = Weights(np.array([0.5, 0.25]), after=np.array([1.0, 0.5, 0.25]))
    >>> scores = score_weighting(workings, Weighting(weights, rel=1))
    >>> scores.base.tolist(), scores.residual.tolist()
    ([0.5, 0.0], [0.25, 0.5])
    """
    weights, rel = weighting.weights, weighting.rel
    ranks = len(weights.by_rank)
    places = workings.relevant(rel, ranks)
    worth = workings.weights_at(places, weights.by_rank)
    if weighting.gains is not None:
        worth *= weighting.gains[workings.grades_at(rel, ranks)]
    unknown = workings.unjudged_weight(weights.by_rank)
    unknown += weights.after[np.minimum(workings.graded.lengths, ranks)]
    unknown *= weighting.highest_gain
    return Scores(places.sums(worth) / weights.norm, unknown / weights.norm)
