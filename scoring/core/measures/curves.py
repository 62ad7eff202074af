"""Curves of one run: how certain its RBP is at every depth and every p (Figs. 5 and 6 of the RBP
paper), and precision against recall.

Everything starts from grades. A rank past the end of a list is unknown, as an unjudged document is:
the tail p^d of a residual is then the same sum (RBP paper 4.4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import PAST_END, UNJUDGED

Vector = NDArray[np.float64]

_GRADES_AT_A_TIME: Final = 1 << 18  # eight bytes each as gains


@dataclass(frozen=True, eq=False)
class RankShares:
    """Of this many topics, at each rank, the mean gain and the share that is unknown."""

    gain: Vector  # float64[ranks]
    unknown: Vector  # float64[ranks]
    highest_gain: float  # what an unknown document could bring


@dataclass(frozen=True, eq=False)
class CurveBounds:
    """RBP lies between `base` and `base + residual`."""

    base: Vector
    residual: Vector


@dataclass(frozen=True, eq=False)
class PrecisionRecall:
    """One ranking, rank by rank: float64[ranks] each."""

    recall: Vector
    precision: Vector
    interpolated: Vector  # the highest precision at this recall or more


def rank_shares(grades: NDArray[np.int8], gain_of_grade: Vector) -> RankShares:
    """`grades` int8[topics, ranks] of the topics that count; `gain_of_grade` float64[highest grade
    + 1], by grade.

    >>> shares = rank_shares(grades, np.array([0.0, 1.0]))
    >>> shares.gain.tolist(), shares.unknown.tolist()
    ([0.5, 0.0, 0.0, 0.5], [0.0, 0.5, 1.0, 0.5])
    """
    topics, ranks = max(len(grades), 1), grades.shape[1]
    gain, unknown = np.zeros(ranks), np.zeros(ranks, np.int64)
    step = max(1, _GRADES_AT_A_TIME // max(ranks, 1))
    for start in range(0, len(grades), step):
        block = grades[start : start + step]
        is_unknown = (block == UNJUDGED) | (block == PAST_END)
        gains = np.where(is_unknown, 0.0, gain_of_grade[np.maximum(block, 0)])
        gain = np.vstack((gain, gains)).sum(axis=0)  # topic after topic, as without blocks
        unknown += is_unknown.sum(axis=0)
    return RankShares(gain / topics, unknown / topics, float(gain_of_grade.max()))


def bounds_by_depth(shares: RankShares, persistence: float, depths: Sequence[int]) -> CurveBounds:
    """Where the evaluation goes down to each of these depths, and all below is unknown. A depth
    beyond the ranks is that of the last rank.

    >>> found = bounds_by_depth(rank_shares(grades, np.array([0.0, 1.0])), 0.5, [0, 1])
    >>> found.base.tolist(), found.residual.tolist()
    ([0.0, 0.25], [1.0, 0.5])
    """
    powers = persistence ** np.arange(len(shares.gain) + 1)
    weights = (1 - persistence) * powers[:-1]
    base = np.concatenate(([0.0], np.cumsum(weights * shares.gain)))
    unknown = np.concatenate(([0.0], np.cumsum(weights * shares.unknown))) + powers
    at = np.minimum(np.asarray(depths, dtype=np.intp), len(shares.gain))
    return CurveBounds(base[at], shares.highest_gain * unknown[at])


def bounds_by_persistence(shares: RankShares, persistences: Sequence[float]) -> CurveBounds:
    """Of the whole ranking, for each p.

    The base is 1/2 (1/2 + 1/16), and 1/2 · 1/4 + 1/8 + 1/2 · 1/16 + 1/16 are unknown.

    >>> found = bounds_by_persistence(rank_shares(grades, np.array([0.0, 1.0])), [0.5])
    >>> found.base.tolist(), found.residual.tolist()
    ([0.28125], [0.34375])
    """
    p = np.asarray(persistences, dtype=np.float64)[:, None]
    powers = p ** np.arange(len(shares.gain) + 1)
    weights = (1 - p) * powers[:, :-1]
    unknown = weights @ shares.unknown + powers[:, -1]
    return CurveBounds(weights @ shares.gain, shares.highest_gain * unknown)


def precision_recall(is_relevant: NDArray[np.bool_], known: int) -> PrecisionRecall:
    """`is_relevant` bool[ranks], down to the end of the list; `known` is R, at least 1.

    Raises ValueError where there is nothing to recall.

    >>> found = precision_recall(np.array([True, False, True]), known=2)
    >>> found.recall.tolist(), found.interpolated.round(4).tolist()
    ([0.5, 0.5, 1.0], [1.0, 1.0, 0.6667])
    """
    if known < 1:
        raise ValueError("without relevant documents there is no recall")
    found = np.cumsum(is_relevant)
    precision = found / np.arange(1, len(is_relevant) + 1)
    # The best from a rank on; and ranks above it of the same recall count too.
    best = np.maximum.accumulate(precision[::-1])[::-1]
    first_of_recall = np.searchsorted(found, found, side="left")
    return PrecisionRecall(found / known, precision, best[first_of_recall])
