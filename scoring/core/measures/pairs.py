"""Pairs of one relevant and one non-relevant document: how many of them the ranking orders well."""

import numpy as np

from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import REL, Arguments, Facts, Family
from scoring.core.measures.workings import Workings


def compute_accuracy(arguments: Arguments, workings: Workings) -> Scores:
    """Not defined unless the ranking, to the cutoff, has documents of both kinds. An unjudged
    document is not relevant.

    >>> compute_accuracy(arguments("Accuracy"), workings).base.tolist()  # two of four pairs
    [0.5, nan]
    """
    ranks = workings.ranks_of(arguments.cutoff)
    relevant = workings.relevant(arguments.integer("rel"), ranks)
    others = np.minimum(workings.graded.lengths, ranks) - relevant.counts
    # documents that are not relevant above each relevant one
    above = relevant.sums((relevant.positions + 1 - relevant.ordinals).astype(np.float64))
    pairs = (relevant.counts * others).astype(np.float64)
    wrong = np.divide(above, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
    return Scores(1 - wrong, None)


ACCURACY = Family(
    name="Accuracy",
    compute=compute_accuracy,
    parameters=(REL,),
    cutoff="optional",
    facts=Facts(
        pretty_name="Accuracy",
        description=(
            "The share of pairs of a relevant and a non-relevant document of the ranking that have "
            "the relevant one first. Not defined without such a pair."
        ),
        formula="1 − Σ_{i≤k} b_i · (non-relevant documents above i) / (r_k · (d_k − r_k))",
        reference=(
            "J. A. Hanley and B. J. McNeil. The meaning and use of the area under a receiver "
            "operating characteristic (ROC) curve. Radiology 143, 1982; as in ir_measures."
        ),
        relevance="binary",
        needs_relevant=False,
        residual="None: each further judgment can increase or decrease the score.",
    ),
)
