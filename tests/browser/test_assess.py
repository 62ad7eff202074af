"""The assessment page in a real browser: keys, and connections that come and go."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from campaigns.judging.documents import url_of
from campaigns.models import Campaign, Document, Judgment, Plan, Task, Topic, User
from tests.browser.conftest import Visitor
from tests.campaigns.judging.making import make_assessor, make_plan
from tests.making import make_campaign, make_organiser
from tests.vaswani import DOCUMENTS, judged_documents, topics

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def plan() -> Plan:
    plan = make_plan(make_campaign(highest_grade=3), tasks=tuple(f"d{n}" for n in range(1, 9)))
    Document.objects.bulk_create(
        Document(campaign=plan.campaign, doc_id=f"d{n}", title=f"Title {n}", text="A topic. " * 40)
        for n in range(1, 9)
    )
    return plan


def page_of(plan: Plan, code: str = "1") -> str:
    return reverse("campaigns:assess-topic", args=[plan.campaign.slug, code])


def acts(person: User | None = None) -> list[tuple[str, int | None]]:
    made = Judgment.objects.order_by("pk")
    if person is not None:
        made = made.filter(assessor=person)
    return list(made.values_list("doc_id", "grade"))


def expect_document(page: Page, doc_id: str) -> None:
    expect(page.locator("#assessment")).to_have_attribute("data-doc", doc_id)
    page.wait_for_load_state()  # the script that listens to keys comes after the document


@pytest.mark.long
@pytest.mark.data
def test_two_topics_of_vaswani_are_judged_by_hand(visit: Visitor) -> None:
    """Texts come by the organisers' page; one topic is judged by keys, one by clicks."""
    campaign = make_campaign(topics=())
    Topic.objects.bulk_create(
        Topic(campaign=campaign, code=code, position=place, fields=[["title", title]])
        for place, (code, title) in enumerate(topics()[:2])
    )
    plan = make_plan(campaign, tasks=(), topics=(), budget=8, laid_out=8)
    chosen = {code: [*judged_documents(code)[:3], str(int(code) + 7000)] for code in ("1", "2")}
    place = 0
    for topic in campaign.topics.all():
        for doc_id in chosen[topic.code]:
            Task.objects.create(plan=plan, topic=topic, doc_id=doc_id, position=place, turn=place)
            place += 1
    office = visit(
        reverse("campaigns:documents", args=[campaign.slug]), person=make_organiser(campaign)
    )
    office.page.get_by_label("Documents").set_input_files(DOCUMENTS)
    office.page.get_by_role("button", name="Upload").click()
    expect(office.page.get_by_text("11,429 documents uploaded.")).to_be_visible()
    expect(office.page.get_by_text("They include all 8 documents to judge.")).to_be_visible()

    person = make_assessor(campaign, topics=("1", "2"))
    visited = visit(reverse("campaigns:assess", args=[campaign.slug]), person=person)
    page = visited.page
    page.get_by_role("link", name="Start with topic 1").click()
    for doc_id, key in zip(chosen["1"], "1011", strict=True):
        expect_document(page, doc_id)
        page.keyboard.press(key)
    expect(page.get_by_text("This topic is complete. You judged 4 documents.")).to_be_visible()
    page.get_by_role("link", name="My topics", exact=True).click()
    page.get_by_role("link", name="Continue with topic 2").click()
    expect(page.locator("mark").first).to_be_visible()
    for doc_id, label in zip(chosen["2"], ("relevant",) * 3 + ("not relevant",), strict=True):
        expect_document(page, doc_id)
        page.get_by_role("button", name=re.compile(rf"^\d {label}$")).click()
    expect(page.get_by_text("This topic is complete.")).to_be_visible()
    given = list(zip(chosen["1"] + chosen["2"], (1, 0, 1, 1, 1, 1, 1, 0), strict=True))
    assert acts() == given
    assert visited.complaints == office.complaints == []


