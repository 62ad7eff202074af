"""Four experimental gain measures of trec_eval: binG, G, ndcg_rel and Rndcg (C. Buckley, 2008).

Gains are the grades. Each is kept as trec_eval 10 computes it, its quirks included, so that the
figures of old runs come out.
"""

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.gains import GRADE, collected, ideal
from scoring.core.measures.measure import REL, Arguments, Facts, Family
from scoring.core.measures.precision import share
from scoring.core.measures.workings import Ranks, Workings

TREC_EVAL_10 = "C. Buckley, in trec_eval (2008): experimental."


def compute_bin_g(arguments: Arguments, workings: Workings) -> Scores:
    """0 where R is 0.

    >>> compute_bin_g(arguments("binG"), workings).base.tolist()  # (1/log2(2) + 1/log2(4)) / 3
    [0.5, 0.0]
    """
    rel = arguments.integer("rel")
    relevant = workings.relevant(rel, workings.graded.depth)
    others_above = relevant.positions + 1 - relevant.ordinals
    gain = relevant.sums(1 / np.log2(2 + others_above))
    return Scores(share(gain, workings.graded.relevant_count(rel)), None)


def compute_g(arguments: Arguments, workings: Workings) -> Scores:
    """The discount counts what the ideal ranking gained more by this rank; past its end every rank
    costs 1.

    Gains of 1 and then 2 are discounted by log2(2 + 2 - 1) and log2(2 + 3 - 3):

    >>> two = GradedTopics(np.array([[1, 2]], np.int8), np.array([[0, 1, 1]]), np.arange(3) / 2)
    >>> compute_g(arguments("G"), Workings(two)).base.round(4).tolist()  # (.6309 + 2) / 3
    [0.877]
    """
    places, gains = collected(GRADE, workings, workings.graded.depth)
    best_places, best_gains = ideal(GRADE, workings.graded)
    gained = running_sums(places, gains)[places.rows, places.ordinals]
    best = running_sums(best_places, best_gains)
    ideal_lengths = best_places.counts[places.rows]
    ranks = places.positions + 1
    cost = best[places.rows, np.minimum(ranks, ideal_lengths)]
    cost += np.maximum(ranks - ideal_lengths, 0)
    total = best_places.sums(best_gains)
    return Scores(_quotient(places.sums(gains / np.log2(2 + cost - gained)), total), None)


def compute_ndcg_rel(arguments: Arguments, workings: Workings) -> Scores:
    """nDCG averaged over the documents with a gain: at the rank of each that was retrieved, at the
    end for each that was not.

    nDCG is 1 at rank 1, and .6714 at rank 4 and at the end of the ranking:

    >>> compute_ndcg_rel(arguments("ndcg_rel"), workings).base.round(4).tolist()
    [0.7809, 0.0]
    """
    places, reached, best_places, best = _curves(workings)
    at_each = best_places.counts[places.rows]
    ideal_here = best[places.rows, np.minimum(places.positions + 1, at_each)]
    sums = places.sums(_quotient(reached[places.rows, places.ordinals], ideal_here))
    missed = best_places.counts - places.counts
    sums += missed * _quotient(_last(reached, places.counts), _last(best, best_places.counts))
    return Scores(share(sums, best_places.counts), None)


def compute_rndcg(arguments: Arguments, workings: Workings) -> Scores:
    """nDCG averaged over the ranks where the ideal gain falls, and at the end of the ranking if
    that lies more than one rank after the last of them.

    The ideal gain falls after rank 3, where nDCG is 1/2.1309:

    >>> compute_rndcg(arguments("Rndcg"), workings).base.round(4).tolist()
    [0.4693, 0.0]
    """
    places, reached, best_places, best = _curves(workings)
    graded = workings.graded
    topics, lengths = np.arange(graded.topics), graded.lengths
    total, points = np.zeros(graded.topics), np.zeros(graded.topics, np.int64)
    edge = np.zeros(graded.topics, np.int64)
    # The ideal ranking goes from high grades to low ones, and its gain falls after each of them.
    for grade in range(graded.highest_grade, 0, -1):
        edge += graded.grade_counts[:, grade]
        falls = graded.grade_counts[:, grade] > 0
        # As many of the run's documents with a gain stand within the edge.
        inside = (places.positions < edge[places.rows]).astype(np.float64)
        here = reached[topics, places.sums(inside).astype(np.int64)]
        total += np.where(falls, _quotient(here, best[topics, edge]), 0.0)
        points += falls
    goes_on = (lengths > edge + 1) & (edge > 0)
    at_end = _quotient(_last(reached, places.counts), _last(best, best_places.counts))
    total += np.where(goes_on, at_end, 0.0)
    return Scores(share(total, points + goes_on), None)


def running_sums(places: Ranks, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[topics, cells + 1]: the sum of the first 0, 1, 2, ... cells of each topic.

    >>> running_sums(workings.relevant(1, 4), np.array([1.0, 1.0])).tolist()
    [[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]
    """
    return np.cumsum(np.pad(places.table(values), ((0, 0), (1, 0))), axis=1)


def _curves(
    workings: Workings,
) -> tuple[Ranks, NDArray[np.float64], Ranks, NDArray[np.float64]]:
    """The documents with a gain and the DCG down to each, of the run and of the ideal ranking."""
    places, gains = collected(GRADE, workings, workings.graded.depth)
    best_places, best_gains = ideal(GRADE, workings.graded)
    reached = running_sums(places, gains / np.log2(places.positions + 2))
    best = running_sums(best_places, best_gains / np.log2(best_places.positions + 2))
    return places, reached, best_places, best


def _last(sums: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    return sums[np.arange(len(sums)), counts]


def _quotient(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _facts(pretty_name: str, description: str, formula: str) -> Facts:
    return Facts(
        pretty_name=pretty_name,
        description=description,
        formula=formula,
        reference=TREC_EVAL_10,
        relevance="graded",
        needs_relevant=True,
    )


BIN_G = Family(
    name="binG",
    compute=compute_bin_g,
    parameters=(REL,),
    trec_eval="binG",
    facts=_facts(
        "Binary G",
        (
            "The relevant documents, each discounted by the log of the other documents above it, "
            "averaged over R."
        ),
        "(1/R) · Σ b_i / log2(2 + others above i)",
    ),
)
G = Family(
    name="G",
    compute=compute_g,
    trec_eval="G",
    facts=_facts(
        "Normalised gain G",
        "The gains, each discounted by the log of the lead of the ideal ranking at its rank.",
        "Σ G_i / log2(2 + ideal gain to i − own gain to i), over the sum of all gains",
    ),
)
NDCG_REL = Family(
    name="ndcg_rel",
    compute=compute_ndcg_rel,
    trec_eval="ndcg_rel",
    facts=_facts(
        "nDCG averaged over relevant documents",
        "nDCG at the rank of each document with a gain, or at the end if it was not retrieved.",
        "mean of nDCG@i over the documents with a gain",
    ),
)
RNDCG = Family(
    name="Rndcg",
    compute=compute_rndcg,
    trec_eval="Rndcg",
    facts=_facts(
        "nDCG at the edges of the gain levels",
        "nDCG averaged over the ranks where the gain of the ideal ranking decreases, and the end.",
        "mean of nDCG@i over the ends of the ideal ranking's gain levels",
    ),
)
FAMILIES = (BIN_G, G, NDCG_REL, RNDCG)
