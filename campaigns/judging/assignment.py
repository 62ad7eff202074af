"""Who judges which topic: named one by one, spread evenly, taken off again; and what an assessor
holds and does not come back to is freed."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from campaigns.errors import CannotAssignTopics
from campaigns.judging.final_grades import final_grades_now
from campaigns.lifecycle import refuse_archived
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

Share: TypeAlias = tuple[int, int]  # ids of a topic and of who judges it
NAMED = 10  # topics, where something is wrong with more of them


@dataclass(frozen=True)
class AssignedAssessor:
    """One assessor before one topic."""

    assessor: User
    is_named: bool
    judged: int  # documents


@dataclass(frozen=True)
class TopicAssignment:
    """One topic: how many documents the plan wants of it, and who judges them."""

    topic: Topic
    wanted: int  # documents laid out
    judged: int  # of any assessor, each once
    places: tuple[AssignedAssessor, ...]  # one for each assessor

    @property
    def named(self) -> int:
        return sum(place.is_named for place in self.places)


@dataclass(frozen=True)
class AssessorLoad:
    """What one assessor has to do, has done, and holds."""

    assessor: User
    codes: tuple[str, ...]  # of the topics, in their order
    wanted: int  # documents laid out of these topics
    judged: int  # documents of any topic
    held: int  # claims neither judged nor given back


@dataclass(frozen=True)
class Assignments:
    """The whole of it, as the page shows it."""

    topics: tuple[TopicAssignment, ...]
    assessors: tuple[AssessorLoad, ...]

    @property
    def without(self) -> int:
        """Topics that nobody judges."""
        return sum(not topic.named for topic in self.topics)


def assessors_of(campaign: Campaign) -> list[User]:
    """Whoever has the role, by name. One query."""
    people = User.objects.filter(
        memberships__campaign=campaign, memberships__role=Membership.Role.ASSESSOR
    )
    return list(people.order_by("name", "email"))


def assignments_of(campaign: Campaign) -> Assignments:
    """Every topic and every assessor. Seven queries."""
    assessors, topics = assessors_of(campaign), list(campaign.topics.order_by("position"))
    named, wanted = _named(campaign, assessors), _wanted(campaign)
    judged, by_topic = _judged(campaign)
    held = Counter(held_claims(campaign).values_list("assessor", flat=True))
    rows = []
    for topic in topics:
        places = tuple(
            AssignedAssessor(who, (topic.pk, who.pk) in named, judged[topic.position, who.pk])
            for who in assessors
        )
        rows.append(TopicAssignment(topic, wanted[topic.pk], by_topic[topic.position], places))
    loads = [
        AssessorLoad(
            assessor=who,
            codes=tuple(topic.code for topic in topics if (topic.pk, who.pk) in named),
            wanted=sum(wanted[topic] for topic, assessor in named if assessor == who.pk),
            judged=sum(count for (_, by), count in judged.items() if by == who.pk),
            held=held[who.pk],
        )
        for who in assessors
    ]
    return Assignments(tuple(rows), tuple(loads))


@transaction.atomic
def name_topics(
    *, campaign: Campaign, assessor: User, codes: Iterable[str], actor: User | None
) -> int:
    """This assessor judges the topics of these codes and no others; other assessors keep theirs.
    How many they are. What the assessor holds of a topic that is no longer theirs is given back.

    Raises `CannotAssignTopics` for a topic that the campaign does not have, or where the person is
    no longer an assessor.
    """
    held = _locked(campaign)
    topics = dict(held.topics.values_list("code", "pk"))
    asked = set(codes)
    strange = sorted(asked - topics.keys())
    if strange:
        raise CannotAssignTopics(
            f"No such topic: {' '.join(strange[:NAMED])}. Nothing was changed."
        )
    assessors = assessors_of(held)
    if assessor not in assessors:
        raise CannotAssignTopics(f"{assessor} is no assessor of this campaign any more.")
    others = {(topic, who) for topic, who in _named(held, assessors) if who != assessor.pk}
    wanted = others | {(topics[code], assessor.pk) for code in asked}
    _replace(held, wanted)
    _log(held, actor, wanted, set(topics.values()))
    return len(asked)


@transaction.atomic
def spread_evenly(*, campaign: Campaign, each: int, actor: User | None) -> int:
    """Names so many assessors for each topic as `each` says, where fewer are named: whoever has
    least to do. Who is named already stays. How many were added."""
    held = _locked(campaign)
    assessors = assessors_of(held)
    named = _named(held, assessors)
    weights = _weights(held)
    topics = list(held.topics.order_by("position").values_list("pk", flat=True))
    load: Counter[int] = Counter({who.pk: 0 for who in assessors})
    for topic, who in named:
        load[who] += weights[topic] + 1
    before = len(named)
    for topic in sorted(topics, key=lambda pk: -weights[pk]):  # the largest first
        here = {who for of, who in named if of == topic}
        free = sorted(set(load) - here, key=lambda who: (load[who], _place(assessors, who)))
        for who in free[: max(each - len(here), 0)]:
            named.add((topic, who))
            load[who] += weights[topic] + 1
    _replace(held, named)
    _log(held, actor, named, set(topics))
    return len(named) - before


def held_claims(campaign: Campaign) -> QuerySet[Claim]:
    """Claims of the plan in force that are neither judged nor given back. Whoever comes back past
    their lease goes on with what they held, so that is held too."""
    claims = Claim.objects.filter(task__plan__campaign=campaign, end=Claim.End.NONE)
    return claims.exclude(task__plan__state=Plan.State.ENDED)


def _locked(campaign: Campaign) -> Campaign:
    held = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    refuse_archived(held)
    return held


def _named(campaign: Campaign, assessors: Collection[User]) -> set[Share]:
    rows = TopicAssessor.objects.filter(topic__campaign=campaign, assessor__in=assessors)
    return set(rows.values_list("topic", "assessor"))


def _weights(campaign: Campaign) -> Counter[int]:
    """What a topic weighs when they are spread: its documents, once all are laid out; before that
    the first batches say little of what is to come, and every topic weighs the same."""
    plan = campaign.plans.exclude(state=Plan.State.ENDED).first()
    return _wanted(campaign) if plan is not None and plan.is_laid_out else Counter()


def _wanted(campaign: Campaign) -> Counter[int]:
    """Documents laid out by topic, of the plan in force."""
    tasks = Task.objects.filter(plan__campaign=campaign).exclude(plan__state=Plan.State.ENDED)
    counted = tasks.values("topic").annotate(count=Count("pk"))
    return Counter(dict(counted.values_list("topic", "count")))


def _judged(campaign: Campaign) -> tuple[Counter[Share], Counter[int]]:
    """Documents with a judgment that stands, by topic position and assessor, and by position."""
    by_share: Counter[Share] = Counter()
    by_topic: Counter[int] = Counter()
    for (position, _, _), document in final_grades_now(campaign).items():
        by_topic[position] += 1
        by_share.update((position, who) for who in document.by_assessor)
    return by_share, by_topic


def _replace(campaign: Campaign, wanted: set[Share]) -> None:
    rows = TopicAssessor.objects.filter(topic__campaign=campaign)
    now = {(topic, who): pk for pk, topic, who in rows.values_list("pk", "topic", "assessor")}
    TopicAssessor.objects.filter(pk__in=[now[share] for share in now.keys() - wanted]).delete()
    TopicAssessor.objects.bulk_create(
        TopicAssessor(topic_id=topic, assessor_id=who) for topic, who in sorted(wanted - now.keys())
    )
    for topic, who in now.keys() - wanted:
        held = held_claims(campaign).filter(assessor=who, task__topic=topic)
        held.update(end=Claim.End.RELEASED, until=timezone.now())


def _log(campaign: Campaign, actor: User | None, shares: set[Share], topics: set[int]) -> None:
    record(
        campaign,
        actor,
        "shared out topics",
        f"{len({topic for topic, _ in shares})} of {len(topics)}",
        assessors=len({who for _, who in shares}),
    )


def _place(assessors: Collection[User], pk: int) -> int:
    return [who.pk for who in assessors].index(pk)
