"""Documents that assessors disagree on, and what is decided of them."""

import csv
import io

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.errors import CannotAdjudicate
from campaigns.judging import adjudication
from campaigns.judging.final_grades import final_grade_values
from campaigns.models import Campaign, Document, Judgment, User
from tests.making import make_campaign, make_organiser, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("wake_ups", "files_of_its_own")]


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(topics=("1", "2"), highest_grade=3)


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


def judge(campaign: Campaign, person: User, topic: str, doc_id: str, grade: int | None) -> None:
    Judgment.objects.create(
        campaign=campaign,
        topic=campaign.topics.get(code=topic),
        doc_id=doc_id,
        grade=grade,
        assessor=person,
    )


@pytest.fixture(autouse=True)
def judged(campaign: Campaign) -> None:
    """They disagree on `a` of topic 1 and `a` of topic 2, agree on `b`; `c` was changed, `d` taken
    back by one of them."""
    ada, bob = make_user(name="Ada"), make_user(name="Bob")
    for topic, doc_id, first, second in [
        ("1", "a", 2, 0), ("2", "a", 0, 1), ("1", "b", 1, 1), ("1", "c", 3, 1), ("1", "d", 3, 0),
    ]:  # fmt: skip
        judge(campaign, ada, topic, doc_id, first)
        judge(campaign, bob, topic, doc_id, second)
    judge(campaign, ada, "1", "c", 1)
    judge(campaign, ada, "1", "d", None)


def listed(campaign: Campaign, **choice: str) -> list[tuple[str, str, int | None]]:
    found = adjudication.disputed_documents(campaign, **choice)
    return [(one.topic, one.doc_id, one.decided) for one in found]


def test_only_current_judgments_make_a_disagreement(campaign: Campaign) -> None:
    assert listed(campaign) == [("1", "a", None), ("2", "a", None)]
    assert listed(campaign, topic="2") == [("2", "a", None)]


def test_a_decision_is_stored_changed_and_withdrawn(campaign: Campaign, organiser: User) -> None:
    about = {"campaign": campaign, "topic": "1", "doc_id": "a", "actor": organiser}
    assert final_grade_values(campaign)[0, "1", "a"] == 0  # the latest
    adjudication.decide(**about, grade=2, note="It says so.")
    adjudication.decide(**about, grade=3, note="")
    judge(campaign, make_user(), "1", "a", 1)  # whatever is judged after it
    assert final_grade_values(campaign)[0, "1", "a"] == 3
    assert listed(campaign, state="decided") == [("1", "a", 3)]
    assert listed(campaign) == [("2", "a", None)]
    adjudication.withdraw_decision(**about)
    assert final_grade_values(campaign)[0, "1", "a"] == 1
    assert listed(campaign, state="decided") == []
    with pytest.raises(CannotAdjudicate, match="There is no decision"):
        adjudication.withdraw_decision(**about)


def test_a_decision_made_in_the_meantime_is_reported_and_not_replaced(
    client: Client, campaign: Campaign, organiser: User
) -> None:
    client.force_login(organiser)
    url = reverse("campaigns:judging-decide", args=[campaign.slug])
    form = {"topic": "1", "doc_id": "a", "seen": "none"}
    client.post(url, form | {"grade": 2})
    late = client.post(url, form | {"grade": 0}, follow=True).content.decode()
    assert f"{organiser} decided on grade 2 for a. No change was saved." in late
    assert listed(campaign, state="decided") == [("1", "a", 2)]
    client.post(url, form | {"grade": 0, "seen": "2"})  # seen, and changed
    assert listed(campaign, state="decided") == [("1", "a", 0)]


def test_the_page_shows_the_text_of_the_topic(
    client: Client, campaign: Campaign, organiser: User
) -> None:
    client.force_login(organiser)
    page = client.get(reverse("campaigns:judging-disagreements", args=[campaign.slug]))
    assert "topic 2: topic 2</span>" in page.content.decode()


