"""What a score and its residual say together (RBP paper, section 4)."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores

Against: TypeAlias = Literal["base", "top", "projected"]  # what a run has to beat of another


def upper_bounds(scores: Scores) -> NDArray[np.float64] | None:
    """float64[topics]: base plus residual; None for a measure without residual.

    >>> upper_bounds(Scores(np.array([0.5, 0.25]), np.array([0.25, 0.5]))).tolist()
    [0.75, 0.75]
    """
    return None if scores.residual is None else scores.base + scores.residual


def opponents(scores: Scores, against: Against) -> NDArray[np.float64] | None:
    """What a run has to beat: the other's base, its upper bound or its projection. None if the
    measure has no residual.

    >>> opponents(Scores(np.array([0.5, 0.25]), np.array([0.25, 0.5])), "top").tolist()
    [0.75, 0.75]
    """
    if against == "base":
        return scores.base
    return upper_bounds(scores) if against == "top" else projections(scores)


def projections(scores: Scores) -> NDArray[np.float64] | None:
    """float64[topics]: base / (1 - residual), the score if the unknown part were as good as the
    known; 0 where nothing is known (residual 1). None for a measure without residual.

    Meant for weighted precisions, whose base and residual are shares of one whole. A run's
    projection is the mean of these.

    >>> projections(Scores(np.array([0.25, 0.0]), np.array([0.5, 1.0]))).tolist()
    [0.5, 0.0]
    """
    if scores.residual is None:
        return None
    known = 1.0 - scores.residual
    unknown = np.where(np.isnan(scores.base), np.nan, 0.0)
    return np.divide(scores.base, known, out=unknown, where=known > 0)


def documents_read(persistence: float) -> float:
    """1/(1 - p): how many documents RBP's user looks at on average.

    >>> documents_read(0.75)
    4.0
    """
    if not 0 <= persistence < 1:
        raise ValueError(f"persistence must lie in 0 <= p < 1, not {persistence}")
    return 1 / (1 - persistence)


def attainable_rbp(persistence: float, relevant: int) -> float:
    """1 - p^R: RBP with all R relevant documents of a topic at the top; no ranking has more.

    >>> attainable_rbp(0.5, 2)  # .5 + .25
    0.75
    """
    if not 0 <= persistence < 1:
        raise ValueError(f"persistence must lie in 0 <= p < 1, not {persistence}")
    if relevant < 0:
        raise ValueError(f"relevant must not be negative: {relevant}")
    return 1.0 - persistence**relevant
