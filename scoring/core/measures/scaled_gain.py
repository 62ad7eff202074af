"""Cumulated gain without discount, and discounted gain scaled to [0, 1] without knowing R."""

import math

import numpy as np

from scoring.core.measures.arrays import Scores
from scoring.core.measures.cumulated_gain import (
    GAIN,
    JARVELIN_KEKALAINEN,
    dcg_weights,
    discounts,
)
from scoring.core.measures.gains import MAP, collected, rewarded
from scoring.core.measures.measure import Arguments, Facts, Family
from scoring.core.measures.sums_of_precision import SEVEN_PROPERTIES
from scoring.core.measures.weighted import Weighting, Weights, score_weighting
from scoring.core.measures.workings import Ranks, Workings


def compute_cg(arguments: Arguments, workings: Workings) -> Scores:
    """Every rank of the first k that is unknown could have the highest gain."""
    kind, cutoff = arguments.word("gain"), arguments.required_cutoff()
    ranks = workings.ranks_of(cutoff)
    after = np.arange(cutoff, cutoff - ranks - 1, -1, dtype=np.float64)
    weights = Weights(np.ones(ranks), after)
    return score_weighting(workings, Weighting(weights, *rewarded(kind, workings.graded)))


def compute_sdcg(arguments: Arguments, workings: Workings) -> Scores:
    """DCG@k over what k documents of worth 1 would have."""
    return score_weighting(workings, sdcg_weighting(arguments, workings))


def sdcg_weighting(arguments: Arguments, workings: Workings) -> Weighting:
    """The discounts as weights of the first k ranks, divided by their sum."""
    cutoff = arguments.required_cutoff()
    ranks = workings.ranks_of(cutoff)
    plain = dcg_weights(0.0, ranks, cutoff)
    all_weight = float(dcg_weights(0.0, 0, cutoff).after[0])
    weights = Weights(plain.by_rank, plain.after, norm=all_weight)
    return Weighting(weights, *rewarded(MAP, workings.graded))


def compute_sndcg(arguments: Arguments, workings: Workings) -> Scores:
    """DCG@k over the DCG@k of the same k documents in their best order; undefined where they bring
    nothing."""
    places, gains = collected(MAP, workings, workings.ranks_of(arguments.required_cutoff()))
    reached = places.sums(gains / discounts(0.0, places.positions))
    best_first = gains[np.lexsort((-gains, places.rows))]
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
FAMILIES = (CG, SDCG, SNDCG)
