"""Weighted precisions of infinite depth beside RBP: INSQ and the harmonic weights.

Their weights sum to 1 over all ranks, so that residuals are computed as those of RBP are.
"""

from dataclasses import replace

import numpy as np

from scoring.core.measures.arrays import Scores
from scoring.core.measures.gains import MAP, rewarded
from scoring.core.measures.measure import REL, Arguments, Facts, Family, Parameter, UserModel
from scoring.core.measures.weighted import Weighting, Weights, score_weighting
from scoring.core.measures.workings import Workings
from scoring.core.special_functions import trigamma

BINARY = "binary"
GAINED = Parameter(
    "gain",
    "word",
    "1 for each relevant document, or the campaign's gain map",
    default=BINARY,
    words=(BINARY, MAP),
)
REL_IF_BINARY = replace(REL, only_with=("gain", BINARY))
HARMONIC = "harmonic"


def binary_or_mapped(arguments: Arguments, workings: Workings, weights: Weights) -> Weighting:
    """With gain=map the residual uses the highest worth of the map, ranks after the end too.

    >>> weights = harmonic_weights(2, None)
    >>> binary_or_mapped(arguments("RBP(p=0.5,gain=map)"), workings, weights).gains.tolist()
    [0.0, 1.0]
    """
    if arguments.word("gain") == BINARY:
        return Weighting(weights, arguments.integer("rel"))
    return Weighting(weights, *rewarded(MAP, workings.graded))


def inverse_square_weights(target: float, ranks: int, cutoff: int | None) -> Weights:
    """1/(i + 2T - 1)² over its sum, the trigamma function of 2T; the tails are trigamma too.

    >>> weights = inverse_square_weights(1.0, 2, None)
    >>> weights.by_rank.round(4).tolist(), round(weights.norm, 4)  # 1/4, 1/9, and π²/6 - 1
    ([0.25, 0.1111], 0.6449)
    """
    start = 2 * target
    after = trigamma(start + np.arange(ranks + 1))
    total = float(after[0])
    if cutoff is not None:
        after = after - trigamma(np.array(start + cutoff))
    return Weights(1 / (start + np.arange(ranks)) ** 2, after, norm=total)


def harmonic_weights(ranks: int, cutoff: int | None) -> Weights:
    """1/(i (i + 1)), and 1/(d + 1) after d documents.

    >>> weights = harmonic_weights(2, None)
    >>> weights.by_rank.round(4).tolist(), weights.after.round(4).tolist()
    ([0.5, 0.1667], [1.0, 0.5, 0.3333])
    """
    positions = np.arange(ranks + 1, dtype=np.float64)
    after = 1 / (positions + 1)
    if cutoff is not None:
        after = after - 1 / (cutoff + 1)
    return Weights(1 / ((positions[:-1] + 1) * (positions[:-1] + 2)), after)


def compute_insq(arguments: Arguments, workings: Workings) -> Scores:
    """INSQ@k leaves out all ranks after k, in the base and in what is unknown.

    The weights are (1/4, 1/9, 1/16, 1/25, ...) / .6449.

    >>> compute_insq(arguments("INSQ(T=1)"), workings).base.round(4).tolist()
    [0.4497, 0.0]
    """
    ranks = workings.ranks_of(arguments.cutoff)
    weights = inverse_square_weights(arguments.real("T"), ranks, arguments.cutoff)
    return score_weighting(workings, binary_or_mapped(arguments, workings, weights))


def compute_wp(arguments: Arguments, workings: Workings) -> Scores:
    """WP@k leaves out all ranks after k, in the base and in what is unknown.

    >>> scores = compute_wp(arguments("WP(w=harmonic)"), workings)
    >>> scores.base.round(4).tolist(), scores.residual.round(4).tolist()  # 1/12 + 1/5, 1/6 + 1/3
    ([0.55, 0.0], [0.2833, 0.5])
    """
    weights = harmonic_weights(workings.ranks_of(arguments.cutoff), arguments.cutoff)
    return score_weighting(workings, binary_or_mapped(arguments, workings, weights))


INSQ = Family(
    name="INSQ",
    compute=compute_insq,
    parameters=(
        Parameter(
            "T", "real", "how many relevant documents the user expects", above=0, at_most=1e6
        ),
        REL_IF_BINARY,
        GAINED,
    ),
    cutoff="optional",
    facts=Facts(
        pretty_name="Inverse squares",
        description=(
            "The rate of gain of a user who expects T relevant documents and becomes more patient "
            "with every document read."
        ),
        formula="Σ g_i · w_i, w_i proportional to 1 / (i + 2T − 1)²",
        reference=(
            "A. Moffat, F. Scholer and P. Thomas. Models and metrics: IR evaluation as a user "
            "process. ADCS 2012."
        ),
        relevance="either",
        needs_relevant=False,
        has_residual=True,
        residual="The weight of every rank that is unjudged or after the end of the list.",
        user_model=UserModel(
            browsing=(
                "The user continues from rank i with probability ((i + 2T − 1) / (i + 2T))², which "
                "increases with the rank."
            ),
            utility="Each relevant document has the utility 1, or its gain in the gain map.",
            accumulation="The expected gain divided by the average number of documents read.",
        ),
    ),
)
WP = Family(
    name="WP",
    compute=compute_wp,
    parameters=(
        Parameter("w", "word", "the weights of the ranks", words=(HARMONIC,)),
        REL_IF_BINARY,
        GAINED,
    ),
    cutoff="optional",
    facts=Facts(
        pretty_name="Weighted precision",
        description="The gains weighted by 1/(i(i + 1)), which sum to 1 over all ranks.",
        formula="Σ g_i / (i · (i + 1))",
        reference="A. Moffat. Seven numeric properties of effectiveness metrics. AIRS 2013.",
        relevance="either",
        needs_relevant=False,
        has_residual=True,
        residual=(
            "1/(d + 1) after a list of d documents, and 1/(i(i + 1)) for an unjudged document at i."
        ),
        user_model=UserModel(
            browsing="The user continues from rank i with probability i / (i + 2).",
            utility="Each relevant document has the utility 1, or its gain in the gain map.",
            accumulation="The expected gain per document read.",
        ),
    ),
)
FAMILIES = (INSQ, WP)
