"""Judgments become a version that says where they come from."""

import pytest

from campaigns.judging import adjudication, pool_files
from campaigns.models import Campaign, Judgment, Plan, Task, User
from campaigns.qrels import provenance, versions
from campaigns.qrels.files import text_of
from tests.making import give_file, make_campaign, make_organiser, make_qrels, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(topics=("1", "2"))


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


def plan_with(campaign: Campaign, *doc_ids: str, **facts: object) -> Plan:
    plan = Plan.objects.create(
        campaign=campaign, **{"budget": 20, "method": "C", "laid_out": len(doc_ids)} | facts
    )
    topic = campaign.topics.get(code="1")
    for number, doc_id in enumerate(doc_ids):
        Task.objects.create(plan=plan, topic=topic, doc_id=doc_id, position=number, turn=number)
    return plan


def test_a_version_states_how_it_was_judged(campaign: Campaign, organiser: User) -> None:
    ada, bob = make_user(), make_user()
    plan = plan_with(campaign, "a", "b", "c")
    for task, who, grade in zip(
        plan.tasks.order_by("position"), (ada, ada, bob), (1, 0, 1), strict=True
    ):
        Judgment.objects.create(
            campaign=campaign,
            topic=task.topic,
            doc_id=task.doc_id,
            grade=grade,
            assessor=who,
            task=task,
        )
    Plan.objects.update(state=Plan.State.ENDED)
    pool_files.import_judgments(
        campaign=campaign, assessor=bob, data=b"1 0 a 0\n1 0 b 1\n", actor=organiser
    )
    adjudication.decide(campaign=campaign, topic="1", doc_id="a", grade=1, note="", actor=organiser)
    qrels = versions.freeze_judgments(campaign=campaign, note="", actor=organiser)
    assert b"".join(text_of(qrels)) == b"1 0 a 1\n1 0 b 1\n1 0 c 1\n"
    found = qrels.provenance
    assert found.pop("plans") == [
        {
            "method": "C", "persistence": 0.8, "scope": "run", "budget": 20, "laid_out": 3,
            "batch": 20, "overlap_percent": 0, "lowest_priority": None, "is_shuffled": False,
        }
    ]  # fmt: skip
    assert found == {
        "judgments": 6, "from_outside": 2, "documents": 3, "assessors": 2, "by_assessor": [3, 2],
        "judged_twice": 2, "disagreed": 1, "decided": 1,
    }  # fmt: skip
    qrels.refresh_from_db()
    assert provenance.provenance_text(qrels.provenance) == [
        "Frozen from 5 judgments by 2 assessors (3, 2), 2 of them imported.",
        "They disagreed on 1 document, where the latest judgment counts. An organiser decided on 1"
        " document.",
        "Documents selected by method C, p = 0.8, 3 of a budget of 20.",
    ]


def test_the_provenance_counts_imported_judgments_of_an_active_plan(
    campaign: Campaign, organiser: User
) -> None:
    plan_with(campaign, "a", "b")
    for data in (b"1 0 a 0\n1 0 b 1\n", b"1 0 a 1\n", b"1 0 a 0\n1 0 b 1\n"):  # as at first
        pool_files.import_judgments(
            campaign=campaign, assessor=organiser, data=data, actor=organiser
        )
    qrels = versions.freeze_judgments(campaign=campaign, note="", actor=organiser)
    assert provenance.provenance_text(qrels.provenance)[0] == (
        "Frozen from 2 judgments by 1 assessor, 2 of them imported."
    )


def test_judgments_are_laid_over_the_version_that_the_plan_starts_from(
    campaign: Campaign, organiser: User
) -> None:
    base = give_file(make_qrels(campaign, judgment_count=2), b"1 0 d1 1\n1 0 d2 0\n2 0 d2 -1\n")
    plan = plan_with(campaign, "d2", "d3", starts_from=base)
    for task in plan.tasks.all():
        Judgment.objects.create(
            campaign=campaign,
            topic=task.topic,
            doc_id=task.doc_id,
            grade=1,
            assessor=organiser,
            task=task,
        )
    qrels = versions.freeze_judgments(campaign=campaign, note="", actor=organiser)
    assert b"".join(text_of(qrels)) == b"1 0 d1 1\n1 0 d2 1\n1 0 d3 1\n2 0 d2 -1\n"
    assert qrels.provenance["laid_over"] == {"version": 1, "judgments": 2, "replaced": 1}
    assert provenance.provenance_text(qrels.provenance)[-1] == (
        "Based on v1: 1 of its 2 judgments were replaced."
    )


def test_an_uploaded_version_has_no_such_story() -> None:
    assert (
        provenance.provenance_text({}) == provenance.provenance_text({"uploaded_sha256": "0"}) == []
    )


@pytest.mark.parametrize(
    ("method", "said"),
    [("pooling", "pooling"), ("B", "method B, p = 0.8"), ("MTF", "move-to-front"),
     ("Hedge", "Hedge"), ("MaxMean", "MaxMean"),
     ("RBPsample", "a stratified sample by the weights of RBP, p = 0.8"),
     ("APsample", "a stratified sample by the weights of AP")],
)  # fmt: skip
def test_the_provenance_names_the_method_and_p_if_it_uses_p(method: str, said: str) -> None:
    plan = {"method": method, "persistence": 0.8, "laid_out": 3, "budget": 20}
    text = provenance.provenance_text({"judgments": 1, "assessors": 1, "plans": [plan]})
    assert text[-1] == f"Documents selected by {said}, 3 of a budget of 20."
