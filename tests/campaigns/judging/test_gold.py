"""Gold documents: given to assessors like others, and compared with their grades for organisers."""

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.errors import CannotMarkGold, CannotRemoveTopics
from campaigns.judging import assignment, forms, gold, tasks
from campaigns.judging.gold_tasks import gold_documents
from campaigns.models import Campaign, Plan, Task, User
from campaigns.qrels.files import text_of
from campaigns.qrels.provenance import provenance_text
from campaigns.qrels.topics import remove_topics
from campaigns.qrels.versions import freeze_judgments
from tests.campaigns.judging.making import make_assessor, make_plan, topic_of
from tests.making import make_campaign, make_organiser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(highest_grade=3)


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


def mark(organiser: User, campaign: Campaign, doc_id: str = "g1", grade: int = 2) -> None:
    gold.mark(campaign=campaign, topic="1", doc_id=doc_id, grade=grade, actor=organiser)


def judge_all(plan: Plan, assessor: User, grades: dict[str, int], usual: int = 0) -> list[str]:
    """The documents in the order in which the assessor gets them."""
    seen: list[str] = []
    topic = topic_of(plan)
    while (task := tasks.claim_next(assessor=assessor, topic=topic).task) is not None:
        seen.append(task.doc_id)
        grade = grades.get(task.doc_id, usual)
        tasks.judge(assessor=assessor, topic=topic, doc_id=task.doc_id, grade=grade)
    return seen


def test_every_assessor_of_the_topic_judges_gold_documents(
    campaign: Campaign, organiser: User
) -> None:
    plan = make_plan(campaign)
    ada, bob = make_assessor(campaign), make_assessor(campaign)
    mark(organiser, campaign, "g1", 2)
    mark(organiser, campaign, "d2", 0)  # the plan has it already
    mark(organiser, campaign, "g1", 3)  # a correction of its grade
    first = judge_all(plan, ada, {"g1": 3, "d2": 1})
    second = judge_all(plan, bob, {"g1": 1, "d2": 0})
    assert sorted(first) == ["d1", "d2", "d3", "g1"]
    assert sorted(second) == ["d2", "g1"]  # the others wanted one assessor
    rows = {
        row.assessor: (row.judged, row.agreed, row.higher, row.lower)
        for row in gold.agreement_with_gold(gold.graded_gold(campaign))
    }
    assert rows == {ada: (2, 1, 1, 0), bob: (2, 1, 0, 1)}


def test_an_assessor_who_comes_later_judges_them_too(campaign: Campaign, organiser: User) -> None:
    plan = make_plan(campaign, tasks=())
    mark(organiser, campaign)
    assert plan.tasks.get().wanted == 1
    for _ in range(2):
        person = make_assessor(campaign, topics=())
        assignment.assign_topics(campaign=campaign, assessor=person, codes=["1"], actor=organiser)
        assert judge_all(plan, person, {}) == ["g1"]
    assert plan.tasks.get().wanted == 2


def test_unmarking_deletes_the_task_unless_somebody_opened_it(
    campaign: Campaign, organiser: User
) -> None:
    plan = make_plan(campaign)
    person = make_assessor(campaign)
    for doc_id in ("g1", "d1"):
        mark(organiser, campaign, doc_id)
    for marked in gold_documents(campaign):
        gold.unmark(gold=marked, actor=organiser)
    assert sorted(plan.tasks.values_list("doc_id", flat=True)) == ["d1", "d2", "d3"]
    mark(organiser, campaign, "g2")
    judge_all(plan, person, {})
    gold.unmark(gold=gold_documents(campaign).get(), actor=organiser)
    assert Task.objects.filter(doc_id="g2").exists()
    assert campaign.judgments.filter(doc_id="g2").exists()


@pytest.mark.parametrize(("topic", "grade"), [("1", 4), ("1", -1), ("unknown", 1)])
def test_a_topic_or_grade_that_does_not_exist_is_refused(
    campaign: Campaign, organiser: User, topic: str, grade: int
) -> None:
    with pytest.raises(CannotMarkGold):
        gold.mark(campaign=campaign, topic=topic, doc_id="g", grade=grade, actor=organiser)
    client = Client()
    client.force_login(organiser)
    url = reverse("campaigns:judging-gold", args=[campaign.slug])
    assert client.post(url, {"topic": topic, "doc_id": "g", "grade": grade}).status_code == 400
    assert client.post(url, {"topic": "1", "doc_id": "two ids", "grade": 1}).status_code == 400
    assert not gold_documents(campaign).exists()


