"""A plan is made, paused, resumed and ended: who may, when, and what rings."""

import pytest

from campaigns.errors import Archived, CannotChangeStage
from campaigns.judging import plans
from campaigns.models import Campaign, LogEntry, Plan
from scoring.models import Job
from tests.flow_world import perform_jobs
from tests.making import make_campaign, make_organiser, make_qrels
from tests.ranked_runs import table_1

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("wake_ups", "files_of_its_own"),
]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(topics=("1",), slug="planned")
    table_1(campaign)
    return campaign


def made(campaign: Campaign, **facts: object) -> Plan:
    plan = Plan(campaign=campaign, **{"method": "A", "budget": 6} | facts)
    return plans.create_plan(plan=plan, actor=None)


def verbs() -> list[str]:
    return list(LogEntry.objects.order_by("pk").values_list("verb", flat=True))


def test_a_created_plan_selects_documents_and_is_logged(
    campaign: Campaign, wake_ups: list[int]
) -> None:
    organiser = make_organiser(campaign)
    plan = plans.create_plan(plan=Plan(campaign=campaign, method="A", budget=6), actor=organiser)
    assert (len(wake_ups), perform_jobs()) == (1, 1)
    assert plan.tasks.count() == 6
    assert (plan.created_by, verbs()) == (organiser, ["created judging plan"])


def test_only_one_plan_is_active(campaign: Campaign) -> None:
    first = made(campaign)
    with pytest.raises(CannotChangeStage, match="End it first"):
        made(campaign)
    plans.end_plan(plan=first, actor=None)
    second = made(campaign)
    assert plans.active_plan(campaign) == second
    assert first.ended_at is not None


def test_a_plan_is_paused_resumed_and_ended_and_what_was_done_is_not_done_again(
    campaign: Campaign,
) -> None:
    plan = made(campaign, method="C", batch=2)
    perform_jobs()
    plan.refresh_from_db()
    plans.pause_plan(plan=plan, actor=None)
    with pytest.raises(CannotChangeStage, match="already paused"):
        plans.pause_plan(plan=plan, actor=None)
    plans.resume_plan(plan=plan, actor=None)
    assert Job.objects.filter(kind=Job.Kind.LAY_OUT, state=Job.State.WAITING).count() == 1
    plans.end_plan(plan=plan, actor=None)
    with pytest.raises(CannotChangeStage, match="already ended"):
        plans.resume_plan(plan=plan, actor=None)
    assert verbs()[1:] == ["paused judging", "resumed judging", "ended judging"]
    assert plans.active_plan(campaign) is None
    assert plans.latest_plan(campaign) == plan


def test_nothing_is_planned_in_an_archived_campaign(campaign: Campaign) -> None:
    plan = made(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(archived_at="2026-06-01T12:00:00Z")
    for act in plans.ACTS.values():
        with pytest.raises(Archived):
            act(plan=plan, actor=None)
    with pytest.raises(Archived):
        made(campaign)


def test_without_runs_there_is_nothing_to_plan() -> None:
    with pytest.raises(CannotChangeStage, match="nothing to judge"):
        made(make_campaign())
    assert not Plan.objects.exists()


def test_a_plan_starts_from_its_own_campaigns_qrels_only(campaign: Campaign) -> None:
    with pytest.raises(Exception, match="another campaign"):
        made(campaign, starts_from=make_qrels(make_campaign()))
