"""Measures of the first k documents: precision, recall, F1, success and their like."""

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.gains import MAP, rewarded
from scoring.core.measures.measure import (
    JUDGED_ONLY,
    REL,
    Arguments,
    Facts,
    Family,
    Parameter,
    UserModel,
)
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
    """part / whole per topic, 0 where whole is 0.

    >>> share(np.array([1.0, 0.0]), np.array([2, 0])).tolist()
    [0.5, 0.0]
    """
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def compute_precision(arguments: Arguments, workings: Workings) -> Scores:
    """Divides by k however short the ranking is; missing ranks are unknown. A
    weighted precision with equal weights: they are counted instead of added.

    >>> scores = compute_precision(arguments("P@4"), workings)
    >>> scores.base.tolist(), scores.residual.tolist()
    ([0.5, 0.0], [0.25, 0.75])
    """
    cutoff = arguments.required_cutoff()
    found = workings.found(arguments.integer("rel"), cutoff)
    unknown = cutoff - workings.found(0, cutoff)
    return Scores(found / cutoff, unknown / cutoff)


def compute_recall(arguments: Arguments, workings: Workings) -> Scores:
    """0 for a topic without relevant documents.

    >>> compute_recall(arguments("R@4"), workings).base.round(4).tolist()
    [0.6667, 0.0]
    """
    rel = arguments.integer("rel")
    found = workings.found(rel, arguments.required_cutoff())
    return Scores(share(found, workings.graded.relevant_count(rel)), None)


def compute_r_precision(arguments: Arguments, workings: Workings) -> Scores:
    """P@R, with a cutoff P@min(k, R); 0 for a topic without relevant documents.

    Rprec@k as in Moffat, Seven numeric properties (AIRS 2013), section 3. With `mult` R becomes
    (long)(mult * R + .9), trec_eval's Rprec_mult; ranks after the last document are irrelevant.

    >>> compute_r_precision(arguments("Rprec"), workings).base.round(4).tolist()  # R is 3 and 1
    [0.3333, 0.0]
    """
    rel = arguments.integer("rel")
    limit = r_precision_limit(arguments, workings)
    ranks = workings.ranks_of(arguments.cutoff)
    return Scores(share(workings.found_above(limit, rel, ranks), limit), None)


def r_precision_limit(arguments: Arguments, workings: Workings) -> NDArray[np.int64]:
    """int64[topics]: the rank at which R-precision looks.

    >>> r_precision_limit(arguments("Rprec@2"), workings).tolist()
    [2, 1]
    """
    limit = workings.graded.relevant_count(arguments.integer("rel"))
    multiple = arguments.real("mult")
    if multiple != 1:
        limit = np.floor(multiple * limit + 0.9).astype(np.int64)
    return limit if arguments.cutoff is None else np.minimum(limit, arguments.cutoff)


def compute_judged(arguments: Arguments, workings: Workings) -> Scores:
    """Judged documents in the first k, divided by k; negative grades are not judged.

    ir_measures' Judged divides by the documents returned and counts grade -1 as judged.

    >>> compute_judged(arguments("Judged@4"), workings).base.tolist()
    [0.75, 0.25]
    """
    cutoff = arguments.required_cutoff()
    return Scores(workings.found(0, cutoff) / cutoff, None)


