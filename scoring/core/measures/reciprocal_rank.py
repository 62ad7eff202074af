"""Measures of the ranks at which relevant documents are found: reciprocal rank (of the first, of
the nth, damped, expected), and of effort, where lower is better, search length and RankPower."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import GradedTopics, Scores
from scoring.core.measures.gains import EXP, GRADE, best_first, gains_of_grades
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


def compute_reciprocal_rank(arguments: Arguments, workings: Workings) -> Scores:
    """The upper bound takes the first rank that is relevant or could be: an unjudged document, or
    the rank after the last one if that is within the cutoff. The sceptical user (nth) looks for
    the nth such rank, the cautious one (damp) adds a constant to it.

    >>> scores = compute_reciprocal_rank(arguments("RR"), workings)
    >>> scores.base.tolist(), scores.residual.tolist()
    ([1.0, 0.0], [0.0, 0.5])
    """
    rel, nth = arguments.integer("rel"), arguments.integer("nth")
    damp, cutoff = arguments.real("damp"), arguments.cutoff

    def worth(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        reciprocal: NDArray[np.float64] = 1 / (damp + ranks)
        return reciprocal if cutoff is None else np.where(ranks <= cutoff, reciprocal, 0.0)

    relevant = workings.relevant(rel, workings.ranks_of(cutoff))
    base = workings.worth_of_nth(relevant, nth, worth)
    possible = workings.possible_to(nth, rel, workings.ranks_of(cutoff))
    upper = workings.worth_of_nth(possible, nth, worth)
    # Every rank after the end is possible: the nth lies as far after it as documents are lacking.
    missing = (possible.counts < nth).nonzero()[0]
    upper[missing] = worth((workings.graded.lengths + nth - possible.counts)[missing])
    return Scores(base, np.maximum(upper - base, 0.0))


RR = Family(
    name="RR",
    compute=compute_reciprocal_rank,
    parameters=(
        REL,
        Parameter(
            "nth",
            "integer",
            "which relevant document the user needs (2: a sceptical user)",
            default=1,
            at_least=1,
        ),
        Parameter(
            "damp",
            "real",
            "a constant that is added to the rank (further documents that a cautious user reads)",
            default=0.0,
            at_least=0,
            at_most=1e9,
        ),
        JUDGED_ONLY,
    ),
    cutoff="optional",
    trec_eval="recip_rank",
    facts=Facts(
        pretty_name="Reciprocal rank",
        description=(
            "1 divided by the rank of the first relevant document, or 0 if there is none. nth=2 "
            "uses the second relevant document. damp adds a constant to the rank."
        ),
        formula="1 / (damp + min{i : Σ_{j≤i} b_j = nth})",
        reference=(
            "E. M. Voorhees. The TREC-8 question answering track report. TREC-8, 1999; "
            "user model: RBP paper (TOIS 27(1), 2008), section 4.3."
        ),
        relevance="binary",
        needs_relevant=False,
        has_residual=True,
        residual=(
            "Exact: from the first relevant rank, and the first rank that is or could be relevant."
        ),
        user_model=UserModel(
            browsing="The user reads down to the first relevant document and stops there.",
            utility="The first relevant document has the utility 1.",
            accumulation="The utility, divided by the number of documents read.",
        ),
    ),
)


# A document of the highest grade stops at least half of the users: after this many none is left.
REST = 64
STOPPING = Parameter(
    "gain",
    "word",
    "by what a document satisfies the user: 2^grade − 1, or the grade",
    default=EXP,
    words=(EXP, GRADE),
)


def compute_expected(arguments: Arguments, workings: Workings) -> Scores:
    """gmax is the highest grade of the campaign's scale. For the upper bound every unknown document
    has it, the ranks after the end too.

    >>> compute_expected(arguments("ERR"), workings).base.tolist()  # 1/2 + 1/2 · 1/2 / 4
    [0.5625, 0.0]
    """
    graded, ranks = workings.graded, workings.ranks_of(arguments.cutoff)
    stops = stop_probabilities(arguments.word("gain"), graded)
    base = _expected(stops[graded.grades[:, :ranks]])
    best = stops.copy()
    best[graded.highest_grade + 1 :] = stops.max()
    rest = REST if arguments.cutoff is None else min(REST, arguments.cutoff - ranks)
    chances = best[graded.grades[:, :ranks]]
    chances = np.pad(chances, ((0, 0), (0, rest)), constant_values=stops.max())
    return Scores(base, np.maximum(_expected(chances) - base, 0.0))


def stop_probabilities(kind: str, graded: GradedTopics) -> NDArray[np.float64]:
    """float64[256]: the probability of stopping at a grade, from gains of this kind; negative cells
    count from the end.

    >>> stop_probabilities("exp", graded)[:2].tolist()  # (2 - 1) / 2
    [0.0, 0.5]
    """
    stops = np.zeros(256)
    gains = gains_of_grades(kind, graded)
    stops[: len(gains)] = gains / (gains.max() + 1)
    return stops


def _expected(stops: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[topics] from the chance of stopping at each rank."""
    arrives = np.ones_like(stops)
    np.cumprod(1 - stops[:, :-1], axis=1, out=arrives[:, 1:])
    ranks = np.arange(1, stops.shape[1] + 1)
    expected: NDArray[np.float64] = (stops * arrives / ranks).sum(axis=1)
    return expected


