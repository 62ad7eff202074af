"""Gains: what a grade is worth (measures.md section 1), and where a run collects them."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.workings import Places, Workings

GRADE: Final = "grade"  # the raw integer
EXP: Final = "exp"  # 2^grade - 1
MAP: Final = "map"  # the campaign's gain map, in [0, 1]


def gains_of_grades(kind: str, graded: GradedTopics) -> NDArray[np.float64]:
    """float64[highest_grade + 1]: the gain of every grade. Raises ValueError for another kind."""
    grades = np.arange(graded.highest_grade + 1, dtype=np.float64)
    if kind == GRADE:
        return grades
    if kind == EXP:
        return np.exp2(grades) - 1
    if kind == MAP:
        return graded.gain_map
    raise ValueError(f"unknown gain {kind!r}")


def collected(kind: str, workings: Workings, ranks: int) -> tuple[Places, NDArray[np.float64]]:
    """The documents that bring a gain in the first `ranks`, and float64[cells], their gains."""
    gains = gains_of_grades(kind, workings.graded)
    rewarded = np.flatnonzero(gains)
    lowest = int(rewarded[0]) if len(rewarded) else len(gains)
    return workings.relevant(lowest, ranks), gains[workings.grades_at(lowest, ranks)]


def ideal(
    kind: str, graded: GradedTopics, cutoff: int | None
) -> tuple[Places, NDArray[np.float64]]:
    """The same for the ideal ranking of each topic: all its judged documents, best gain first."""
    gains = gains_of_grades(kind, graded)
    best_first = np.argsort(-gains, kind="stable")
    best_first = best_first[gains[best_first] > 0]
    ends = np.cumsum(graded.grade_counts[:, best_first], axis=1)
    if cutoff is not None:
        ends = np.minimum(ends, cutoff)
    counts = np.diff(ends, axis=1, prepend=0)
    bounds = np.zeros(graded.topics + 1, np.int64)
    np.cumsum(counts.sum(axis=1), out=bounds[1:])
    positions = np.arange(bounds[-1]) - np.repeat(bounds[:-1], np.diff(bounds))
    every_gain = np.tile(gains[best_first], graded.topics)
    return Places(bounds, positions), np.repeat(every_gain, counts.reshape(-1))
