"""Rank-biased precision (Moffat & Zobel, TOIS 27(1), 2008, section 4)."""

from dataclasses import replace

import numpy as np

from scoring.core.measures.arrays import Scores
from scoring.core.measures.gains import MAP, collected
from scoring.core.measures.measure import REL, Arguments, Facts, Family, Parameter, UserModel
from scoring.core.measures.weighted import Weights, weighted_scores
from scoring.core.measures.workings import Workings

BINARY = "binary"


def rbp_weights(persistence: float, ranks: int, cutoff: int | None) -> Weights:
    """(1 - p) p^(i-1), and after d documents p^d, which ends at the cutoff if there is one."""
    powers = persistence ** np.arange(ranks + 1, dtype=np.float64)
    after = powers if cutoff is None else powers - persistence**cutoff
    return Weights((1 - persistence) * powers[:-1], after)


def compute(arguments: Arguments, workings: Workings) -> Scores:
    """With gain=map the residual uses the highest worth of the map, ranks after the end too.

    RBP@k leaves out all ranks after k, in the base and in what is unknown.
    """
    ranks = workings.ranks_of(arguments.cutoff)
    weights = rbp_weights(arguments.real("p"), ranks, arguments.cutoff)
    if arguments.word("gain") == BINARY:
        relevant = workings.relevant(arguments.integer("rel"), ranks)
        return weighted_scores(workings, weights, relevant, None)
    places, gains = collected(MAP, workings, ranks)
    highest = float(workings.graded.gain_map.max())
    return weighted_scores(workings, weights, places, gains, highest_gain=highest)


RBP = Family(
    name="RBP",
    version=1,
    compute=compute,
    parameters=(
        Parameter(
            "p",
            "real",
            "persistence: the probability of going on to the next document",
            at_least=0,
            below=1,
        ),
        replace(REL, only_with=("gain", BINARY)),
        Parameter(
            "gain",
            "word",
            "1 for each relevant document, or the campaign's gain map",
            default=BINARY,
            words=(BINARY, MAP),
        ),
    ),
    cutoff="optional",
    facts=Facts(
        pretty_name="Rank-biased precision",
        description=(
            "The rate at which a user gains who goes on to the next document with probability p."
        ),
        formula="(1 − p) · Σ g_i · p^(i−1)",
        reference=(
            "A. Moffat and J. Zobel. Rank-biased precision for measurement of retrieval "
            "effectiveness. ACM TOIS 27(1), article 2, 2008."
        ),
        range=(0.0, 1.0),
        direction="higher",
        relevance="either",
        needs_relevant=False,
        view="rank",
        has_residual=True,
        residual="p^d after a list of d documents, and (1 − p) · p^(i−1) for an unjudged one at i.",
        user_model=UserModel(
            browsing=(
                "The patient user always reads the first document, and goes on from each to the "
                "next with probability p, whatever it was worth."
            ),
            utility="Each relevant document is worth 1, or what the gain map says.",
            accumulation="The expected gain divided by 1/(1 − p), the documents read on average.",
        ),
    ),
)