ERR = Family(
    name="ERR",
    compute=compute_expected,
    counts_ranks_past_end=lambda _: True,
    parameters=(STOPPING, JUDGED_ONLY),
    cutoff="optional",
    facts=Facts(
        pretty_name="Expected reciprocal rank",
        description=(
            "The expected reciprocal rank at which the user stops. Each document satisfies the "
            "user with a probability that increases with its grade."
        ),
        formula=(
            "Σ (1/i) · s_i · Π_{j<i} (1 − s_j), s = (2^grade − 1) / 2^gmax, or with gain=grade "
            "s = grade / (gmax + 1)"
        ),
        reference=(
            "O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan. Expected reciprocal rank for "
            "graded relevance. CIKM 2009."
        ),
        relevance="graded",
        needs_relevant=False,
        has_residual=True,
        residual="Exact: every unjudged document and missing rank gets the highest grade.",
        user_model=UserModel(
            browsing="The user reads down the list and stops at each document with probability s.",
            utility="The document at which the user stops has the utility 1.",
            accumulation="The utility, divided by the number of documents read.",
        ),
    ),
)


def compute_normalised(arguments: Arguments, workings: Workings) -> Scores:
    """0 where no judged document can satisfy the user.

    >>> compute_normalised(arguments("nERR"), workings).base.tolist()  # over 1/2 + 1/8 + 1/24
    [0.84375, 0.0]
    """
    graded, cutoff = workings.graded, arguments.cutoff
    stops = stop_probabilities(arguments.word("gain"), graded)
    reached = _expected(stops[graded.grades[:, : workings.ranks_of(cutoff)]])
    worth = stops[: graded.highest_grade + 1]
    best = _ideal_expected(worth.tobytes(), graded.grade_counts.tobytes(), cutoff)
    return Scores(np.divide(reached, best, out=np.zeros_like(best), where=best > 0), None)


@lru_cache(maxsize=16)  # one for all runs of a campaign: it depends on the qrels alone
def _ideal_expected(worth: bytes, grade_counts: bytes, cutoff: int | None) -> NDArray[np.float64]:
    """float64[topics]: what the best ranking of each topic has, from the chance of stopping at each
    grade and the judged documents of every topic and grade."""
    stops = np.frombuffer(worth)
    counts = np.frombuffer(grade_counts, np.int64).reshape(-1, len(stops))
    places, best_first_stops = best_first(stops, counts, cutoff)
    best = _expected(places.table(best_first_stops))
    # It is cached: a caller that wrote into it would change the scores of others.
    best.setflags(write=False)
    return best


