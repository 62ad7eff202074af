"""What each assessor says of each document, as arrays, before anything was decided between them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign
from campaigns.settling import Key, Settled, settled
from scoring.core.grades import UNJUDGED


@dataclass(frozen=True, eq=False)
class AssessorGrades:
    """Judgments made here and judgments brought in, of whoever judged at all."""

    assessors: tuple[int, ...]  # ids
    documents: tuple[Key, ...]
    own: NDArray[np.int16]  # int16[assessors, documents], UNJUDGED where not judged
    others: NDArray[np.int16]  # likewise: what would hold without that assessor

    @property
    def topics(self) -> NDArray[np.int64]:
        """int64[documents]: the topic's position."""
        return np.array([position for position, _, _ in self.documents], np.int64)

    def only(self, kept: NDArray[np.bool_]) -> "AssessorGrades":
        """Of these documents."""
        documents = tuple(self.documents[place] for place in np.flatnonzero(kept))
        return AssessorGrades(self.assessors, documents, self.own[:, kept], self.others[:, kept])


def assessor_grades(campaign: Campaign) -> AssessorGrades:
    """One query."""
    standing = {
        key: document
        for key, document in settled(campaign.judgments.all()).items()
        if document.by_assessor
    }
    assessors = tuple(
        sorted({who for document in standing.values() for who in document.by_assessor})
    )
    own = np.full((len(assessors), len(standing)), UNJUDGED, np.int16)
    others = own.copy()
    for column, document in enumerate(standing.values()):
        for row, who in enumerate(assessors):
            own[row, column] = document.by_assessor.get(who, UNJUDGED)
            others[row, column] = _without(document, who)
    return AssessorGrades(assessors, tuple(standing), own, others)


def _without(document: Settled, assessor: int) -> int:
    """The latest grade of the others, in whose order they stand."""
    left = [grade for who, grade in document.by_assessor.items() if who != assessor]
    return left[-1] if left else UNJUDGED
