"""NERR8 to NERR11: four measures of the C/W/L framework that nearly compute ERR, named after the
equations that define how likely their user reads on.

That is 1 - g after a document of gain g, as in ERR, times a factor that depends on the rank alone.
The score is the expected gain divided by the expected number of documents read.
"""

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.adaptive import gains_at_ranks
from scoring.core.measures.arrays import Scores
from scoring.core.measures.gains import MAP, gains_of_grades
from scoring.core.measures.measure import Arguments, Facts, Family, Parameter, UserModel
from scoring.core.measures.weighted_precision import GAINED, REL_IF_BINARY
from scoring.core.measures.workings import Workings
from scoring.core.special_functions import trigamma

# The factor of each rank: float64[ranks] of int64[ranks].
Factors = Callable[[Arguments, NDArray[np.int64]], NDArray[np.float64]]
# The documents that are read after rank d without any gain, if the next one is read.
Rest = Callable[[Arguments, int], float]

_MOST_RANKS: Final = 100_000  # after the last document, one by one
_NEVER: Final = 40.0  # e^-40 is below the precision of a double


def _computed_by(factors: Factors, rest: Rest) -> Callable[[Arguments, Workings], Scores]:
    """A further gain g at a rank adds g to what is gained and multiplies all that follows by 1 - g.
    What follows gains at most 1 altogether, so that the score does not decrease: the upper bound
    has the highest gain at every unknown document, the ranks after the end too.
    """

    def compute(arguments: Arguments, workings: Workings) -> Scores:
        ranks = workings.ranks_of(arguments.cutoff)
        by_rank = factors(arguments, np.arange(1, ranks + 1))
        highest = 1.0
        if arguments.word("gain") == MAP:
            highest = float(gains_of_grades(MAP, workings.graded).max())

        def score(unknown: float) -> NDArray[np.float64]:
            gains = gains_at_ranks(arguments, workings, ranks, unknown=unknown)
            reads = np.ones((len(gains), ranks + 1))
            np.cumprod(by_rank * (1 - gains), axis=1, out=reads[:, 1:])
            after = reads[:, -1] * _read_after(arguments, ranks, unknown, factors, rest)
            gained = (gains * reads[:, :-1]).sum(axis=1) + unknown * after
            rate: NDArray[np.float64] = gained / (reads[:, :-1].sum(axis=1) + after)
            return rate

        base = score(0.0)
        return Scores(base, np.maximum(score(highest) - base, 0.0))

    return compute


def _read_after(
    arguments: Arguments, depth: int, gain: float, factors: Factors, rest: Rest
) -> float:
    """The documents read after rank `depth`, each with this gain, if the next one is read. Where
    very small gains leave a remainder it counts as if they were none, which makes the score larger:
    the bound stays one."""
    ranks = 0
    if gain > 0:
        # After this many ranks, (1 - gain)^ranks is below e^-40.
        enough = 1 if gain == 1 else math.ceil(-_NEVER / math.log1p(-gain))
        ranks = min(enough, _MOST_RANKS)
    if arguments.cutoff is not None:
        ranks = min(ranks, arguments.cutoff - depth)
    steps = factors(arguments, np.arange(depth + 1, depth + ranks + 1)) * (1 - gain)
    reads = np.cumprod(np.concatenate([[1.0], steps]))
    return float(reads[:-1].sum() + reads[-1] * rest(arguments, depth + ranks))


def _no_factors(_: Arguments, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.ones(len(ranks))


def _rest_to_cutoff(arguments: Arguments, depth: int) -> float:
    return float(arguments.required_cutoff() - depth)


def _reciprocal_factors(_: Arguments, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    return ranks / (ranks + 1)


def _rest_of_reciprocals(arguments: Arguments, depth: int) -> float:
    return float(((depth + 1) / np.arange(depth + 1, arguments.required_cutoff() + 1)).sum())


def _persistence(arguments: Arguments, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.full(len(ranks), arguments.real("p"))


def _rest_of_persistence(arguments: Arguments, _: int) -> float:
    return 1 / (1 - arguments.real("p"))


def _inverse_square_factors(arguments: Arguments, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    after = ranks + 2 * arguments.real("T")
    factors: NDArray[np.float64] = ((after - 1) / after) ** 2
    return factors


def _rest_of_inverse_squares(arguments: Arguments, depth: int) -> float:
    start = depth + 2 * arguments.real("T")
    return float(start**2 * trigamma(np.array(start)))


def _family(
    equation: int,
    factor: str,
    reads_on: str,
    compute: Callable[[Arguments, Workings], Scores],
    parameter: Parameter | None = None,
) -> Family:
    own = () if parameter is None else (parameter,)
    return Family(
        name=f"NERR{equation}",
        compute=compute,
        counts_ranks_past_end=lambda _: True,
        parameters=(*own, REL_IF_BINARY, GAINED),
        cutoff=None if own else "required",
        facts=Facts(
            pretty_name=f"Nearly expected reciprocal rank, equation {equation}",
            description=(
                "The rate of gain of a user who stops at a document with its gain as the "
                f"probability, much as in ERR, and {reads_on}."
            ),
            formula=f"Σ g_i Π_{{j<i}} c_j / Σ Π_{{j<i}} c_j, c_j = {factor}",
            reference=(
                "L. Azzopardi, J. Mackenzie and A. Moffat. ERR is not C/W/L: Exploring the "
                "relationship between expected reciprocal rank and other metrics. ICTIR 2021, "
                f"equation {equation}."
            ),
            relevance="either",
            needs_relevant=False,
            has_residual=True,
            residual="Exact: every unjudged document and missing rank gets the highest gain.",
            user_model=UserModel(
                browsing=(
                    "The user stops at a document with its gain as the probability, and "
                    f"{reads_on}."
                ),
                utility="Each relevant document has the utility 1, or its gain in the gain map.",
                accumulation="The expected gain divided by the average number of documents read.",
            ),
        ),
    )


FAMILIES: Final = (
    _family(
        8,
        "1 − g_j, c_k = 0",
        "otherwise reads on to rank k",
        _computed_by(_no_factors, _rest_to_cutoff),
    ),
    _family(
        9,
        "(1 − g_j) · j / (j + 1), c_k = 0",
        "otherwise reads on with the probability i / (i + 1) after rank i, to rank k at most",
        _computed_by(_reciprocal_factors, _rest_of_reciprocals),
    ),
    _family(
        10,
        "(1 − g_j) · p",
        "otherwise reads on with the probability p",
        _computed_by(_persistence, _rest_of_persistence),
        Parameter("p", "real", "persistence", 0.9, at_least=0, below=1),
    ),
    _family(
        11,
        "(1 − g_j) · ((j + 2T − 1) / (j + 2T))²",
        "otherwise reads on with a probability that increases with the rank and with T",
        _computed_by(_inverse_square_factors, _rest_of_inverse_squares),
        Parameter(
            "T", "real", "how many relevant documents the user wants", 1.0, above=0, at_most=1e6
        ),
    ),
)
