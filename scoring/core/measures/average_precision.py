"""Average precision (RBP paper, section 3.1) and its relatives: other means of its precisions, and
transforms."""

import math

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import REL, Arguments, Facts, Family, UserModel
from scoring.core.measures.precision import BUCKLEY_VOORHEES, share
from scoring.core.measures.special_functions import digamma
from scoring.core.measures.workings import Ranks, Workings

SEVEN_PROPERTIES = (
    "A. Moffat. Seven numeric properties of effectiveness metrics. AIRS 2013, section 3."
)
LEAST = 0.00001  # trec_eval's MIN_GEO_MEAN


def compute_ap(arguments: Arguments, workings: Workings) -> Scores:
    """Divides by R, all relevant documents of the qrels, also with a cutoff; 0 where R is 0."""
    rel, ranks = arguments.integer("rel"), workings.ranks_of(arguments.cutoff)
    relevant = workings.relevant(rel, ranks)
    sums = relevant.sums(workings.precisions_at(relevant, ranks))
    return Scores(share(sums, workings.graded.relevant_count(rel)), None)


AP = Family(
    name="AP",
    compute=compute_ap,
    parameters=(REL,),
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
                "The precision at the rank where the user stops, or 0 if the list ends before."
            ),
        ),
    ),
)


def precision_sums(workings: Workings, places: Ranks, ranks: int) -> NDArray[np.float64]:
    """float64[topics]: the precision at each of the places, summed, as if these were relevant."""
    return places.sums(workings.precisions_at(places, ranks))


def compute_sp(arguments: Arguments, workings: Workings) -> Scores:
    """The upper bound takes every unknown document of the first k for relevant. After a list of d
    documents with c of them relevant or unknown that adds (c + i - d)/i for each rank i to k."""
    rel, cutoff = arguments.integer("rel"), arguments.required_cutoff()
    ranks = workings.ranks_of(cutoff)
    base = precision_sums(workings, workings.relevant(rel, ranks), ranks)
    possible = workings.possible(rel, ranks)
    upper = precision_sums(workings, possible, ranks)
    upper += missing_precisions(possible, workings, cutoff)
    return Scores(base, np.maximum(upper - base, 0.0))


def missing_precisions(possible: Ranks, workings: Workings, cutoff: int) -> NDArray[np.float64]:
    """float64[topics]: what the ranks after the end would add to SP@k, all of them relevant."""
    lengths = np.minimum(workings.graded.lengths, cutoff).astype(np.float64)
    harmonic = digamma(np.array(cutoff + 1.0)) - digamma(lengths + 1)
    missing: NDArray[np.float64] = (cutoff - lengths) + (possible.counts - lengths) * harmonic
    return missing


def compute_retrieved_mean(arguments: Arguments, workings: Workings) -> Scores:
    """Undefined where nothing relevant was retrieved (within the cutoff, if there is one)."""
    ranks = workings.ranks_of(arguments.cutoff)
    relevant = workings.relevant(arguments.integer("rel"), ranks)
    sums, counts = precision_sums(workings, relevant, ranks), relevant.counts
    undefined = np.full(len(sums), np.nan)
    return Scores(np.divide(sums, counts, out=undefined, where=counts > 0), None)


def compute_gmap(arguments: Arguments, workings: Workings) -> Scores:
    """A topic's score is max(AP, .00001); the geometric mean is taken over topics."""
    return Scores(np.maximum(compute_ap(arguments, workings).base, LEAST), None)


def compute_yaap(arguments: Arguments, workings: Workings) -> Scores:
    """log((1 + s) / (1 + R - s)) for the sum of precisions s: 0 where R is 0."""
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
