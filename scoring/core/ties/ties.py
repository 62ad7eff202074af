"""The three ways to score a run whose retrieval scores tie.

1. `docno`: the order of the ranking, trec_eval's. That is `evaluate` itself.
2. `expected`: the mean over all orderings within tied groups, by closed forms in linear time.
3. `bounds`: the worst and the best ordering, to see what only ties decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import GradedTopics, Scores
from scoring.core.measures.graded import evaluate, evaluate_by
from scoring.core.measures.measure import Measure
from scoring.core.ties.expectations import TiedWorkings
from scoring.core.ties.groups import TiedTopics

__all__ = [
    "NoTieRule",
    "TieBounds",
    "TiedTopics",
    "bounds",
    "expected",
    "has_bounds",
    "has_expected",
]

# All that these ask of a ranking the TiedWorkings answer for the mean over all orderings.
_EXPECTED: Final = frozenset(
    {"P", "R", "F1", "AP", "RR", "nDCG", "RBP", "SP", "DCG", "SDCG", "HIT", "Success", "Rprec"}
    | {"ESL", "Judged"}
)
# With one more relevant document within the cutoff these can fall: the best ordering is no sorting.
_UNSORTED: Final = frozenset({"SNDCG", "SNAP", "BPM"})


class NoTieRule(ValueError):
    """The measure cannot be scored in this way."""


@dataclass(frozen=True, eq=False)
class TieBounds:
    """The base of one measure under the worst and the best ordering of the tied documents: for a
    measure where lower is better the worst is the larger."""

    worst: NDArray[np.float64]  # float64[topics]
    best: NDArray[np.float64]  # float64[topics]


def has_expected(measure: Measure) -> bool:
    """Whether `expected` has a closed form for the measure.

    >>> has_expected(parse_measure("RR")), has_expected(parse_measure("INST"))
    (True, False)
    """
    return measure.family in _EXPECTED and "p1" not in dict(measure.parameters)


def has_bounds(measure: Measure) -> bool:
    """Whether sorting the tied documents gives the worst and the best ordering.

    >>> has_bounds(parse_measure("RR")), has_bounds(parse_measure("SNDCG@10"))
    (True, False)
    """
    return measure.family not in _UNSORTED


def expected(measures: Sequence[Measure], tied: TiedTopics) -> dict[Measure, Scores]:
    """The mean of each measure, and of its upper bound, over all orderings within tied groups.

    Where no two tied documents differ in grade these are the scores of `evaluate`, bit for bit.
    Raises NoTieRule, naming the measures that have no closed form.

    >>> reciprocal_rank = parse_measure("RR")
    >>> expected([reciprocal_rank], tied)[reciprocal_rank].base.tolist()  # (1 + 1/2) / 2
    [0.75]
    """
    _refuse([measure for measure in measures if not has_expected(measure)], "expected")
    if not (tied.has_ties and len(tied.mixed)):
        return evaluate(measures, tied.graded)
    return evaluate_by(measures, TiedWorkings(tied))


def bounds(measures: Sequence[Measure], tied: TiedTopics) -> dict[Measure, TieBounds]:
    """The bases of each measure under the worst and the best ordering within tied groups.

    Worst is: highest grades last, unjudged documents first. Raises NoTieRule, naming the measures
    for which that is not so.

    >>> reciprocal_rank = parse_measure("RR")
    >>> found = bounds([reciprocal_rank], tied)[reciprocal_rank]
    >>> found.worst.tolist(), found.best.tolist()
    ([0.5], [1.0])
    """
    _refuse([measure for measure in measures if not has_bounds(measure)], "bounds")
    worst = evaluate(measures, _sorted(tied, best_first=False))
    best = evaluate(measures, _sorted(tied, best_first=True))
    return {each: TieBounds(worst[each].base, best[each].base) for each in measures}


def _sorted(tied: TiedTopics, *, best_first: bool) -> GradedTopics:
    """The topics with every tied group in ascending or descending order of grade."""
    graded = tied.graded
    if not tied.has_ties:
        return graded
    grades = graded.grades.astype(np.int64)
    # Grades lie in -128..127, so groups that are 512 apart keep their order.
    keys = np.cumsum(tied.begins, axis=1) * 512 + (-grades if best_first else grades)
    order = np.argsort(keys, axis=1, kind="stable")
    pooled = graded.pooled
    return replace(
        graded,
        grades=np.take_along_axis(graded.grades, order, axis=1),
        pooled=None if pooled is None else np.take_along_axis(pooled, order, axis=1),
    )


def _refuse(measures: Sequence[Measure], tie_rule: str) -> None:
    if measures:
        named = ", ".join(str(measure) for measure in measures)
        raise NoTieRule(f"the tie rule {tie_rule!r} is not defined for {named}")
