"""The matrix of all pairs as it is drawn, and the bars on the board."""

import pytest
from playwright.sync_api import expect

from scoring.worker import perform_waiting_jobs
from tests.browser.boards import HOSTILE
from tests.browser.conftest import Visitor
from tests.making import make_run, make_team
from tests.scoring.significance.test_significance_page import give_vector, make_board, noisy

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_matrix_is_drawn_within_the_policy_and_says_what_a_cell_means(visit: Visitor) -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.79, 2), noisy(0.3, 3))
    for number, name in enumerate(HOSTILE):
        run = make_run(campaign, make_team(campaign, name=name), tag=f"hostile-{number}")
        give_vector(run, noisy(0.2 - number / 100, number + 4))
    path = f"/campaigns/{campaign.slug}/significance/"
    waiting = visit(path)
    expect(waiting.page.get_by_role("status")).to_contain_text(
        "Computing significance tests of all pairs"
    )
    perform_waiting_jobs(campaign)
    visited = visit(path)
    canvas = visited.page.locator(".canvas")
    expect(canvas).to_have_attribute("data-drawn", "1")
    plot = visited.page.locator(".canvas .nsewdrag").bounding_box()
    assert plot
    visited.page.mouse.move(plot["x"] + plot["width"] * 2.5 / 9, plot["y"] + plot["height"] / 18)
    hover = visited.page.locator(".canvas .hovertext")
    expect(hover).to_contain_text("1 r1")
    expect(hover).to_contain_text("against 3 r3")
    expect(hover).to_contain_text("difference +0.5000")
    visited.page.get_by_label("Correction").select_option("none")
    expect(visited.page.get_by_label("Correction")).to_have_value("none")
    expect(visited.page.locator(".key")).to_contain_text("no correction for the number of tests")
    assert visited.complaints == []


@pytest.mark.long
def test_nothing_but_the_matrix_scrolls_sideways_on_a_narrow_screen(visit: Visitor) -> None:
    campaign = make_board(*(noisy(0.9 - at / 50, at) for at in range(30)))
    visit(f"/campaigns/{campaign.slug}/significance/")
    perform_waiting_jobs(campaign)
    page = visit(f"/campaigns/{campaign.slug}/significance/", width=390).page
    expect(page.locator(".canvas")).to_have_attribute("data-drawn", "1")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    head = page.locator(".pairs tbody th").first
    before = head.bounding_box()
    page.locator(".matrix").first.evaluate("element => element.scrollLeft = 400")
    assert head.bounding_box() == before  # the names stay


@pytest.mark.long
def test_bars_continue_from_row_to_row(visit: Visitor) -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.79, 2), noisy(0.3, 3))
    path = f"/campaigns/{campaign.slug}/leaderboard/"
    visit(path)
    perform_waiting_jobs(campaign)
    visited = visit(path)
    drawn = visited.page.locator(".board .bars i[class]").evaluate_all(
        "marks => marks.map((mark) => {"
        " const row = mark.closest('td').getBoundingClientRect();"
        " const stroke = getComputedStyle(mark, '::before');"
        " return [row.top + parseFloat(stroke.top), row.bottom - parseFloat(stroke.bottom)]; })"
    )
    assert len(drawn) == 2
    assert drawn[0][1] >= drawn[1][0] - 0.5
    assert visited.complaints == []