NERR = Family(
    name="nERR",
    compute=compute_normalised,
    parameters=(STOPPING,),
    cutoff="optional",
    facts=Facts(
        pretty_name="Normalised expected reciprocal rank",
        description=(
            "Expected reciprocal rank, divided by that of the ideal ranking of all judged "
            "documents."
        ),
        formula="ERR@k / ERR@k of the ideal ranking",
        reference=(
            "T. Sakai and R. Song. Evaluating diversified search results using per-intent graded "
            "relevance. SIGIR 2011."
        ),
        relevance="graded",
        needs_relevant=True,
    ),
)


def compute_search_length(arguments: Arguments, workings: Workings) -> Scores:
    """Counts the documents before the nth relevant one that are not relevant, as Cooper does (the
    RBP paper says "documents retrieved"). Undefined with fewer than n relevant retrieved.

    >>> compute_search_length(arguments("ESL(n=2)"), workings).base.tolist()  # 4 - 2
    [2.0, nan]
    """
    wanted = arguments.integer("n")
    relevant = workings.relevant(arguments.integer("rel"), workings.graded.depth)
    length = workings.rank_of_nth(relevant, wanted) - wanted
    return Scores(length / wanted if arguments.integer("per") else length, None)


def compute_rank_power(arguments: Arguments, workings: Workings) -> Scores:
    """Undefined where nothing relevant was retrieved.

    >>> compute_rank_power(arguments("RankPower"), workings).base.tolist()  # (1 + 4) / 2²
    [1.25, nan]
    """
    relevant = workings.relevant(arguments.integer("rel"), workings.graded.depth)
    ranks, counts = relevant.sums((relevant.positions + 1).astype(np.float64)), relevant.counts
    undefined = np.full(len(ranks), np.nan)
    return Scores(np.divide(ranks, counts**2, out=undefined, where=counts > 0), None)


ESL = Family(
    name="ESL",
    compute=compute_search_length,
    parameters=(
        Parameter(
            "n", "integer", "how many relevant documents the user needs", at_least=1, at_most=1e6
        ),
        REL,
        Parameter(
            "per",
            "integer",
            "1: divide by n, to give the length per required document",
            default=0,
            at_least=0,
            at_most=1,
        ),
    ),
    facts=Facts(
        pretty_name="Expected search length",
        description=(
            "The number of non-relevant documents that a user reads before the nth relevant one. "
            "Lower is better. Not defined if fewer than n relevant documents are retrieved."
        ),
        formula="(rank of the nth relevant) − n, with per=1 divided by n",
        reference=(
            "W. S. Cooper. Expected search length: a single measure of retrieval effectiveness "
            "based on weak ordering action of retrieval systems. American Documentation, 1968."
        ),
        range=(0.0, math.inf),
        direction="lower",
        relevance="binary",
        needs_relevant=False,
        residual="None is shown: it is not defined if the list may end too early.",
        user_model=UserModel(
            browsing="The user reads down to the nth relevant document.",
            utility=(
                "The user needs n relevant documents, and each has the cost of the documents read "
                "for it."
            ),
            accumulation="The number of non-relevant documents read.",
        ),
    ),
)
RANK_POWER = Family(
    name="RankPower",
    compute=compute_rank_power,
    parameters=(REL,),
    facts=Facts(
        pretty_name="RankPower",
        description=(
            "The mean rank of the retrieved relevant documents, divided by their number. Lower is "
            "better. Not defined if none is retrieved."
        ),
        formula="Σ (ranks of relevant documents retrieved) / n², n their number",
        reference=(
            "X. Meng and Z. Chen. On user-oriented measurements of effectiveness of web "
            "information retrieval systems. International Conference on Internet Computing, 2004."
        ),
        range=(0.5, math.inf),
        direction="lower",
        relevance="binary",
        needs_relevant=False,
        residual="None: each further judgment can increase or decrease the score.",
    ),
)
SEARCH_LENGTHS = (ESL, RANK_POWER)
