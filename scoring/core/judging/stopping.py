"""When has enough been judged? When the best run is beyond the reach of the others.

The leader is the run with the highest mean base. Of every other run it is asked whether the
leader's base beats that run's upper bound, topic by topic, in a one-tailed Wilcoxon signed-rank
test; p-values are corrected for all these tests together by Holm's method. Runs that are not
significantly worse could still be as good: with the leader they form the top group. Grades of
unjudged documents can add no run to it.

The examples share two runs on five topics. The first has .9 on each, and the second at most .3.

>>> bounds = RunBounds(np.array([[0.9] * 5, [0.1] * 5]), np.array([[0.1] * 5, [0.2] * 5]))
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from scoring.core.judging.selection import RunBounds
from scoring.core.measures.arrays import Scores
from scoring.core.statistics.corrections import correct
from scoring.core.statistics.pairs import Pairs, compare
from scoring.core.statistics.projection import projections, upper_bounds
from scoring.core.statistics.ranks import DECIMALS
from scoring.core.statistics.signed_ranks import wilcoxon
from scoring.core.statistics.significance import compare_winners, count_significant


@dataclass(frozen=True, eq=False)
class TopGroup:
    """Runs by mean base, and which of them could still be as good as the first."""

    order: NDArray[np.intp]  # intp[runs], by mean base, equal ones in the order given
    p_values: NDArray[np.float64]  # float64[runs], corrected; NaN for the leader
    is_in: NDArray[np.bool_]  # bool[runs]: not beaten by the leader, or the leader itself

    @property
    def size(self) -> int:
        return int(self.is_in.sum())


@dataclass(frozen=True)
class PairCounts:
    """Pairs of which the better one, by its base, is shown to be better; uncorrected."""

    pairs: int
    base_vs_base: int
    base_vs_top: int
    base_vs_projected: int


def top_group(bounds: RunBounds, *, alpha: float) -> TopGroup:
    """Raises ValueError without runs and for an alpha outside 0..1.

    >>> found = top_group(bounds, alpha=0.05)
    >>> found.order.tolist(), found.p_values.tolist(), found.is_in.tolist()  # 1/2^5
    ([0, 1], [nan, 0.03125], [True, False])
    """
    runs = len(bounds.base)
    if runs == 0:
        raise ValueError("without runs nobody leads")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha}")
    order = best_first(bounds)
    others = order[1:]
    pairs = Pairs(np.full(len(others), order[0], np.intp), others)
    found = compare(
        partial(wilcoxon, tail="one"), pairs, bounds.base, bounds.base + bounds.residual
    )
    p_values = np.full(runs, np.nan)
    p_values[others] = correct(found.p_values, "holm")
    # Not `> alpha`, which is false for the NaN of the leader.
    return TopGroup(order, p_values, ~(p_values <= alpha))


def best_first(bounds: RunBounds) -> NDArray[np.intp]:
    """intp[runs]: by mean base, rounded to 12 decimals, highest first.

    >>> base = np.array([[0.1, 0.3], [0.3, 0.5], [0.5, 0.3]])  # means of .2, .4 and .4
    >>> best_first(RunBounds(base, 1 - base)).tolist()
    [1, 2, 0]
    """
    means = np.round(bounds.base.mean(axis=1), DECIMALS)
    return np.argsort(-means, kind="stable")


def count_pairs(bounds: RunBounds, runs: NDArray[np.intp], *, alpha: float) -> PairCounts:
    """How many pairs of these runs differ significantly, as in Table 5 of the paper.

    >>> count_pairs(bounds, np.array([0, 1]), alpha=0.05)
    PairCounts(pairs=1, base_vs_base=1, base_vs_top=1, base_vs_projected=1)
    """
    scores = Scores(bounds.base[runs], bounds.residual[runs])
    counts = []
    for to_beat in (scores.base, upper_bounds(scores), projections(scores)):
        _, found = compare_winners(partial(wilcoxon, tail="one"), scores.base, to_beat)
        counts.append(count_significant(found.p_values, alpha))
    return PairCounts(len(runs) * (len(runs) - 1) // 2, *counts)


def smallest_p(topics: int, tests: int) -> float:
    """The smallest corrected p-value that the topics allow in the first of the tests: all
    differences for the leader, 2^-topics, times the number of tests.

    >>> smallest_p(5, tests=2)
    0.0625
    """
    return min(1.0, max(1, tests) * 0.5**topics)
