"""Measures of the retrieved set: its precision, recall, F, and what trec_eval makes of them.

The order of the documents plays no part; the set is the whole ranking, as deep as it was kept.
"""

import math

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import JUDGED_ONLY, REL, Arguments, Facts, Family, Parameter
from scoring.core.measures.precision import BUCKLEY_VOORHEES, share
from scoring.core.measures.workings import Workings

VAN_RIJSBERGEN = (
    "C. J. van Rijsbergen. Information Retrieval, 2nd edition. Butterworths, 1979, chapter 7; "
    "trec_eval writes β for van Rijsbergen's β²."
)
NO_BOUND = "None: the size of the set and the number of judged documents depend on each other."


def _found(arguments: Arguments, workings: Workings) -> NDArray[np.float64]:
    relevant = workings.relevant(arguments.integer("rel"), workings.graded.depth)
    return relevant.counts.astype(np.float64)


def compute_precision(arguments: Arguments, workings: Workings) -> Scores:
    """0 for an empty set.

    >>> compute_precision(arguments("SetP"), workings).base.tolist()
    [0.5, 0.0]
    """
    return Scores(share(_found(arguments, workings), workings.graded.lengths), None)


def compute_recall(arguments: Arguments, workings: Workings) -> Scores:
    """0 for a topic without relevant documents.

    >>> compute_recall(arguments("SetR"), workings).base.round(4).tolist()
    [0.6667, 0.0]
    """
    known = workings.graded.relevant_count(arguments.integer("rel"))
    return Scores(share(_found(arguments, workings), known), None)


def compute_f(arguments: Arguments, workings: Workings) -> Scores:
    """(β + 1) P R / (β P + R) = (β + 1) found / (β R + retrieved); 0 where nothing was found.

    >>> compute_f(arguments("SetF(beta=1)"), workings).base.round(4).tolist()  # 4 / (3 + 4)
    [0.5714, 0.0]
    """
    beta, graded = arguments.real("beta"), workings.graded
    whole = beta * graded.relevant_count(arguments.integer("rel")) + graded.lengths
    part = (beta + 1) * _found(arguments, workings)
    return Scores(np.divide(part, whole, out=np.zeros_like(part), where=part > 0), None)


def compute_ap(arguments: Arguments, workings: Workings) -> Scores:
    """Precision times recall, 0 where either is undefined.

    >>> compute_ap(arguments("SetAP"), workings).base.round(4).tolist()  # 1/2 · 2/3
    [0.3333, 0.0]
    """
    graded = workings.graded
    known = graded.relevant_count(arguments.integer("rel"))
    return Scores(share(_found(arguments, workings) ** 2, known * graded.lengths), None)


def compute_relative_precision(arguments: Arguments, workings: Workings) -> Scores:
    """Divides by the most that a set of this size could have.

    >>> compute_relative_precision(arguments("set_relative_P"), workings).base.round(4).tolist()
    [0.6667, 0.0]
    """
    known = workings.graded.relevant_count(arguments.integer("rel"))
    most = np.minimum(known, workings.graded.lengths)
    return Scores(share(_found(arguments, workings), most), None)


def compute_utility(arguments: Arguments, workings: Workings) -> Scores:
    """trec_eval's default coefficients 1, -1, 0, 0: unjudged documents cost as irrelevant ones.

    >>> compute_utility(arguments("utility"), workings).base.tolist()  # 2 - 2 and 0 - 2
    [0.0, -2.0]
    """
    return Scores(2 * _found(arguments, workings) - workings.graded.lengths, None)


def _facts(
    pretty_name: str,
    description: str,
    formula: str,
    *,
    reference: str = BUCKLEY_VOORHEES,
    needs_relevant: bool = True,
    highest: float = 1.0,
    lowest: float = 0.0,
) -> Facts:
    return Facts(
        pretty_name=pretty_name,
        description=description,
        formula=formula,
        reference=reference,
        range=(lowest, highest),
        relevance="binary",
        needs_relevant=needs_relevant,
        view="set",
        residual=NO_BOUND,
    )


SET_P = Family(
    name="SetP",
    compute=compute_precision,
    parameters=(REL, JUDGED_ONLY),
    trec_eval="set_P",
    facts=_facts(
        "Set precision",
        "The share of the retrieved documents that are relevant.",
        "|retrieved ∩ relevant| / |retrieved|",
        needs_relevant=False,
    ),
)
SET_R = Family(
    name="SetR",
    compute=compute_recall,
    parameters=(REL,),
    trec_eval="set_recall",
    facts=_facts(
        "Set recall",
        "The share of the topic's relevant documents that were retrieved.",
        "|retrieved ∩ relevant| / R",
    ),
)
SET_F = Family(
    name="SetF",
    compute=compute_f,
    parameters=(
        REL,
        Parameter(
            "beta",
            "real",
            "weight of recall, as in trec_eval: the square of van Rijsbergen's β",
            default=1.0,
            at_least=0,
            at_most=1e9,
        ),
        JUDGED_ONLY,
    ),
    trec_eval="set_F",
    facts=_facts(
        "Set F",
        "The weighted harmonic mean of set precision and set recall.",
        "(β + 1) · P · R / (β · P + R)",
        reference=VAN_RIJSBERGEN,
    ),
)
SET_AP = Family(
    name="SetAP",
    compute=compute_ap,
    parameters=(REL, JUDGED_ONLY),
    trec_eval="set_map",
    facts=_facts(
        "Set average precision",
        "Set precision times set recall. Each retrieved relevant document has the set's precision.",
        "P · R",
    ),
)
SET_RELATIVE_P = Family(
    name="set_relative_P",
    compute=compute_relative_precision,
    parameters=(REL,),
    trec_eval="set_relative_P",
    facts=_facts(
        "Relative set precision",
        "Set precision, divided by the highest possible precision of a set of this size.",
        "|retrieved ∩ relevant| / min(|retrieved|, R)",
    ),
)
UTILITY = Family(
    name="utility",
    compute=compute_utility,
    parameters=(REL,),
    trec_eval="utility",
    facts=_facts(
        "Set utility",
        "1 for each retrieved relevant document, minus 1 for each other retrieved document.",
        "|retrieved ∩ relevant| − |retrieved \\ relevant|",
        needs_relevant=False,
        lowest=-math.inf,
        highest=math.inf,
    ),
)
FAMILIES = (SET_P, SET_R, SET_F, SET_AP, SET_RELATIVE_P, UTILITY)
