"""What the judgments of a campaign come to: one grade for each document that was judged.

Of one assessor the latest act holds, and an act without a grade takes back. Between assessors the
latest of those holds, unless somebody decided: then that.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias

from django.db.models import Count, Max, QuerySet

from campaigns.models import Campaign, Judgment

Key: TypeAlias = tuple[int, str, str]  # topic position, topic code, document id
Stamp: TypeAlias = tuple[object, ...]
CAMPAIGNS_KEPT: Final = 2  # some megabytes each, in every process


@dataclass
class FinalGrade:
    """The grades that stand for one document."""

    by_assessor: dict[int, int] = field(default_factory=dict)  # in the order of their last act
    decided: int | None = None

    @property
    def grade(self) -> int | None:
        """What counts; None where every judgment was taken back."""
        if self.decided is not None:
            return self.decided
        return next(reversed(self.by_assessor.values()), None)

    @property
    def is_disputed(self) -> bool:
        """Assessors gave different grades and nobody has decided."""
        return self.decided is None and len(set(self.by_assessor.values())) > 1


def final_grades(judgments: QuerySet[Judgment]) -> dict[Key, FinalGrade]:
    """Every document with a judgment that stands, by topic and id; one query."""
    found: dict[Key, FinalGrade] = {}
    for key, assessor, grade, is_adjudication in _acts(judgments):
        document = found.setdefault(key, FinalGrade())
        if is_adjudication:
            document.decided = grade
            continue
        document.by_assessor.pop(assessor, None)
        if grade is not None:
            document.by_assessor[assessor] = grade
    return {key: found[key] for key in sorted(found) if found[key].grade is not None}


def final_grades_now(campaign: Campaign) -> Mapping[Key, FinalGrade]:
    """All of a campaign, kept in memory until something is judged: pages ask for the same again and
    again. Nobody changes what it gives. One query, two after a judgment."""
    return final_grades_at(campaign.pk, stamp_of(campaign))


def stamp_of(campaign: Campaign) -> Stamp:
    """Says which judgments there are, for rows are only added. The time tells apart campaigns that
    had the same ids, as those of two tests have. One query."""
    stamp = campaign.judgments.aggregate(Count("pk"), Max("pk"), Max("at"))
    return tuple(stamp.values())


@lru_cache(maxsize=CAMPAIGNS_KEPT)
def final_grades_at(campaign: int, stamp: Stamp) -> Mapping[Key, FinalGrade]:
    """What `final_grades_now` gives, for those who have the stamp."""
    return final_grades(Judgment.objects.filter(campaign=campaign))


def final_grade_values(campaign: Campaign) -> dict[Key, int]:
    """The grade that counts of every judged document."""
    judged = final_grades(campaign.judgments.all())
    return {key: document.grade for key, document in judged.items() if document.grade is not None}


def _acts(judgments: QuerySet[Judgment]) -> Iterator[tuple[Key, int, int | None, bool]]:
    made = judgments.order_by("at", "pk").values_list(
        "topic__position", "topic__code", "doc_id", "assessor", "grade", "is_adjudication"
    )
    for position, code, doc_id, assessor, grade, is_adjudication in made.iterator():
        yield (position, code, doc_id), assessor, grade, is_adjudication
