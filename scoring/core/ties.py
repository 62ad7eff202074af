"""The three ways to score a run whose retrieval scores tie (measures.md section 4).

1. `docno`: the order of the ranking, trec_eval's. That is `evaluate` itself.
2. `expected`: the mean over all orderings within tied groups, by closed forms in linear time.
3. `bounds`: the worst and the best ordering, to see what only ties decide.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.measures.arrays import GradedTopics, Scores
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.cumulated_gain import dcg_weighting
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Arguments, Measure
from scoring.core.measures.precision import precision_weighting
from scoring.core.measures.rank_biased_precision import rbp_weighting
from scoring.core.measures.scaled_gain import sdcg_weighting
from scoring.core.tied_expectations import (
    average_precision,
    f1,
    judged,
    ndcg,
    r_precision,
    recall,
    search_length,
    sum_of_precisions,
    weighted,
)
from scoring.core.tied_firsts import hit, reciprocal_rank, success
from scoring.core.tied_groups import TiedTopics, TiedWorkings

__all__ = ["Bounds", "NoTieRule", "TiedTopics", "bounds", "expected", "has_bounds", "has_expected"]

_EXPECTED: Final[dict[str, Callable[[Arguments, TiedWorkings], Scores]]] = {
    "P": weighted(precision_weighting),
    "R": recall,
    "F1": f1,
    "AP": average_precision,
    "RR": reciprocal_rank,
    "nDCG": ndcg,
    "RBP": weighted(rbp_weighting),
    "SP": sum_of_precisions,
    "DCG": weighted(dcg_weighting),
    "SDCG": weighted(sdcg_weighting),
    "HIT": hit,
    "Success": success,
    "Rprec": r_precision,
    "ESL": search_length,
    "Judged": judged,
}
# These do not see the order within the first k: they change only where a group lies across k.
_UNORDERED: Final = frozenset({"P", "R", "F1", "HIT", "Success", "Judged"})
# With one more relevant document within the cutoff these can fall: the best ordering is no sorting.
_UNSORTED: Final = frozenset({"SNDCG", "SNAP"})


class NoTieRule(ValueError):
    """The measure cannot be scored in this way."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """The base of one measure under the worst and the best ordering of the tied documents: for a
    measure where lower is better the worst is the larger."""

    worst: NDArray[np.float64]  # float64[topics]
    best: NDArray[np.float64]  # float64[topics]


def has_expected(measure: Measure) -> bool:
    """Whether `expected` has a closed form for the measure."""
    return measure.family in _EXPECTED and "p1" not in dict(measure.parameters)


def has_bounds(measure: Measure) -> bool:
    """Whether sorting the tied documents gives the worst and the best ordering."""
    return measure.family not in _UNSORTED


def expected(measures: Sequence[Measure], tied: TiedTopics) -> dict[Measure, Scores]:
    """The mean of each measure, and of its upper bound, over all orderings within tied groups.

    Without ties these are the scores of `evaluate`, bit for bit. Raises NoTieRule, naming the
    measures that have no closed form.
    """
    _refuse([measure for measure in measures if not has_expected(measure)], "expected")
    if not tied.has_ties:
        return evaluate(measures, tied.graded)
    workings = TiedWorkings(tied)
    scores = {}
    for measure in measures:
        family = family_of(measure)
        arguments = family.arguments(measure)
        if family.name not in _UNORDERED or _is_crossed(arguments, workings):
            scores[measure] = _EXPECTED[family.name](arguments, workings)
        else:
            scores[measure] = family.compute(arguments, workings)
    return scores


def _is_crossed(arguments: Arguments, workings: TiedWorkings) -> bool:
    """Whether a tied group lies across the cutoff of some topic."""
    cutoff = arguments.required_cutoff()
    return workings.reached(cutoff) > min(cutoff, workings.graded.depth)


def bounds(measures: Sequence[Measure], tied: TiedTopics) -> dict[Measure, Bounds]:
    """The bases of each measure under the worst and the best ordering within tied groups.

    Worst is: highest grades last, unjudged documents first. Raises NoTieRule, naming the measures
    for which that is not so.
    """
    _refuse([measure for measure in measures if not has_bounds(measure)], "bounds")
    worst = evaluate(measures, _sorted(tied, best_first=False))
    best = evaluate(measures, _sorted(tied, best_first=True))
    return {each: Bounds(worst[each].base, best[each].base) for each in measures}


def _sorted(tied: TiedTopics, *, best_first: bool) -> GradedTopics:
    """The topics with every tied group in ascending or descending order of grade."""
    graded = tied.graded
    if not tied.has_ties:
        return graded
    grades = graded.grades.astype(np.int64)
    keys = tied.tie_groups.astype(np.int64) * 512 + (-grades if best_first else grades)
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
