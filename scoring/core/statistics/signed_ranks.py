"""The Wilcoxon signed-rank test of many pairs at once.

F. Wilcoxon. Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 1945; zeros after
J. W. Pratt, JASA 54(287), 1959; the variance without them after E. E. Cureton, JASA 62(319), 1967.
"""

from functools import cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from scoring.core.distributions import normal_cdf
from scoring.core.statistics.pairs import (
    EXACT,
    NORMAL,
    NOTHING,
    Outcomes,
    Tail,
    checked_tail,
    whole_units,
)

LARGEST_EXACT = 50  # differences; up to here the null distribution is counted out
LARGEST_EXACT_TIED = 25  # topics; the same, where differences are equal or zero
BITS: Final = 32  # of a count of at most 2^LARGEST_EXACT_TIED ways

_PAST_ALL = np.int64(np.iinfo(np.int64).max)  # sorts topics that are not common behind all others


def wilcoxon(
    differences: NDArray[np.float64],
    *,
    tail: Tail = "two",
    zeros: Literal["drop", "pratt"] = "drop",
    continuity: bool = True,
) -> Outcomes:
    """p-values of the hypothesis that the differences lie symmetrically around 0.

    `differences` are float64[pairs, topics], candidate - baseline, NaN where a topic is not common.

    1. Differences are rounded to 12 decimals (`whole_units`): float noise makes no difference.
    2. Zero differences are dropped; under `pratt` they are ranked first and then dropped.
    3. The absolute differences are ranked, equal ones share the mean of their ranks.
    4. The statistic is W+, the sum of the ranks of the positive differences.
    5. A pair with at most 25 topics, or at most 50 without equal or zero differences, gets the
       exact null distribution: each sign as likely as the other, whatever the ranks are. Any other
       pair gets the normal approximation with tie correction. Unless `continuity` is False, W+
       then moves half a rank towards its mean, one-tailed always down. `methods` says which.

    A pair that differs nowhere has p = 1, a pair without common topics NaN. One-tailed asks
    whether the candidate is better. Raises ValueError for an unknown option.

    All three differences of the first pair are positive. The second has the ranks 1.5, 1.5 and -3:

    >>> found = wilcoxon(np.array([[0.1, 0.2, 0.3, np.nan], [0.1, 0.1, -0.3, 0.0]]))
    >>> found.statistics.tolist(), found.p_values.tolist()
    ([6.0, 3.0], [0.25, 1.0])
    """
    checked_tail(tail)
    if zeros not in ("drop", "pratt"):
        raise ValueError(f"zeros must be 'drop' or 'pratt', not {zeros!r}")
    undefined = np.isnan(differences)
    units = whole_units(differences).astype(np.int64)
    # The sign rides along in the lowest bit, so that sorting the sizes sorts the signs with them.
    keys = np.where(undefined, _PAST_ALL, np.abs(units) << 1 | (units > 0))
    keys.sort(axis=1)
    topics = differences.shape[1] - undefined.sum(axis=1)
    ranked = _Ranked(keys, topics, pratt=zeros == "pratt")
    is_exact = ranked.is_plain & (topics <= LARGEST_EXACT)
    p_values = _normal_p_values(ranked, tail=tail, continuity=continuity)
    p_values[is_exact] = _exact_p_values(
        ranked.sums[is_exact].astype(np.int64), topics[is_exact], tail
    )
    is_tied = ~ranked.is_plain & (topics <= LARGEST_EXACT_TIED)
    p_values[is_tied] = _tied_p_values(
        ranked.doubled_ranks(np.flatnonzero(is_tied)), ranked.sums[is_tied], tail
    )
    is_exact |= is_tied
    p_values[ranked.counts == 0] = 1.0
    p_values[topics == 0] = np.nan
    methods = np.where(is_exact, EXACT, NORMAL)
    methods[ranked.counts == 0] = NOTHING
    return Outcomes(p_values, ranked.sums, topics, methods.astype(np.int8))


class _Ranked:
    """The rank sums of sorted keys (twice the size of a difference, + 1 if positive)."""

    def __init__(self, keys: NDArray[np.int64], topics: NDArray[np.int64], *, pratt: bool) -> None:
        self.sizes = sizes = keys >> 1
        self.past = past = np.arange(keys.shape[1]) >= topics[:, None]
        self.zeros = ((sizes == 0) & ~past).sum(axis=1)
        self.counts = topics - self.zeros  # int64[pairs], differences that are not zero
        self.before = self.zeros if pratt else np.zeros_like(self.zeros)  # ranks given to zeros
        positive = (keys & 1).astype(np.bool_) & ~past
        places = np.arange(1, keys.shape[1] + 1)
        self.sums = positive.astype(np.float64) @ places.astype(np.float64)  # W+, float64[pairs]
        # Places count the zeros, which stand first; ranks of the others begin after them.
        self.sums -= positive.sum(axis=1) * (self.zeros - self.before)
        self.tie_terms = np.zeros(len(keys))
        same = (sizes[:, 1:] == sizes[:, :-1]) & (sizes[:, 1:] > 0) & ~past[:, 1:]
        tied = np.flatnonzero(same.any(axis=1))
        if len(tied):
            # In the rows that have ties, equal sizes get the mean of their ranks.
            begins = np.ones((len(tied), keys.shape[1]), np.bool_)
            begins[:, 1:] = ~same[tied]
            firsts = np.flatnonzero(begins)  # over all rows; a group never spans two of them
            lengths = np.diff(firsts, append=begins.size)
            at, row = firsts % keys.shape[1], firsts // keys.shape[1]
            mean_places = np.repeat(at + (lengths + 1) / 2, lengths).reshape(begins.shape)
            self.sums[tied] += ((mean_places - places) * positive[tied]).sum(axis=1)
            cubes = (lengths.astype(np.float64) ** 3 - lengths) * (lengths > 1)
            self.tie_terms[tied] = np.bincount(row, weights=cubes, minlength=len(tied))
        self.is_plain = (self.zeros == 0) & (self.tie_terms == 0) & (topics > 0)

    def doubled_ranks(self, rows: NDArray[np.intp]) -> NDArray[np.int16]:
        """int16[rows, LARGEST_EXACT_TIED]: twice the ranks that equal sizes share, in whole
        numbers, and 0 for zero differences and at the end. The topics must be as few."""
        width = min(self.sizes.shape[1], LARGEST_EXACT_TIED)
        sizes, past = self.sizes[rows, :width], self.past[rows, :width]
        begins = np.ones(sizes.shape, np.bool_)
        begins[:, 1:] = sizes[:, 1:] != sizes[:, :-1]
        firsts = np.flatnonzero(begins)
        lengths = np.diff(firsts, append=begins.size)
        shared = np.repeat(2 * (firsts % max(width, 1)) + lengths + 1, lengths).reshape(sizes.shape)
        shared -= 2 * (self.zeros - self.before)[rows, None]
        found = np.zeros((len(rows), LARGEST_EXACT_TIED), np.int16)
        found[:, :width] = np.where((sizes == 0) | past, 0, shared)
        return found


