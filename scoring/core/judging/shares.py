"""Which document brings how much of a score: Tables I and II of the RBP paper.

1. Where a score is a sum over documents (RBP, P, DCG, recall ...), the share of a document is what
   the ranking scores when all others are forgotten.
2. Where it is a sum of precisions (AP and its relatives), the relevant document at rank j takes
   part in the precision at every relevant rank i >= j, and has 1/i of it each time.
3. Other measures have no shares.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED
from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import rel_of

_SUMS: Final = frozenset(
    {"P", "R", "Rprec", "F1", "relative_P", "SetP", "SetR", "SetF", "set_relative_P", "Judged"}
    | {"RBP", "INSQ", "WP", "CG", "DCG", "nDCG", "SDCG"}
)
_SUMS_OF_PRECISIONS: Final = frozenset({"AP", "SP", "APret", "SNAP", "AUC"})


def has_shares(measure: Measure) -> bool:
    """Whether the score of a ranking is shared out among its documents.

    >>> from scoring.core.measures.names import parse_measure
    >>> [has_shares(parse_measure(name)) for name in ("P@10", "AP", "RR")]
    [True, True, False]
    """
    given = dict(measure.parameters)
    if given.keys() & {"p1", "interpolated", "judged_only"}:
        return False
    return measure.family in _SUMS | _SUMS_OF_PRECISIONS


def document_shares(measure: Measure, topic: GradedTopics) -> NDArray[np.float64]:
    """float64[depth]: what the document at each rank brings of the base; they add up to it.

    Raises ValueError for more than one topic or a measure that has no shares.

    With relevant documents at ranks 1 and 3, AP is (1/1 + (1 + 1)/3) / 2:

    >>> from scoring.core.measures.names import parse_measure
    >>> grades, gain_map = np.array([[1, 0, 1]], np.int8), np.array([0.0, 1.0])
    >>> topic = GradedTopics(grades, np.array([[1, 2]]), gain_map)
    >>> document_shares(parse_measure("AP"), topic).round(4).tolist()
    [0.6667, 0.0, 0.1667]
    """
    if topic.topics != 1:
        raise ValueError(f"shares are those of one topic, not of {topic.topics}")
    if not has_shares(measure):
        raise ValueError(f"the score of {measure} is not shared out among documents")
    if measure.family in _SUMS_OF_PRECISIONS:
        return _shares_of_precisions(measure, topic)
    return _shares_one_by_one(measure, topic)


def _shares_one_by_one(measure: Measure, topic: GradedTopics) -> NDArray[np.float64]:
    grades = topic.grades[0]
    judged = np.flatnonzero(grades >= 0)
    # A topic for each judged document, in which the others are forgotten.
    alone = np.tile(np.where(grades >= 0, UNJUDGED, grades), (len(judged), 1)).astype(np.int8)
    alone[np.arange(len(judged)), judged] = grades[judged]
    # R stays that of the topic, by which recall and others divide.
    counts = np.tile(topic.grade_counts, (len(judged), 1))
    shares = np.zeros(topic.depth)
    shares[judged] = evaluate([measure], GradedTopics(alone, counts, topic.gain_map))[measure].base
    return shares


def _shares_of_precisions(measure: Measure, topic: GradedTopics) -> NDArray[np.float64]:
    """The sums 1/j + 1/... from below, scaled to the score itself."""
    cutoff = None if measure.cutoff is None else int(measure.cutoff)
    relevant = topic.relevant(rel_of(measure) or 1)[0][:cutoff]
    by_rank = np.where(relevant, 1 / np.arange(1, len(relevant) + 1), 0.0)
    shares = np.zeros(topic.depth)
    shares[: len(relevant)] = np.where(relevant, np.cumsum(by_rank[::-1])[::-1], 0.0)
    total = shares.sum()
    score = evaluate([measure], topic)[measure].base[0]
    return shares * (score / total) if total > 0 else shares
