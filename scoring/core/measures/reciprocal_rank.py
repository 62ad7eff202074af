"""Reciprocal rank of the first relevant document, or of the nth, or damped."""

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import Scores
from scoring.core.measures.measure import REL, Arguments, Facts, Family, Parameter, UserModel
from scoring.core.measures.workings import Places, Workings


def compute(arguments: Arguments, workings: Workings) -> Scores:
    """The upper bound takes the first rank that is relevant or could be: an unjudged document, or
    the rank after the last one if that is within the cutoff (measures.md section 3). The sceptical
    user (nth) looks for the nth such rank, the cautious one (damp) adds a constant to it."""
    nth, damp = arguments.integer("nth"), arguments.real("damp")
    if nth == 1 and damp == 0:
        return _plain(arguments, workings)
    rel, ranks = arguments.integer("rel"), workings.ranks_of(arguments.cutoff)
    found = nth_ranks(workings.relevant(rel, ranks), nth)
    possible = workings.possible(rel, ranks)
    best = nth_ranks(possible, nth, lengths=workings.graded.lengths, cutoff=arguments.cutoff)
    base = 1 / (damp + found)
    return Scores(base, 1 / (damp + best) - base)


def nth_ranks(
    places: Places,
    nth: int,
    *,
    lengths: NDArray[np.int64] | None = None,
    cutoff: int | None = None,
) -> NDArray[np.float64]:
    """float64[topics]: the rank of the nth of the places, infinite where there are fewer; given
    the lengths of the lists, the ranks after them count as places too, to the cutoff."""
    ranks = np.full(len(places.bounds) - 1, np.inf)
    if lengths is not None:
        ranks[:] = lengths + (nth - places.counts)
        if cutoff is not None:
            ranks[ranks > cutoff] = np.inf
    enough = places.counts >= nth
    ranks[enough] = places.positions[places.bounds[:-1][enough] + (nth - 1)] + 1
    return ranks


def _plain(arguments: Arguments, workings: Workings) -> Scores:
    ranks = workings.ranks_of(arguments.cutoff)
    first_relevant = workings.relevant(arguments.integer("rel"), ranks).first_ranks()
    first_missing = workings.graded.lengths + 1.0
    if arguments.cutoff is not None:
        first_missing[first_missing > arguments.cutoff] = np.inf
    first_unknown = np.minimum(workings.unjudged(ranks).first_ranks(), first_missing)
    base = 1 / first_relevant  # 1 / infinity is 0: nothing relevant was retrieved
    return Scores(base, 1 / np.minimum(first_relevant, first_unknown) - base)


RR = Family(
    name="RR",
    version=1,
    compute=compute,
    parameters=(
        REL,
        Parameter(
            "nth",
            "integer",
            "which relevant document the user waits for (2: a sceptical user)",
            default=1,
            at_least=1,
        ),
        Parameter(
            "damp",
            "real",
            "what is added to the rank (documents a cautious user reads on)",
            default=0.0,
            at_least=0,
            at_most=1e9,
        ),
    ),
    cutoff="optional",
    trec_eval="recip_rank",
    facts=Facts(
        pretty_name="Reciprocal rank",
        description=(
            "One divided by the rank of the first relevant document, 0 without one; nth=2 takes "
            "the second, damp adds a constant to the rank."
        ),
        formula="1 / (damp + min{i : Σ_{j≤i} b_j = nth})",
        reference=(
            "E. M. Voorhees. The TREC-8 question answering track report. TREC-8, 1999; "
            "user model: RBP paper (TOIS 27(1), 2008), section 4.3."
        ),
        range=(0.0, 1.0),
        direction="higher",
        relevance="binary",
        needs_relevant=False,
        view="rank",
        has_residual=True,
        residual="Exact: the first rank that is relevant or could be, and the first that is.",
        user_model=UserModel(
            browsing="The user reads down to the first relevant document and stops there.",
            utility="The first relevant document is worth 1.",
            accumulation="What was gained, divided by the documents read.",
        ),
    ),
)
