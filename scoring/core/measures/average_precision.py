"""Average precision (RBP paper, section 3.1) and its relatives: other means of its precisions, its
transforms, and bpref and inferred AP for incomplete judgments."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import (
    JUDGED_ONLY,
    REL,
    Arguments,
    Facts,
    Family,
    Parameter,
    UserModel,
)
from scoring.core.measures.precision import BUCKLEY_VOORHEES, share
from scoring.core.measures.workings import Ranks, Workings
from scoring.core.special_functions import digamma

SEVEN_PROPERTIES = (
    "A. Moffat. Seven numeric properties of effectiveness metrics. AIRS 2013, section 3."
)
LEAST = 0.00001  # trec_eval's MIN_GEO_MEAN
EPSILON = 0.00001  # trec_eval's INFAP_EPSILON


def compute_ap(arguments: Arguments, workings: Workings) -> Scores:
    """Divides by R, all relevant documents of the qrels, also with a cutoff; 0 where R is 0.

    >>> compute_ap(arguments("AP"), workings).base.tolist()  # (1/1 + 2/4) / 3
    [0.5, 0.0]
    """
    rel, ranks = arguments.integer("rel"), workings.ranks_of(arguments.cutoff)
    relevant = workings.relevant(rel, ranks)
    sums = relevant.sums(workings.precisions_at(relevant, ranks))
    return Scores(share(sums, workings.graded.relevant_count(rel)), None)


AP = Family(
    name="AP",
    compute=compute_ap,
    parameters=(REL, JUDGED_ONLY),
    cutoff="optional",
    trec_eval="map",
    trec_eval_cut="map_cut",
    facts=Facts(
        pretty_name="Average precision",
        description=(
            "The mean of the precision at the rank of each relevant document of the topic. "
            "Relevant documents that were not retrieved count 0."
        ),
        formula="(1/R) · Σ b_i · P@i",
        reference=BUCKLEY_VOORHEES,
        relevance="binary",
        needs_relevant=True,
        user_model=UserModel(
            browsing=(
                "The user (Robertson, SIGIR 2008) chooses a number s from 1 to R at random and "
                "reads to the s-th relevant document."
            ),
            utility="Each relevant document has the utility 1.",
            accumulation=(
                "The precision at the rank where the user stops, or 0 if the list ends earlier."
            ),
        ),
    ),
)


def precision_sums(workings: Workings, places: Ranks, ranks: int) -> NDArray[np.float64]:
    """float64[topics]: the precision at each of the places, summed, as if these were relevant.

    >>> precision_sums(workings, workings.relevant(1, 4), 4).tolist()  # 1/1 + 2/4
    [1.5, 0.0]
    """
    return places.sums(workings.precisions_at(places, ranks))


def compute_sp(arguments: Arguments, workings: Workings) -> Scores:
    """The upper bound takes every unknown document of the first k for relevant. After a list of d
    documents with c of them relevant or unknown that adds (c + i - d)/i for each rank i to k.

    The upper bound of the first topic is 1/1 + 2/3 + 3/4 + 4/5:

    >>> scores = compute_sp(arguments("SP@5"), workings)
    >>> scores.base.tolist(), (scores.base + scores.residual).round(4).tolist()
    ([1.5, 0.0], [3.2167, 2.7167])
    """
    rel, cutoff = arguments.integer("rel"), arguments.required_cutoff()
    ranks = workings.ranks_of(cutoff)
    base = precision_sums(workings, workings.relevant(rel, ranks), ranks)
    possible = workings.possible(rel, ranks)
    upper = precision_sums(workings, possible, ranks)
    upper += missing_precisions(possible, workings, cutoff)
    return Scores(base, np.maximum(upper - base, 0.0))


def missing_precisions(possible: Ranks, workings: Workings, cutoff: int) -> NDArray[np.float64]:
    """float64[topics]: what the ranks after the end would add to SP@k, all of them relevant.

    >>> possible = workings.possible(1, 4)  # three of four documents, and one of two
    >>> missing_precisions(possible, workings, 5).round(4).tolist()  # 4/5, and 2/3 + 3/4 + 4/5
    [0.8, 2.2167]
    """
    lengths = np.minimum(workings.graded.lengths, cutoff).astype(np.float64)
    harmonic = digamma(np.array(cutoff + 1.0)) - digamma(lengths + 1)
    missing: NDArray[np.float64] = (cutoff - lengths) + (possible.counts - lengths) * harmonic
    return missing


def compute_retrieved_mean(arguments: Arguments, workings: Workings) -> Scores:
    """Undefined where nothing relevant was retrieved (within the cutoff, if there is one).

    >>> compute_retrieved_mean(arguments("APret"), workings).base.tolist()  # (1/1 + 2/4) / 2
    [0.75, nan]
    """
    ranks = workings.ranks_of(arguments.cutoff)
    relevant = workings.relevant(arguments.integer("rel"), ranks)
    sums, counts = precision_sums(workings, relevant, ranks), relevant.counts
    undefined = np.full(len(sums), np.nan)
    return Scores(np.divide(sums, counts, out=undefined, where=counts > 0), None)


def compute_gmap(arguments: Arguments, workings: Workings) -> Scores:
    """A topic's score is max(AP, .00001); the geometric mean is taken over topics.

    >>> compute_gmap(arguments("GMAP"), workings).base.tolist()
    [0.5, 1e-05]
    """
    return Scores(np.maximum(compute_ap(arguments, workings).base, LEAST), None)


def compute_yaap(arguments: Arguments, workings: Workings) -> Scores:
    """log((1 + s) / (1 + R - s)) for the sum of precisions s: 0 where R is 0.

    >>> compute_yaap(arguments("yaAP"), workings).base.round(4).tolist()  # log(2.5/2.5), log(1/2)
    [0.0, -0.6931]
    """
    rel, ranks = arguments.integer("rel"), workings.graded.depth
    sums = precision_sums(workings, workings.relevant(rel, ranks), ranks)
    known = workings.graded.relevant_count(rel)
    return Scores(np.log((1 + sums) / (1 + known - sums)), None)


SP = Family(
    name="SP",
    compute=compute_sp,
    parameters=(REL,),
    cutoff="required",
    facts=Facts(
        pretty_name="Sum of precisions at k",
        description=(
            "The sum of the precision at the rank of each relevant document of the first k."
        ),
        formula="Σ_{i≤k} b_i · P@i",
        reference=SEVEN_PROPERTIES,
        range=(0.0, math.inf),
        relevance="binary",
        needs_relevant=False,
        has_residual=True,
        residual=(
            "Exact: every unjudged document and missing rank of the first k counts as relevant."
        ),
    ),
)
AP_RETRIEVED = Family(
    name="APret",
    compute=compute_retrieved_mean,
    parameters=(REL,),
    facts=Facts(
        pretty_name="Average precision over the relevant documents retrieved",
        description=(
            "The mean of the precision at each retrieved relevant document. Finding another "
            "relevant document can lower it. Not defined if none is retrieved."
        ),
        formula="Σ b_i · P@i / Σ b_i",
        reference="RBP paper (Moffat and Zobel, TOIS 27(1), 2008), section 3.1: AP*.",
        relevance="binary",
        needs_relevant=False,
        residual="None: each further judgment can increase or decrease the score.",
    ),
)
SNAP = Family(
    name="SNAP",
    compute=compute_retrieved_mean,
    parameters=(REL,),
    cutoff="required",
    facts=Facts(
        pretty_name="Self-normalised average precision at k",
        description=(
            "The sum of precisions over the first k, divided by the number of relevant documents "
            "among them instead of R. Not defined if there is none."
        ),
        formula="SP@k / Σ_{i≤k} b_i",
        reference=SEVEN_PROPERTIES,
        relevance="binary",
        needs_relevant=False,
        residual="None: each further judgment can increase or decrease the score.",
    ),
)
GMAP = Family(
    name="GMAP",
    compute=compute_gmap,
    parameters=(REL,),
    trec_eval="gm_map",
    summary="geometric",
    facts=Facts(
        pretty_name="Geometric mean average precision",
        description=(
            "The geometric mean over topics of average precision, which counts as at least .00001."
        ),
        formula="exp((1/topics) · Σ log max(AP, .00001))",
        reference="S. Robertson. On GMAP: and other transformations. CIKM 2006.",
        range=(LEAST, 1.0),
        relevance="binary",
        needs_relevant=True,
    ),
)
YAAP = Family(
    name="yaap",
    compute=compute_yaap,
    parameters=(REL,),
    trec_eval="yaap",
    facts=Facts(
        pretty_name="Yet another average precision",
        description=(
            "The log odds of the smoothed average precision, which can be averaged better than AP."
        ),
        formula="log((1 + SP) / (1 + R − SP))",
        reference="S. Robertson. On smoothing average precision. ECIR 2012.",
        range=(-math.inf, math.inf),
        relevance="binary",
        needs_relevant=True,
    ),
)
RELATIVES_OF_AP = (SP, AP_RETRIEVED, SNAP, GMAP, YAAP)


def compute_bpref(arguments: Arguments, workings: Workings) -> Scores:
    """n judged non-relevant documents above a relevant one cost min(R+k, n) / min(R+k, N); none
    cost nothing, which covers N = 0. Unjudged documents play no part.

    >>> compute_bpref(arguments("bpref"), workings).base.round(4).tolist()  # (1 + 1 - 1/3) / 3
    [0.5556, 0.0]
    """
    rel, ranks = arguments.integer("rel"), workings.graded.depth
    known = workings.graded.relevant_count(rel)
    others = workings.graded.grade_counts.sum(axis=1) - known
    reach = known + (arguments.integer("k") if arguments.has("k") else 0)
    relevant = workings.relevant(rel, ranks)
    above = relevant.count_above(workings.graded.nonrelevant(rel))
    # At least 1: with no document to divide by, none stands above either.
    cost = np.minimum(reach[relevant.rows], above) / np.maximum(
        np.minimum(reach, others)[relevant.rows], 1
    )
    return Scores(share(relevant.sums(1.0 - cost), known), None)


def compute_gm_bpref(arguments: Arguments, workings: Workings) -> Scores:
    """A topic's score is max(bpref, .00001); the geometric mean is taken over topics.

    >>> compute_gm_bpref(arguments("gm_bpref"), workings).base.round(5).tolist()
    [0.55556, 1e-05]
    """
    return Scores(np.maximum(compute_bpref(arguments, workings).base, LEAST), None)


def compute_inferred_ap(arguments: Arguments, workings: Workings) -> Scores:
    """trec_eval's: the expected precision at a relevant document, from the judged ones above it.

    Documents that are not in the pool count as irrelevant, those in the pool but not judged
    (`GradedTopics.pooled`) as relevant in the proportion of the judged ones.

    Of the two judged documents above rank 4 one is relevant. The unjudged one is in the pool, so
    that the expected precision is (1 + 3 · 1/2) / 4:

    >>> columns = graded.grades, graded.grade_counts, graded.gain_map
    >>> in_pool = GradedTopics(*columns, pooled=graded.unjudged)
    >>> compute_inferred_ap(arguments("infAP"), Workings(in_pool)).base.round(4).tolist()
    [0.5417, 0.0]
    """
    rel, ranks = arguments.integer("rel"), workings.graded.depth
    relevant = workings.relevant(rel, ranks)
    good = relevant.ordinals - 1
    bad = relevant.count_above(workings.graded.nonrelevant(rel))
    pooled = good + bad + relevant.count_above(workings.graded.unjudged_in_pool)
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
INCOMPLETE_JUDGMENTS = (BPREF, GM_BPREF, INF_AP)
