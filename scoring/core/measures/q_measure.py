"""The Q-measure (Sakai, AIRS 2004; RBP paper section 3.3)."""

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.cumulated_gain import GAIN
from scoring.core.measures.gains import collected, ideal
from scoring.core.measures.measure import REL, Arguments, Facts, Family, Parameter
from scoring.core.measures.precision import share
from scoring.core.measures.trec_gain import running_sums
from scoring.core.measures.workings import Workings


def compute(arguments: Arguments, workings: Workings) -> Scores:
    """0 where R is 0. Every document that has a gain adds to the gains, whatever `rel` is."""
    rel, kind, beta = arguments.integer("rel"), arguments.word("gain"), arguments.real("beta")
    ranks = workings.graded.depth
    relevant = workings.relevant(rel, ranks)
    places, gains = collected(kind, workings, ranks)
    best_places, best_gains = ideal(kind, workings.graded, None)
    gained = running_sums(places, gains)
    best = running_sums(best_places, best_gains)
    seen = relevant.before(places, ranks) + _is_in(relevant.flat(ranks), places.flat(ranks))
    reached = np.minimum(relevant.positions + 1, best_places.counts[relevant.rows])
    blended = (relevant.ordinals + beta * gained[relevant.rows, seen]) / (
        relevant.positions + 1 + beta * best[relevant.rows, reached]
    )
    return Scores(share(relevant.sums(blended), workings.graded.relevant_count(rel)), None)


def _is_in(flat: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.isin(flat, others, assume_unique=True).astype(np.int64)


Q = Family(
    name="Q",
    compute=compute,
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
