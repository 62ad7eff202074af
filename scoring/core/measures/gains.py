"""Gains: what a grade is worth, and where a run collects them.

The examples share a ranking with the grades 3 and 1 of a topic with two documents of grade 3:

>>> from scoring.core.measures.arrays import default_gain_map
>>> scale = GradedTopics(np.array([[3, 1]], np.int8), np.array([[0, 1, 0, 2]]), default_gain_map(3))
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.workings import Ranks, Workings

GRADE: Final = "grade"  # the raw integer
EXP: Final = "exp"  # 2^grade - 1
MAP: Final = "map"  # the campaign's gain map, in [0, 1]


def gains_of_grades(kind: str, graded: GradedTopics) -> NDArray[np.float64]:
    """float64[highest_grade + 1]: the gain of every grade. Raises ValueError for another kind.

    >>> gains_of_grades("exp", scale).tolist()
    [0.0, 1.0, 3.0, 7.0]
    """
    grades = np.arange(graded.highest_grade + 1, dtype=np.float64)
    if kind == GRADE:
        return grades
    if kind == EXP:
        return np.exp2(grades) - 1
    if kind == MAP:
        return graded.gain_map
    raise ValueError(f"unknown gain {kind!r}")


def rewarded(kind: str, graded: GradedTopics) -> tuple[int, NDArray[np.float64]]:
    """The lowest grade that brings a gain, and float64[highest_grade + 1], the gain of every
    grade.

    >>> lowest, gains = rewarded("grade", scale)
    >>> lowest, gains.tolist()
    (1, [0.0, 1.0, 2.0, 3.0])
    """
    gains = gains_of_grades(kind, graded)
    grades = gains.nonzero()[0]
    return int(grades[0]) if len(grades) else len(gains), gains


def collected(kind: str, workings: Workings, ranks: int) -> tuple[Ranks, NDArray[np.float64]]:
    """The documents that bring a gain in the first `ranks`, and float64[cells], their gains.

    >>> places, gains = collected("exp", Workings(scale), 2)
    >>> places.positions.tolist(), gains.tolist()
    ([0, 1], [7.0, 1.0])
    """
    lowest, gains = rewarded(kind, workings.graded)
    return workings.relevant(lowest, ranks), gains[workings.grades_at(lowest, ranks)]


def ideal(kind: str, graded: GradedTopics) -> tuple[Ranks, NDArray[np.float64]]:
    """The same for the ideal ranking of each topic: all its judged documents, best gain first.

    >>> places, gains = ideal("exp", scale)
    >>> places.positions.tolist(), gains.tolist()
    ([0, 1, 2], [7.0, 7.0, 1.0])
    """
    return best_first(gains_of_grades(kind, graded), graded.grade_counts, None)


def best_first(
    gains: NDArray[np.float64], grade_counts: NDArray[np.int64], cutoff: int | None
) -> tuple[Ranks, NDArray[np.float64]]:
    """The same, where this many documents of each topic have each grade.

    >>> places, gains = best_first(np.array([0.0, 0.5, 1.0]), np.array([[4, 2, 1]]), cutoff=2)
    >>> places.positions.tolist(), gains.tolist()
    ([0, 1], [1.0, 0.5])
    """
    # By gain, which need not ascend with the grade; what brings none comes last and is left out.
    order = (-gains).argsort(kind="stable")[: np.count_nonzero(gains)]
    counts = grade_counts[:, order]
    if cutoff is not None:
        above = counts.cumsum(axis=1) - counts
        counts = np.minimum(counts, np.maximum(cutoff - above, 0))
    lengths = counts.sum(axis=1)
    bounds = np.zeros(len(grade_counts) + 1, np.int64)
    lengths.cumsum(out=bounds[1:])
    positions = np.arange(bounds[-1]) - bounds[:-1].repeat(lengths)
    every_gain = np.tile(gains[order], len(grade_counts))
    return Ranks(bounds, positions), every_gain.repeat(counts.reshape(-1))
