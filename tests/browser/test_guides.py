"""From a page to its guide, through the guides, and back."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_guide_leads_back_to_the_page_from_which_it_was_opened(visit: Visitor) -> None:
    visited = visit("/measures/")
    page = visited.page
    page.get_by_role("link", name="Guides").click()
    page.get_by_label("Search the guides").fill("qrels grade unjudged")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("article").get_by_role("link", name="Qrels").click()
    page.wait_for_url("**/guides/formats/#qrels")
    with page.expect_download() as download:
        page.get_by_role("link", name="qrels.txt").click()
    assert "doc-02" in download.value.path().read_text()
    page.get_by_role("link", name="Back to where you were").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Measures")
    assert visited.complaints == []


@pytest.mark.parametrize("guide", ["reproduction", "prediction-powered", "ranks-and-topics"])
def test_charts_and_tables_of_guides_scroll_on_phones(visit: Visitor, guide: str) -> None:
    page = visit(f"/guides/{guide}/").page
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_there_is_no_way_back_for_a_reader_who_came_from_elsewhere(visit: Visitor) -> None:
    page = visit("/guides/glossary/").page
    expect(page.get_by_role("link", name="Back to where you were")).to_be_hidden()
