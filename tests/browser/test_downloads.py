"""What may be taken away, snapshots, and the pages about the API, in a browser."""

import pytest
from django.urls import reverse

from campaigns import lifecycle
from campaigns.models import Campaign, User
from scoring.evaluation.rules import rules_of
from tests.browser.conftest import Visitor
from tests.making import (
    give_file,
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_snapshot,
    make_team,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(name="Robust 2026")
    give_file(make_qrels(campaign))
    for number, team in enumerate(("Uni Alpha", "Uni Beta", "A team with a rather long name")):
        run = make_run(campaign, make_team(campaign, name=team), tag=f"run-{number}")
        value = 0.5 - number / 10
        make_scores(run, {str(m): (value, 0.0625) for m in rules_of(campaign).measures})
    lifecycle.start_judging(campaign=campaign, actor=None)
    lifecycle.publish(campaign=campaign, actor=None)
    return campaign


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.mark.long
def test_the_page_about_the_api_draws_itself_under_the_policy(visit: Visitor) -> None:
    """Swagger brings its own scripts: nothing inline, nothing from elsewhere."""
    seen = visit(reverse("api:docs"))
    seen.page.get_by_text("Submit a run").wait_for()
    assert seen.page.locator(".opblock").count() > 15
    seen.page.get_by_text("Submit a run").click()
    seen.page.get_by_text("Idempotency-Key").first.wait_for()
    assert seen.complaints == []


def test_every_link_of_the_downloads_page_works(
    visit: Visitor, campaign: Campaign, organiser: User
) -> None:
    make_snapshot(campaign)
    for person in (None, organiser):
        seen = visit(reverse("scoring:downloads", args=[campaign.slug]), person=person)
        links = seen.page.locator("main a")
        urls = {links.nth(n).get_attribute("href") for n in range(links.count())}
        # The server may close an idle connection as a request comes; browsers send it again.
        answers = {a: seen.page.request.get(a, max_retries=1).status for a in urls if a}
        assert answers == dict.fromkeys(answers, 200)
        assert len(answers) > 15
        assert seen.complaints == []


@pytest.mark.long
def test_an_organiser_takes_a_snapshot_and_everybody_reads_it(
    visit: Visitor, campaign: Campaign, organiser: User
) -> None:
    organiser_visit = visit(reverse("scoring:downloads", args=[campaign.slug]), person=organiser)
    organiser_visit.page.get_by_label("Title").fill("Final results")
    organiser_visit.page.get_by_role("button", name="Create snapshot").click()
    organiser_visit.page.get_by_role("heading", name="Final results").wait_for()
    reader = visit(
        organiser_visit.page.url.removeprefix(organiser_visit.page.url.split("/snapshots/")[0])
    )
    reader.page.get_by_label("Measure").select_option("AP")
    reader.page.get_by_role("button", name="Apply").click()
    rows = reader.page.locator("tbody tr").all_inner_texts()
    assert [row.split()[:2] for row in rows] == [["1", "run-0"], ["2", "run-1"], ["3", "run-2"]]
    assert organiser_visit.complaints == reader.complaints == []


@pytest.mark.long
def test_no_page_is_wider_than_a_telephone(visit: Visitor, campaign: Campaign) -> None:
    snapshot = make_snapshot(campaign)
    for path in (
        reverse("scoring:downloads", args=[campaign.slug]),
        reverse("scoring:snapshot-detail", args=[snapshot.public_id]),
    ):
        page = visit(path, width=390).page
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
