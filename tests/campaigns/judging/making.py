"""Plans with tasks and assessors, without runs that would propose them."""

from collections.abc import Sequence

from campaigns.models import Campaign, Claim, Membership, Plan, Task, Topic, TopicAssessor, User
from tests.making import make_campaign, make_user


def make_assessor(
    campaign: Campaign, *, topics: Sequence[str] = ("1",), person: User | None = None
) -> User:
    """An assessor of these topics."""
    person = person or make_user()
    Membership.objects.get_or_create(
        campaign=campaign, person=person, role=Membership.Role.ASSESSOR
    )
    TopicAssessor.objects.bulk_create(
        TopicAssessor(topic=topic, assessor=person)
        for topic in campaign.topics.filter(code__in=topics)
    )
    return person


def make_plan(
    campaign: Campaign | None = None,
    *,
    tasks: Sequence[str] = ("d1", "d2", "d3"),
    wanted: int = 1,
    topics: Sequence[str] = ("1",),
    **facts: object,
) -> Plan:
    """A plan that is laid out: these documents for each of these topics, in this order."""
    campaign = campaign or make_campaign(highest_grade=3)
    defaults = {"budget": len(tasks) * len(topics), "laid_out": len(tasks) * len(topics)}
    plan = Plan.objects.create(campaign=campaign, **defaults | facts)
    rows = campaign.topics.filter(code__in=topics).order_by("position")
    Task.objects.bulk_create(
        Task(plan=plan, topic=topic, doc_id=doc_id, position=place, turn=place, wanted=wanted)
        for place, (topic, doc_id) in enumerate((t, d) for t in rows for d in tasks)
    )
    return plan


def topic_of(plan: Plan, code: str = "1") -> Topic:
    return Topic.objects.select_related("campaign").get(campaign=plan.campaign_id, code=code)


def claim_of(person: User, doc_id: str) -> Claim:
    return Claim.objects.get(assessor=person, task__doc_id=doc_id)
