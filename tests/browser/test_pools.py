"""Pictures of topics by runs: drawn within the policy, hostile labels stay text."""

import pytest
from playwright.sync_api import expect

from tests.browser.boards import HOSTILE, make_published_board
from tests.browser.conftest import Visitor
from tests.making import give_file

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.long)])
def test_topics_by_runs_are_drawn(visit: Visitor, width: int) -> None:
    campaign = make_published_board(*HOSTILE, topics=("1", "<b>2</b>"))
    give_file(campaign.active_qrels, b"1 0 d 1\n")
    visited = visit(f"/campaigns/{campaign.slug}/topics/", width=width)
    canvas = visited.page.locator("figure.chart .canvas")
    expect(canvas).to_have_attribute("data-drawn", "1")
    assert visited.page.locator("main img, .canvas b").count() == 0
    assert visited.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visited.page.get_by_label("Topics", exact=True).select_option("file")
    expect(canvas).to_have_attribute("data-drawn", "1")
    assert "order=file" in visited.page.url
    assert visited.complaints == []
