"""Reciprocal rank of the first relevant document."""

import numpy as np

from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import REL, Arguments, Facts, Family, UserModel
from scoring.core.measures.workings import Workings


def compute(arguments: Arguments, workings: Workings) -> Scores:
    """The upper bound takes the first rank that is relevant or could be: an unjudged document, or
    the rank after the last one if that is within the cutoff (measures.md section 3)."""
    ranks = workings.ranks_of(arguments.cutoff)
    first_relevant = workings.relevant(arguments.integer("rel"), ranks).first_ranks()
    first_missing = workings.graded.lengths + 1.0
    if arguments.cutoff is not None:
        first_missing[first_missing > arguments.cutoff] = np.inf
    first_unknown = np.minimum(workings.unjudged(ranks).first_ranks(), first_missing)
    base = 1 / first_relevant  # 1 / infinity is 0: nothing relevant was retrieved
    return Scores(base, 1 / np.minimum(first_relevant, first_unknown) - base)


RR = Family(
    name="RR",
    version=1,
    compute=compute,
    parameters=(REL,),
    cutoff="optional",
    trec_eval="recip_rank",
    facts=Facts(
        pretty_name="Reciprocal rank",
        description="One divided by the rank of the first relevant document, 0 without one.",
        formula="1 / min{i : b_i = 1}",
        reference=(
            "E. M. Voorhees. The TREC-8 question answering track report. TREC-8, 1999; "
            "user model: RBP paper (TOIS 27(1), 2008), section 4.3."
        ),
        range=(0.0, 1.0),
        direction="higher",
        relevance="binary",
        needs_relevant=False,
        view="rank",
        has_residual=True,
        residual="Exact: the first rank that is relevant or could be, and the first that is.",
        user_model=UserModel(
            browsing="The user reads down to the first relevant document and stops there.",
            utility="The first relevant document is worth 1.",
            accumulation="What was gained, divided by the documents read.",
        ),
    ),
)
