"""The board with its chart, without scripts, and with labels that mean harm."""

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from campaigns.models import Membership, Run
from scoring.leaderboard import page as board_page
from scoring.models import Score
from scoring.worker import perform_waiting_jobs
from tests.browser.boards import HOSTILE, board_path, make_published_board, open_chart
from tests.browser.conftest import Visitor
from tests.making import give_file, make_organiser, make_user
from tests.scoring.significance.test_significance_page import make_board as make_tested_board
from tests.scoring.significance.test_significance_page import noisy

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TEAMS = tuple(f"Team {number}" for number in range(1, 41))

# The text of each line of an element.
LINES = """element => {
    const lines = [], range = document.createRange(), texts = document.createTreeWalker(element, 4);
    let top = null;
    while (texts.nextNode()) for (let at = 0; at < texts.currentNode.length; at += 1) {
        range.setStart(texts.currentNode, at);
        range.setEnd(texts.currentNode, at + 1);
        const box = range.getBoundingClientRect();
        if (top === null || box.top > top + 4) { lines.push(""); top = box.top; }
        lines[lines.length - 1] += range.toString();
    }
    return lines;
}"""


# Whether all text of a cell is shown, and the cell lies within those that could cut it off.
INSIDE = """cell => {
    const box = cell.getBoundingClientRect();
    const outer = cell.closest("th, tr").getBoundingClientRect();
    return {
        text: cell.scrollWidth <= Math.ceil(box.width) && box.width > 20,
        row: box.left >= outer.left && box.right <= outer.right && box.bottom <= outer.bottom,
    };
}"""


# Where the phone's layout ends, and on both sides of each width at which columns are folded away.
WIDTHS = (320, 390, 820, 821, 900, 901, 940, 941, 980, 981, 1080, 1081, 1160, 1161, 1280)


def overflows(page: Page) -> list[tuple[int, str]]:
    """What is too wide at which of `WIDTHS`: the page, or the table in its frame."""
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append((width, "the page"))
        if page.locator(".board-frame").evaluate("each => each.scrollWidth > each.clientWidth"):
            found.append((width, "the table"))
    return found


def expect_chart(page: Page, marks: int) -> None:
    """The chart, opened and drawn."""
    open_chart(page)
    expect(page.locator("#canvas")).to_have_attribute("data-drawn", str(marks))
    expect(page.locator("#canvas .points path")).to_have_count(marks)


def test_the_chart_obeys_the_policy_and_requests_no_other_host(visit: Visitor) -> None:
    campaign = make_published_board(*TEAMS)
    visited = visit(board_path(campaign))
    expect_chart(visited.page, marks=40)
    assert visited.complaints == []


def test_the_chart_is_folded_until_somebody_opens_it_and_then_stays_open(visit: Visitor) -> None:
    campaign = make_published_board(*TEAMS)
    page = visit("/healthz").page
    page.set_viewport_size({"width": 1280, "height": 600})  # a small laptop, below its bars
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    page.goto(board_path(campaign))
    expect(page.locator(".board tbody tr").nth(4)).to_be_in_viewport(ratio=1)
    page.wait_for_load_state("networkidle")
    assert [url for url in loaded if "plotly.min" in url] == []
    expect_chart(page, marks=40)
    page.set_viewport_size({"width": 390, "height": 600})  # a narrower window: it is drawn again
    page.wait_for_function("() => document.documentElement.scrollWidth <= 390")
    page.reload()
    expect(page.locator("#canvas")).to_have_attribute("data-drawn", "40")
    open_chart(page)  # the same button closes it
    page.wait_for_function("() => localStorage.getItem('chart') === null")
    page.reload()
    expect(page.locator("#canvas")).to_be_hidden()


def test_a_phone_shows_long_names_of_teams_and_the_mark_of_a_baseline(visit: Visitor) -> None:
    campaign = make_published_board("Information Retrieval Group, University", "W" * 60, "ant")
    names = ("bm25-and-rm3-with-relevance-feedback", "colbert", "x" * 50)
    for run, name in zip(campaign.runs.order_by("pk"), names, strict=True):
        Run.objects.filter(pk=run.pk).update(name=name, is_baseline=True)
    page = visit(board_path(campaign), width=390).page
    cells = page.locator(".board tbody :is(.team, .tag-baseline)")
    assert cells.count() == 6
    for cell in cells.all():
        shown = cell.evaluate(INSIDE)
        assert shown == {"text": True, "row": True}, cell.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    rows = page.locator(".board tbody tr")
    assert rows.nth(2).locator("th").evaluate("cell => cell.scrollWidth <= cell.clientWidth")


