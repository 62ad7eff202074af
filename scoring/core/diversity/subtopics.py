"""Judgments by subtopic, and rankings labelled with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Labels: TypeAlias = NDArray[np.bool_]  # bool[documents, subtopics]: which document is relevant


@dataclass(frozen=True, eq=False)
class JudgedTopic:
    """The judgments of one topic. Subtopics without a relevant document are left out."""

    documents: Mapping[str, int]  # the row of each judged document
    labels: Labels  # in ascending order of the documents' bytes
    _ideals: dict[float, Labels] = field(default_factory=dict)

    @property
    def subtopics(self) -> int:
        return int(self.labels.shape[1])

    def ideal(self, alpha: float) -> Labels:
        """The labels of the relevant documents: at each rank the one that adds most, of equal ones
        the last by the bytes of its id. The best order of all is an NP-complete problem; TREC's
        ndeval takes this one too."""
        # All runs are divided by it, and finding it takes time quadratic in the relevant documents.
        if alpha in self._ideals:
            return self._ideals[alpha]
        # Reversed, because argmax takes the first of equal ones.
        left = self.labels[self.labels.any(axis=1)][::-1]
        worth = np.ones(self.subtopics)
        ordered = np.empty_like(left)
        for rank in range(len(ordered)):
            # Added one after another, so that sums of the same numbers are equal.
            gains = np.cumsum(np.where(left, worth, 0.0), axis=1)[:, -1]
            best = int(np.argmax(gains))
            ordered[rank] = left[best]
            worth[left[best]] *= 1.0 - alpha
            left = np.delete(left, best, axis=0)
        self._ideals[alpha] = ordered
        return ordered


@dataclass(frozen=True, eq=False)
class LabelledRanking:
    """The ranking of one topic with its judgments. A document with a grade for any subtopic is
    judged for all of them."""

    topic: JudgedTopic
    labels: Labels
    judged: NDArray[np.bool_]  # bool[documents]


def judged_topic(judgments: Iterable[tuple[str, str, int]], *, rel: int = 1) -> JudgedTopic:
    """Of `subtopic, document, grade` triples; documents with grades below 0 only are not judged.

    >>> found = judged_topic([("1", "a", 1), ("1", "b", 1), ("2", "b", 1), ("2", "c", 0)])
    >>> list(found.documents), found.labels.tolist()
    (['a', 'b', 'c'], [[True, False], [True, True], [False, False]])
    """
    graded = [each for each in judgments if each[2] >= 0]
    documents = sorted({doc_id for _, doc_id, _ in graded}, key=str.encode)
    relevant = [(subtopic, doc_id) for subtopic, doc_id, grade in graded if grade >= rel]
    subtopics = sorted({subtopic for subtopic, _ in relevant}, key=_in_order)
    rows = {doc_id: row for row, doc_id in enumerate(documents)}
    columns = {subtopic: column for column, subtopic in enumerate(subtopics)}
    labels = np.zeros((len(rows), len(columns)), np.bool_)
    for subtopic, doc_id in relevant:
        labels[rows[doc_id], columns[subtopic]] = True
    return JudgedTopic(rows, labels)


def labelled(topic: JudgedTopic, ranking: Sequence[str]) -> LabelledRanking:
    """The documents of a ranking, best first, with the judgments of their topic.

    >>> found = labelled(topic, ["b", "x"])
    >>> found.labels.tolist(), found.judged.tolist()
    ([[True, True], [False, False]], [True, False])
    """
    rows = np.array([topic.documents.get(doc_id, -1) for doc_id in ranking], np.int64)
    judged = rows >= 0
    labels = np.zeros((rows.size, topic.subtopics), np.bool_)
    labels[judged] = topic.labels[rows[judged]]
    return LabelledRanking(topic, labels, judged)


def _in_order(subtopic: str) -> tuple[int, str]:
    """Numbers as numbers."""
    return (int(subtopic) if subtopic.isascii() and subtopic.isdigit() else -1), subtopic
