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

from scoring.core.statistics.pairs import all_pairs, checked_scores
from scoring.core.statistics.ranks import DECIMALS


def kendall_tau(
    scores: NDArray[np.float64], *, ties: Literal["none", "b"] = "b"
) -> NDArray[np.float64]:
    """τ: pairs of runs in the same order minus pairs in opposite order, over the pairs there are.

    M. G. Kendall, Biometrika 30, 1938. A pair tied in either ordering counts in neither. τ-b
    (`ties="b"`, the default) divides by the geometric mean of the pairs that each ordering
    separates (Biometrika 33, 1945), `ties="none"` by all pairs (τ-a): the same without ties.

    Raises ValueError for scores that are no matrix of finite numbers, and other `ties`.
    """
    if ties not in ("none", "b"):
        raise ValueError(f"ties must be 'none' or 'b', not {ties!r}")
    scores = np.round(checked_scores(scores), DECIMALS)
    pairs = all_pairs(scores.shape[1])
    differences = scores[:, pairs.candidates] - scores[:, pairs.baselines]
    known = (~np.isnan(differences)).astype(np.float64)
    signs = np.sign(np.where(known > 0, differences, 0.0))
    separated = np.abs(signs)
    shared = known @ known.T
    if ties == "b":
        shared = np.sqrt((separated @ known.T) * (known @ separated.T))
    return _ratio(signs @ signs.T, shared)


def tau_ap(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """τ_AP, which minds the top of the board: `agreement[a, b]` takes row a as the reference.

    E. Yilmaz, J. A. Aslam and S. Robertson, SIGIR 2008. For each rank but the first of ordering b:
    the share of the runs above it that a also has above it; twice the mean of these, minus 1.
    Not symmetrical. With ties in a or b it is the mean over all ways of breaking them.

    Raises ValueError for scores that are no matrix of finite numbers.
    """
    scores = np.round(checked_scores(scores), DECIMALS)
    agreement = np.full((len(scores), len(scores)), np.nan)
    for row, evaluated in enumerate(scores):
        for other, reference in enumerate(scores):
            common = ~np.isnan(evaluated + reference)
            if common.sum() > 1:
                agreement[other, row] = _tau_ap(reference[common], evaluated[common])
    return agreement


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
    """
    if not 0 <= persistence < 1:
        raise ValueError(f"persistence must lie in 0 <= p < 1, not {persistence}")
    if beyond not in ("extrapolated", "truncated"):
        raise ValueError(f"beyond must be 'extrapolated' or 'truncated', not {beyond!r}")
    scores = np.round(checked_scores(scores), DECIMALS)
    if not np.isnan(scores).any():
        return _rank_biased_overlap(scores, persistence, beyond)
    agreement = np.full((len(scores), len(scores)), np.nan)
    for a, b in np.ndindex(agreement.shape):
        both = scores[[a, b]]
        both = both[:, ~np.isnan(both).any(axis=0)]
        agreement[a, b] = _rank_biased_overlap(both, persistence, beyond)[0, 1]
    return agreement


def _tau_ap(reference: NDArray[np.float64], evaluated: NDArray[np.float64]) -> float:
    """Of a group of t runs tied in the evaluated ordering below p others, any may come r-th.

    Above it then stand those p, and r - 1 of its own group, of which half are right on average.
    """
    runs = len(evaluated)
    order = np.argsort(-evaluated, kind="stable")
    reference, evaluated = reference[order], evaluated[order]
    right = (np.sign(reference[None, :] - reference[:, None]) + 1) / 2  # the column above the row
    firsts = np.flatnonzero(np.append(True, evaluated[1:] != evaluated[:-1]))
    sizes = np.diff(firsts, append=runs)
    above = np.repeat(firsts, sizes)  # int64[runs], runs above the group of each
    is_above = np.arange(runs)[None, :] < above[:, None]
    right_above = (right * is_above).sum(axis=1)
    mean_right = np.repeat(np.add.reduceat(right_above, firsts) / sizes, sizes)
    rank = np.arange(runs)  # 0-based: as many stand above
    share = (mean_right + (rank - above) / 2)[1:] / rank[1:]
    return float(2 * share.mean() - 1)


def _rank_biased_overlap(
    scores: NDArray[np.float64], persistence: float, beyond: str
) -> NDArray[np.float64]:
    runs = scores.shape[1]
    if runs < 2:
        return np.full((len(scores), len(scores)), np.nan)
    better = (scores[:, None, :] > scores[:, :, None]).sum(axis=2)  # int64[orderings, runs]
    agreement = np.zeros((len(scores), len(scores)))
    for depth in range(1, runs + 1):
        seen = (better < depth).astype(np.float64)
        count = seen.sum(axis=1)
        overlap = 2 * (seen @ seen.T) / (count[:, None] + count[None, :])
        agreement += (1 - persistence) * persistence ** (depth - 1) * overlap
    if beyond == "extrapolated":
        agreement += persistence**runs
    return agreement


def _ratio(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Their quotient, NaN where there is nothing to divide by."""
    nothing: NDArray[np.float64] = np.full(numerators.shape, np.nan)
    np.divide(numerators, denominators, out=nothing, where=denominators > 0)
    return nothing