@pytest.mark.long
def test_the_chart_follows_the_theme(visit: Visitor) -> None:
    campaign = make_published_board(*TEAMS[:3])
    page = visit(board_path(campaign)).page
    expect_chart(page, marks=3)
    paper = page.locator("#canvas .main-svg").first
    expect(paper).to_have_css("background-color", "rgb(251, 250, 247)")
    page.emulate_media(color_scheme="dark")
    expect(paper).to_have_css("background-color", "rgb(20, 22, 26)")


@pytest.mark.long
def test_a_mark_of_the_chart_leads_to_its_run_however_the_table_is_sorted(visit: Visitor) -> None:
    campaign = make_published_board("zebra", "zebra", "ant")
    page = visit(board_path(campaign, "?sort=team")).page
    expect_chart(page, marks=3)
    page.locator("#canvas .nsewdrag").click(position={"x": 10, "y": 20})
    expect(page.locator("h1")).to_have_text("run1")


@pytest.mark.long
def test_the_chart_shows_runs_that_are_on_another_page_of_the_table(
    visit: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_page, "ROWS", 2)
    campaign = make_published_board("zebra", "bee", "ant")
    visited = visit(board_path(campaign, "?sort=team"))
    expect(visited.page.locator(".board tbody tr")).to_have_count(2)
    expect(visited.page.locator(".board tbody")).not_to_contain_text("run1")
    expect_chart(visited.page, marks=2)
    assert visited.complaints == []


@pytest.mark.long
def test_the_table_is_read_without_scripts(visit: Visitor) -> None:
    campaign = make_published_board(*TEAMS)
    page = visit(board_path(campaign), has_scripts=False).page
    rows = page.locator(".board tbody tr")
    expect(rows).to_have_count(40)
    expect(rows.first).to_contain_text("run1")
    expect(rows.first).to_contain_text("+0.15")
    expect(page.locator("#canvas")).to_be_hidden()
    expect(page.locator("#finding")).to_contain_text("the leading run, run1, scores at least 0.80")
    page.get_by_role("link", name="judged@10").click()
    expect(rows.first).to_contain_text("run40")
    page.get_by_label("Measure").select_option("AP")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#finding")).to_contain_text("AP has no residual")
    expect(rows.first).to_contain_text("run40")  # the order chosen before is kept


@pytest.mark.long
def test_choosing_a_measure_shows_it_at_once(visit: Visitor) -> None:
    campaign = make_published_board("A", "B")
    page = visit(board_path(campaign)).page
    expect(page.get_by_role("button", name="Apply")).to_be_hidden()
    page.get_by_label("Measure").select_option("AP")
    expect(page.locator("#finding")).to_contain_text("By AP the leading run")
    expect(page.get_by_label("Measure")).to_be_focused()
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Type").select_option("manual")
    expect(page.locator("#finding")).to_contain_text("No run matches the filters.")
    expect(page.get_by_label("Type")).to_be_focused()


@pytest.mark.long
def test_hostile_labels_stay_text(visit: Visitor) -> None:
    campaign = make_published_board(*HOSTILE, name=HOSTILE[0])
    visited = visit(board_path(campaign))
    page = visited.page
    expect_chart(page, marks=len(HOSTILE))
    expect(page.locator(".board .team").nth(1)).to_have_text(HOSTILE[0])  # the first is the head
    expect(page.locator(".eyebrow")).to_have_text(HOSTILE[0])
    for place in range(len(HOSTILE)):
        page.locator("#canvas .nsewdrag").hover(position={"x": 90 + 180 * place, "y": 80})
        expect(page.locator("#canvas .hoverlayer .hovertext")).to_be_visible()
    assert page.locator("main img, #canvas a, #canvas image, #canvas [onload]").count() == 0
    assert visited.complaints == []


@pytest.mark.long
def test_without_plotly_the_table_stays(visit: Visitor) -> None:
    campaign = make_published_board("A", "B")
    page = visit(board_path(campaign)).page
    page.route("**/plotly.min.js", lambda route: route.abort())
    open_chart(page)
    expect(page.locator("#chart")).to_have_text(
        "The chart could not be loaded. The table contains the same numbers."
    )
    expect(page.locator(".board tbody tr")).to_have_count(2)


@pytest.mark.long
def test_own_runs_are_marked(visit: Visitor) -> None:
    campaign = make_published_board("A", "B")
    person = make_user()
    Membership.objects.create(
        campaign=campaign,
        person=person,
        role=Membership.Role.PARTICIPANT,
        team=campaign.teams.get(name="B"),
    )
    page = visit(board_path(campaign), person=person).page
    expect(page.locator(".board tr.own")).to_have_count(1)
    expect(page.locator(".board tr.own")).to_contain_text("yours")


