"""Measures for incomplete judgments: bpref over judged documents only, and inferred AP."""

from dataclasses import replace

import numpy as np

from scoring.core.measures.arrays import Scores
from scoring.core.measures.average_precision import LEAST
from scoring.core.measures.measure import REL, Arguments, Facts, Family, Parameter
from scoring.core.measures.precision import share
from scoring.core.measures.workings import Workings

EPSILON = 0.00001  # trec_eval's INFAP_EPSILON


def compute_bpref(arguments: Arguments, workings: Workings) -> Scores:
    """n judged non-relevant documents above a relevant one cost min(R+k, n) / min(R+k, N); none
    cost nothing, which covers N = 0. Unjudged documents play no part."""
    rel, ranks = arguments.integer("rel"), workings.graded.depth
    known = workings.graded.relevant_count(rel)
    others = workings.graded.grade_counts.sum(axis=1) - known
    reach = known + (arguments.integer("k") if arguments.has("k") else 0)
    relevant = workings.relevant(rel, ranks)
    above = relevant.before(workings.nonrelevant(rel, ranks), ranks)
    cost = np.minimum(reach[relevant.rows], above) / np.maximum(
        np.minimum(reach, others)[relevant.rows], 1
    )
    return Scores(share(relevant.sums(1.0 - cost), known), None)


def compute_gm_bpref(arguments: Arguments, workings: Workings) -> Scores:
    """A topic's score is max(bpref, .00001); the geometric mean is taken over topics."""
    return Scores(np.maximum(compute_bpref(arguments, workings).base, LEAST), None)


def compute_inferred_ap(arguments: Arguments, workings: Workings) -> Scores:
    """trec_eval's: the expected precision at a relevant document, from the judged ones above it.

    Documents that are not in the pool count as irrelevant, those in the pool but not judged
    (`GradedTopics.pooled`) as relevant in the proportion of the judged ones.
    """
    rel, ranks = arguments.integer("rel"), workings.graded.depth
    relevant = workings.relevant(rel, ranks)
    good = relevant.ordinals - 1
    bad = relevant.before(workings.nonrelevant(rel, ranks), ranks)
    pooled = good + bad + relevant.before(workings.pooled(ranks), ranks)
    likely = (good + EPSILON) / (good + bad + 2 * EPSILON)
    expected = (1 + pooled * likely) / (relevant.positions + 1)
    return Scores(share(relevant.sums(expected), workings.graded.relevant_count(rel)), None)


BPREF = Family(
    name="bpref",
    compute=compute_bpref,
    parameters=(
        REL,
        Parameter(
            "k",
            "integer",
            "how many non-relevant documents beyond R count (bpref-10: 10)",
            default=0,
            at_least=0,
            at_most=1e6,
        ),
    ),
    trec_eval="bpref",
    facts=Facts(
        pretty_name="Binary preference",
        description=(
            "For each relevant document, the share of judged non-relevant documents that it "
            "precedes, averaged over R. Unjudged documents are ignored."
        ),
        formula=(
            "(1/R) · Σ b_i · (1 − min(R + k, n_i) / min(R + k, N)), "
            "n_i judged non-relevant documents above i"
        ),
        reference=(
            "C. Buckley and E. M. Voorhees. Retrieval evaluation with incomplete information. "
            "SIGIR 2004; with k as in the RBP paper, section 3.3."
        ),
        relevance="binary",
        needs_relevant=True,
    ),
)
GM_BPREF = Family(
    name="gm_bpref",
    compute=compute_gm_bpref,
    parameters=(REL,),
    trec_eval="gm_bpref",
    summary="geometric",
    facts=replace(
        BPREF.facts,
        pretty_name="Geometric mean binary preference",
        description="The geometric mean over topics of bpref, which counts as at least .00001.",
        formula="exp((1/topics) · Σ log max(bpref, .00001))",
        range=(LEAST, 1.0),
    ),
)
INF_AP = Family(
    name="infAP",
    compute=compute_inferred_ap,
    parameters=(REL,),
    trec_eval="infAP",
    facts=Facts(
        pretty_name="Inferred average precision",
        description=(
            "Average precision estimated from a sample of the pool. It assumes that unjudged "
            "documents of the pool are relevant as often as the judged documents above them."
        ),
        formula=(
            "(1/R) · Σ b_i · (1/i + ((i−1)/i) · (pooled above / (i−1)) "
            "· (relevant above + ε) / (judged above + 2ε))"
        ),
        reference=(
            "E. Yilmaz and J. A. Aslam. Estimating average precision with incomplete and imperfect "
            "judgments. CIKM 2006; ε = .00001 as in trec_eval."
        ),
        relevance="binary",
        needs_relevant=True,
    ),
)
FAMILIES = (BPREF, GM_BPREF, INF_AP)
