"""Is one run better than another, or may chance have done it? Tests of all pairs at once.

Each test takes differences float64[pairs, topics], candidate - baseline, NaN where a topic is not
common to both, and returns `Outcomes`; `pairs.compare` applies it to a matrix of scores. The
Wilcoxon test is in `signed_ranks`, the randomisation test in `sign_flips`, and corrections for many
pairs are in `corrections`.
RBP paper, Table IV; strategic judgments paper, section 6.
"""

import numpy as np
from numpy.typing import NDArray

from scoring.core.distributions import student_cdf
from scoring.core.measures.arrays import Scores
from scoring.core.statistics.pairs import (
    NO_SPREAD,
    NOTHING,
    STUDENT,
    Outcomes,
    Pairs,
    PairTest,
    Tail,
    all_pairs,
    as_matrix,
    checked_tail,
    compare,
    is_same_throughout,
    whole_units,
    winners_first,
)
from scoring.core.statistics.projection import Against, opponents

_HARDLY_ANY_SPREAD = 1e-16  # variance; well above that of differences equal to 12 decimals


def paired_t(differences: NDArray[np.float64], *, tail: Tail = "two") -> Outcomes:
    """Student's paired t test: mean / (standard deviation / sqrt(topics)), topics - 1 degrees.

    Differences that are the same to 12 decimals on all topics have no spread: where they are zero
    p = 1, otherwise t is infinite and p NaN, because a spread of zero says nothing about chance.
    With fewer than two common topics t and p are NaN. One-tailed asks whether the candidate is
    better.

    Raises ValueError for an unknown tail.

    The first pair has t = .2 / (sqrt(.02) / sqrt(2)) with one degree of freedom, where p is
    1 - 2 atan(t)/π. The second has no spread.

    >>> found = paired_t(np.array([[0.1, 0.3], [0.2, 0.2]]))
    >>> found.statistics.round(4).tolist(), found.p_values.round(4).tolist()
    ([2.0, inf], [0.2952, nan])
    """
    checked_tail(tail)
    known = ~np.isnan(differences)
    topics = known.sum(axis=1)
    values = np.where(known, differences, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = values.sum(axis=1) / topics
        deviations = np.where(known, values - means[:, None], 0.0)
        variances = np.einsum("ij,ij->i", deviations, deviations) / (topics - 1)
        t = means / np.sqrt(variances / topics)
    suspects = np.flatnonzero(variances < _HARDLY_ANY_SPREAD)
    # Only of these: the exact look takes longer than the test.
    same = suspects[is_same_throughout(differences[suspects])]
    t[same] = np.copysign(np.inf, means[same])
    alike = same[~whole_units(differences[same]).any(axis=1)]
    t[alike] = 0.0
    t[topics < 2] = np.nan
    degrees = np.maximum(topics - 1, 1).astype(np.float64)
    p_values = 2 * student_cdf(degrees, -np.abs(t)) if tail == "two" else student_cdf(degrees, -t)
    p_values[same] = np.nan
    p_values[alike] = 1.0
    methods = np.where(topics < 2, NOTHING, STUDENT)
    methods[same] = NO_SPREAD
    methods[alike] = NOTHING
    return Outcomes(p_values, t, topics, methods.astype(np.int8))


def compare_winners(
    test: PairTest, base: NDArray[np.float64], to_beat: NDArray[np.float64] | None = None
) -> tuple[Pairs, Outcomes]:
    """Does the run with the higher mean base win, even against what the other could still be?

    The hypothesised winner of each pair, the candidate, enters with its base. The other enters with
    `to_beat`: its base (base-vs-base, the default), its upper bound (base-vs-top,
    `projection.upper_bounds`) or its projection (base-vs-projected, `projection.projections`). All
    are float64[runs, topics]; `test` should be one-tailed: `partial(wilcoxon, tail="one")`.

    Raises ValueError as `compare` does.

    >>> from functools import partial
    >>> from scoring.core.statistics.signed_ranks import wilcoxon
    >>> base = np.array([[0.1, 0.2, 0.3], [0.4, 0.6, 0.8]])
    >>> pairs, found = compare_winners(partial(wilcoxon, tail="one"), base)
    >>> pairs.candidates.tolist(), found.p_values.tolist()  # 1/2^3
    ([1], [0.125])
    """
    pairs = winners_first(base)
    return pairs, compare(test, pairs, base, to_beat)


def pairwise_tests(
    test: PairTest, scores: Scores, *, tail: Tail, against: Against = "base"
) -> tuple[Pairs, Outcomes]:
    """Tests every pair of the runs, whose scores are float64[runs, topics]. With one tail, or
    against what the other could still be, as `compare_winners` does. `tail` is that of the test.

    Raises ValueError as `compare` does, and if `against` needs a residual that the measure lacks.

    >>> scores = Scores(np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.9]]), None)
    >>> pairs, found = pairwise_tests(paired_t, scores, tail="two")
    >>> pairs.candidates.tolist(), found.topics.tolist()
    ([0], [3])
    """
    if tail == "two" and against == "base":
        pairs = all_pairs(len(scores.base))
        return pairs, compare(test, pairs, scores.base)
    to_beat = opponents(scores, against)
    if to_beat is None:
        raise ValueError("there are no residuals")
    return compare_winners(test, scores.base, to_beat)


def count_significant(p_values: NDArray[np.float64], alpha: float) -> int:
    """Pairs with p <= alpha: alpha is .05 at 95 %, .01 at 99 %. Raises ValueError outside 0..1.

    >>> count_significant(np.array([0.01, 0.05, 0.2, np.nan]), alpha=0.05)
    2
    """
    return int(_is_significant(p_values, alpha).sum())


def indistinguishable_groups(
    means: NDArray[np.float64], p_values: NDArray[np.float64], pairs: Pairs, *, alpha: float
) -> list[list[int]]:
    """Groups of neighbours on the leaderboard of which no two differ significantly, best first.

    Runs are ordered by `means`, float64[runs], descending; equal means, and NaN at the end, in the
    order given. Each group is as long as it can be: the next run on either side differs
    significantly from one of its members. Groups overlap, and every run is in at least one. Two
    runs without a common group need not differ significantly, if a run between them differs from
    one of them. `p_values` are float64[pairs], of corrected or uncorrected two-tailed tests.

    Raises ValueError for an alpha outside 0..1 and columns that do not fit together.

    Of three runs only the first and the last differ significantly:

    >>> means, p_values = np.array([0.5, 0.4, 0.3]), np.array([0.2, 0.01, 0.3])
    >>> pairs = Pairs(np.array([0, 0, 1]), np.array([1, 2, 2]))
    >>> indistinguishable_groups(means, p_values, pairs, alpha=0.05)
    [[0, 1], [1, 2]]
    """
    is_significant = _is_significant(as_matrix(p_values, pairs, len(means)), alpha)
    order = np.argsort(-means, kind="stable")
    is_significant = is_significant[np.ix_(order, order)]
    groups: list[list[int]] = []
    start = 0
    for end in range(len(order)):
        apart = np.flatnonzero(is_significant[end, start:end])
        # The run differs from a member: the group before it cannot grow further.
        if len(apart):
            groups.append(order[start:end].tolist())
            start += int(apart[-1]) + 1
    return [*groups, order[start:].tolist()] if len(order) else []


def _is_significant(p_values: NDArray[np.float64], alpha: float) -> NDArray[np.bool_]:
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha}")
    return p_values <= alpha