P = Family(
    name="P",
    compute=compute_precision,
    parameters=(REL, JUDGED_ONLY),
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
    parameters=(REL, JUDGED_ONLY),
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
    parameters=(REL, MULT, JUDGED_ONLY),
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


ONE_ANSWER = UserModel(
    browsing="The user reads at most k documents and needs one answer.",
    utility="The best document has the utility of its gain, and all others have none.",
    accumulation="The gain of the best document.",
)


def _found(arguments: Arguments, workings: Workings) -> NDArray[np.float64]:
    return workings.found(arguments.integer("rel"), arguments.required_cutoff())


def compute_f1(arguments: Arguments, workings: Workings) -> Scores:
    """2c / (k + R), so that it is 0, and defined, where R is 0.

    >>> compute_f1(arguments("F1@4"), workings).base.round(4).tolist()  # 4 / (4 + 3)
    [0.5714, 0.0]
    """
    whole = workings.graded.relevant_count(arguments.integer("rel")) + arguments.required_cutoff()
    return Scores(2 * _found(arguments, workings) / whole, None)


def compute_pr(arguments: Arguments, workings: Workings) -> Scores:
    """1/(1/P + 1/R - 1) = c / (k + R - c): found among all documents read or relevant.

    >>> compute_pr(arguments("PR@4"), workings).base.tolist()  # 2 / (4 + 3 - 2)
    [0.4, 0.0]
    """
    found = _found(arguments, workings)
    known = workings.graded.relevant_count(arguments.integer("rel"))
    return Scores(found / (arguments.required_cutoff() + known - found), None)


def compute_relative_precision(arguments: Arguments, workings: Workings) -> Scores:
    """Precision to rank R, recall from there on.

    >>> compute_relative_precision(arguments("relative_P@4"), workings).base.round(4).tolist()
    [0.6667, 0.0]
    """
    known = workings.graded.relevant_count(arguments.integer("rel"))
    most = np.minimum(known, arguments.required_cutoff())
    return Scores(share(_found(arguments, workings), most), None)


def compute_success(arguments: Arguments, workings: Workings) -> Scores:
    """1 with a relevant document in the first k; could be 1 with an unjudged or missing one.

    >>> scores = compute_success(arguments("Success@2"), workings)
    >>> scores.base.tolist(), scores.residual.tolist()
    ([1.0, 0.0], [0.0, 1.0])
    """
    return _best(arguments, workings, arguments.integer("rel"), np.ones(256))


def compute_hit(arguments: Arguments, workings: Workings) -> Scores:
    """The highest gain of the first k; an unjudged or missing document could have the map's.

    The gains of grades 1 and 2 are 1/2 and 1. The second document is unjudged.

    >>> two = GradedTopics(np.array([[1, -1]], np.int8), np.array([[0, 1, 0]]), np.arange(3) / 2)
    >>> scores = compute_hit(arguments("HIT@2"), Workings(two))
    >>> scores.base.tolist(), scores.residual.tolist()
    ([0.5], [0.5])
    """
    lowest, gains = rewarded(MAP, workings.graded)
    worth = np.full(256, gains.max())  # negative cells count from the end
    worth[: len(gains)] = gains
    return _best(arguments, workings, lowest, worth)


def _best(arguments: Arguments, workings: Workings, rel: int, worth: NDArray[np.float64]) -> Scores:
    """The most that one of the first k documents is worth, by grade, and could be."""
    cutoff = arguments.required_cutoff()
    relevant = workings.relevant(rel, workings.ranks_of(cutoff))
    base = workings.best(relevant, worth[workings.grades_of(relevant)], cutoff)
    possible = workings.possible(rel, workings.ranks_of(cutoff))
    upper = workings.best(possible, worth[workings.grades_of(possible)], cutoff)
    # A missing document could be the best that there is.
    upper[workings.graded.lengths < cutoff] = worth.max()
    return Scores(base, np.maximum(upper - base, 0.0))


def compute_unjudged(arguments: Arguments, workings: Workings) -> Scores:
    """trec_eval's: ranks after the last document are not counted, but k divides.

    >>> compute_unjudged(arguments("unj@4"), workings).base.tolist()
    [0.25, 0.25]
    """
    cutoff = arguments.required_cutoff()
    return Scores(workings.unjudged(workings.ranks_of(cutoff)).counts / cutoff, None)


F1 = Family(
    name="F1",
    compute=compute_f1,
    parameters=(REL,),
    cutoff="required",
    facts=Facts(
        pretty_name="F1 at k",
        description="The harmonic mean of precision and recall after k documents.",
        formula="2 · Σ_{i≤k} b_i / (k + R)",
        reference=(
            "F. McSherry and M. Najork. Computing information retrieval performance measures "
            "efficiently in the presence of tied scores. ECIR 2008, section 2.3."
        ),
        relevance="binary",
        needs_relevant=True,
    ),
)
PR = Family(
    name="PR",
    compute=compute_pr,
    parameters=(REL,),
    cutoff="required",
    facts=Facts(
        pretty_name="Precision and recall at k, combined",
        description=(
            "Shaw's combination of precision and recall after k documents: the share of relevant "
            "documents read among all documents that were read or are relevant. It is 0 if "
            "precision or recall is 0."
        ),
        formula="1 / (1/P@k + 1/R@k − 1)",
        reference="W. M. Shaw, Jr. On the foundation of evaluation. JASIS 37(5), 1986.",
        relevance="binary",
        needs_relevant=True,
    ),
)
RELATIVE_P = Family(
    name="relative_P",
    compute=compute_relative_precision,
    parameters=(REL,),
    cutoff="required",
    trec_eval_cut="relative_P",
    facts=Facts(
        pretty_name="Relative precision at k",
        description="Precision at k, divided by the highest possible precision at k.",
        formula="Σ_{i≤k} b_i / min(k, R)",
        reference=BUCKLEY_VOORHEES,
        relevance="binary",
        needs_relevant=True,
    ),
)
SUCCESS = Family(
    name="Success",
    compute=compute_success,
    parameters=(REL, JUDGED_ONLY),
    cutoff="required",
    trec_eval_cut="success",
    facts=Facts(
        pretty_name="Success at k",
        description="1 if any of the first k documents is relevant, otherwise 0.",
        formula="max_{i≤k} b_i",
        reference=BUCKLEY_VOORHEES,
        relevance="binary",
        needs_relevant=False,
        has_residual=True,
        residual=(
            "Exact: 1 if no relevant document was found and one of the first k ranks is unknown."
        ),
        user_model=ONE_ANSWER,
    ),
)
HIT = Family(
    name="HIT",
    compute=compute_hit,
    cutoff="required",
    facts=Facts(
        pretty_name="Best hit at k",
        description="The highest gain among the first k documents.",
        formula="max_{i≤k} g_i",
        reference="A. Moffat. Seven numeric properties of effectiveness metrics. AIRS 2013.",
        relevance="graded",
        needs_relevant=False,
        has_residual=True,
        residual="Exact: up to the highest gain, if one of the first k ranks is unknown.",
        user_model=ONE_ANSWER,
    ),
)
UNJUDGED = Family(
    name="unj",
    compute=compute_unjudged,
    cutoff="required",
    trec_eval_cut="unj",
    facts=Facts(
        pretty_name="Unjudged at k",
        description=(
            "The share of the first k ranks that have an unjudged document. Ranks without a "
            "document do not count, so this differs from 1 − Judged@k."
        ),
        formula="(unjudged documents in the first k) / k",
        reference="I. Soboroff, in trec_eval 10 (2023).",
        direction="lower",
        relevance="graded",
        needs_relevant=False,
        residual="None: it measures the unjudged documents itself.",
    ),
)
FIRST_RANKS = (F1, PR, RELATIVE_P, SUCCESS, HIT, UNJUDGED)
