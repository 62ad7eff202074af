"""Plans by move-to-front, Hedge and MaxMean while two assessors judge."""

import random

import numpy as np
import pytest

from campaigns.judging import plans
from campaigns.judging.tasks import claim_next, judge, skip
from campaigns.models import Campaign, Claim, Plan, User
from scoring.core.judging.selection import ORDERS, Strategy
from scoring.core.judging.simulation import simulate_judging
from scoring.judging.candidates import candidates_of_campaign
from tests.campaigns.judging.making import make_assessor
from tests.flow_world import perform_jobs
from tests.making import make_campaign
from tests.ranked_runs import ranked_run

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("wake_ups", "files_of_its_own"),
]
BY_TOPIC = sorted(ORDERS)
TOPICS = ("1", "2", "3")
DOCUMENTS = [f"d{number:02}" for number in range(30)]
Name = tuple[str, str]  # topic, document


def campaign_of_runs() -> Campaign:
    """Five runs that rank the same thirty documents by chance, and keep twelve."""
    campaign = make_campaign(topics=TOPICS)
    chance = random.Random(7)
    for number in range(5):
        lists = {topic: chance.sample(DOCUMENTS, 12) for topic in TOPICS}
        ranked_run(campaign, lists, tag=f"run{number}")
    return campaign


def begun(campaign: Campaign, method: str, **facts: int) -> Plan:
    plan = Plan(campaign=campaign, method=method, **{"budget": 20, "batch": 3} | facts)
    plan = plans.create_plan(plan=plan, actor=None)
    perform_jobs()
    return plan


def grade_of(name: Name) -> int:
    return int(int(name[1][1:]) % 3 == int(name[0]) % 3)


def judge_all(campaign: Campaign, people: list[User]) -> dict[Name, User]:
    """The assessors take turns and each judges one document of the first topic that has any, until
    nobody gets one. Who judged which."""
    judged: dict[Name, User] = {}
    while True:
        before = len(judged)
        for person in people:
            for topic in campaign.topics.order_by("position"):
                if task := claim_next(assessor=person, topic=topic).task:
                    name = topic.code, task.doc_id
                    assert name not in judged
                    judge(
                        assessor=person,
                        topic=topic,
                        doc_id=task.doc_id,
                        grade=grade_of(name),
                        key=f"{person.pk}-{name}",
                    )
                    judged[name] = person
                    break
            perform_jobs()
        if len(judged) == before:
            return judged


def chosen(plan: Plan) -> list[Name]:
    return list(plan.tasks.order_by("position").values_list("topic__code", "doc_id"))


def simulated(plan: Plan) -> list[Name]:
    """What the simulation selects if these grades are all known."""
    found = candidates_of_campaign(plan.campaign, persistence=plan.persistence)
    assert found is not None
    candidates = found.candidates
    names = [
        (candidates.topics[row], doc_id.decode())
        for row, doc_id in zip(candidates.topic_rows, candidates.doc_ids, strict=True)
    ]
    outcomes = np.array([grade_of(name) for name in names], np.int8)
    strategy = Strategy(plan.method, plan.persistence)  # type: ignore[arg-type]
    judging = simulate_judging(candidates, strategy, outcomes, budget=plan.budget, batch=plan.batch)
    return [names[place] for place in judging.handled]


@pytest.mark.parametrize("method", BY_TOPIC)
@pytest.mark.parametrize("batch", [3, 8])  # with one document of each topic, and with several
def test_two_assessors_judge_what_the_simulation_selects(method: str, batch: int) -> None:
    campaign = campaign_of_runs()
    people = [make_assessor(campaign, topics=TOPICS) for _ in range(2)]
    # Whole batches, because the next one is chosen when nothing is left.
    plan = begun(campaign, method, batch=batch, budget=3 * batch)
    assert len(chosen(plan)) == batch
    judged = judge_all(campaign, people)
    assert len(judged) == 3 * batch
    assert set(judged.values()) == set(people)
    assert Claim.objects.count() == 3 * batch  # nobody opened a document that another had
    assert sorted(judged) == sorted(chosen(plan))
    assert chosen(plan) == simulated(plan)


@pytest.mark.parametrize("method", BY_TOPIC)
def test_the_next_batch_follows_the_judgments(method: str) -> None:
    batches = []
    for grade in (0, 1):
        campaign = campaign_of_runs()
        assessor = make_assessor(campaign, topics=TOPICS)
        plan = begun(campaign, method, budget=6)
        for topic in campaign.topics.order_by("position"):
            task = claim_next(assessor=assessor, topic=topic).task
            assert task is not None
            judge(assessor=assessor, topic=topic, doc_id=task.doc_id, grade=grade, key=topic.code)
        perform_jobs()
        batches.append(chosen(plan))
    assert batches[0][:3] == batches[1][:3]
    assert batches[0][3:] != batches[1][3:]
    assert [topic for topic, _ in batches[0]] == [*TOPICS, *TOPICS]


@pytest.mark.parametrize("method", BY_TOPIC)
def test_a_skipped_document_changes_nothing_and_is_not_chosen_again(method: str) -> None:
    campaign = campaign_of_runs()
    assessor = make_assessor(campaign, topics=TOPICS)
    plan = begun(campaign, method, budget=9)
    for topic in campaign.topics.order_by("position"):
        task = claim_next(assessor=assessor, topic=topic).task
        assert task is not None
        skip(assessor=assessor, topic=topic, doc_id=task.doc_id)
        claim_next(assessor=assessor, topic=topic)  # asks for more
    perform_jobs()
    assert len(chosen(plan)) == len(set(chosen(plan))) == 6
    at_once = begun(campaign_of_runs(), method, budget=9, batch=6)  # without any judgment
    assert sorted(chosen(plan)) == sorted(chosen(at_once))


@pytest.mark.parametrize("method", BY_TOPIC)
def test_judgments_from_before_the_plan_count(method: str) -> None:
    """A second plan goes on where one plan of the whole budget would have gone on."""
    campaign, other = campaign_of_runs(), campaign_of_runs()
    first = begun(campaign, method, budget=6)
    judge_all(campaign, [make_assessor(campaign, topics=TOPICS)])
    plans.end_plan(plan=first, actor=None)
    second = begun(campaign, method, budget=6)
    judge_all(campaign, [make_assessor(campaign, topics=TOPICS)])
    whole = begun(other, method, budget=12)
    judge_all(other, [make_assessor(other, topics=TOPICS)])
    assert chosen(first) + chosen(second) == chosen(whole)
