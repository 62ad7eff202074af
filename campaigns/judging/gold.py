"""Gold documents: organisers know the grade, and assessors judge them like any other document.

Every assessor of the topic is to judge them, so that organisers see how often each assessor agrees.
No page tells assessors which documents are gold.
"""

from dataclasses import dataclass

from django.db import transaction

from campaigns.errors import CannotMarkGold
from campaigns.judging.final_grades import Key, final_grades_now
from campaigns.judging.gold_tasks import FIRST_POSITION, assign_gold, gold_documents
from campaigns.lifecycle import lock_unarchived
from campaigns.log import record
from campaigns.models import Campaign, GoldDocument, Task, User


@dataclass(frozen=True)
class GradedGold:
    """A gold document with the grades of the assessors who judged it."""

    gold: GoldDocument
    grades: tuple[tuple[User, int], ...]


@dataclass(frozen=True)
class GoldAgreement:
    """How often an assessor gave the grade of the gold documents, a higher, or a lower one."""

    assessor: User
    agreed: int
    higher: int
    lower: int

    @property
    def judged(self) -> int:
        return self.agreed + self.higher + self.lower

    @property
    def percent(self) -> int:
        return round(100 * self.agreed / self.judged)


@transaction.atomic
def mark(*, campaign: Campaign, topic: str, doc_id: str, grade: int, actor: User) -> GoldDocument:
    """Marks a document, or changes its grade. Raises `CannotMarkGold`."""
    campaign = lock_unarchived(campaign)
    if not 0 <= grade <= campaign.highest_grade:
        raise CannotMarkGold(f"Choose a grade from 0 to {campaign.highest_grade}.")
    row = campaign.topics.filter(code=topic).first()
    if row is None:
        raise CannotMarkGold(f"The campaign has no topic {topic}.")
    gold, _ = GoldDocument.objects.update_or_create(
        topic=row, doc_id=doc_id, defaults={"grade": grade, "by": actor}
    )
    record(campaign, actor, "marked gold document", f"{topic} {doc_id}", grade=grade)
    assign_gold(campaign)
    return gold


@transaction.atomic
def unmark(*, gold: GoldDocument, actor: User) -> None:
    """Its judgments stay. A task that was created only because it was gold, and that nobody has
    opened, is deleted."""
    campaign = lock_unarchived(gold.topic.campaign)
    record(campaign, actor, "unmarked gold document", f"{gold.topic.code} {gold.doc_id}")
    added = Task.objects.filter(topic=gold.topic, doc_id=gold.doc_id, position__gte=FIRST_POSITION)
    # Others have been judged, or an assessor is reading them.
    added.filter(claims=None).delete()
    gold.delete()


def gold_keys(campaign: Campaign) -> set[Key]:
    rows = GoldDocument.objects.filter(topic__campaign=campaign)
    return set(rows.values_list("topic__position", "topic__code", "doc_id"))


def graded_gold(campaign: Campaign) -> list[GradedGold]:
    """Every gold document. At most four queries."""
    golds, judged = list(gold_documents(campaign)), final_grades_now(campaign)
    found: dict[int, dict[int, int]] = {}
    for gold in golds:
        document = judged.get((gold.topic.position, gold.topic.code, gold.doc_id))
        found[gold.pk] = document.by_assessor if document else {}
    people = User.objects.in_bulk({who for grades in found.values() for who in grades})
    return [
        GradedGold(gold, tuple((people[who], grade) for who, grade in found[gold.pk].items()))
        for gold in golds
    ]


def agreement_with_gold(graded: list[GradedGold]) -> list[GoldAgreement]:
    """A row for each assessor who judged a gold document, by name."""
    differences: dict[User, list[int]] = {}
    for each in graded:
        for assessor, grade in each.grades:
            differences.setdefault(assessor, []).append(grade - each.gold.grade)
    rows = (
        GoldAgreement(
            assessor,
            agreed=sum(each == 0 for each in given),
            higher=sum(each > 0 for each in given),
            lower=sum(each < 0 for each in given),
        )
        for assessor, given in differences.items()
    )
    return sorted(rows, key=lambda row: (str(row.assessor), row.assessor.pk))
