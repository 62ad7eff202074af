"""Rank-biased precision (Moffat & Zobel, TOIS 27(1), 2008, section 4)."""

import numpy as np

from scoring.core.measures import adaptive_persistence
from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import Arguments, Facts, Family, Parameter, UserModel
from scoring.core.measures.weighted import Weighting, Weights, score_weighting
from scoring.core.measures.weighted_precision import GAINED, REL_IF_BINARY, binary_or_mapped
from scoring.core.measures.workings import Workings


def rbp_weights(persistence: float, ranks: int, cutoff: int | None) -> Weights:
    """(1 - p) p^(i-1), and after d documents p^d, which ends at the cutoff if there is one."""
    powers = persistence ** np.arange(ranks + 1, dtype=np.float64)
    after = powers if cutoff is None else powers - persistence**cutoff
    return Weights((1 - persistence) * powers[:-1], after)


def compute(arguments: Arguments, workings: Workings) -> Scores:
    """RBP@k leaves out all ranks after k, in the base and in what is unknown."""
    if arguments.has("p1"):
        return adaptive_persistence.compute(arguments, workings)
    return score_weighting(workings, rbp_weighting(arguments, workings))


def rbp_weighting(arguments: Arguments, workings: Workings) -> Weighting:
    """The weights of RBP(p), on relevant documents or on the campaign's gain map."""
    ranks = workings.ranks_of(arguments.cutoff)
    weights = rbp_weights(arguments.real("p"), ranks, arguments.cutoff)
    return binary_or_mapped(arguments, workings, weights)


RBP = Family(
    name="RBP",
    compute=compute,
    parameters=(
        Parameter(
            "p",
            "real",
            "persistence: the probability of continuing to the next document",
            at_least=0,
            below=1,
            instead_of=("p1", "p2"),
        ),
        Parameter(
            "p1",
            "real",
            "persistence after a relevant document",
            at_least=0,
            at_most=1,
            instead_of=("p",),
        ),
        Parameter(
            "p2",
            "real",
            "persistence after any other document",
            at_least=0,
            below=1,
            instead_of=("p",),
        ),
        REL_IF_BINARY,
        GAINED,
    ),
    cutoff="optional",
    facts=Facts(
        pretty_name="Rank-biased precision",
        description=(
            "The rate of gain of a user who continues to the next document with probability p."
        ),
        formula=(
            "(1 − p) · Σ g_i · p^(i−1); with p1 and p2: Σ g_i Π_{j<i} c_j / Σ Π_{j<i} c_j, "
            "c_j = p1 after a relevant document, p2 after any other"
        ),
        reference=(
            "A. Moffat and J. Zobel. Rank-biased precision for measurement of retrieval "
            "effectiveness. ACM TOIS 27(1), article 2, 2008."
        ),
        relevance="either",
        needs_relevant=False,
        has_residual=True,
        residual=(
            "p^d after a list of d documents, and (1 − p) · p^(i−1) for an unjudged document at "
            "rank i. With p1 and p2, it is the difference from the score with all of these "
            "relevant."
        ),
        user_model=UserModel(
            browsing=(
                "The patient user always reads the first document, and continues from each "
                "document to the next with probability p, whether or not it was relevant."
            ),
            utility="Each relevant document has the utility 1, or its gain in the gain map.",
            accumulation=(
                "The expected gain divided by 1/(1 − p), the average number of documents read."
            ),
        ),
    ),
)
