"""Measures of users who read on or stop by what they found: INST and the Bejeweled player model."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.gains import MAP, gains_of_grades
from scoring.core.measures.measure import Arguments, Facts, Family, Parameter, UserModel
from scoring.core.measures.weighted_precision import BINARY, GAINED, REL_IF_BINARY
from scoring.core.measures.workings import Workings
from scoring.core.special_functions import trigamma

_ROUNDING: Final = 1e-12  # ten gains of .1 add up to less than 1


def gains_at_ranks(
    arguments: Arguments, workings: Workings, ranks: int, *, unknown: float = 0.0
) -> NDArray[np.float64]:
    """float64[topics, ranks]: the gain of each document, `unknown` where nobody judged it and after
    the last one.

    >>> gains_at_ranks(arguments("INST"), workings, 4, unknown=0.5).tolist()
    [[1.0, 0.0, 0.5, 1.0], [0.0, 0.5, 0.5, 0.5]]
    """
    graded = workings.graded
    gains = np.full(256, unknown)  # negative cells count from the end
    if arguments.word("gain") == BINARY:
        gains[: graded.highest_grade + 1] = 0.0
        gains[arguments.integer("rel") : graded.highest_grade + 1] = 1.0
    else:
        gains[: graded.highest_grade + 1] = gains_of_grades(MAP, graded)
    found: NDArray[np.float64] = gains[graded.grades[:, :ranks]]
    return found


def compute_inst(arguments: Arguments, workings: Workings) -> Scores:
    """After the last document nothing is gained in the base, so that the weights of these ranks are
    inverse squares, whose sum is the trigamma function; in the upper bound every document is
    relevant there, and the weights are a geometric series.

    With s = i + T + T_i the weight of a rank is multiplied by ((s - 1) / s)², and s stays as it is
    after a relevant document and grows by 1 after another. By induction over the ranks below, one
    more relevant document increases Σ g·w and decreases Σ w: all unknown documents relevant is the
    upper bound. That holds for gains of 0 and 1.

    With T = 1 and a single, relevant document the base is 6/π².

    >>> single = GradedTopics(np.array([[1]], np.int8), np.array([[0, 1]]), np.arange(2.0))
    >>> scores = compute_inst(arguments("INST(T=1)"), Workings(single))
    >>> scores.base.round(4).tolist(), (scores.base + scores.residual).round(4).tolist()
    ([0.6079], [1.0])
    """
    wanted, depth = arguments.real("T"), workings.graded.depth
    base = _rate(gains_at_ranks(arguments, workings, depth), wanted, goes_on_relevant=False)
    if arguments.word("gain") != BINARY:
        return Scores(base, None)
    possible = gains_at_ranks(arguments, workings, depth, unknown=1.0)
    upper = _rate(possible, wanted, goes_on_relevant=True)
    return Scores(base, np.maximum(upper - base, 0.0))


def _rate(
    gains: NDArray[np.float64], wanted: float, *, goes_on_relevant: bool
) -> NDArray[np.float64]:
    """float64[topics]: the gain per document read, of float64[topics, ranks] and all ranks after
    these."""
    topics, depth = gains.shape
    steps = np.arange(depth + 1) + 2 * wanted * np.ones((topics, 1))  # s before rank 1, 2, ...
    steps[:, 1:] -= gains.cumsum(axis=1)
    reads = np.ones((topics, depth + 1))
    np.cumprod(((steps[:, 1:] - 1) / steps[:, 1:]) ** 2, axis=1, out=reads[:, 1:])
    last = steps[:, -1]
    series = 1 / (2 * last - 1) if goes_on_relevant else trigamma(last)
    after = reads[:, -1] * last**2 * series
    gained = (gains * reads[:, :-1]).sum(axis=1) + (after if goes_on_relevant else 0.0)
    rate: NDArray[np.float64] = gained / (reads[:, :-1].sum(axis=1) + after)
    return rate


def compute_bpm(arguments: Arguments, workings: Workings) -> Scores:
    """A user who comes to the end of the list reads on to the cutoff, without a gain.

    >>> compute_bpm(arguments("BPM(T=1)@10"), workings).base.tolist()  # stops at rank 1, and at 10
    [1.0, 0.0]
    >>> compute_bpm(arguments("BPM(T=3)@10"), workings).base.tolist()
    [0.2, 0.0]
    """
    cutoff, wanted = arguments.required_cutoff(), arguments.real("T")
    gains = gains_at_ranks(arguments, workings, workings.ranks_of(cutoff))
    gained = gains.cumsum(axis=1)
    is_enough = gained >= wanted * (1 - _ROUNDING)
    has_enough = is_enough.any(axis=1)
    # argmax is 0 also where nothing is enough: `has_enough` tells the two apart.
    last = is_enough.argmax(axis=1) if gains.shape[1] else np.zeros(len(gains), np.int64)
    read = np.where(has_enough, last + 1, cutoff)
    at_end = np.where(has_enough, last, gains.shape[1] - 1)
    total = gained[np.arange(len(gains)), at_end] if gains.shape[1] else np.zeros(len(gains))
    return Scores(total / read, None)


def _family(
    name: str,
    compute: Callable[[Arguments, Workings], Scores],
    target: Parameter,
    facts: Facts,
    *,
    has_cutoff: bool,
) -> Family:
    return Family(
        name=name,
        compute=compute,
        counts_ranks_past_end=lambda _: not has_cutoff,
        parameters=(target, REL_IF_BINARY, GAINED),
        cutoff="required" if has_cutoff else None,
        facts=facts,
    )


INST = _family(
    "INST",
    compute_inst,
    # Below .5 the probability of continuing after a relevant first document would not be one.
    Parameter(
        "T", "real", "how many relevant documents the user wants", 1.0, at_least=0.5, at_most=1e6
    ),
    Facts(
        pretty_name="INST",
        description=(
            "The rate of gain of a user who wants T relevant documents, reads on more patiently "
            "with every rank, and less so the more of them were found."
        ),
        formula=(
            "Σ g_i Π_{j<i} c_j / Σ Π_{j<i} c_j, c_j = ((j + T + T_j − 1) / (j + T + T_j))², "
            "T_j = T − Σ_{l≤j} g_l"
        ),
        reference=(
            "A. Moffat, P. Bailey, F. Scholer and P. Thomas. INST: An adaptive metric for "
            "information retrieval evaluation. ADCS 2015."
        ),
        relevance="either",
        needs_relevant=False,
        has_residual=True,
        residual=(
            "The difference from the score with all unjudged documents and missing ranks "
            "relevant. With gain=map none is shown."
        ),
        user_model=UserModel(
            browsing=(
                "The user continues with a probability that increases with the rank and decreases "
                "with each relevant document."
            ),
            utility="Each relevant document has the utility 1, or its gain in the gain map.",
            accumulation="The expected gain divided by the average number of documents read.",
        ),
    ),
    has_cutoff=False,
)
BPM = _family(
    "BPM",
    compute_bpm,
    Parameter("T", "real", "the gain after which the user stops", 1.0, above=0, at_most=1e6),
    Facts(
        pretty_name="Bejeweled player model",
        description=(
            "The mean gain per document of a user who stops after a gain of T, or at rank k. "
            "T and k do not change while the user reads."
        ),
        formula="Σ_{i≤s} g_i / s, s = min(k, min{i : Σ_{j≤i} g_j ≥ T})",
        reference=(
            "F. Zhang, Y. Liu, X. Li, M. Zhang, Y. Xu and S. Ma. Evaluating web search with a "
            "bejeweled player model. SIGIR 2017."
        ),
        relevance="either",
        needs_relevant=False,
        residual="None: a further gain can end the reading before better documents.",
        user_model=UserModel(
            browsing="The user reads down to a gain of T or to rank k, whichever comes first.",
            utility="Each relevant document has the utility 1, or its gain in the gain map.",
            accumulation="The gain divided by the number of documents read.",
        ),
    ),
    has_cutoff=True,
)
FAMILIES = (INST, BPM)
