"""Counts of the first ranks: precision, recall and judged documents at k, and R-precision."""

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import REL, Arguments, Facts, Family, Parameter, UserModel
from scoring.core.measures.workings import Workings

MULT = Parameter(
    "mult",
    "real",
    "the multiple of R at which precision is measured",
    default=1.0,
    above=0,
    at_most=1e6,
)
BUCKLEY_VOORHEES = (
    "C. Buckley and E. M. Voorhees. Retrieval system evaluation. In TREC: Experiment and "
    "Evaluation in Information Retrieval, MIT Press, 2005, chapter 3."
)


def share(part: NDArray[np.float64], whole: NDArray[np.int64]) -> NDArray[np.float64]:
    """part / whole per topic, 0 where whole is 0."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def compute_precision(arguments: Arguments, workings: Workings) -> Scores:
    """Divides by k however short the ranking is; missing ranks are unknown. A
    weighted precision with equal weights: they are counted instead of added."""
    cutoff = arguments.required_cutoff()
    found = workings.found(arguments.integer("rel"), cutoff)
    unknown = cutoff - workings.found(0, cutoff)
    return Scores(found / cutoff, unknown / cutoff)


def compute_recall(arguments: Arguments, workings: Workings) -> Scores:
    """0 for a topic without relevant documents."""
    rel = arguments.integer("rel")
    found = workings.found(rel, arguments.required_cutoff())
    return Scores(share(found, workings.graded.relevant_count(rel)), None)


def compute_r_precision(arguments: Arguments, workings: Workings) -> Scores:
    """P@R, with a cutoff P@min(k, R); 0 for a topic without relevant documents.

    Rprec@k as in Moffat, Seven numeric properties (AIRS 2013), section 3. With `mult` R becomes
    (long)(mult * R + .9), trec_eval's Rprec_mult; ranks after the last document are irrelevant.
    """
    rel = arguments.integer("rel")
    limit = r_precision_limit(arguments, workings)
    ranks = workings.ranks_of(arguments.cutoff)
    return Scores(share(workings.found_above(limit, rel, ranks), limit), None)


def r_precision_limit(arguments: Arguments, workings: Workings) -> NDArray[np.int64]:
    """int64[topics]: the rank at which R-precision looks."""
    limit = workings.graded.relevant_count(arguments.integer("rel"))
    multiple = arguments.real("mult")
    if multiple != 1:
        limit = np.floor(multiple * limit + 0.9).astype(np.int64)
    return limit if arguments.cutoff is None else np.minimum(limit, arguments.cutoff)


def compute_judged(arguments: Arguments, workings: Workings) -> Scores:
    """Judged documents in the first k, divided by k; negative grades are not judged.

    ir_measures' Judged divides by the documents returned and counts grade -1 as judged.
    """
    cutoff = arguments.required_cutoff()
    return Scores(workings.found(0, cutoff) / cutoff, None)


P = Family(
    name="P",
    compute=compute_precision,
    parameters=(REL,),
    cutoff="required",
    trec_eval_cut="P",
    facts=Facts(
        pretty_name="Precision at k",
        description="The share of the first k documents that are relevant.",
        formula="(1/k) · Σ_{i≤k} b_i",
        reference=BUCKLEY_VOORHEES,
        relevance="binary",
        needs_relevant=False,
        has_residual=True,
        residual="1/k for each of the first k ranks that is unjudged or has no document.",
        user_model=UserModel(
            browsing="The user reads exactly the first k documents.",
            utility="Each relevant document has the utility 1.",
            accumulation="The average utility of the documents read.",
        ),
    ),
)

R = Family(
    name="R",
    compute=compute_recall,
    parameters=(REL,),
    cutoff="required",
    trec_eval_cut="recall",
    facts=Facts(
        pretty_name="Recall at k",
        description="The share of the topic's relevant documents that are among the first k.",
        formula="(1/R) · Σ_{i≤k} b_i",
        reference=BUCKLEY_VOORHEES,
        relevance="binary",
        needs_relevant=True,
    ),
)

RPREC = Family(
    name="Rprec",
    compute=compute_r_precision,
    parameters=(REL, MULT),
    cutoff="optional",
    trec_eval="Rprec",
    facts=Facts(
        pretty_name="R-precision",
        description=(
            "Precision after R documents, where R is the number of relevant documents of the "
            "topic. With a cutoff k, precision after the smaller of k and R documents."
        ),
        formula="(1/R) · Σ_{i≤R} b_i",
        reference=BUCKLEY_VOORHEES,
        relevance="binary",
        needs_relevant=True,
    ),
)

JUDGED = Family(
    name="Judged",
    compute=compute_judged,
    cutoff="required",
    facts=Facts(
        pretty_name="Judged at k",
        description=(
            "The share of the first k ranks whose document was judged. The measure of this name in "
            "ir_measures differs: it divides by the number of documents returned, and counts "
            "negative grades as judgments."
        ),
        formula="(documents with a grade of 0 or more in the first k) / k",
        reference="Trackside's own definition.",
        relevance="graded",
        needs_relevant=False,
        residual="None: it measures the unjudged documents itself.",
    ),
)