def _normal_p_values(ranked: _Ranked, *, tail: Tail, continuity: bool) -> NDArray[np.float64]:
    count, before = (ranked.counts + ranked.before).astype(np.float64), ranked.before
    mean = (count * (count + 1) - before * (before + 1)) / 4
    sixfold = count * (count + 1) * (2 * count + 1) - before * (before + 1) * (2.0 * before + 1)
    variance = (sixfold - ranked.tie_terms / 2) / 24
    distance = ranked.sums - mean
    if continuity:
        distance = distance - (np.sign(distance) if tail == "two" else 1.0) / 2
    z = distance / np.sqrt(np.where(variance > 0, variance, 1.0))
    p_values: NDArray[np.float64] = 2 * normal_cdf(-np.abs(z)) if tail == "two" else normal_cdf(-z)
    return np.minimum(p_values, 1.0)


def _exact_p_values(
    sums: NDArray[np.int64], counts: NDArray[np.int64], tail: Tail
) -> NDArray[np.float64]:
    """P(W+ >= sum), or for two tails twice the smaller tail and at most 1."""
    shares = _null_shares()
    mirrored = counts * (counts + 1) // 2 - sums
    # P(W+ >= sum) = P(W+ <= its mirror image)
    upper: NDArray[np.float64] = shares[counts, mirrored]
    if tail == "two":
        np.minimum(2 * np.minimum(upper, shares[counts, sums]), 1.0, out=upper)
    return upper


def _tied_p_values(
    doubled: NDArray[np.int16], sums: NDArray[np.float64], tail: Tail
) -> NDArray[np.float64]:
    """P(W+ >= sum), or for two tails twice the smaller tail and at most 1.

    Each of the 25 doubled ranks is in the sum or not; those that are 0 add nothing. The 2^25 ways
    are counted by their sums in one long integer with 32 bits for each sum, which a rank shifts
    and adds. It is counted once for each pattern of ties, and what two patterns begin with, too.
    """
    seen = np.rint(2 * sums).astype(np.int64)
    # For two tails the larger of the sum and its mirror image, whose tail is the smaller.
    least = seen if tail == "one" else np.maximum(seen, doubled.sum(axis=1, dtype=np.int64) - seen)
    order = np.lexsort(doubled.T[::-1])
    ways = [1]  # by the number of ranks
    before: list[int] = []
    found = np.empty(len(order))
    for at, ranks, sum_seen in zip(
        order.tolist(), doubled[order].tolist(), least[order].tolist(), strict=True
    ):
        if ranks != before:
            same = 0
            while same < len(before) and ranks[same] == before[same]:
                same += 1
            del ways[same + 1 :]
            for rank in ranks[same:]:
                ways.append(ways[-1] + (ways[-1] << BITS * rank))
            before = ranks
        # Modulo 2^32 - 1 a number is the sum of its digits to the base 2^32.
        found[at] = (ways[-1] >> BITS * sum_seen) % ((1 << BITS) - 1)
    shares: NDArray[np.float64] = found / (1 << LARGEST_EXACT_TIED)
    return shares if tail == "one" else np.minimum(2 * shares, 1.0)


@cache
def _null_shares() -> NDArray[np.float64]:
    """float64[51, 1276]: P(W+ <= sum) for n = 0..50 differences without ties, exactly.

    Each rank is in the sum or not: subsets of 1..n are counted by their sum, in whole numbers
    below 2^50, and divided by a power of two.
    """
    most = LARGEST_EXACT * (LARGEST_EXACT + 1) // 2
    subsets = np.zeros(most + 1, np.int64)
    subsets[0] = 1
    shares = np.ones((LARGEST_EXACT + 1, most + 1))
    for rank in range(1, LARGEST_EXACT + 1):
        grown = subsets.copy()
        # With the rank: the subsets without it, moved by it.
        grown[rank:] += subsets[:-rank]
        subsets = grown
        shares[rank] = subsets.cumsum() / 2.0**rank
    shares.flags.writeable = False
    return shares
