"""The first minutes of a newcomer, and of who organises, hands in or judges for the first time."""

import csv

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from campaigns.models import Campaign, Document
from scoring.worker import perform_waiting_jobs
from tests.browser.conftest import Visitor
from tests.campaigns.judging.making import make_assessor, make_plan
from tests.chromium import new_context
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user
from tests.scoring.significance.test_significance_page import make_board, noisy

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
FIRST = "Your first"


def test_three_clicks_lead_to_an_interval_a_matrix_and_a_download(visit: Visitor) -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.79, 2), noisy(0.3, 3))
    Campaign.objects.filter(pk=campaign.pk).update(stage=Campaign.Stage.PUBLISHED)
    visit(f"/campaigns/{campaign.slug}/significance/")
    perform_waiting_jobs(campaign)
    visited = visit("/")
    page = visited.page
    page.get_by_role("heading", name="Leaderboard of").get_by_role("link").click()
    expect(page.locator(".board .mark").first).to_be_visible()
    page.get_by_role("link", name="Analysis").click()
    expect(page.locator(".pairs tbody tr").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").first.click()
    with download.value.path().open() as table:
        assert len(list(csv.DictReader(table))) == 3  # of the pairs
    assert visited.complaints == []


def test_a_measure_explains_itself_on_hover_on_focus_and_on_touch(visit: Visitor) -> None:
    campaign = make_campaign(measures=["AP", "nDCG@10"])
    visited = visit(f"/campaigns/{campaign.slug}/")
    page, bubble = visited.page, visited.page.get_by_role("tooltip")
    name = page.get_by_role("link", name="nDCG@10")
    expect(bubble).to_be_hidden()
    name.hover()
    expect(bubble).to_contain_text("Normalised discounted cumulated gain")
    expect(name).to_have_accessible_description(bubble.inner_text())
    page.mouse.move(0, 0)
    expect(bubble).to_be_hidden()

    page.get_by_role("link", name="AP", exact=True).focus()
    page.keyboard.press("Tab")
    expect(name).to_be_focused()
    expect(bubble).to_contain_text("Normalised discounted cumulated gain")
    page.keyboard.press("Escape")
    expect(bubble).to_be_hidden()
    assert visited.complaints == []


@pytest.mark.long
def test_the_first_touch_explains_and_the_second_follows(visit: Visitor) -> None:
    campaign = make_campaign(measures=["AP"])
    browser = visit("/healthz").page.context.browser
    base = visit("/").page.url
    with new_context(
        browser, base_url=base, has_touch=True, viewport={"width": 390, "height": 800}
    ) as context:
        page = context.new_page()
        page.goto(f"/campaigns/{campaign.slug}/")
        name = page.get_by_role("link", name="AP", exact=True)
        name.tap()
        expect(page.get_by_role("tooltip")).to_contain_text("Average precision")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        name.tap()
        expect(page.locator("h1")).to_contain_text("Average precision")


@pytest.mark.long
def test_a_menu_explains_its_selected_measure(visit: Visitor) -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.3, 3))
    page = visit(f"/campaigns/{campaign.slug}/leaderboard/").page
    page.get_by_label("Measure").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Rank-biased precision")


@pytest.mark.long
def test_without_scripts_a_measure_still_has_its_title(visit: Visitor) -> None:
    campaign = make_campaign(measures=["AP"])
    page = visit(f"/campaigns/{campaign.slug}/", has_scripts=False).page
    title = page.get_by_role("link", name="AP", exact=True).get_attribute("title") or ""
    assert title.startswith("Average precision")


@pytest.mark.long
def test_the_organisers_list_ticks_itself(visit: Visitor) -> None:
    campaign = make_campaign(stage=Campaign.Stage.DRAFT, is_accepting=False, topics=())
    person = make_organiser(campaign)
    path = f"/campaigns/{campaign.slug}/manage/"
    ticked = "#content .checklist > .done h2"
    page = visit(path, person=person).page
    expect(page.locator(ticked)).to_have_count(0)
    expect(page.locator(".next-step h2")).to_have_text("Topics")
    file = {"name": "topics.tsv", "mimeType": "text/plain", "buffer": b"1\tfirst\n2\tsecond\n"}
    page.locator("#content input[type=file]").first.set_input_files(file)
    page.get_by_role("button", name="Add topics").click()
    expect(page.locator(ticked)).to_have_text(["Topics"])
    page.get_by_role("button", name="Open submissions").click()
    expect(page.locator(ticked)).to_have_text(["Topics", "Runs"])
    make_team(campaign, name="Ours")
    page.reload()
    expect(page.locator(ticked)).to_have_text(["Topics", "Runs", "Teams"])


@pytest.mark.long
def test_only_the_first_upload_shows_instructions(visit: Visitor) -> None:
    team = make_team(make_campaign(), person := make_user())
    path = f"/campaigns/{team.campaign.slug}/submit/"
    page = visit(path, person=person).page
    expect(page.get_by_label(f"{FIRST} run")).to_contain_text(
        "1 Q0 the-document-id 1 17.25 yourtag"
    )
    make_run(team=team, accepted_at=timezone.now())
    page.reload()
    expect(page.get_by_label(f"{FIRST} run")).to_have_count(0)


@pytest.mark.long
def test_only_the_first_document_shows_instructions(visit: Visitor) -> None:
    plan = make_plan(make_campaign(highest_grade=2))
    person = make_assessor(plan.campaign)
    for doc_id in ("d1", "d2", "d3"):
        Document.objects.create(campaign=plan.campaign, doc_id=doc_id, title=doc_id, text="Text.")
    page = visit(f"/campaigns/{plan.campaign.slug}/assess/1/", person=person).page
    hint = page.get_by_label(f"{FIRST} document")
    expect(hint).to_contain_text("choose a grade")
    page.keyboard.press("1")
    expect(page.locator(".last-judgment")).to_contain_text("Graded 1")
    expect(hint).to_have_count(0)
