"""Counts: what was retrieved, what is relevant, and how many topics. Sums over topics."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import REL, Arguments, Facts, Family
from scoring.core.measures.precision import BUCKLEY_VOORHEES
from scoring.core.measures.workings import Workings


def retrieved(arguments: Arguments, workings: Workings) -> NDArray[np.int64]:
    """Documents of the ranking.

    >>> retrieved(arguments("NumRet"), workings).tolist()
    [4, 2]
    """
    return workings.graded.lengths


def relevant(arguments: Arguments, workings: Workings) -> NDArray[np.int64]:
    """R: relevant documents of the qrels, retrieved or not.

    >>> relevant(arguments("NumRel"), workings).tolist()
    [3, 1]
    """
    return workings.graded.relevant_count(arguments.integer("rel"))


def relevant_retrieved(arguments: Arguments, workings: Workings) -> NDArray[np.int64]:
    """Relevant documents of the ranking.

    >>> relevant_retrieved(arguments("NumRelRet"), workings).tolist()
    [2, 0]
    """
    return workings.relevant(arguments.integer("rel"), workings.graded.depth).counts


def nonrelevant_retrieved(arguments: Arguments, workings: Workings) -> NDArray[np.int64]:
    """Documents of the ranking judged and not relevant.

    >>> nonrelevant_retrieved(arguments("NumNonRelJudgedRet"), workings).tolist()
    [1, 1]
    """
    return workings.nonrelevant(arguments.integer("rel"), workings.graded.depth).counts


def one(arguments: Arguments, workings: Workings) -> NDArray[np.int64]:
    """1 for every topic: their sum is the number of topics.

    >>> one(arguments("NumQ"), workings).tolist()
    [1, 1]
    """
    return np.ones(workings.graded.topics, np.int64)


def _count(
    name: str,
    pretty_name: str,
    description: str,
    trec_eval: str,
    count: Callable[[Arguments, Workings], NDArray[np.int64]],
    *,
    formula: str,
    has_rel: bool,
) -> Family:
    def compute(arguments: Arguments, workings: Workings) -> Scores:
        return Scores(count(arguments, workings).astype(np.float64), None)

    return Family(
        name=name,
        compute=compute,
        parameters=(REL,) if has_rel else (),
        trec_eval=trec_eval,
        summary="sum",
        facts=Facts(
            pretty_name=pretty_name,
            description=description,
            formula=formula,
            reference=BUCKLEY_VOORHEES,
            range=(0.0, 1.0 if name == "NumQ" else math.inf),
            relevance="binary",
            needs_relevant=name == "NumRel",
            view="set",
            residual="None: it counts known documents.",
        ),
    )


NUM_RET = _count(
    "NumRet",
    "Documents retrieved",
    "The number of documents in the ranking.",
    "num_ret",
    retrieved,
    formula="d",
    has_rel=False,
)
NUM_REL = _count(
    "NumRel",
    "Relevant documents",
    "The number of documents that are relevant to the topic, retrieved or not.",
    "num_rel",
    relevant,
    formula="R",
    has_rel=True,
)
NUM_REL_RET = _count(
    "NumRelRet",
    "Relevant documents retrieved",
    "The number of relevant documents in the ranking.",
    "num_rel_ret",
    relevant_retrieved,
    formula="Σ b_i",
    has_rel=True,
)
NUM_NONREL_JUDGED_RET = _count(
    "num_nonrel_judged_ret",
    "Non-relevant judged documents retrieved",
    "The number of documents in the ranking that were judged and are not relevant.",
    "num_nonrel_judged_ret",
    nonrelevant_retrieved,
    formula="documents with 0 ≤ grade < rel",
    has_rel=True,
)
NUM_Q = _count(
    "NumQ",
    "Topics",
    "One for every topic; the sum is the number of topics over which a run is evaluated.",
    "num_q",
    one,
    formula="1",
    has_rel=False,
)
FAMILIES = (NUM_Q, NUM_RET, NUM_REL, NUM_REL_RET, NUM_NONREL_JUDGED_RET)
