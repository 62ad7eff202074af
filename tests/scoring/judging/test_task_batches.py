"""A plan's next documents: the paper's example, batches, and documents that are left out."""

import pytest

from campaigns import scoring_hooks
from campaigns.judging.gold import mark
from campaigns.models import Campaign, Judgment, Plan, Task, User
from tests.flow_world import perform_jobs
from tests.making import make_campaign, make_user
from tests.ranked_runs import ranked_run, table_1

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("wake_ups", "files_of_its_own"),
]


def plan_of(campaign: Campaign, **facts: object) -> Plan:
    plan = Plan.objects.create(campaign=campaign, **{"budget": 6, "method": "A"} | facts)
    create_tasks(plan)
    return plan


def create_tasks(plan: Plan) -> None:
    scoring_hooks.enqueue_next_documents(plan)
    assert perform_jobs() == 1
    plan.refresh_from_db()


def chosen(plan: Plan) -> list[str]:
    return list(plan.tasks.order_by("position").values_list("doc_id", flat=True))


def judge(task: Task, grade: int, assessor: User) -> None:
    Judgment.objects.create(
        campaign_id=task.plan.campaign_id,
        topic=task.topic,
        doc_id=task.doc_id,
        grade=grade,
        assessor=assessor,
        task=task,
    )


def test_method_a_chooses_the_papers_six_documents() -> None:
    campaign = make_campaign(topics=("1",))
    table_1(campaign)
    plan = plan_of(campaign, method="A")
    assert chosen(plan) == ["18", "22", "11", "10", "21", "13"]
    assert (plan.laid_out, plan.is_laid_out) == (6, True)


def test_an_adaptive_plan_comes_in_batches_and_ends_with_its_budget() -> None:
    campaign = make_campaign(topics=("1",))
    table_1(campaign)
    plan = plan_of(campaign, method="C", batch=2, budget=5)
    assessor = make_user()
    assert len(chosen(plan)) == 2
    for task in plan.tasks.all():
        judge(task, 1, assessor)
    create_tasks(plan)
    assert len(chosen(plan)) == 4
    create_tasks(plan)  # the second batch is not judged yet: it is not chosen again
    assert (len(chosen(plan)), len(set(chosen(plan))), plan.is_laid_out) == (5, 5, True)
    create_tasks(plan)
    assert len(chosen(plan)) == 5


def test_documents_judged_before_the_plan_are_not_chosen_again() -> None:
    campaign = make_campaign(topics=("1",))
    table_1(campaign)
    first = plan_of(campaign, budget=2)
    for task in first.tasks.all():
        judge(task, 0, make_user())
    Plan.objects.update(state=Plan.State.ENDED)
    assert chosen(plan_of(campaign, budget=2)) == ["11", "10"]


def test_gold_documents_that_were_marked_before_the_plan_come_among_the_others() -> None:
    campaign = make_campaign(topics=("1",))
    table_1(campaign)
    for number in range(8):
        mark(campaign=campaign, topic="1", doc_id=f"g{number}", grade=0, actor=make_user())
    gold = plan_of(campaign).tasks.filter(doc_id__startswith="g")
    turns = set(gold.values_list("turn", flat=True))
    assert len(turns) > 1  # all equal once in 280,000 times
    assert turns <= set(range(6))


def test_runs_beyond_the_judging_priority_do_not_contribute() -> None:
    campaign = make_campaign(topics=("1",))
    ranked_run(campaign, {"1": ["a", "b"]}, tag="first", judging_priority=1)
    ranked_run(campaign, {"1": ["c", "d"]}, tag="second", judging_priority=2)
    ranked_run(campaign, {"1": ["e"]}, tag="unsaid")
    plan = plan_of(campaign, lowest_priority=1)
    assert chosen(plan) == ["a", "b"]
    assert not plan.is_laid_out
    create_tasks(plan)
    assert (plan.is_exhausted, plan.is_laid_out) == (True, True)


def test_a_shuffled_plan_shows_documents_in_another_order_than_it_chose_them() -> None:
    campaign = make_campaign(topics=("1",))
    table_1(campaign)
    plan = plan_of(campaign, is_shuffled=True, budget=15)
    turns = list(plan.tasks.order_by("position").values_list("turn", flat=True))
    assert sorted(turns) == list(range(15))
    assert turns != sorted(turns)
    assert chosen(plan)[:6] == ["18", "22", "11", "10", "21", "13"]


def test_the_requested_share_of_documents_is_judged_twice() -> None:
    campaign = make_campaign(topics=("1",))
    table_1(campaign)
    wanted = plan_of(campaign, overlap_percent=100, budget=15).tasks
    assert set(wanted.values_list("wanted", flat=True)) == {2}