def test_the_number_of_one_of_many_topics_is_typed(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of all topics would make the page as long as the campaign."""
    client = Client()
    client.force_login(organiser)
    url = reverse("campaigns:judging-gold", args=[campaign.slug])
    assert b'<select name="topic"' in client.get(url).content
    monkeypatch.setattr(forms, "LISTED_TOPICS", campaign.topics.count() - 1)
    page = client.get(url).content
    assert b'<input type="text" name="topic"' in page
    assert b'<select name="topic"' not in page
    refused = client.post(url, {"topic": "unknown", "doc_id": "g", "grade": 1})
    assert refused.status_code == 400
    assert b"The campaign has no topic unknown." in refused.content
    assert client.post(url, {"topic": "1", "doc_id": "g", "grade": 1}).status_code == 302
    assert gold_documents(campaign).get().topic.code == "1"


@pytest.mark.parametrize("without_gold", [False, True])
def test_a_frozen_version_contains_gold_documents_as_stated(
    campaign: Campaign, organiser: User, without_gold: bool
) -> None:
    plan = make_plan(campaign)
    mark(organiser, campaign, "g1", 3)
    judge_all(plan, make_assessor(campaign), {"g1": 1}, usual=2)
    qrels = freeze_judgments(campaign=campaign, note="", actor=organiser, without_gold=without_gold)
    lines = b"".join(text_of(qrels)).decode().splitlines()
    expected = [f"1 0 d{number} 2" for number in (1, 2, 3)]
    assert lines == expected + ([] if without_gold else ["1 0 g1 1"])
    verb = "left out" if without_gold else "included"
    assert f"1 gold document {verb}." in provenance_text(qrels.provenance)


def test_no_page_tells_an_assessor_which_documents_are_gold(
    campaign: Campaign, organiser: User
) -> None:
    """The same pages with a gold document and with one that two assessors judge anyway."""
    make_plan(campaign, tasks=("d1",), wanted=2)
    person = make_assessor(campaign)
    make_assessor(campaign)
    client = Client()
    client.force_login(person)
    paths = [
        reverse("campaigns:assess", args=[campaign.slug]),
        reverse("campaigns:assess-topic", args=[campaign.slug, "1"]),
        reverse("campaigns:assessed", args=[campaign.slug, "1"]),
        reverse("campaigns:account-data"),
    ]

    def parts() -> list[list[str]]:
        """Without tokens and times, which differ in any two responses."""
        pages = [client.get(path).content.decode() for path in paths]
        noise = ('name="csrfmiddlewaretoken"', 'name="key"', '"at"', "joined", "last_login")
        return [[row for row in page.split("\n") if not any(n in row for n in noise)]
                for page in pages]  # fmt: skip

    before = parts()
    before = parts()  # the first look claimed the document
    mark(organiser, campaign, "d1", 1)
    assert parts() == before
    assert "gold" not in "".join(map("".join, before)).lower()
    assert client.get(reverse("campaigns:judging-gold", args=[campaign.slug])).status_code == 404


def test_the_page_shows_the_agreement_of_each_assessor(campaign: Campaign, organiser: User) -> None:
    plan = make_plan(campaign)
    client = Client()
    client.force_login(organiser)
    url = reverse("campaigns:judging-gold", args=[campaign.slug])
    assert "No document is gold yet." in client.get(url).content.decode()
    client.post(url, {"topic": "1", "doc_id": "d1", "grade": "1"})
    judge_all(plan, make_assessor(campaign), {}, usual=1)
    page = client.get(url).content.decode()
    assert "1 document is gold. 1 assessor judged at least one of them." in page
    assert "1 (100 %)" in page
    marked = gold_documents(campaign).get()
    unmark = reverse("campaigns:judging-gold-unmark", args=[campaign.slug, marked.pk])
    assert client.post(unmark).status_code == 302
    assert client.post(unmark).status_code == 404
    verbs = list(campaign.log.order_by("pk").values_list("verb", flat=True))
    assert [verb for verb in verbs if "gold" in verb] == [
        "marked gold document", "unmarked gold document",
    ]  # fmt: skip


def test_a_topic_is_removed_with_its_gold_documents_and_assessors(
    campaign: Campaign, organiser: User
) -> None:
    make_assessor(campaign)
    mark(organiser, campaign)
    assert remove_topics(campaign=campaign, codes=["1"], actor=organiser) == 1
    assert not gold_documents(campaign).exists()


def test_a_topic_whose_documents_are_being_judged_stays(
    campaign: Campaign, organiser: User
) -> None:
    make_plan(campaign, tasks=())
    mark(organiser, campaign)
    with pytest.raises(CannotRemoveTopics):
        remove_topics(campaign=campaign, codes=["1"], actor=organiser)
