"""Expected reciprocal rank (Chapelle, Metzler, Zhang and Grinspan, CIKM 2009)."""

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import GradedTopics, Scores
from scoring.core.measures.measure import Arguments, Facts, Family, UserModel
from scoring.core.measures.workings import Workings

# A document of the highest grade stops at least half of the users: after so many none is left.
REST = 64


def compute(arguments: Arguments, workings: Workings) -> Scores:
    """gmax is the highest grade of the campaign's scale. For the upper bound every unknown document
    has it, the ranks after the end too."""
    graded, ranks = workings.graded, workings.ranks_of(arguments.cutoff)
    stops = stop_probabilities(graded)
    base = _expected(stops[graded.grades[:, :ranks]])
    best = stops.copy()
    best[graded.highest_grade + 1 :] = stops.max()
    rest = REST if arguments.cutoff is None else min(REST, arguments.cutoff - ranks)
    chances = best[graded.grades[:, :ranks]]
    chances = np.pad(chances, ((0, 0), (0, rest)), constant_values=stops.max())
    return Scores(base, np.maximum(_expected(chances) - base, 0.0))


def stop_probabilities(graded: GradedTopics) -> NDArray[np.float64]:
    """float64[256]: the probability of stopping at a grade; negative cells count from the end."""
    stops = np.zeros(256)
    grades = np.arange(graded.highest_grade + 1)
    stops[: len(grades)] = (np.exp2(grades) - 1) / np.exp2(graded.highest_grade)
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
    compute=compute,
    cutoff="optional",
    facts=Facts(
        pretty_name="Expected reciprocal rank",
        description=(
            "The expected reciprocal rank at which the user stops. Each document satisfies the "
            "user with a probability that increases with its grade."
        ),
        formula="Σ (1/i) · s_i · Π_{j<i} (1 − s_j), s = (2^grade − 1) / 2^gmax",
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
