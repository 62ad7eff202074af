"""Average precision from a stratified random sample of the pool: xinfAP.

E. Yilmaz, E. Kanoulas and J. A. Aslam. A simple and efficient sampling method for estimating AP and
NDCG. SIGIR 2008, section 3. Of each stratum of the pool, a simple random sample is judged. With N
documents of a stratum, n of them judged and r of these relevant, the topic has R = Σ N r / n
relevant documents. AP is the expected precision at a relevant document, drawn in two steps: first a
stratum, with the probability (N r / n) / R, then one of its judged relevant documents (0 if the run
does not have it). At rank k the precision is

    1/k + (above/k) Σ_strata (a / above) (r_a + ε) / (n_a + 2ε),

where `above` counts the documents of the pool above rank k, a those of a stratum, n_a its judged
and r_a its judged relevant ones. With one stratum this is infAP as trec_eval computes it. NIST's
sample_eval.pl has 3ε in place of 2ε: where nothing of a stratum is judged above a rank, it expects
a third of these documents to be relevant, and infAP half of them.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED

OUTSIDE: Final = -1  # in place of a stratum: a document that is not in the pool
EPSILON: Final = 1e-5


@dataclass(frozen=True, eq=False)
class PoolStrata:
    """The strata of one topic's pool."""

    documents: NDArray[np.int64]  # int64[strata], in the pool
    judged: NDArray[np.int64]  # int64[strata]
    relevant: NDArray[np.int64]  # int64[strata], judged relevant

    @property
    def expansion(self) -> NDArray[np.float64]:
        """float64[strata]: for how many documents of the pool a judged one stands; 0 where none is
        judged."""
        judged = self.judged.astype(np.float64)
        return np.divide(self.documents, judged, out=np.zeros_like(judged), where=judged > 0)

    @property
    def relevant_estimate(self) -> float:
        """R."""
        return float((self.expansion * self.relevant).sum())


def count_strata(strata: NDArray[np.int64], outcomes: NDArray[np.int8], count: int) -> PoolStrata:
    """The strata of a topic's pool, from the stratum and the outcome of each document of the pool:
    1 relevant, 0 not, UNJUDGED.

    >>> strata, outcomes = np.array([0, 0, 1, 1, 1, 1]), np.array([1, 0, -1, 1, 0, -1], np.int8)
    >>> pool = count_strata(strata, outcomes, 2)
    >>> pool.documents.tolist(), pool.judged.tolist(), pool.relevant.tolist()
    ([2, 4], [2, 2], [1, 1])
    >>> pool.relevant_estimate  # 1 + 4/2
    3.0
    """
    return PoolStrata(
        np.bincount(strata, minlength=count),
        np.bincount(strata[outcomes != UNJUDGED], minlength=count),
        np.bincount(strata[outcomes == 1], minlength=count),
    )


def stratified_inferred_ap(
    strata: NDArray[np.int64],
    outcomes: NDArray[np.int8],
    pool: PoolStrata,
    *,
    extra: float = 2.0,
) -> float:
    """xinfAP of one ranking.

    `strata` are int64[ranks], OUTSIDE for a document that is not in the pool; `outcomes` are
    int8[ranks] as in `count_strata`, UNJUDGED outside. The precision's denominator has `extra` ε:
    2 as in trec_eval's infAP, 3 as in NIST's sample_eval.pl. 0 where no relevant document is known.

    Of stratum A both documents are judged and one is relevant, of B's four documents two and one. A
    run has A relevant, B unjudged, B relevant, B not relevant: R = 1 + 2. At rank 1 the precision
    is 1. At rank 3 it is 1/3 + (2/3)(1/2 · 1 + 1/2 · 1/2) = 5/6: the unjudged document counts as
    half a relevant one. xinfAP is (1 + 2 · 5/6) / 3 = 8/9, up to ε.

    >>> pool = PoolStrata(np.array([2, 4]), np.array([2, 2]), np.array([1, 1]))
    >>> strata, outcomes = np.array([0, 1, 1, 1]), np.array([1, -1, 1, 0], np.int8)
    >>> round(stratified_inferred_ap(strata, outcomes, pool), 4)
    0.8889
    """
    total = pool.relevant_estimate
    if total <= 0:
        return 0.0
    ranks = np.flatnonzero(outcomes == 1)
    own = strata[:, None] == np.arange(len(pool.documents))
    above = _above(own)[ranks]
    judged = _above(own & (outcomes != UNJUDGED)[:, None])[ranks]
    relevant = _above(own & (outcomes == 1)[:, None])[ranks]
    likely = (relevant + EPSILON) / (judged + extra * EPSILON)
    # The 1 is the relevant document itself; ranks begin at 0 here.
    precisions = (1 + (above * likely).sum(axis=1)) / (ranks + 1)
    return float((pool.expansion[strata[ranks]] * precisions).sum()) / total


def _above(counted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int64[ranks, strata]: how many stand above each rank."""
    sums: NDArray[np.int64] = np.cumsum(counted, axis=0) - counted
    return sums
