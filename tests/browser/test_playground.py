"""The playground in a real browser: live where scripts run, and whole where they do not."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PATH = "/measures/playground/"


def test_numbers_follow_what_is_typed_dragged_and_pressed(visit: Visitor) -> None:
    visited = visit(PATH)
    page = visited.page
    page.get_by_label("Ranking", exact=True).fill("$-")
    said = page.locator("#finding")
    expect(said).to_contain_text("RBP(p=0.8) of this ranking is at least 0.2000 and at most 0.8400")
    page.get_by_label("p, as a slider").fill("0.5")
    expect(said).to_contain_text("RBP(p=0.5) of this ranking is at least 0.5000 and at most 0.7500")
    page.locator("[data-rank='2']").press("Enter")  # from not relevant to unjudged
    expect(page.get_by_label("Ranking", exact=True)).to_have_value("$?")
    expect(said).to_contain_text("one unjudged document")
    expect(page.locator("[data-rank='2']")).to_be_focused()
    page.get_by_label("p", exact=True).fill("1")
    expect(page.locator("[data-field='p'] .errorlist")).to_contain_text("below 1")
    expect(page.get_by_label("p", exact=True)).to_have_value("1")
    assert "p=1" in page.url
    assert visited.complaints == []


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 390])
def test_it_works_without_scripts_and_fits_a_phone(visit: Visitor, width: int) -> None:
    visited = visit(PATH, width=width, has_scripts=False)
    page = visited.page
    page.get_by_label("Ranking", exact=True).fill("$$|$")
    page.get_by_label("Swap rank").fill("1")
    page.get_by_label("with rank").fill("2")
    page.get_by_role("button", name="Compute scores").click()
    expect(page.locator("[data-rank]")).to_have_count(2)
    expect(page.locator("h2").first).to_have_text("Swap of ranks 1 and 2")
    wide = "document.documentElement.scrollWidth - innerWidth"
    with_scripts = visit(page.url, width=width)
    assert with_scripts.page.evaluate(wide) <= 0
    assert with_scripts.complaints == []
