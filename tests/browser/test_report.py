"""The report in a real browser: drawn, saved as pictures, and within a phone."""

import pytest
from playwright.sync_api import expect

from campaigns.models import Audience, Campaign
from tests.browser.conftest import Visitor
from tests.flow_world import perform_jobs
from tests.scoring.pools.test_pool_page import campaign, get

__all__ = ["campaign"]  # the fixture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.long)])
def test_every_figure_is_drawn_and_can_be_saved(
    campaign: Campaign, visit: Visitor, width: int
) -> None:
    get("report")
    perform_jobs()
    visited = visit("/campaigns/pooled/report/", width=width)
    page = visited.page
    expect(page.locator(".canvas[data-drawn]")).to_have_count(5)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.set_viewport_size({"width": 320, "height": 900})
    page.wait_for_function(
        "() => document.documentElement.scrollWidth <= 320"
        " && document.querySelector('.canvas').clientWidth < 300"
    )
    for at in (0, 4):
        for kind in ("PNG", "SVG"):
            with page.expect_download() as taken:
                page.locator("figcaption").nth(at).get_by_text(kind, exact=True).click()
            assert taken.value.suggested_filename.startswith("pooled-report-")
            assert taken.value.suggested_filename.endswith(f".{kind.lower()}")
    assert visited.complaints == []


@pytest.mark.long
def test_downloads_with_the_badge_fit_a_phone(campaign: Campaign, visit: Visitor) -> None:
    assert campaign.board_audience == Audience.EVERYONE
    visited = visit("/campaigns/pooled/downloads/", width=390)
    expect(visited.page.locator("img.badge")).to_be_visible()
    assert visited.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert visited.complaints == []