@pytest.mark.long
def test_the_team_of_an_own_run_is_not_broken_on_a_phone(visit: Visitor) -> None:
    campaign = make_published_board("Nordstern", "Fennmark")
    person, team = make_user(), campaign.teams.get(name="Fennmark")
    campaign.memberships.create(person=person, role=Membership.Role.PARTICIPANT, team=team)
    Run.objects.filter(team=team).update(tag="fenn-fused")
    page = visit(board_path(campaign), person=person, width=390).page
    lines = """cell => { const text = document.createRange(); text.selectNodeContents(cell);
                         return text.getClientRects().length }"""
    assert page.locator(".board tr.own .team").evaluate(lines) == 1


@pytest.mark.long
def test_the_first_rows_are_on_the_first_screen_of_a_phone(visit: Visitor) -> None:
    """With every control, and the sentence about one's own team."""
    campaign = make_published_board(*TEAMS)
    Run.objects.filter(campaign=campaign, tag="run2").update(is_baseline=True)
    member, team = make_user(), campaign.teams.get(name=TEAMS[5])
    campaign.memberships.create(person=member, role=Membership.Role.PARTICIPANT, team=team)
    for person in (None, member):
        page = visit(board_path(campaign), person=person, width=390).page
        expect(page.get_by_label("Baseline")).to_be_visible()
        first = page.locator(".board tbody tr").first.bounding_box()
        assert first is not None
        assert first["y"] < 640
    page.get_by_label("compare run3", exact=True).check()
    expect(page.get_by_role("button", name="Compare runs")).to_be_in_viewport()


def test_differences_from_a_baseline_are_visible_without_scrolling(visit: Visitor) -> None:
    """Beside the bars of significance and the marks of ranks."""
    campaign = make_tested_board(*(noisy(0.8 - number / 40, number) for number in range(25)))
    Score.objects.filter(evaluation__run__campaign=campaign).update(mean_residual=1e-6)
    campaign.teams.update(name="Ridgeway Library Services")
    baseline = campaign.runs.get(tag="r25")
    campaign.runs.filter(pk=baseline.pk).update(is_baseline=True)
    path = board_path(campaign, f"?baseline={baseline.public_id}")
    Client().get(path)
    perform_waiting_jobs(campaign)
    page = visit(path).page
    expect(page.locator(".board .bars").nth(1)).to_be_visible()
    expect(page.locator(".board .certainty").nth(1)).to_be_visible()
    expect(page.locator('.board td[data-label="corrected p"]').first).not_to_be_empty()
    assert overflows(page) == []
    # As wide as the bars of the 143 runs of TREC-COVID.
    widen = "all => all.forEach((each) => { each.style.minWidth = '56px'; })"
    page.locator(".board .bars").evaluate_all(widen)
    assert overflows(page) == []
    page.set_viewport_size({"width": 390, "height": 900})
    effects = page.locator('.board td[data-label="effect"]')
    expect(effects.first).to_be_visible()
    expect(effects.last).to_be_hidden()  # that of the baseline itself, which has none


def test_further_columns_do_not_widen_the_page(visit: Visitor) -> None:
    """Two fit. More of them scroll in the frame of the table, which shades the edge."""
    campaign = make_published_board(*TEAMS)
    page = visit(board_path(campaign)).page
    offered = page.locator("[name=columns]").evaluate_all("all => all.map(each => each.value)")
    page.goto(board_path(campaign, "?" + urlencode({"columns": offered[:2]}, doseq=True)))
    assert overflows(page) == []
    page.goto(board_path(campaign, "?" + urlencode({"columns": offered[:12]}, doseq=True)))
    frame = page.locator(".board-frame")
    assert {each for _, each in overflows(page)} == {"the table"}
    shades = frame.evaluate("frame => getComputedStyle(frame).backgroundAttachment")
    assert shades == "local, local, scroll, scroll"
    page.set_viewport_size({"width": 821, "height": 900})
    frame.evaluate("frame => { frame.scrollLeft = frame.scrollWidth; }")
    name, left = page.locator(".board tbody th").first.bounding_box(), frame.bounding_box()
    assert name is not None
    assert left is not None
    assert name["x"] == left["x"]  # names of runs stay


@pytest.mark.parametrize("width", [390, 1280])
def test_no_control_is_lower_than_24_pixels(visit: Visitor, width: int) -> None:
    campaign = make_published_board(*TEAMS)
    page = visit(board_path(campaign), person=make_organiser(campaign), width=width).page
    controls = page.locator("button, select, summary, input[type=range], .export-links a")
    expect_chart(page, marks=40)
    heights = controls.evaluate_all(
        "all => all.map(each => each.getBoundingClientRect().height).filter(height => height)"
    )
    assert len(heights) > 10
    assert min(heights) >= 24
    links = page.locator(".top a:visible, .foot nav a").evaluate_all(
        "all => all.map(each => [each.getBoundingClientRect(), each.textContent])"
        ".map(([box, text]) => [Math.min(box.width, box.height), text])"
    )
    assert len(links) > 10
    assert [text for size, text in links if size < 24] == []


