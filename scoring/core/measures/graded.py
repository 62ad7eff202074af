"""The door to the measures: grades in, scores out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Final, TypeVar

import numpy as np

from scoring.core.measures.arrays import GradedTopics, Scores, by_run, default_gain_map, stacked
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.workings import Workings

__all__ = [
    "GradedTopics",
    "Scores",
    "default_gain_map",
    "evaluate",
    "evaluate_by",
    "evaluate_in_blocks",
    "evaluate_runs",
    "in_stacks",
]

T = TypeVar("T")

GRADES_AT_A_TIME: Final = 1 << 19  # what measures work out of them is some tens of times as large


def evaluate(measures: Sequence[Measure], graded: GradedTopics) -> dict[Measure, Scores]:
    """The scores of each measure, per topic; what measures have in common is worked out once.

    Topics without relevant documents have the score 0 here; which topics enter a mean is decided
    in `means`. Raises UnknownMeasure, and BadMeasure for one that was not made by `names`.
    """
    return evaluate_by(measures, Workings(graded))


def evaluate_by(measures: Sequence[Measure], workings: Workings) -> dict[Measure, Scores]:
    """The same from the answers of these workings."""
    scores = {}
    for measure in measures:
        family = family_of(measure)
        scores[measure] = family.compute(family.arguments(measure), workings)
    return scores


def evaluate_runs(
    measures: Sequence[Measure], runs: Sequence[GradedTopics]
) -> dict[Measure, Scores]:
    """The same scores of several runs of one depth, float64[runs, topics] each: quicker than one
    run after the other if they are small (`in_stacks`)."""
    found = evaluate_in_blocks(measures, stacked(runs))
    return {measure: by_run(scores, len(runs)) for measure, scores in found.items()}


def in_stacks(
    runs: Iterable[T], shape: Callable[[T], tuple[int, ...]], *, most: int | None = None
) -> Iterator[list[T]]:
    """The runs in their order, several at a time: neighbours whose grades have one shape, at most
    GRADES_AT_A_TIME grades, or one run that has more, and at most `most` runs."""
    for (topics, depth), alike in groupby(runs, key=shape):
        at_a_time = max(1, GRADES_AT_A_TIME // max(topics * depth, 1))
        while stack := list(islice(alike, min(at_a_time, most or at_a_time))):
            yield stack


def evaluate_in_blocks(measures: Sequence[Measure], graded: GradedTopics) -> dict[Measure, Scores]:
    """The same scores, worked out for some topics at a time: memory is that of the grades."""
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
