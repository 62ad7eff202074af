"""Do two measures put the runs in the same order? Kendall's τ, τ_AP and rank-biased overlap.

Everything is about all pairs of orderings at once: `scores` are float64[orderings, runs], one row
per measure (or qrels version, or pool depth), the mean score of each run in it, **higher is
better**: negate a row whose measure is better when lower. Scores equal to 12 decimals are tied. A
run without a score (NaN) in either of two orderings is left out of that comparison. What is not
defined (fewer than two runs, for τ-b all runs tied) is NaN.

Each function returns float64[orderings, orderings]; `agreement[a, b]` is that of rows a and b.
For example RBP paper, Table III.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.core.statistics.concordance import (
    Counts,
    common_places,
    concordance,
    dense_places,
    first_of_each_tie,
    greater_before,
)
from scoring.core.statistics.pairs import checked_scores


def kendall_tau(
    scores: NDArray[np.float64], *, ties: Literal["none", "b"] = "b"
) -> NDArray[np.float64]:
    """τ: pairs of runs in the same order minus pairs in opposite order, over the pairs there are.

    M. G. Kendall, Biometrika 30, 1938. A pair tied in either ordering counts in neither. τ-b
    (`ties="b"`, the default) divides by the geometric mean of the pairs that each ordering
    separates (Biometrika 33, 1945), `ties="none"` by all pairs (τ-a): the same without ties.

    Raises ValueError for scores that are no matrix of finite numbers, and other `ties`.

    >>> boards = np.array([[0.5, 0.4, 0.3], [0.5, 0.3, 0.3]])  # the second ties two runs
    >>> float(kendall_tau(boards)[0, 1].round(4))  # 2 / sqrt(3 * 2)
    0.8165
    >>> float(kendall_tau(boards, ties="none")[0, 1].round(4))  # 2 / 3
    0.6667
    """
    if ties not in ("none", "b"):
        raise ValueError(f"ties must be 'none' or 'b', not {ties!r}")
    found = concordance(checked_scores(scores))
    shared = found.pairs.astype(np.float64)
    if ties == "b":
        shared = np.sqrt(found.separated.astype(np.float64) * found.separated.T)
    return _ratio(found.surplus.astype(np.float64), shared)


def tau_ap(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """τ_AP, which minds the top of the board: `agreement[a, b]` takes row a as the reference.

    E. Yilmaz, J. A. Aslam and S. Robertson, SIGIR 2008. For each rank but the first of ordering b:
    the share of the runs above it that a also has above it; twice the mean of these, minus 1.
    Not symmetrical. With ties in a or b it is the mean over all ways of breaking them.

    Raises ValueError for scores that are no matrix of finite numbers.

    Of three runs the second ordering has the first one last:

    >>> tau_ap(np.array([[0.3, 0.2, 0.1], [0.1, 0.3, 0.2]])).tolist()
    [[1.0, 0.0], [-0.5, 1.0]]
    """
    places = dense_places(checked_scores(scores))
    # A row for each evaluated ordering: transposed, the first index is that of the reference.
    agreement = [_tau_ap(places, evaluated) for evaluated in places]
    return np.array(agreement).reshape(len(places), len(places)).T


def rank_biased_overlap(
    scores: NDArray[np.float64],
    *,
    persistence: float = 0.9,
    beyond: Literal["extrapolated", "truncated"] = "extrapolated",
) -> NDArray[np.float64]:
    """RBO: how much the first d runs of two orderings overlap, weighted by (1 - p) p^(d-1).

    W. Webber, A. Moffat and J. Zobel, ACM TOIS 28(4), 2010. Of two orderings of the same n runs
    nothing is left to see at depth n, where they overlap in full: "extrapolated" (RBO_EXT, the
    default) gives all deeper ranks that overlap, so that equal orderings have 1; "truncated" gives
    them none, so that equal orderings have 1 - p^n. Tied runs share the best rank of their group;
    the overlap at depth d is twice the runs that both have at rank d or above, over the runs that
    either has there (section 3.3 of the paper).

    Raises ValueError unless 0 <= p < 1, for scores that are no matrix of finite numbers, and for
    another `beyond`.

    >>> boards = np.array([[0.2, 0.1], [0.1, 0.2]])  # overlap 0 at depth 1, and 1 from depth 2 on
    >>> float(rank_biased_overlap(boards, persistence=0.5)[0, 1])
    0.5
    >>> float(rank_biased_overlap(boards, persistence=0.5, beyond="truncated")[0, 1])
    0.25
    """
    if not 0 <= persistence < 1:
        raise ValueError(f"persistence must lie in 0 <= p < 1, not {persistence}")
    if beyond not in ("extrapolated", "truncated"):
        raise ValueError(f"beyond must be 'extrapolated' or 'truncated', not {beyond!r}")
    places = dense_places(checked_scores(scores))
    runs = places.shape[1]
    agreement = np.full((len(places), len(places)), np.nan)
    for a, b in np.ndindex(agreement.shape):
        # The place of a run without a score is the number of runs.
        common = (places[a] < runs) & (places[b] < runs)
        if (known := common.sum()) > 1:
            agreement[a, b] = _rank_biased_overlap(places[[a, b]][:, common], persistence)
            if beyond == "extrapolated":
                agreement[a, b] += persistence**known
    return agreement


def _tau_ap(references: Counts, evaluated: Counts) -> NDArray[np.float64]:
    """float64[orderings] of one evaluated ordering and each reference.

    Of a group of t runs tied in the evaluated ordering below p others, any may come r-th. Above it
    then stand those p, and r - 1 of its own group, of which half are right on average.
    """
    evaluated, references, lacking = common_places(evaluated, references)
    runs = evaluated.shape[1]
    # Best first; in a tie the worse by the reference first, so that none of a run's own group
    # stands above it and is right.
    keys = np.sort(evaluated * (runs + 1) + runs - references, axis=1)
    evaluated, better = keys // (runs + 1), keys % (runs + 1)
    rank = np.arange(runs)  # 0-based: as many stand above
    right = greater_before(better)
    right_or_tied = greater_before(better * runs + rank[::-1])
    tied = right_or_tied - right - (rank - first_of_each_tie(keys))  # by the reference alone
    above = first_of_each_tie(evaluated)  # the others, above the group of each
    firsts = np.flatnonzero(above == rank)
    sizes = np.diff(firsts, append=above.size)
    mean_right = np.repeat(np.add.reduceat((right + tied / 2).ravel(), firsts) / sizes, sizes)
    known = runs - lacking.sum(axis=1)
    share = (mean_right.reshape(above.shape) + (rank - above) / 2)[:, 1:] / rank[1:]
    shares = share.sum(axis=1, where=rank[1:] < known[:, None])
    return 2 * _ratio(shares, known - 1.0) - 1


def _rank_biased_overlap(places: Counts, persistence: float) -> float:
    """Truncated, of two orderings of the same runs."""
    runs = places.shape[1]
    ranks = np.array([np.sort(row).searchsorted(row) for row in places])  # 0-based, best of a tie

    def seen(last: Counts) -> Counts:
        """int64[runs]: how many there are down to each depth."""
        return np.cumsum(np.bincount(last, minlength=runs))

    overlap = 2 * seen(ranks.max(axis=0)) / (seen(ranks[0]) + seen(ranks[1]))
    return float((1 - persistence) * persistence ** np.arange(runs) @ overlap)


def _ratio(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Their quotient, NaN where there is nothing to divide by."""
    nothing: NDArray[np.float64] = np.full(numerators.shape, np.nan)
    np.divide(numerators, denominators, out=nothing, where=denominators > 0)
    return nothing
