"""Who judges which topic: spread evenly, named one by one, taken off; and claims given back."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaigns.errors import CannotAssignTopics
from campaigns.judging import assignment, tasks
from campaigns.models import (
    Campaign,
    Claim,
    Judgment,
    Membership,
    Plan,
    Task,
    TopicAssessor,
    User,
)
from tests.making import make_campaign, make_organiser, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(topics=("1", "2", "3", "4"))


def make_assessor(campaign: Campaign, name: str) -> User:
    person = make_user(name=name)
    Membership.objects.create(campaign=campaign, person=person, role=Membership.Role.ASSESSOR)
    return person


def lay_out(campaign: Campaign, counts: dict[str, int]) -> Plan:
    """A plan with this many tasks of each topic."""
    codes = [code for code, count in counts.items() for _ in range(count)]
    plan = Plan.objects.create(
        campaign=campaign, budget=len(codes), laid_out=len(codes), method="A"
    )
    topics = {topic.code: topic for topic in campaign.topics.all()}
    for number, code in enumerate(codes):
        Task.objects.create(
            plan=plan, topic=topics[code], doc_id=f"d{number}", position=number, turn=number
        )
    return plan


def shares(campaign: Campaign) -> set[tuple[str, str]]:
    named = TopicAssessor.objects.filter(topic__campaign=campaign)
    return set(named.values_list("assessor__name", "topic__code"))


def claim(task: Task, person: User, *, minutes: int = 30) -> Claim:
    until = timezone.now() + timedelta(minutes=minutes)
    return Claim.objects.create(task=task, assessor=person, until=until)


def test_the_largest_topics_go_to_the_assessors_with_the_least_work(campaign: Campaign) -> None:
    """7 to Ada; 5 and then 3 to Bob, who has 8 then; the last one to Ada."""
    for name in ("Ada", "Bob"):
        make_assessor(campaign, name)
    lay_out(campaign, {"1": 1, "2": 3, "3": 5, "4": 7})
    assert assignment.assign_evenly(campaign=campaign, each=1, actor=None) == 4
    assert shares(campaign) == {("Ada", "4"), ("Bob", "3"), ("Bob", "2"), ("Ada", "1")}


def test_before_all_is_laid_out_every_topic_weighs_the_same(campaign: Campaign) -> None:
    for name in ("Ada", "Bob"):
        make_assessor(campaign, name)
    lay_out(campaign, {"1": 20})
    Plan.objects.update(budget=500)
    assignment.assign_evenly(campaign=campaign, each=1, actor=None)
    assert shares(campaign) == {("Ada", "1"), ("Bob", "2"), ("Ada", "3"), ("Bob", "4")}


def test_spreading_adds_and_takes_nobody_off(campaign: Campaign) -> None:
    ada, _ = make_assessor(campaign, "Ada"), make_assessor(campaign, "Bob")
    assignment.assign_topics(campaign=campaign, assessor=ada, codes=["1", "2"], actor=None)
    assert assignment.assign_evenly(campaign=campaign, each=2, actor=None) == 6
    assert shares(campaign) == {(who, code) for who in ("Ada", "Bob") for code in "1234"}
    assert assignment.assign_evenly(campaign=campaign, each=3, actor=None) == 0


def test_removing_an_assessor_from_a_topic_releases_the_claims(campaign: Campaign) -> None:
    ada = make_assessor(campaign, "Ada")
    plan = lay_out(campaign, {"1": 1, "2": 1})
    assignment.assign_topics(campaign=campaign, assessor=ada, codes=["1", "2"], actor=None)
    first, second = (claim(task, ada) for task in plan.tasks.order_by("position"))
    assignment.assign_topics(campaign=campaign, assessor=ada, codes=["2"], actor=None)
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.end, second.end) == (Claim.End.RELEASED, Claim.End.NONE)
    assert tasks.release_claims(campaign=campaign, assessor=ada, actor=None) == 1
    assert tasks.release_claims(campaign=campaign, assessor=ada, actor=None) == 0


def test_removing_more_topics_takes_no_more_queries() -> None:
    campaign = make_campaign(topics=tuple(map(str, range(40))))
    ada = make_assessor(campaign, "Ada")
    counts = []
    for removed in (1, 30):
        assignment.assign_evenly(campaign=campaign, each=1, actor=None)
        left = [str(code) for code in range(removed, 40)]
        with CaptureQueriesContext(connection) as queries:
            assignment.assign_topics(campaign=campaign, assessor=ada, codes=left, actor=None)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_judged_document_stays_claimed(campaign: Campaign) -> None:
    ada = make_assessor(campaign, "Ada")
    held = claim(lay_out(campaign, {"1": 1}).tasks.get(), ada)
    Claim.objects.filter(pk=held.pk).update(end=Claim.End.JUDGED)
    assert tasks.release_claims(campaign=campaign, assessor=ada, actor=None) == 0


def test_an_unknown_topic_or_assessor_changes_nothing(campaign: Campaign) -> None:
    ada, stranger = make_assessor(campaign, "Ada"), make_user(name="Eve")
    assignment.assign_topics(campaign=campaign, assessor=ada, codes=["1"], actor=None)
    with pytest.raises(CannotAssignTopics, match="Unknown topics: 99"):
        assignment.assign_topics(campaign=campaign, assessor=ada, codes=["2", "99"], actor=None)
    with pytest.raises(CannotAssignTopics, match="Eve is no longer an assessor"):
        assignment.assign_topics(campaign=campaign, assessor=stranger, codes=["2"], actor=None)
    assert shares(campaign) == {("Ada", "1")}


def test_naming_the_topics_of_one_assessor_leaves_those_of_others(campaign: Campaign) -> None:
    ada, bob = make_assessor(campaign, "Ada"), make_assessor(campaign, "Bob")
    assignment.assign_topics(campaign=campaign, assessor=bob, codes=["2", "3"], actor=None)
    held = claim(lay_out(campaign, {"2": 1}).tasks.get(), bob)
    assert assignment.assign_topics(campaign=campaign, assessor=ada, codes="1221", actor=None) == 2
    assert shares(campaign) == {("Ada", "1"), ("Ada", "2"), ("Bob", "2"), ("Bob", "3")}
    assert assignment.assign_topics(campaign=campaign, assessor=ada, codes=[], actor=None) == 0
    assert shares(campaign) == {("Bob", "2"), ("Bob", "3")}
    held.refresh_from_db()
    assert held.end == Claim.End.NONE


def test_the_form_has_the_topics_of_the_chosen_assessor(client: Client, campaign: Campaign) -> None:
    ada, bob = make_assessor(campaign, "Ada"), make_assessor(campaign, "Bob")
    assignment.assign_topics(campaign=campaign, assessor=bob, codes=["2", "3"], actor=None)
    client.force_login(make_organiser(campaign))
    url = reverse("campaigns:judging-assessors", args=[campaign.slug])
    assert client.get(url).context["form"] is None
    shown = client.get(url, {"assessor": bob.pk})
    assert shown.context["form"]["topics"].value() == "2 3"
    assert "Topics of Bob" in shown.content.decode()
    assert client.get(url, {"assessor": make_user().pk}).status_code == 404
    kept = client.post(url, {"assessor": ada.pk, "topics": "4"}, follow=True)
    assert "Ada now judges 1 topic." in kept.content.decode()
    assert shares(campaign) == {("Ada", "4"), ("Bob", "2"), ("Bob", "3")}
    Membership.objects.filter(person=ada).delete()
    gone = client.post(url, {"assessor": ada.pk, "topics": "4"}, follow=True)
    assert "no longer an assessor of the campaign" in gone.content.decode()


def test_the_page_keeps_what_is_filled_in_and_counts(
    client: Client, campaign: Campaign, django_assert_max_num_queries: object
) -> None:
    ada, bob = make_assessor(campaign, "Ada"), make_assessor(campaign, "Bob")
    client.force_login(make_organiser(campaign))
    url = reverse("campaigns:judging-assessors", args=[campaign.slug])
    client.post(url, {"assessor": ada.pk, "topics": "1 2"})
    client.post(url, {"assessor": bob.pk, "topics": "2"})
    assert shares(campaign) == {("Ada", "1"), ("Ada", "2"), ("Bob", "2")}
    task = lay_out(campaign, {"2": 3}).tasks.first()
    for grade in (1, 0):  # twice the same document
        Judgment.objects.create(
            campaign=campaign, topic=task.topic, doc_id="d0", grade=grade, assessor=bob
        )
    with django_assert_max_num_queries(12):
        page = client.get(url)
    assignments = page.context["assignments"]
    assert [(load.codes, load.documents, load.judged) for load in assignments.assessors] == [
        (("1", "2"), 3, 0),
        (("2",), 3, 1),
    ]
    assert assignments.unassigned == 2
    assert "2 of 4 topics have no assessor" in page.content.decode()
    refused = client.post(url, {"assessor": ada.pk, "topics": "7"})
    assert refused.status_code == 400
    assert "Unknown topics: 7." in refused.content.decode()


@pytest.mark.parametrize(("stage", "is_said"), [("draft", True), ("judging", False)])
def test_the_page_says_that_assessors_cannot_enter_a_draft(
    client: Client, campaign: Campaign, stage: str, is_said: bool
) -> None:
    Campaign.objects.update(stage=stage)
    make_assessor(campaign, "Ada")
    client.force_login(make_organiser(campaign))
    page = client.get(reverse("campaigns:judging-assessors", args=[campaign.slug]))
    assert ("The campaign is a draft." in page.content.decode()) is is_said
