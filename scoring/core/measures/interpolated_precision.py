"""Interpolated precision at recall levels, its means, and the area under the curve.

Interpolated precision at recall r is the highest precision at recall r or more. A level is reached
at ceil(r R) relevant documents: the level is taken as the decimal number typed and the product
computed in integers. trec_eval 10 takes lround(r R) instead, and its names `iprec_at_recall_r` and
`11pt_avg` stand for `levels=trec_eval`. trec_eval 9 and pytrec_eval take (long)(r R + .9), which in
floating point can be one document too few.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.average_precision import compute_ap
from scoring.core.measures.measure import (
    JUDGED_ONLY,
    NO,
    REL,
    YES,
    Arguments,
    Facts,
    Family,
    Parameter,
    format_value,
)
from scoring.core.measures.precision import BUCKLEY_VOORHEES, share
from scoring.core.measures.workings import Workings

EXACT, TREC_EVAL, TREC_EVAL_9 = "exact", "trec_eval", "trec_eval_9"
ELEVEN_LEVELS = tuple(tenth / 10 for tenth in range(11))
THREE_LEVELS = (0.2, 0.5, 0.8)


def interpolated(rel: int, workings: Workings) -> NDArray[np.float64]:
    """float64[topics, most relevant retrieved]: the highest precision at the jth relevant document
    or below it, 0 where there is no jth.

    >>> interpolated(1, workings).tolist()
    [[1.0, 0.5], [0.0, 0.0]]
    """

    def make() -> NDArray[np.float64]:
        relevant = workings.relevant(rel, workings.graded.depth)
        precisions = relevant.table(relevant.ordinals / (relevant.positions + 1))
        return np.maximum.accumulate(precisions[:, ::-1], axis=1)[:, ::-1]

    return workings.shared(("interpolated", rel), make)


def needed(level: float, rounding: str, known: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[topics]: how many relevant documents reach the recall level, at least 1.

    40 % of three documents are 1.2. 70 % are 2.1, to which .9 adds 2.9999999999999996:

    >>> three, words = np.array([3]), LEVELS.words
    >>> [(word, needed(0.4, word, three).item(), needed(0.7, word, three).item()) for word in words]
    [('exact', 2, 3), ('trec_eval', 1, 2), ('trec_eval_9', 2, 2)]
    """
    if rounding == TREC_EVAL:
        product = level * known
        whole = np.floor(product)
        count = (whole + (product - whole >= 0.5)).astype(np.int64)  # lround: halves go up
    elif rounding == TREC_EVAL_9:
        count = (level * known + 0.9).astype(np.int64)
    else:
        # The number as it was typed: .1 as a double is a little more than a tenth.
        exact = Fraction(format_value(level))
        by_count = {
            each: -(-each * exact.numerator // exact.denominator) for each in set(known.tolist())
        }
        count = np.array([by_count[each] for each in known.tolist()], np.int64)
    at_least_one: NDArray[np.int64] = np.maximum(count, 1)
    return at_least_one


def at_level(level: float, arguments: Arguments, workings: Workings) -> NDArray[np.float64]:
    """float64[topics]: interpolated precision, 0 where the level is not reached.

    >>> at_level(0.5, arguments("IPrec11"), workings).tolist()
    [0.5, 0.0]
    """
    rel = arguments.integer("rel")
    curve = interpolated(rel, workings)
    places = needed(level, arguments.word("levels"), workings.graded.relevant_count(rel)) - 1
    precision = np.zeros(len(curve))
    reached = places < curve.shape[1]
    precision[reached] = curve[np.flatnonzero(reached), places[reached]]
    return precision


def compute_at_level(arguments: Arguments, workings: Workings) -> Scores:
    """0 where the level is not reached.

    >>> compute_at_level(arguments("IPrec@0.7"), workings).base.tolist()  # two of three were found
    [0.0, 0.0]
    """
    return Scores(at_level(arguments.level, arguments, workings), None)


def compute_eleven(arguments: Arguments, workings: Workings) -> Scores:
    """The mean over recall 0, .1, .2, ..., 1.

    >>> compute_eleven(arguments("IPrec11"), workings).base.tolist()  # (4 · 1 + 3 · 1/2) / 11
    [0.5, 0.0]
    """
    return _mean(ELEVEN_LEVELS, arguments, workings)


def compute_three(arguments: Arguments, workings: Workings) -> Scores:
    """The mean over recall .2, .5, .8.

    >>> compute_three(arguments("IPrec3"), workings).base.tolist()  # (1 + 1/2) / 3
    [0.5, 0.0]
    """
    return _mean(THREE_LEVELS, arguments, workings)


def _mean(levels: tuple[float, ...], arguments: Arguments, workings: Workings) -> Scores:
    total = sum((at_level(each, arguments, workings) for each in levels), start=np.zeros(1))
    return Scores(total / len(levels), None)


def compute_area(arguments: Arguments, workings: Workings) -> Scores:
    """Σ P(n) (R(n) - R(n-1)): recall rises by 1/R at every relevant document, so the area under
    the curve itself is AP exactly; the interpolated one takes the interpolated precisions.

    With relevant documents at ranks 2 and 3, 2/3 is the interpolated precision of both:

    >>> late = GradedTopics(np.array([[0, 1, 1]], np.int8), np.array([[1, 2]]), np.arange(2.0))
    >>> compute_area(arguments("AUC(interpolated)"), Workings(late)).base.round(4).tolist()
    [0.6667]
    """
    if arguments.word("interpolated") == NO:
        return compute_ap(arguments, workings)
    rel = arguments.integer("rel")
    relevant = workings.relevant(rel, workings.graded.depth)
    sums = relevant.sums(interpolated(rel, workings)[relevant.rows, relevant.ordinals - 1])
    return Scores(share(sums, workings.graded.relevant_count(rel)), None)


LEVELS = Parameter(
    "levels",
    "word",
    "how many relevant documents reach a recall level: exactly, or as trec_eval 10 or 9 rounds",
    default=EXACT,
    words=(EXACT, TREC_EVAL, TREC_EVAL_9),
)


def _facts(pretty_name: str, description: str, formula: str) -> Facts:
    return Facts(
        pretty_name=pretty_name,
        description=description,
        formula=formula,
        reference=BUCKLEY_VOORHEES,
        relevance="binary",
        needs_relevant=True,
    )


IPREC = Family(
    name="IPrec",
    compute=compute_at_level,
    parameters=(REL, LEVELS, JUDGED_ONLY),
    cutoff="recall",
    facts=_facts(
        "Interpolated precision at a recall level",
        "The highest precision at any rank where recall has reached the level, or 0 if none has.",
        "max {P@i : R@i ≥ r}",
    ),
)
IPREC11 = Family(
    name="IPrec11",
    compute=compute_eleven,
    parameters=(REL, LEVELS),
    facts=_facts(
        "Eleven-point average precision",
        "The mean of interpolated precision at recall 0, .1, .2, and so on to 1.",
        "(1/11) · Σ_{r=0,.1,...,1} IPrec@r",
    ),
)
IPREC3 = Family(
    name="IPrec3",
    compute=compute_three,
    parameters=(REL, LEVELS),
    facts=_facts(
        "Three-point average precision",
        "The mean of interpolated precision at recall .2, .5 and .8.",
        "(1/3) · Σ_{r=.2,.5,.8} IPrec@r",
    ),
)
AUC = Family(
    name="AUC",
    compute=compute_area,
    parameters=(
        REL,
        Parameter(
            "interpolated",
            "word",
            "whether to interpolate the curve first",
            default=NO,
            words=(NO, YES),
        ),
    ),
    facts=_facts(
        "Area under the precision-recall curve",
        "The area under precision as a function of recall. Without interpolation it equals AP.",
        "Σ P(n) · (R(n) − R(n−1))",
    ),
)
FAMILIES = (IPREC, IPREC11, IPREC3, AUC)
