"""The door to the measures: grades in, scores out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, TypeVar

import numpy as np

from scoring.core.measures.arrays import GradedTopics, Scores, by_run, default_gain_map, stacked
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.workings import Workings

__all__ = [
    "GradedTopics",
    "Scores",
    "counts_ranks_past_end",
    "default_gain_map",
    "evaluate",
    "evaluate_by",
    "evaluate_in_blocks",
    "evaluate_runs",
    "has_residual",
    "in_stacks",
]

T = TypeVar("T")

GRADES_AT_A_TIME: Final = 1 << 19  # what measures work out of them is some tens of times as large


def evaluate(measures: Sequence[Measure], graded: GradedTopics) -> dict[Measure, Scores]:
    """The scores of each measure, per topic; what measures have in common is worked out once.

    Topics without relevant documents have the score 0 here; which topics enter a mean is decided
    in `means`. Raises UnknownMeasure, and BadMeasure for one that was not made by `names`.

    >>> measure = parse_measure("P@2")
    >>> scores = evaluate([measure], graded)[measure]
    >>> scores.base.tolist(), scores.residual.tolist()
    ([0.5, 0.0], [0.0, 0.5])
    """
    return evaluate_by(measures, Workings(graded))


def evaluate_by(measures: Sequence[Measure], workings: Workings) -> dict[Measure, Scores]:
    """The same from the answers of these workings.

    Without the unjudged document, AP is (1/1 + 2/3) / 3:

    >>> measure = parse_measure("AP(judged_only)")
    >>> evaluate_by([measure], workings)[measure].base.round(4).tolist()
    [0.5556, 0.0]
    """
    scores = {}
    for measure in measures:
        family = family_of(measure)
        arguments = family.arguments(measure)
        if arguments.says(
            "judged_only"
        ):  # no bound: where an unjudged document comes in is unknown
            base = family.compute(arguments, workings.condensed()).base
            scores[measure] = Scores(base, None)
        else:
            scores[measure] = family.compute(arguments, workings)
    return scores


@lru_cache(maxsize=1024)
def has_residual(measure: Measure) -> bool:
    """Whether the measure comes with its residual: some only do with some parameters.

    >>> has_residual(parse_measure("RBP(p=0.8)")), has_residual(parse_measure("AP"))
    (True, False)
    """
    # Asked of the computation itself, with an empty ranking, so that nothing has to be kept in
    # step.
    nothing = GradedTopics(np.zeros((1, 0), np.int8), np.zeros((1, 2), np.int64), np.arange(2.0))
    return evaluate([measure], nothing)[measure].residual is not None


def evaluate_runs(
    measures: Sequence[Measure], runs: Sequence[GradedTopics]
) -> dict[Measure, Scores]:
    """The same scores of several runs, float64[runs, topics] each: quicker than one run after the
    other if they are small (`in_stacks`).

    >>> measure = parse_measure("AP")
    >>> evaluate_runs([measure], [graded, graded])[measure].base.tolist()
    [[0.5, 0.0], [0.5, 0.0]]
    """
    found = evaluate_in_blocks(measures, stacked(runs))
    return {measure: by_run(scores, len(runs)) for measure, scores in found.items()}


def in_stacks(
    runs: Iterable[T],
    shape: Callable[[T], tuple[int, ...]],
    measures: Iterable[Measure],
    *,
    most: int | None = None,
) -> Iterator[list[T]]:
    """The runs in their order, several at a time: neighbours with as many topics, at most
    GRADES_AT_A_TIME grades if each is as deep as the deepest, or one run that has more, and at most
    `most` runs. They have one depth if a measure counts the ranks past the end.

    >>> shapes = [(2, 10), (2, 20), (3, 10)]  # topics and depth, in place of runs
    >>> list(in_stacks(shapes, lambda shape: shape, [parse_measure("AP")]))
    [[(2, 10), (2, 20)], [(3, 10)]]
    """
    of_one_depth = any(map(counts_ranks_past_end, measures))
    stack: list[T] = []
    topics = deepest = 0
    for run in runs:
        own_topics, depth = shape(run)
        grades = (len(stack) + 1) * own_topics * max(depth, deepest)
        is_alike = own_topics == topics and (depth == deepest or not of_one_depth)
        if stack and not (is_alike and grades <= GRADES_AT_A_TIME and len(stack) != most):
            yield stack
            stack, deepest = [], 0
        stack.append(run)
        topics, deepest = own_topics, max(depth, deepest)
    if stack:
        yield stack


@lru_cache(maxsize=1024)
def counts_ranks_past_end(measure: Measure) -> bool:
    """Whether the last bits of a score depend on how many ranks are in the matrix after the last
    document. Such a run is stacked only with runs of its depth, so that they do not depend on other
    runs.

    >>> counts_ranks_past_end(parse_measure("INST")), counts_ranks_past_end(parse_measure("AP"))
    (True, False)
    """
    family = family_of(measure)
    return family.counts_ranks_past_end(family.arguments(measure))


def evaluate_in_blocks(measures: Sequence[Measure], graded: GradedTopics) -> dict[Measure, Scores]:
    """The same scores, worked out for some topics at a time: memory is that of the grades.

    >>> measure = parse_measure("AP")
    >>> evaluate_in_blocks([measure], graded)[measure].base.tolist()
    [0.5, 0.0]
    """
    step = max(1, GRADES_AT_A_TIME // max(graded.depth, 1))
    parts = [
        evaluate(measures, graded.block(slice(start, start + step)))
        for start in range(0, max(graded.topics, 1), step)
    ]
    return {measure: _joined([part[measure] for part in parts]) for measure in measures}


def _joined(parts: Sequence[Scores]) -> Scores:
    if len(parts) == 1:
        return parts[0]
    residuals = [part.residual for part in parts if part.residual is not None]
    return Scores(
        np.concatenate([part.base for part in parts]),
        np.concatenate(residuals) if residuals else None,
    )
