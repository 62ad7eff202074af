"""Light and dark: as the system says, or as somebody chose, on this page and the next."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.boards import board_path, make_published_board, open_chart
from tests.browser.conftest import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LIGHT, DARK = "rgb(251, 250, 247)", "rgb(20, 22, 26)"
FIRST_PAPER = """() => {
    new MutationObserver((changes, observer) => {
        if (!document.body) return;
        window.firstPaper = getComputedStyle(document.documentElement).colorScheme;
        observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
}"""
FADING = """() => {
    getComputedStyle(document.body).color;  // as it looks before
    document.documentElement.dataset.theme = "dark";
    document.dispatchEvent(new Event("theme"));
    return document.getAnimations().map((each) => each.effect.target.className);
}"""


def paper_of(page: Page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


@pytest.mark.parametrize("is_dark", [pytest.param(False, marks=pytest.mark.long), True])
def test_a_page_follows_the_system_until_somebody_chooses(visit: Visitor, is_dark: bool) -> None:
    visited = visit("/", is_dark=is_dark)
    page = visited.page
    assert paper_of(page) == (DARK if is_dark else LIGHT)
    page.emulate_media(color_scheme="light" if is_dark else "dark")
    assert paper_of(page) == (LIGHT if is_dark else DARK)
    choice = page.get_by_label("Colours")
    expect(choice).to_have_value("system")
    choice.select_option("dark" if is_dark else "light")
    assert paper_of(page) == (DARK if is_dark else LIGHT)
    assert visited.complaints == []


def test_the_choice_is_kept_and_the_next_page_begins_in_it(visit: Visitor) -> None:
    page = visit("/").page
    page.get_by_label("Colours").select_option("dark")
    page.add_init_script(f"({FIRST_PAPER})()")
    page.goto("/measures/")
    assert page.evaluate("window.firstPaper") == "dark"
    assert paper_of(page) == DARK
    page.get_by_label("Colours").select_option("system")
    page.goto("/")
    assert paper_of(page) == LIGHT


@pytest.mark.long
def test_another_tab_follows(visit: Visitor) -> None:
    page = visit("/").page
    other = page.context.new_page()
    other.goto("/measures/")
    page.get_by_label("Colours").select_option("dark")
    expect(other.get_by_label("Colours")).to_have_value("dark")
    assert paper_of(other) == DARK


@pytest.mark.long
def test_the_chart_takes_the_colours_of_the_theme(visit: Visitor) -> None:
    visited = visit(board_path(make_published_board("A", "B")))
    page = visited.page
    open_chart(page)
    expect(page.locator("#canvas[data-drawn]")).to_be_visible()
    paper = page.locator("#canvas .main-svg").first
    expect(paper).to_have_css("background-color", LIGHT)
    page.get_by_label("Colours").select_option("dark")
    expect(paper).to_have_css("background-color", DARK)
    assert visited.complaints == []


@pytest.mark.long
def test_the_colours_of_the_api_page_change_at_once(visit: Visitor) -> None:
    """Swagger fades from one colour to the next, through some that nobody can read."""
    page = visit("/api/docs/").page
    expect(page.locator(".opblock").first).to_be_visible()
    fading = page.evaluate(FADING)
    assert fading == []


@pytest.mark.long
def test_printed_pages_are_dark_on_white_in_every_theme(visit: Visitor) -> None:
    page = visit("/", is_dark=True).page
    page.get_by_label("Colours").select_option("dark")
    page.emulate_media(media="print")
    assert paper_of(page) == "rgb(255, 255, 255)"
    expect(page.locator(".foot")).to_be_hidden()


@pytest.mark.long
def test_without_scripts_the_system_decides_and_nothing_is_offered(visit: Visitor) -> None:
    page = visit("/", is_dark=True, has_scripts=False).page
    expect(page.locator("#theme-switch")).to_be_hidden()
    expect(page.locator("body")).to_have_css("background-color", DARK)
