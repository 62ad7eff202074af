"""Measures of effort, lower is better: expected search length (Cooper) and RankPower."""

import math

import numpy as np

from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import REL, Arguments, Facts, Family, Parameter, UserModel
from scoring.core.measures.workings import Workings


def compute_search_length(arguments: Arguments, workings: Workings) -> Scores:
    """Counts the documents before the nth relevant one that are not relevant, as Cooper does (the
    RBP paper says "documents retrieved"). Undefined with fewer than n relevant retrieved."""
    wanted = arguments.integer("n")
    relevant = workings.relevant(arguments.integer("rel"), workings.graded.depth)
    length = workings.rank_of_nth(relevant, wanted) - wanted
    return Scores(length / wanted if arguments.integer("per") else length, None)


def compute_rank_power(arguments: Arguments, workings: Workings) -> Scores:
    """Undefined where nothing relevant was retrieved."""
    relevant = workings.relevant(arguments.integer("rel"), workings.graded.depth)
    ranks, counts = relevant.sums((relevant.positions + 1).astype(np.float64)), relevant.counts
    undefined = np.full(len(ranks), np.nan)
    return Scores(np.divide(ranks, counts**2, out=undefined, where=counts > 0), None)


ESL = Family(
    name="ESL",
    compute=compute_search_length,
    parameters=(
        Parameter(
            "n", "integer", "how many relevant documents the user needs", at_least=1, at_most=1e6
        ),
        REL,
        Parameter(
            "per",
            "integer",
            "1: divide by n, to give the length per required document",
            default=0,
            at_least=0,
            at_most=1,
        ),
    ),
    facts=Facts(
        pretty_name="Expected search length",
        description=(
            "The number of non-relevant documents that a user reads before the nth relevant one. "
            "Lower is better. Not defined if fewer than n relevant documents are retrieved."
        ),
        formula="(rank of the nth relevant) − n, with per=1 divided by n",
        reference=(
            "W. S. Cooper. Expected search length: a single measure of retrieval effectiveness "
            "based on weak ordering action of retrieval systems. American Documentation, 1968."
        ),
        range=(0.0, math.inf),
        direction="lower",
        relevance="binary",
        needs_relevant=False,
        residual="None is shown: it is not defined if the list may end too early.",
        user_model=UserModel(
            browsing="The user reads down to the nth relevant document.",
            utility=(
                "The user needs n relevant documents, and each has the cost of the documents read "
                "for it."
            ),
            accumulation="The number of non-relevant documents read.",
        ),
    ),
)
RANK_POWER = Family(
    name="RankPower",
    compute=compute_rank_power,
    parameters=(REL,),
    facts=Facts(
        pretty_name="RankPower",
        description=(
            "The mean rank of the retrieved relevant documents, divided by their number. Lower is "
            "better. Not defined if none is retrieved."
        ),
        formula="Σ (ranks of relevant documents retrieved) / n², n their number",
        reference=(
            "X. Meng and Z. Chen. On user-oriented measurements of effectiveness of web "
            "information retrieval systems. International Conference on Internet Computing, 2004."
        ),
        range=(0.5, math.inf),
        direction="lower",
        relevance="binary",
        needs_relevant=False,
        residual="None: each further judgment can increase or decrease the score.",
    ),
)
FAMILIES = (ESL, RANK_POWER)
