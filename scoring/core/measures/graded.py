"""The door to the measures: grades in, scores out."""

from collections.abc import Sequence

from scoring.core.measures.arrays import GradedTopics, Scores, default_gain_map
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.workings import Workings

__all__ = ["GradedTopics", "Scores", "default_gain_map", "evaluate", "evaluate_by"]


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
