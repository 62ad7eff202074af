"""Rankings as the papers draw them, made into what the measures read."""

import numpy as np

from scoring.core.data.grades import PAST_END, UNJUDGED
from scoring.core.measures.graded import GradedTopics, Scores, default_gain_map, evaluate
from scoring.core.measures.names import parse_measure

SIGNS = {"$": 1, "-": 0, "?": UNJUDGED, "0": 0, "1": 1, "2": 2, "3": 3, "4": 4}


def drawn(*rankings, relevant=None, highest=1, gain_map=None, per_grade=None):
    """Topics from drawings: `$` relevant, `-` not, `?` unjudged, or the digit of the grade.

    `relevant` is R (default: as many as the ranking has); `per_grade` gives the judged documents of
    each grade instead. Both hold for every topic.
    """
    rows = [[SIGNS[sign] for sign in ranking] for ranking in rankings]
    depth = max(len(row) for row in rows)
    grades = np.array([row + [PAST_END] * (depth - len(row)) for row in rows], np.int8)
    grades = grades.reshape(len(rows), depth)
    counts = np.array([[(row == g).sum() for g in range(highest + 1)] for row in grades])
    if relevant is not None:
        counts[:, 1:] = 0
        counts[:, 1] = relevant
    if per_grade is not None:
        counts[:] = per_grade
    worth = default_gain_map(highest) if gain_map is None else np.asarray(gain_map, float)
    return GradedTopics(grades, counts.astype(np.int64), worth)


def scores(name: str, graded: GradedTopics) -> Scores:
    measure = parse_measure(name)
    return evaluate([measure], graded)[measure]


def base(name: str, ranking: str, **facts) -> float:
    """The score of one drawn ranking."""
    return float(scores(name, drawn(ranking, **facts)).base[0])


def bounds(name: str, ranking: str, **facts) -> tuple[float, float]:
    """Base and upper bound of one drawn ranking."""
    both = scores(name, drawn(ranking, **facts))
    assert both.residual is not None
    return float(both.base[0]), float(both.base[0] + both.residual[0])