@pytest.mark.long
def test_all_topics_one_after_the_other_by_keys(visit: Visitor) -> None:
    plan = make_plan(tasks=("d1",), topics=("1", "2"))
    person = make_assessor(plan.campaign, topics=("1", "2"))
    visited = visit(reverse("campaigns:assess", args=[plan.campaign.slug]), person=person)
    page = visited.page
    page.get_by_role("link", name="Go through all topics").click()
    expect_document(page, "d1")
    expect(page.locator(".topic-title .code")).to_have_text("1")
    page.keyboard.press("1")
    expect(page.locator(".topic-title .code")).to_have_text("2")
    page.keyboard.press("z")  # of the topic before
    expect(page.locator(".topic-title .code")).to_have_text("1")
    expect_document(page, "d1")
    page.keyboard.press("0")
    expect(page.locator(".topic-title .code")).to_have_text("2")
    page.keyboard.press("1")
    expect(page.get_by_text("This topic is complete.")).to_be_visible()
    assert acts() == [("d1", 1), ("d1", None), ("d1", 0), ("d1", 1)]
    assert visited.complaints == []


def test_unsure_note_skip_and_undo_by_keys(visit: Visitor, plan: Plan) -> None:
    visited = visit(page_of(plan), person=make_assessor(plan.campaign))
    page = visited.page
    page.keyboard.press("u")
    page.keyboard.press("n")
    page.keyboard.type("3 of 2")  # digits in a note grade nothing
    page.reload()
    expect(page.get_by_label("Note")).to_have_value("3 of 2")
    page.keyboard.press("2")
    expect_document(page, "d2")
    page.keyboard.press("s")
    expect_document(page, "d3")
    page.keyboard.press("z")
    expect_document(page, "d2")
    page.keyboard.press("z")
    expect_document(page, "d1")
    page.keyboard.press("0")
    expect_document(page, "d2")
    assert acts() == [("d1", 2), ("d1", None), ("d1", 0)]
    first = Judgment.objects.order_by("pk")[0]
    assert (first.is_unsure, first.note) == (True, "3 of 2")
    assert visited.complaints == []


@pytest.mark.long
def test_reload_back_and_a_double_click_lose_and_double_nothing(visit: Visitor, plan: Plan) -> None:
    person = make_assessor(plan.campaign)
    page = visit(reverse("campaigns:assess", args=[plan.campaign.slug]), person=person).page
    page.get_by_role("link", name="Start with topic 1").click()
    page.reload()
    page.get_by_role("button", name="1 relevant").dblclick()
    expect_document(page, "d2")
    page.go_back()
    page.go_forward()
    expect_document(page, "d2")
    page.reload()
    page.keyboard.down("3")
    page.keyboard.down("3")  # held down: it repeats
    page.keyboard.up("3")
    expect_document(page, "d3")
    assert acts() == [("d1", 1), ("d2", 3)]


def test_unsent_judgments_are_kept_and_sent_when_the_connection_returns(
    visit: Visitor, plan: Plan
) -> None:
    person = make_assessor(plan.campaign)
    page = visit(page_of(plan), person=person).page
    page.context.set_offline(True)
    page.keyboard.press("2")
    expect(page.locator("#unsent")).to_contain_text("Not sent yet: 1.")
    page.keyboard.press("2")  # pressed again in doubt
    expect(page.locator("#unsent")).to_contain_text("Not sent yet: 1.")
    page.keyboard.press("1")  # and thought better of
    expect(page.locator("#unsent")).to_contain_text("Not sent yet: 2.")
    assert acts() == []
    page.context.set_offline(False)
    expect_document(page, "d2")
    expect(page.locator("#unsent")).to_be_hidden()
    assert acts() == [("d1", 2), ("d1", 1)]


@pytest.mark.long
def test_a_judgment_whose_response_was_lost_is_sent_again_and_counts_once(
    visit: Visitor, plan: Plan
) -> None:
    page = visit(page_of(plan), person=make_assessor(plan.campaign)).page
    lost = []

    def lose_the_answer(route) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(route.fetch())
            route.abort()
        else:
            route.continue_()

    page.route("**/assess/1/", lose_the_answer)
    page.keyboard.press("3")
    expect(page.locator("#unsent")).to_contain_text("Not sent yet: 1.")
    assert acts() == [("d1", 3)]
    page.unroute("**/assess/1/")
    page.reload()
    expect(page.locator("#unsent")).to_be_hidden()
    expect_document(page, "d2")
    assert acts() == [("d1", 3)]