def test_invalid_decisions_are_refused(campaign: Campaign, organiser: User) -> None:
    about = {"campaign": campaign, "note": "", "actor": organiser}
    with pytest.raises(CannotAdjudicate, match="from 0 to 3"):
        adjudication.decide(**about, topic="1", doc_id="a", grade=4)
    with pytest.raises(CannotAdjudicate, match="No assessor has judged"):
        adjudication.decide(**about, topic="1", doc_id="z", grade=1)
    assert not Judgment.objects.filter(is_adjudication=True).exists()


def test_the_page_decides_and_keeps_its_filter(
    client: Client, campaign: Campaign, organiser: User, django_assert_max_num_queries: object
) -> None:
    Document.objects.create(campaign=campaign, doc_id="a", title="T", text="<b>bold</b>")
    client.force_login(organiser)
    url = reverse("campaigns:judging-disagreements", args=[campaign.slug])
    with django_assert_max_num_queries(12):
        page = client.get(url, {"topic": "2"})
    assert [
        [(str(each.assessor), each.grade) for each in dispute.judgments]
        for dispute in page.context["disputes"]
    ] == [[("Ada", 0), ("Bob", 1)]]
    assert "&lt;b&gt;bold" in page.content.decode()
    decide = reverse("campaigns:judging-decide", args=[campaign.slug])
    answer = client.post(
        f"{decide}?topic=2&state=open", {"topic": "2", "doc_id": "a", "grade": "1", "note": "so"}
    )
    assert answer["Location"] == f"{url}?state=open&topic=2"
    text = client.get(
        reverse("scoring:judging-disagreements-csv", args=[campaign.slug]) + "?state=all"
    )
    rows = list(csv.DictReader(io.StringIO(text.content.decode())))
    assert [(r["topic"], r["assessor"], r["grade"], r["counts"], r["decided"]) for r in rows] == [
        ("1", "Ada", "2", "0", ""), ("1", "Bob", "0", "0", ""),
        ("2", "Ada", "0", "1", "1"), ("2", "Bob", "1", "1", "1"),
    ]  # fmt: skip
    api = reverse("api:judging-disagreements", args=[campaign.slug])
    records = client.get(api, {"topic": "2", "state": "all"}).json()
    assert [tuple(record.values()) for record in records] == [
        ("2", "a", "Ada", 0, 0, "", 1, 1, str(organiser), "so"),
        ("2", "a", "Bob", 1, 0, "", 1, 1, str(organiser), "so"),
    ]
    latex = reverse("scoring:judging-disagreements-latex", args=[campaign.slug])
    assert "2 & a & Bob & 1 & 1 & 1" in client.get(latex, {"state": "all"}).content.decode()
    back = reverse("campaigns:judging-decision-withdraw", args=[campaign.slug])
    client.post(back, {"topic": "2", "doc_id": "a"})
    assert listed(campaign) == [("1", "a", None), ("2", "a", None)]


def test_disagreements_show_document_and_narrative(campaign: Campaign, organiser: User) -> None:
    campaign.topics.update(fields=[["title", "t"], ["desc", "Asked."], ["narr", "In <full>."]])
    Document.objects.create(campaign=campaign, doc_id="a", title="First", text="Its <b>text</b>.")
    judge(campaign, make_user(), "1", "b", 3)
    client = Client()
    client.force_login(organiser)
    page = client.get(reverse("campaigns:judging-disagreements", args=[campaign.slug]))
    text = page.content.decode()
    assert text.count("In &lt;full&gt;.") == 3
    assert text.count("Its &lt;b&gt;text&lt;/b&gt;.") == 2
    # Open once for each topic, and for each text: a and b of topic 1, and a of topic 2.
    assert text.count("<details open>") == 4
    assert text.count("<details>") == 1
    assert text.count("The text of this document was not uploaded.") == 1
