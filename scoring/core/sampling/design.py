"""Which documents people judge: a stratified sample with known probabilities.

1. The budget is shared out among topics in proportion to their documents' total size.
2. A document whose size would give it a probability of 1 or more is judged for certain.
3. The other documents of a topic, by descending size, are cut into strata of about equal total
   size, and two documents are drawn from each stratum. Documents of a stratum resemble each other
   in what they weigh.
4. Within a stratum, the two are drawn with probabilities π proportional to size by Brewer's method,
   of which all first- and second-order probabilities are known (K. R. W. Brewer. A model of
   systematic sampling with unequal probabilities. Australian Journal of Statistics 5(1), 1963;
   W. G. Cochran. Sampling Techniques, 3rd edition, 1977, section 9A.8). With q = π/2,
   π_ij = (q_i q_j / D) (1/(1 - 2 q_i) + 1/(1 - 2 q_j)), D = Σ q (1 - q)/(1 - 2 q) over the stratum.

So no document that matters is left to chance, every probability is positive, a weight is divided by
no more than what it contributed itself, and the variance has an unbiased estimate.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scoring.core.judging.candidates import Candidates
from scoring.core.sampling.sizes import weighted_counts

DRAWN = 2  # documents of a stratum
_HIGHEST = 0.9  # probability in a stratum: at 1, the documents beside it could never meet
_FEWEST = 3  # documents of a stratum


@dataclass(frozen=True, eq=False)
class Design:
    """The strata and probabilities of a sample, before it is drawn.

    Strata are numbered over all topics, in their order. Documents judged for certain are in none.
    """

    strata: NDArray[np.int64]  # int64[candidates], CERTAIN where the document is always judged
    probabilities: NDArray[np.float64]  # float64[candidates], in 0 < π <= 1
    stratum_count: int

    @property
    def sample_size(self) -> int:
        """Documents of every sample: it does not vary."""
        return int((self.strata == CERTAIN).sum()) + DRAWN * self.stratum_count

    @cached_property
    def members(self) -> list[NDArray[np.int64]]:
        """For each stratum its candidates, int64[documents], ascending."""
        order = np.argsort(self.strata, kind="stable")
        ends = np.searchsorted(self.strata[order], np.arange(self.stratum_count + 1))
        return [order[ends[at] : ends[at + 1]] for at in range(self.stratum_count)]


CERTAIN = -1  # in place of a stratum


def design_sample(candidates: Candidates, sizes: NDArray[np.float64], *, budget: int) -> Design:
    """Strata and probabilities for `budget` judgments over all topics, or all documents if they are
    fewer. Depends on nothing but its arguments.

    `sizes` are float64[candidates]. Raises ValueError for sizes that are not positive and finite,
    and for a budget below two documents for each topic.

    >>> found = design_sample(candidates, np.ones(5), budget=2)
    >>> found.strata.tolist(), found.probabilities.tolist()
    ([0, 0, 0, 0, 0], [0.4, 0.4, 0.4, 0.4, 0.4])
    >>> design_sample(candidates, np.ones(5), budget=5).strata.tolist()
    [-1, -1, -1, -1, -1]
    """
    if sizes.shape != (len(candidates),):
        raise ValueError(f"{len(candidates)} candidates but sizes of shape {sizes.shape}")
    if not (np.isfinite(sizes) & (sizes > 0)).all():
        raise ValueError("every size must be a positive number")
    quotas = share_budget(candidates.topic_rows, sizes, len(candidates.topics), budget)
    strata = np.full(len(sizes), CERTAIN, np.int64)
    probabilities = np.ones(len(sizes))
    count = 0
    for topic, quota in enumerate(quotas.tolist()):
        own = np.flatnonzero(candidates.topic_rows == topic)
        # Stable, so that the design depends on nothing but its arguments.
        own = own[np.argsort(-sizes[own], kind="stable")]
        for members in _cut(own, sizes[own], quota):
            strata[members] = count
            probabilities[members] = capped_shares(sizes[members], DRAWN, _HIGHEST)
            count += 1
    return Design(strata, probabilities, count)


def capped_shares(
    sizes: NDArray[np.float64], total: float, caps: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """float64[sizes]: min(cap, c size), c such that they add up to `total`; the caps where these
    add up to less.

    >>> capped_shares(np.array([1.0, 1.0, 8.0]), 2.0, 0.9).round(4).tolist()  # 1.6 is above the cap
    [0.55, 0.55, 0.9]
    """
    caps = np.broadcast_to(np.asarray(caps, np.float64), sizes.shape)
    shares = caps.copy()
    free = np.ones(len(sizes), np.bool_)
    while free.any():
        scale = (total - caps[~free].sum()) / sizes[free].sum()
        # A cap leaves more to the others, which may then reach their own: hence the loop.
        over = free & (scale * sizes >= caps)
        if not over.any():
            shares[free] = scale * sizes[free]
            break
        free &= ~over
    return shares


def share_budget(
    topic_rows: NDArray[np.int32], sizes: NDArray[np.float64], topics: int, budget: int
) -> NDArray[np.int64]:
    """int64[topics]: how many documents of each topic are judged; they add up to the budget.

    In proportion to the total size, rounded by largest remainders; at least two of each topic that
    has them. Raises ValueError for a budget that is too small for that.

    The sizes are as 4 to 1, but the first topic has only three documents:

    >>> topic_rows = np.array([0, 0, 0, 1, 1, 1], np.int32)
    >>> share_budget(topic_rows, np.array([4.0, 4, 4, 1, 1, 1]), topics=2, budget=5).tolist()
    [3, 2]
    """
    documents = np.bincount(topic_rows, minlength=topics)
    fewest = np.minimum(documents, DRAWN)
    if budget < fewest.sum():
        raise ValueError(f"budget must be at least {fewest.sum()}, two documents for each topic")
    budget = min(budget, int(documents.sum()))
    totals = weighted_counts(topic_rows, sizes, topics)
    there = documents > 0
    shares = np.zeros(topics)
    shares[there] = capped_shares(totals[there], budget, documents[there].astype(np.float64))
    # A share that is a whole number but for rounding is not rounded down.
    quotas = np.maximum(np.floor(shares + 1e-9).astype(np.int64), fewest)
    while (left := budget - int(quotas.sum())) != 0:
        # Too few after rounding down; too many where topics got two that their share does not give
        # them.
        step = 1 if left > 0 else -1
        room = quotas < documents if left > 0 else quotas > fewest
        lag = np.where(room, step * (shares - quotas), -np.inf)
        quotas[int(np.argmax(lag))] += step
    return quotas


def joint_probability(
    of_stratum: NDArray[np.float64],
    first: float | NDArray[np.float64],
    other: float | NDArray[np.float64],
) -> NDArray[np.float64]:
    """That both of two documents are drawn, which have these probabilities; `of_stratum` are those
    of all documents of their stratum and add up to 2.

    Three documents with π 4/5, 2/3 and 8/15 have π_ij 7/15, 1/3 and 1/5: of each pair, what 1 lacks
    of the third document's π.

    >>> probabilities = np.array([4 / 5, 2 / 3, 8 / 15])
    >>> float(joint_probability(probabilities, 4 / 5, 2 / 3).round(4))
    0.4667
    """
    odds = 1 / (1 - np.asarray(first)) + 1 / (1 - np.asarray(other))
    halves = of_stratum / 2
    normaliser = float((halves * (1 - halves) / (1 - of_stratum)).sum())  # D
    joint: NDArray[np.float64] = first * other * odds / (4 * normaliser)
    return joint


def _cut(own: NDArray[np.int64], sizes: NDArray[np.float64], quota: int) -> list[NDArray[np.int64]]:
    """The strata of a topic's documents, which stand by descending size."""
    if quota >= len(own):
        return []
    # The largest documents, whose probability among those that are left would be 1 or more.
    certain, rest = 0, float(sizes.sum())
    while certain < quota - DRAWN and sizes[certain] * (quota - certain) >= rest:
        rest -= float(sizes[certain])
        certain += 1
    # An even number of the quota is left for the strata, which need three documents each.
    certain += (quota - certain) % DRAWN
    while len(sizes) - certain < _FEWEST * ((quota - certain) // DRAWN):
        certain += DRAWN
    count = (quota - certain) // DRAWN
    sums = np.append(0.0, np.cumsum(sizes))
    strata, begin = [], certain
    for left in range(count, 0, -1):
        end = len(own)
        if left > 1:
            target = sums[begin] + (sums[-1] - sums[begin]) / left
            end = int(np.searchsorted(sums, target))
            # Three documents at least for this stratum, and for each that follows.
            end = min(max(end, begin + _FEWEST), len(own) - _FEWEST * (left - 1))
        strata.append(own[begin:end])
        begin = end
    return strata
