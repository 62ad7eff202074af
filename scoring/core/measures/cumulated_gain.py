"""Cumulated gain: plain, discounted, normalised and scaled, and the Q-measure.

The discount is trec_eval's, log2(i + 1), or with `b` that of Järvelin and Kekäläinen: none for the
ranks up to b, log_b(i) from there on.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.average_precision import SEVEN_PROPERTIES
from scoring.core.measures.gains import (
    EXP,
    GRADE,
    MAP,
    best_first,
    collected,
    gains_of_grades,
    ideal,
    rewarded,
)
from scoring.core.measures.measure import (
    JUDGED_ONLY,
    REL,
    Arguments,
    Facts,
    Family,
    Parameter,
    UserModel,
)
from scoring.core.measures.precision import share
from scoring.core.measures.trec_gain import running_sums
from scoring.core.measures.weighted import Weighting, Weights, score_weighting
from scoring.core.measures.workings import Ranks, Workings
from scoring.core.special_functions import exponential_integral

GAIN = Parameter(
    "gain",
    "word",
    "gain of a document: its grade, 2^grade − 1, or the campaign's gain map",
    default=GRADE,
    words=(GRADE, EXP, MAP),
)
LOG_BASE = Parameter(
    "b",
    "real",
    "base of the discount max(1, log_b i) of Järvelin and Kekäläinen; 0: log2(i + 1)",
    default=0.0,
    above=1,
    at_most=1e6,
)
FAR = 2**20  # ranks whose discounts are summed one by one; more than any list, or base b, has
JARVELIN_KEKALAINEN = (
    "K. Järvelin and J. Kekäläinen. Cumulated gain-based evaluation of IR techniques. "
    "ACM TOIS 20(4), 2002; without b the discount log2(i + 1) as in trec_eval."
)
USER = UserModel(
    browsing=(
        "The user reads down to a rank that is chosen with a probability that follows the "
        "logarithm of the rank."
    ),
    utility="Each document has the utility of its gain.",
    accumulation="The sum of the gains of all documents read.",
)


def compute_dcg(arguments: Arguments, workings: Workings) -> Scores:
    """An unjudged document could have the highest gain, so could the ranks after the last one.

    The weights are 1, .6309, .5 and .4307. Unknown are rank 3, and the ranks from 2 on.

    >>> scores = compute_dcg(arguments("DCG@4"), workings)
    >>> scores.base.round(4).tolist(), scores.residual.round(4).tolist()
    ([1.4307, 0.0], [0.5, 1.5616])
    """
    return score_weighting(workings, dcg_weighting(arguments, workings))


def dcg_weighting(arguments: Arguments, workings: Workings) -> Weighting:
    """The discounts as weights of the first k ranks.

    >>> dcg_weighting(arguments("DCG@3"), workings).weights.by_rank.round(4).tolist()
    [1.0, 0.6309, 0.5]
    """
    cutoff = arguments.required_cutoff()
    weights = dcg_weights(arguments.real("b"), workings.ranks_of(cutoff), cutoff)
    return Weighting(weights, *rewarded(arguments.word("gain"), workings.graded))


def compute_ndcg(arguments: Arguments, workings: Workings) -> Scores:
    """0 where no judged document has a gain. The ideal takes all judged documents of the topic,
    to the cutoff, and is summed as the run is: a perfect ranking has exactly 1.

    The base of DCG, 1.4307, over 1 + .6309 + .5:

    >>> compute_ndcg(arguments("nDCG"), workings).base.round(4).tolist()
    [0.6714, 0.0]
    """
    kind, cutoff = arguments.word("gain"), arguments.cutoff
    log_base = arguments.real("b")
    ranks = workings.ranks_of(cutoff)
    places, gains = collected(kind, workings, ranks)
    by_rank = discounts(log_base, np.arange(ranks))
    reached = places.sums(gains / workings.discounts_at(places, by_rank))
    worth, counts = gains_of_grades(kind, workings.graded), workings.graded.grade_counts
    best = _ideal_dcg(worth.tobytes(), counts.tobytes(), cutoff, log_base)
    return Scores(np.divide(reached, best, out=np.zeros_like(best), where=best > 0), None)


@lru_cache(maxsize=16)  # one for all runs of a campaign: it depends on the qrels alone
def _ideal_dcg(
    worth: bytes, grade_counts: bytes, cutoff: int | None, log_base: float
) -> NDArray[np.float64]:
    """float64[topics]: what the best ranking of each topic gains, from the gain of every grade and
    the judged documents of every topic and grade (arrays as their bytes, which can be keys)."""
    gains = np.frombuffer(worth)
    counts = np.frombuffer(grade_counts, np.int64).reshape(-1, len(gains))
    places, best_gains = best_first(gains, counts, cutoff)
    best = places.sums(best_gains / discounts(log_base, places.positions))
    # It is cached: a caller that wrote into it would change the scores of others.
    best.setflags(write=False)
    return best


def discounts(log_base: float, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """What the gain at each of these (0-based) positions is divided by.

    >>> [discounts(log_base, np.arange(3)).round(4).tolist() for log_base in (0.0, 2.0)]
    [[1.0, 1.585, 2.0], [1.0, 1.0, 1.585]]
    """
    if log_base == 0:
        return np.log2(positions + 2)
    logs: NDArray[np.float64] = np.log2(positions + 1) / np.log2(log_base)
    return np.maximum(1.0, logs)


def dcg_weights(log_base: float, ranks: int, cutoff: int) -> Weights:
    """The discounts as weights of the ranks to the cutoff.

    >>> weights = dcg_weights(0.0, ranks=2, cutoff=3)
    >>> weights.by_rank.round(4).tolist(), weights.after.round(4).tolist()
    ([1.0, 0.6309], [2.1309, 1.1309, 0.5])
    """
    summed = min(cutoff, max(ranks, FAR))
    weights = 1 / discounts(log_base, np.arange(summed))
    after = np.zeros(summed + 1)
    # From the end, so that small weights are not lost in a large sum.
    after[:-1] = np.cumsum(weights[::-1])[::-1]
    if cutoff > summed:
        # The ranks summed + 1 ... cutoff, far down: the integral of 1/log, which is the exponential
        # integral of the log, and Euler and Maclaurin's first corrections.
        low, high = (summed + 2, cutoff + 1) if log_base == 0 else (summed + 1, cutoff)
        log_low, log_high = math.log(low), math.log(high)
        total = exponential_integral(log_high) - exponential_integral(log_low)
        total += (1 / log_low + 1 / log_high) / 2
        total += (1 / (low * log_low**2) - 1 / (high * log_high**2)) / 12
        after += total * math.log(log_base or 2.0)
    return Weights(weights[:ranks], after[: ranks + 1])


DCG = Family(
    name="DCG",
    compute=compute_dcg,
    parameters=(LOG_BASE, GAIN),
    cutoff="required",
    facts=Facts(
        pretty_name="Discounted cumulated gain",
        description=(
            "The sum of the gains of the first k documents, each divided by the log of its rank."
        ),
        formula="Σ_{i≤k} G_i / log2(i + 1); with b: Σ_{i≤k} G_i / max(1, log_b i)",
        reference=JARVELIN_KEKALAINEN,
        range=(0.0, math.inf),
        relevance="graded",
        needs_relevant=False,
        has_residual=True,
        residual="The highest gain at each of the first k ranks that is unjudged or missing.",
        user_model=USER,
    ),
)

NDCG = Family(
    name="nDCG",
    compute=compute_ndcg,
    parameters=(LOG_BASE, GAIN, JUDGED_ONLY),
    cutoff="optional",
    trec_eval="ndcg",
    trec_eval_cut="ndcg_cut",
    facts=Facts(
        pretty_name="Normalised discounted cumulated gain",
        description=(
            "Discounted cumulated gain, divided by that of the ideal ranking of all judged "
            "documents."
        ),
        formula="DCG@k / DCG@k of the ideal ranking",
        reference=JARVELIN_KEKALAINEN,
        relevance="graded",
        needs_relevant=True,
        user_model=USER,
    ),
)


def compute_cg(arguments: Arguments, workings: Workings) -> Scores:
    """Every rank of the first k that is unknown could have the highest gain.

    >>> scores = compute_cg(arguments("CG@4"), workings)
    >>> scores.base.tolist(), scores.residual.tolist()
    ([2.0, 0.0], [1.0, 3.0])
    """
    kind, cutoff = arguments.word("gain"), arguments.required_cutoff()
    ranks = workings.ranks_of(cutoff)
    after = np.arange(cutoff, cutoff - ranks - 1, -1, dtype=np.float64)
    weights = Weights(np.ones(ranks), after)
    return score_weighting(workings, Weighting(weights, *rewarded(kind, workings.graded)))


def compute_sdcg(arguments: Arguments, workings: Workings) -> Scores:
    """DCG@k over what k documents of worth 1 would have.

    >>> compute_sdcg(arguments("SDCG@4"), workings).base.round(4).tolist()  # 1.4307 / 2.5616
    [0.5585, 0.0]
    """
    return score_weighting(workings, sdcg_weighting(arguments, workings))


def sdcg_weighting(arguments: Arguments, workings: Workings) -> Weighting:
    """The discounts as weights of the first k ranks, divided by their sum.

    >>> weights = sdcg_weighting(arguments("SDCG@4"), workings).weights
    >>> round(weights.norm, 4)  # 1 + .6309 + .5 + .4307
    2.5616
    """
    cutoff = arguments.required_cutoff()
    ranks = workings.ranks_of(cutoff)
    plain = dcg_weights(0.0, ranks, cutoff)
    all_weight = float(dcg_weights(0.0, 0, cutoff).after[0])
    weights = Weights(plain.by_rank, plain.after, norm=all_weight)
    return Weighting(weights, *rewarded(MAP, workings.graded))


def compute_sndcg(arguments: Arguments, workings: Workings) -> Scores:
    """DCG@k over the DCG@k of the same k documents in their best order; undefined where they bring
    nothing.

    The best order of the documents has 1 + .6309. Without a relevant one it is not defined.

    >>> compute_sndcg(arguments("SNDCG@4"), workings).base.round(4).tolist()  # 1.4307 / 1.6309
    [0.8772, nan]
    """
    places, gains = collected(MAP, workings, workings.ranks_of(arguments.required_cutoff()))
    reached = places.sums(gains / discounts(0.0, places.positions))
    best_first = gains[np.lexsort((-gains, places.rows))]
    # The same documents at the first ranks, without others between them.
    packed = Ranks(places.bounds, places.ordinals - 1)
    best = packed.sums(best_first / discounts(0.0, packed.positions))
    undefined = np.full(len(best), np.nan)
    return Scores(np.divide(reached, best, out=undefined, where=best > 0), None)


CG = Family(
    name="CG",
    compute=compute_cg,
    parameters=(GAIN,),
    cutoff="required",
    facts=Facts(
        pretty_name="Cumulated gain",
        description="The sum of the gains of the first k documents.",
        formula="Σ_{i≤k} G_i",
        reference=JARVELIN_KEKALAINEN,
        range=(0.0, math.inf),
        relevance="graded",
        needs_relevant=False,
        has_residual=True,
        residual="The highest gain at each of the first k ranks that is unjudged or missing.",
    ),
)
SDCG = Family(
    name="SDCG",
    compute=compute_sdcg,
    cutoff="required",
    facts=Facts(
        pretty_name="Scaled discounted cumulated gain",
        description=(
            "Discounted cumulated gain, divided by that of k documents with the highest gain. It "
            "is a weighted precision of fixed depth."
        ),
        formula="Σ_{i≤k} g_i / log2(i + 1) over Σ_{i≤k} 1 / log2(i + 1)",
        reference=SEVEN_PROPERTIES,
        relevance="graded",
        needs_relevant=False,
        has_residual=True,
        residual="The weight of each of the first k ranks that is unjudged or missing.",
    ),
)
SNDCG = Family(
    name="SNDCG",
    compute=compute_sndcg,
    cutoff="required",
    facts=Facts(
        pretty_name="Self-normalised discounted cumulated gain",
        description=(
            "Discounted cumulated gain of the first k documents, divided by that of the same "
            "documents in their best order. Not defined if none of them has a gain."
        ),
        formula="DCG@k / DCG@k of the run's own first k, best first",
        reference=SEVEN_PROPERTIES,
        relevance="graded",
        needs_relevant=False,
        residual="None: each further judgment can increase or decrease the score.",
    ),
)
SCALED_GAINS = (CG, SDCG, SNDCG)


def compute_q(arguments: Arguments, workings: Workings) -> Scores:
    """0 where R is 0. Every document that has a gain adds to the gains, whatever `rel` is.

    >>> compute_q(arguments("Q"), workings).base.round(4).tolist()  # (2/2 + (2 + 2)/(4 + 3)) / 3
    [0.5238, 0.0]
    """
    rel, kind, beta = arguments.integer("rel"), arguments.word("gain"), arguments.real("beta")
    ranks = workings.graded.depth
    relevant = workings.relevant(rel, ranks)
    places, gains = collected(kind, workings, ranks)
    best_places, best_gains = ideal(kind, workings.graded)
    gained = running_sums(places, gains)
    best = running_sums(best_places, best_gains)
    lowest, _ = rewarded(kind, workings.graded)
    seen = relevant.count_above(workings.graded.relevant(lowest))
    # The document itself, if it brings a gain.
    seen += workings.grades_at(rel, ranks) >= lowest
    # Past its end the ideal ranking gains nothing more.
    reached = np.minimum(relevant.positions + 1, best_places.counts[relevant.rows])
    blended = (relevant.ordinals + beta * gained[relevant.rows, seen]) / (
        relevant.positions + 1 + beta * best[relevant.rows, reached]
    )
    return Scores(share(relevant.sums(blended), workings.graded.relevant_count(rel)), None)


Q = Family(
    name="Q",
    compute=compute_q,
    parameters=(
        REL,
        Parameter(
            "beta", "real", "weight of gain relative to rank", default=1.0, at_least=0, at_most=1e9
        ),
        GAIN,
    ),
    facts=Facts(
        pretty_name="Q-measure",
        description=(
            "Average precision with a blended ratio instead of precision. The ratio compares the "
            "relevant documents and their gains so far with the rank and the gains of the ideal "
            "ranking."
        ),
        formula="(1/R) · Σ b_i · (C_i + β · cg_i) / (i + β · cg*_i)",
        reference=(
            "T. Sakai. Ranking the NTCIR systems based on multigrade relevance. AIRS 2004, "
            "LNCS 3411, 251-262."
        ),
        relevance="graded",
        needs_relevant=True,
    ),
)