def test_a_long_name_breaks_after_its_separators_on_a_phone(visit: Visitor) -> None:
    campaign = make_published_board("Team")
    name = "uogTrDPH_QE_RM3_BM25(k1=0.9,b=0.4)/monot5.base_with_abstract"
    Run.objects.filter(campaign=campaign).update(name=name)
    page = visit(
        f"/campaigns/{campaign.slug}/runs/", person=make_organiser(campaign), width=320
    ).page
    label = page.locator("th[scope=row] a").first
    expect(label).to_have_text(name)
    lines = label.evaluate(LINES)
    assert len(lines) > 1
    assert all(line[-1] in "_/." for line in lines[:-1])
    assert "0.9,b=0.4" in " ".join(lines)
    page.goto(board_path(campaign))
    cut_off = page.locator(".board tbody th").bounding_box()
    assert cut_off is not None
    assert cut_off["height"] < 30


def test_names_of_runs_and_teams_break_in_no_word_of_the_leaderboard(visit: Visitor) -> None:
    """On a phone, a team that does not fit beside its run is on a line of its own."""
    teams = ("CSIROmed", "IRIT_markers", "UMASS_CIIR", "columbia_university_dbmi")
    names = ("CSIROmedNIR", "IRIT_marked_mu_pair", "sheikh_bm25_manual", "UIUC_DMG_setrank_ret")
    campaign = make_published_board(*teams)
    for run, name in zip(campaign.runs.order_by("pk"), names, strict=True):
        Run.objects.filter(pk=run.pk).update(name=name)
    page = visit(board_path(campaign), width=390).page
    for row in page.locator(".board tbody tr").all():
        assert len(row.locator(".team").evaluate(LINES)) == 1
        assert row.locator("th").evaluate("cell => cell.scrollWidth <= cell.clientWidth")
    page.set_viewport_size({"width": 821, "height": 900})
    broken = [
        cell.evaluate(LINES)
        for cell in page.locator(".board tbody tr :is(.team, th a)").all()
        if len(cell.evaluate(LINES)) > 1
    ]
    assert broken
    assert all(line.endswith("_") for lines in broken for line in lines[:-1])


def test_organisers_see_who_else_cannot_see_the_leaderboard(visit: Visitor) -> None:
    campaign = make_published_board("A", "B", stage="judging", board_audience=0)
    page = visit(board_path(campaign), person=make_organiser(campaign)).page
    expect(page.get_by_text("Only organisers see this leaderboard.")).to_be_visible()
    others = visit(board_path(campaign), person=make_user()).page
    expect(others.locator(".board")).to_have_count(0)
    expect(others.get_by_text("The leaderboard is not published yet.")).to_be_visible()


def test_a_held_key_on_the_slider_sends_one_request_when_released(visit: Visitor) -> None:
    campaign = make_published_board("A", "B")
    give_file(campaign.active_qrels)
    page = visit(board_path(campaign, "?measure=RBP(p%3D0.5)")).page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "p=" in request.url else None)
    page.clock.install()
    page.clock.pause_at(timezone.now() + timedelta(hours=1))
    page.locator("#p").focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#p-shown")).to_have_text("0.60")
    page.clock.run_for(149)
    assert asked == []
    page.clock.run_for(1)
    expect(page.locator("#board-table")).to_contain_text("tested at the campaign’s own values of p")
    page.keyboard.press("End")
    expect(page.locator("#p-shown")).to_have_text("0.999")
    page.keyboard.press("Home")
    expect(page.locator("#p-shown")).to_have_text("0.00")
    assert [url.rpartition("p=")[2] for url in asked] == ["0.60"]


def test_two_selected_runs_are_compared_and_a_third_is_reported(visit: Visitor) -> None:
    campaign = make_published_board("A", "B", "C")
    page = visit(board_path(campaign)).page
    told, button = page.locator("#compare-selection"), page.get_by_role("button", name="Compare")
    for name in ("run1", "run3", "run2"):
        page.get_by_label(f"compare {name}").check()
    expect(told).to_have_text("3 runs are selected; a comparison takes two")
    expect(button).to_be_disabled()
    page.get_by_label("compare run1").uncheck()
    expect(told).to_have_text("run2 and run3")
    page.goto(board_path(campaign, "?measure=AP"))  # as by a page that reloads automatically
    expect(told).to_have_text("run2 and run3")
    button.click()
    expect(page.locator("h1")).to_have_text("Two runs")
    expect(page.locator("#finding")).to_contain_text("run2 is better than run3")
