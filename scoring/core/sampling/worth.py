"""What a document of each grade brings at each rank, for measures whose scores are sums of this."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED
from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import make_measure

_MOST: Final = 5.0  # how much faster than at rank 1 a measure may outweigh the sample
SUMS: Final = ("P", "RBP", "DCG", "CG", "SDCG", "INSQ", "WP")
RATIOS: Final = {"nDCG": "DCG"}  # and the sum that is divided by that of the ideal ranking


@dataclass(frozen=True, eq=False)
class Worth:
    """A measure as a table: the score is the sum of what the documents bring, or this sum divided
    by that of the best possible ranking of the topic."""

    table: NDArray[np.float64]  # float64[highest_grade + 1, depth]
    is_ratio: bool


def can_be_estimated(measure: Measure, depth: int) -> bool:
    """Whether the score is such a sum, over no more than `depth` documents, or nDCG at a cutoff.

    A sum without a cutoff (RBP) is taken to that depth.

    >>> from scoring.core.measures.names import parse_measure
    >>> [can_be_estimated(parse_measure(name), 10) for name in ("RBP(p=0.8)", "P@10", "P@20", "AP")]
    [True, True, False, False]
    """
    given = dict(measure.parameters)
    if given.keys() & {"p1", "judged_only"} or measure.family not in (*SUMS, *RATIOS):
        return False
    if measure.cutoff is None:
        return measure.family not in RATIOS
    return measure.cutoff <= depth


def suits(worth: Worth, rank_weights: NDArray[np.float64]) -> bool:
    """Whether a sample with these rank weights, float64[depth or more], can estimate the measure:
    it is a sum, and at no rank it weighs much more than the sample was drawn for.

    A document's term in an estimate is its worth over its probability, which follows the rank
    weights. Where this ratio grows with the rank, a few documents with tiny probabilities decide,
    and intervals are too narrow: samples for RBP(.8) covered RBP(.95) in 74 to 86 % of the draws.

    >>> precision = Worth(np.array([[0.0, 0.0], [0.5, 0.5]]), is_ratio=False)  # P@2
    >>> suits(precision, np.array([0.5, 0.25])), suits(precision, np.array([0.5, 0.05]))
    (True, False)
    """
    if worth.is_ratio:
        return False
    ratios = np.abs(worth.table).max(axis=0) / rank_weights[: worth.table.shape[1]]
    return bool(ratios.max() <= _MOST * ratios[0])


def worth_of(measure: Measure, gain_map: NDArray[np.float64], depth: int) -> Worth:
    """The table, from what the measure itself scores for a single judged document.

    `gain_map` is float64[highest_grade + 1], as for `GradedTopics`. Raises ValueError for a
    measure that cannot be estimated.

    >>> from scoring.core.measures.names import parse_measure
    >>> worth_of(parse_measure("P@2"), np.array([0.0, 1.0]), depth=3).table.tolist()
    [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0]]
    """
    if not can_be_estimated(measure, depth):
        raise ValueError(f"{measure} is not a sum over the first {depth} documents")
    is_ratio = measure.family in RATIOS
    if is_ratio:
        given = dict(measure.parameters)
        measure = make_measure(RATIOS[measure.family], cutoff=measure.cutoff, **given)
    table = np.empty((len(gain_map), depth))
    # No sum depends on how many relevant documents there are.
    counts = np.zeros((depth, len(gain_map)), np.int64)
    for grade in range(len(gain_map)):
        alone = np.full((depth, depth), UNJUDGED, np.int8)
        # One topic for each rank, at which its only judged document stands.
        np.fill_diagonal(alone, grade)
        table[grade] = evaluate([measure], GradedTopics(alone, counts, gain_map))[measure].base
    return Worth(table, is_ratio)
