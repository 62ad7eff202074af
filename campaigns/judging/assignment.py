"""The assignment of topics to assessors, one by one or evenly."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from campaigns.errors import CannotAssignTopics
from campaigns.judging.final_grades import final_grades_now
from campaigns.judging.gold_tasks import assign_gold
from campaigns.lifecycle import lock_unarchived
from campaigns.log import record
from campaigns.models import (
    Campaign,
    Claim,
    Membership,
    Plan,
    Task,
    Topic,
    TopicAssessor,
    User,
)

TopicAndAssessor: TypeAlias = tuple[int, int]  # ids
CODES_IN_ERRORS = 10


@dataclass(frozen=True)
class AssignedAssessor:
    """One assessor and one topic."""

    assessor: User
    is_assigned: bool
    judged: int  # documents


@dataclass(frozen=True)
class TopicAssignment:
    """One topic, its documents, and every assessor of the campaign."""

    topic: Topic
    documents: int  # that the plan has selected
    judged: int  # by any assessor
    assessors: tuple[AssignedAssessor, ...]

    @property
    def is_assigned(self) -> bool:
        return any(each.is_assigned for each in self.assessors)


@dataclass(frozen=True)
class AssessorLoad:
    """The work of one assessor."""

    assessor: User
    codes: tuple[str, ...]  # of the assigned topics, in their order
    documents: int  # that the plan has selected for these topics
    judged: int  # documents of any topic
    claimed: int  # claims neither judged nor released


@dataclass(frozen=True)
class Assignments:
    topics: tuple[TopicAssignment, ...]
    assessors: tuple[AssessorLoad, ...]

    @property
    def unassigned(self) -> int:
        """The number of topics without an assessor."""
        return sum(not topic.is_assigned for topic in self.topics)


def assessors_of(campaign: Campaign) -> list[User]:
    """The assessors of a campaign, by name. One query."""
    people = User.objects.filter(
        memberships__campaign=campaign, memberships__role=Membership.Role.ASSESSOR
    )
    return list(people.order_by("name", "email"))


def assignments_of(campaign: Campaign) -> Assignments:
    """Every topic and every assessor. Seven queries."""
    assessors, topics = assessors_of(campaign), list(campaign.topics.order_by("position"))
    assigned, documents = _assigned(campaign, assessors), _documents_by_topic(campaign)
    # Judged documents by topic position and assessor, and by topic position.
    judged: Counter[TopicAndAssessor] = Counter()
    by_topic: Counter[int] = Counter()
    for (position, _, _), document in final_grades_now(campaign).items():
        by_topic[position] += 1
        judged.update((position, who) for who in document.by_assessor)
    claimed = Counter(open_claims(campaign).values_list("assessor", flat=True))
    rows = []
    for topic in topics:
        row = tuple(
            AssignedAssessor(who, (topic.pk, who.pk) in assigned, judged[topic.position, who.pk])
            for who in assessors
        )
        rows.append(TopicAssignment(topic, documents[topic.pk], by_topic[topic.position], row))
    loads = [
        AssessorLoad(
            assessor=who,
            codes=tuple(topic.code for topic in topics if (topic.pk, who.pk) in assigned),
            documents=sum(documents[topic] for topic, assessor in assigned if assessor == who.pk),
            judged=sum(count for (_, by), count in judged.items() if by == who.pk),
            claimed=claimed[who.pk],
        )
        for who in assessors
    ]
    return Assignments(tuple(rows), tuple(loads))


@transaction.atomic
def assign_topics(
    *, campaign: Campaign, assessor: User, codes: Iterable[str], actor: User | None
) -> int:
    """Assigns exactly these topics to the assessor, and returns their number. Releases the claims
    of topics that are no longer assigned. Other assessors keep theirs.

    Raises `CannotAssignTopics` for an unknown topic, or if the person is no longer an assessor.
    """
    campaign = lock_unarchived(campaign)
    topics = dict(campaign.topics.values_list("code", "pk"))
    chosen = set(codes)
    unknown = sorted(chosen - topics.keys())
    if unknown:
        raise CannotAssignTopics(
            f"Unknown topics: {', '.join(unknown[:CODES_IN_ERRORS])}. No change was saved."
        )
    assessors = assessors_of(campaign)
    if assessor not in assessors:
        raise CannotAssignTopics(f"{assessor} is no longer an assessor of this campaign.")
    others = {(topic, who) for topic, who in _assigned(campaign, assessors) if who != assessor.pk}
    assigned = others | {(topics[code], assessor.pk) for code in chosen}
    _replace(campaign, assigned)
    _log(campaign, actor, assigned, set(topics.values()))
    return len(chosen)


@transaction.atomic
def assign_evenly(*, campaign: Campaign, each: int, actor: User | None) -> int:
    """Adds assessors to topics that have fewer than `each`, those with the least work first, and
    returns the number of assignments that were added."""
    campaign = lock_unarchived(campaign)
    assessors = assessors_of(campaign)
    assigned = _assigned(campaign, assessors)
    # The number of documents of each topic if the plan has selected all. Before that all topics
    # weigh the same, because the first batches say little about the later ones.
    plan = campaign.plans.exclude(state=Plan.State.ENDED).first()
    is_complete = plan is not None and plan.is_laid_out
    weights: Counter[int] = _documents_by_topic(campaign) if is_complete else Counter()
    topics = list(campaign.topics.order_by("position").values_list("pk", flat=True))
    # Among assessors with the same load, the first by name.
    position = {who.pk: place for place, who in enumerate(assessors)}
    load: Counter[int] = Counter(dict.fromkeys(position, 0))
    by_topic: dict[int, set[int]] = {topic: set() for topic in topics}
    for topic, who in assigned:
        by_topic[topic].add(who)
        # 1 for the topic itself, so that topics without documents are spread evenly too.
        load[who] += weights[topic] + 1
    before = len(assigned)
    for topic in sorted(topics, key=lambda pk: -weights[pk]):  # the largest first
        current = by_topic[topic]
        free = sorted(set(load) - current, key=lambda who: (load[who], position[who]))
        for who in free[: max(each - len(current), 0)]:
            assigned.add((topic, who))
            load[who] += weights[topic] + 1
    _replace(campaign, assigned)
    _log(campaign, actor, assigned, set(topics))
    return len(assigned) - before


def open_claims(campaign: Campaign) -> QuerySet[Claim]:
    """Claims of the active plan that are neither judged nor released. A claim stays open after
    its lease, because the assessor continues with it on the next visit."""
    claims = Claim.objects.filter(task__plan__campaign=campaign, end=Claim.End.NONE)
    return claims.exclude(task__plan__state=Plan.State.ENDED)


def _assigned(campaign: Campaign, assessors: Collection[User]) -> set[TopicAndAssessor]:
    rows = TopicAssessor.objects.filter(topic__campaign=campaign, assessor__in=assessors)
    return set(rows.values_list("topic", "assessor"))


def _documents_by_topic(campaign: Campaign) -> Counter[int]:
    """Documents that the active plan has selected."""
    tasks = Task.objects.filter(plan__campaign=campaign).exclude(plan__state=Plan.State.ENDED)
    counted = tasks.values("topic").annotate(count=Count("pk"))
    return Counter(dict(counted.values_list("topic", "count")))


def _replace(campaign: Campaign, assigned: set[TopicAndAssessor]) -> None:
    rows = TopicAssessor.objects.filter(topic__campaign=campaign)
    now = {(topic, who): pk for pk, topic, who in rows.values_list("pk", "topic", "assessor")}
    removed, added = now.keys() - assigned, assigned - now.keys()
    TopicAssessor.objects.filter(pk__in=[now[pair] for pair in removed]).delete()
    TopicAssessor.objects.bulk_create(
        TopicAssessor(topic_id=topic, assessor_id=who) for topic, who in sorted(added)
    )
    topics_by_assessor: defaultdict[int, list[int]] = defaultdict(list)
    for topic, who in removed:
        topics_by_assessor[who].append(topic)
    for who, topics in topics_by_assessor.items():
        claims = open_claims(campaign).filter(assessor=who, task__topic__in=topics)
        claims.update(end=Claim.End.RELEASED, until=timezone.now())
    assign_gold(campaign)


def _log(
    campaign: Campaign,
    actor: User | None,
    assigned: set[TopicAndAssessor],
    topics: set[int],
) -> None:
    record(
        campaign,
        actor,
        "assigned topics",
        f"{len({topic for topic, _ in assigned})} of {len(topics)}",
        assessors=len({who for _, who in assigned}),
    )