@pytest.mark.long
def test_a_judgment_outlasts_a_session_that_ended(visit: Visitor, plan: Plan) -> None:
    person = make_assessor(plan.campaign)
    page = visit(page_of(plan), person=person).page
    page.context.clear_cookies()
    page.keyboard.press("1")
    expect(page.locator("#unsent")).to_contain_text("You are logged out")
    page.get_by_role("link", name="Log in again").click()
    page.get_by_label("Email address").fill(person.email)
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Log in").click()
    expect_document(page, "d2")
    expect(page.locator("#unsent")).to_be_hidden()
    assert acts() == [("d1", 1)]


@pytest.mark.long
def test_two_assessors_at_once_never_have_the_same_document(visit: Visitor, plan: Plan) -> None:
    people = [make_assessor(plan.campaign) for _ in range(2)]
    pages = [visit(page_of(plan), person=person, width=390).page for person in people]
    for step in range(4):
        on_screen = [page.locator("#assessment").get_attribute("data-doc") for page in pages]
        assert len(set(on_screen)) == 2
        for page, doc_id in zip(pages, on_screen, strict=True):
            page.locator(f"[name=grade][value='{step % 4}']").click()
            expect(page.locator("#assessment")).not_to_have_attribute("data-doc", doc_id)
    assert sorted(doc_id for doc_id, _ in acts()) == [f"d{n}" for n in range(1, 9)]
    assert [len(acts(person)) for person in people] == [4, 4]


@pytest.mark.long
def test_markup_in_a_document_is_text_and_its_link_opens_apart(visit: Visitor, plan: Plan) -> None:
    Campaign.objects.update(document_address="https://docs.example/{doc_id}")
    Document.objects.filter(doc_id="d1").update(
        title='"><svg onload=alert(1)>',
        text="<img src=x onerror=alert(2)> <script>alert(3)</script>",
    )
    visited = visit(page_of(plan), person=make_assessor(plan.campaign))
    expect(visited.page.locator(".text")).to_contain_text("<script>alert(3)</script>")
    link = visited.page.get_by_role("link", name="Open the document in a new tab")
    expect(link).to_have_attribute("href", url_of(Campaign.objects.get(), "d1"))
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(link).to_have_attribute("target", "_blank")
    assert visited.complaints == []


@pytest.mark.long
def test_the_page_works_by_plain_forms(visit: Visitor, plan: Plan) -> None:
    page = visit(page_of(plan), person=make_assessor(plan.campaign), has_scripts=False).page
    page.get_by_role("button", name="1 relevant").click()
    expect_document(page, "d2")
    page.get_by_role("button", name="Skip").click()
    page.get_by_role("button", name="Undo").click()
    expect_document(page, "d2")
    assert acts() == [("d1", 1)]


@pytest.mark.long
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_first_document_shows_its_hint_and_all_grades_in_one_row(
    visit: Visitor, plan: Plan, width: int, height: int
) -> None:
    fields = [["title", "t"], ["desc", "What is asked. " * 9], ["narr", "In more words. " * 90]]
    plan.campaign.topics.update(fields=fields)
    page = visit("/", person=make_assessor(plan.campaign), width=width).page
    page.set_viewport_size({"width": width, "height": height})
    page.goto(page_of(plan))
    expect(page.get_by_label("Your first document")).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("What is asked.").first).to_be_in_viewport()
    boxes = [button.bounding_box() for button in page.locator(".grades button").all()]
    assert len({box["y"] for box in boxes}) == 1
    assert all(box["width"] >= 24 and box["height"] >= 24 for box in boxes)
    page.keyboard.press("1")
    expect_document(page, "d2")
    expect(page.get_by_label("Your first document")).to_have_count(0)
