"""What teams, runs, topics and descriptions say stays text on every page of the analysis."""

import pytest
from playwright.sync_api import expect

from campaigns.models import Campaign, Membership
from tests.browser.boards import HOSTILE, open_chart
from tests.browser.conftest import Visitor
from tests.flow_world import perform_jobs
from tests.scoring.pools.test_pool_page import MEASURES, campaign, get

__all__ = ["campaign"]  # the fixture: six runs of three teams, four topics

pytestmark = [
    pytest.mark.long,
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
# What the labels would make; a heat map is an image of Plotly's own.
ALIVE = (
    "main img:not(.badge), main script:not([type='application/json'], [src^='/static/']), iframe,"
    " main b b, [onload], [onerror], a[href^='javascript'], .canvas a,"
    " .canvas image:not([preserveAspectRatio='none'])"
)
PAGES = (
    "leaderboard/", "topics/", "topics/1/", "significance/", "significance/counts/", "agreement/",
    f"agreement/?a={MEASURES[0]}&b={MEASURES[2]}", "compare/", "compare/topics/1/", "pools/",
    "pools/teams/", "report/", "downloads/", "runs/{run}/", "runs/{run}/curves/",
    "runs/{run}/documents/", "runs/{run}/documents/unjudged/", "runs/{run}/documents/unique/",
)  # fmt: skip


def test_labels_that_mean_harm_stay_text_everywhere(campaign: Campaign, visit: Visitor) -> None:
    make_hostile(campaign)
    for name in ("leaderboard", "significance", "significance-counts", "pools", "pools-teams"):
        get(name)
    get("report")
    perform_jobs()
    organiser = campaign.memberships.filter(role=Membership.Role.ORGANISER).first().person
    run = campaign.runs.order_by("tag").first()
    found = {}
    for place in PAGES:
        visited = visit(
            f"/campaigns/{campaign.slug}/{place.format(run=run.public_id)}", person=organiser
        )
        page = visited.page
        if page.locator("#chart-fold").count():
            open_chart(page)
        for canvas in page.locator("figure.chart .canvas").all():
            expect(canvas.locator(".main-svg").first).to_be_attached()
        found[place] = (visited.complaints, page.locator(ALIVE).count())
    assert found == {place: ([], 0) for place in PAGES}
    visited = visit(f"/campaigns/{campaign.slug}/runs/{run.public_id}/", person=organiser)
    expect(visited.page.locator("main")).to_contain_text(HOSTILE[1])


def make_hostile(campaign: Campaign) -> None:
    campaign.name = HOSTILE[0]
    campaign.save(update_fields=["name"])
    for team, name in zip(campaign.teams.order_by("name"), HOSTILE, strict=False):
        campaign.teams.filter(pk=team.pk).update(name=name)
    for run, tag in zip(campaign.runs.order_by("tag"), HOSTILE, strict=True):
        campaign.runs.filter(pk=run.pk).update(tag=tag, description=HOSTILE[1])
    for topic, title in zip(campaign.topics.order_by("position"), HOSTILE, strict=False):
        campaign.topics.filter(pk=topic.pk).update(
            fields=[["title", title], [HOSTILE[2], HOSTILE[3]]]
        )
