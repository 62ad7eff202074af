"""The final grade of each judged document.

The latest judgment of each assessor counts, and one without a grade withdraws it. Among assessors
the latest judgment counts, unless an organiser has decided.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias

from django.db.models import Count, Max, QuerySet

from campaigns.models import Campaign, Judgment

Key: TypeAlias = tuple[int, str, str]  # topic position, topic code, document id
Stamp: TypeAlias = tuple[object, ...]
CAMPAIGNS_CACHED: Final = 2  # some megabytes each, in every process


@dataclass
class FinalGrade:
    """The grades of one document."""

    by_assessor: dict[int, int] = field(default_factory=dict)  # in the order of last judgments
    decided: int | None = None

    @property
    def grade(self) -> int | None:
        """The grade that counts; None if every judgment was withdrawn."""
        if self.decided is not None:
            return self.decided
        return next(reversed(self.by_assessor.values()), None)

    @property
    def is_disputed(self) -> bool:
        """Whether assessors gave different grades and no organiser has decided."""
        return self.decided is None and len(set(self.by_assessor.values())) > 1


def final_grades(judgments: QuerySet[Judgment]) -> dict[Key, FinalGrade]:
    """Every judged document, by topic and id; one query."""
    grades: dict[Key, FinalGrade] = {}
    rows = judgments.order_by("at", "pk").values_list(
        "topic__position", "topic__code", "doc_id", "assessor", "grade", "is_adjudication"
    )
    for position, code, doc_id, assessor, grade, is_adjudication in rows.iterator():
        document = grades.setdefault((position, code, doc_id), FinalGrade())
        if is_adjudication:
            document.decided = grade
            continue
        # Removed first, because a new grade must stand at the end, as the latest.
        document.by_assessor.pop(assessor, None)
        if grade is not None:
            document.by_assessor[assessor] = grade
    return {key: grades[key] for key in sorted(grades) if grades[key].grade is not None}


def final_grades_now(campaign: Campaign) -> Mapping[Key, FinalGrade]:
    """All final grades of a campaign, cached in memory until the next judgment. Do not change the
    result. One query, two after a judgment."""
    return final_grades_at(campaign.pk, stamp_of(campaign))


def stamp_of(campaign: Campaign) -> Stamp:
    """Identifies the set of judgments, because rows are only added. The time distinguishes
    campaigns that reuse ids, as in tests. One query."""
    stamp = campaign.judgments.aggregate(Count("pk"), Max("pk"), Max("at"))
    return tuple(stamp.values())


@lru_cache(maxsize=CAMPAIGNS_CACHED)
def final_grades_at(campaign: int, stamp: Stamp) -> Mapping[Key, FinalGrade]:
    """As `final_grades_now`, for callers that have the stamp."""
    return final_grades(Judgment.objects.filter(campaign=campaign))


def final_grade_values(campaign: Campaign) -> dict[Key, int]:
    """The grade that counts of every judged document."""
    judged = final_grades(campaign.judgments.all())
    return {key: document.grade for key, document in judged.items() if document.grade is not None}
