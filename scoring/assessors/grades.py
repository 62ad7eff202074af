"""The grades of each assessor for each document, as arrays, before adjudication."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from campaigns.judging.final_grades import CAMPAIGNS_CACHED, Key, Stamp, final_grades_at, stamp_of
from campaigns.models import Campaign
from scoring.core.data.grades import UNJUDGED


@dataclass(frozen=True, eq=False)
class AssessorGrades:
    """Judgments made here and imported ones, of all assessors who judged."""

    assessors: tuple[int, ...]  # ids
    documents: tuple[Key, ...]  # by topic
    own: NDArray[np.int16]  # int16[assessors, documents], UNJUDGED where not judged
    turns: NDArray[np.int16]  # int16[assessors, documents]: order of the last judgments, -1: none

    @cached_property
    def topics(self) -> NDArray[np.int64]:
        """int64[documents]: the topic's position."""
        return np.array([position for position, _, _ in self.documents], np.int64)

    @cached_property
    def others(self) -> NDArray[np.int16]:
        """int16[assessors, documents]: the latest grade of the other assessors."""
        grades = np.full(self.own.shape, UNJUDGED, np.int16)
        for row in range(len(self.assessors)):
            turns = self.turns.copy()
            # As if this assessor had judged nothing.
            turns[row] = -1
            latest = turns.argmax(axis=0) if len(turns) else np.empty(0, np.int64)
            columns = np.flatnonzero(turns.max(axis=0, initial=-1) >= 0)
            grades[row, columns] = self.own[latest[columns], columns]
        return grades

    def by_topic(self) -> Iterator[tuple[str, "AssessorGrades"]]:
        """The part of each topic."""
        # The documents are in the order of topics, so those of a topic are one slice.
        starts = np.flatnonzero(np.diff(self.topics, prepend=-1)).tolist()
        for start, end in zip(starts, [*starts[1:], len(self.documents)], strict=False):
            part = AssessorGrades(
                self.assessors,
                self.documents[start:end],
                self.own[:, start:end],
                self.turns[:, start:end],
            )
            yield self.documents[start][1], part


def assessor_grades(campaign: Campaign) -> AssessorGrades:
    """The same object until something is judged. Two queries at most."""
    return _grades(campaign.pk, stamp_of(campaign))


@lru_cache(maxsize=CAMPAIGNS_CACHED)
def _grades(campaign: int, stamp: Stamp) -> AssessorGrades:
    judged = {
        key: entry for key, entry in final_grades_at(campaign, stamp).items() if entry.by_assessor
    }
    assessors = sorted({who for entry in judged.values() for who in entry.by_assessor})
    row_of = {who: row for row, who in enumerate(assessors)}
    own = np.full((len(assessors), len(judged)), UNJUDGED, np.int16)
    turns = np.full(own.shape, -1, np.int16)
    for column, entry in enumerate(judged.values()):
        for turn, (who, grade) in enumerate(entry.by_assessor.items()):
            own[row_of[who], column] = grade
            turns[row_of[who], column] = turn
    return AssessorGrades(tuple(assessors), tuple(judged), own, turns)
