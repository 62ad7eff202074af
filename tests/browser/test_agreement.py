"""The map of agreement leads to two orders; labels that mean harm stay text."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.boards import HOSTILE, make_published_board
from tests.browser.conftest import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def expect_drawn(page: Page) -> None:
    expect(page.locator(".canvas[data-drawn]")).to_be_visible()


@pytest.mark.parametrize("is_dark", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_cell_of_the_map_leads_to_its_two_orders(visit: Visitor, is_dark: bool) -> None:
    campaign = make_published_board(*HOSTILE, persistences=[0.5], measures=["AP"])
    visited = visit(f"/campaigns/{campaign.slug}/agreement/", is_dark=is_dark)
    page = visited.page
    expect_drawn(page)
    expect(page.locator(".agreement tbody td")).to_have_text("1")
    page.locator(".canvas .nsewdrag").click()
    expect(page.locator("h1")).to_have_text("AP and RBP(p=0.5)")
    expect_drawn(page)
    expect(page.locator(".canvas .points path")).to_have_count(len(HOSTILE))
    page.locator(".canvas .nsewdrag").hover(position={"x": 20, "y": 20})
    page.get_by_label("Axes").select_option("ranks")
    expect_drawn(page)
    expect(page.locator(".canvas .ytitle")).to_have_text("rank by RBP(p=0.5)")
    assert page.locator("main img, .canvas a, .canvas image, .canvas [onload]").count() == 0
    assert visited.complaints == []


@pytest.mark.long
@pytest.mark.parametrize(("width", "figures"), [(1280, 36), (390, 0)])
def test_the_map_prints_its_figures_only_where_they_can_be_read(
    visit: Visitor, width: int, figures: int
) -> None:
    campaign = make_published_board(
        "A", "B", persistences=[0.5, 0.8, 0.95],
        measures=["AP", "RR", "P@10", "Rprec", "nDCG@10", "R@100"],
    )  # fmt: skip
    page = visit(f"/campaigns/{campaign.slug}/agreement/", width=width).page
    expect_drawn(page)
    expect(page.locator(".canvas .heatmap-label")).to_have_count(figures)


@pytest.mark.long
def test_matrices_scroll_inside_a_narrow_page_and_keep_their_first_column(visit: Visitor) -> None:
    campaign = make_published_board(
        "A", "B", persistences=[0.5, 0.8, 0.95], measures=["AP", "RR", "P@10", "Rprec", "nDCG@10"]
    )
    page = visit(f"/campaigns/{campaign.slug}/agreement/", width=390).page
    head = page.locator(".agreement tbody th").last
    before = head.bounding_box()["x"]
    page.locator(".sideways").first.evaluate("box => box.scrollLeft = 200")
    assert page.locator(".sideways").first.evaluate("box => box.scrollLeft") > 50
    assert head.bounding_box()["x"] == pytest.approx(before, abs=1)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
