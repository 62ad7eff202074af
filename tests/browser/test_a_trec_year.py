"""A track's year by clicks, with a picture at every station: narrow and wide, light and dark.

SCREENSHOTS names a folder to keep the pictures in; without it they go with the test.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone
from playwright.sync_api import Page, expect

from campaigns.models import Campaign, Judgment, Run, Team, User
from campaigns.runs import decisions, submission
from scoring.jobs import queue as jobs
from scoring.worker import perform_waiting_jobs
from tests import trecyear
from tests.browser.conftest import Visit, Visitor
from tests.making import make_user
from tests.patience import wait_for
from tests.trecyear import Judged

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HERE = "/campaigns/track"
STOCK = trecyear.simulated()
TEAMS = {"ada": "Alpenglow", "ben": "Bergwerk", "cem": "Canopy", "dora": "Canopy Two"}
WIDE, NARROW = 1280, 390


def wait_until_it_fits(page: Page) -> None:
    """Playwright's wait_for_function would need eval, which the pages' policy forbids."""
    fits = "document.documentElement.scrollWidth <= innerWidth"
    wait_for(f"{page.url} not to scroll sideways", lambda: page.evaluate(fits))


@dataclass
class Year:
    """Everybody's own window, and where the pictures go."""

    pictures: Path
    people: dict[str, User]
    windows: dict[str, Visit] = field(default_factory=dict)
    taken: int = 0

    def page(self, who: str, path: str) -> Page:
        page = self.windows[who].page
        page.goto(path)
        return page

    def picture(self, page: Page, name: str, width: int = WIDE, *, is_dark: bool = False) -> None:
        self.taken += 1
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if is_dark else "light")
        page.wait_for_load_state("networkidle")
        # A chart draws itself for the new width a moment later; a page that stays too wide fails.
        wait_until_it_fits(page)
        kind = f"{width}-{'dark' if is_dark else 'light'}"
        page.screenshot(path=self.pictures / f"{self.taken:02d}-{name}-{kind}.png", full_page=True)
        page.set_viewport_size({"width": WIDE, "height": 900})
        page.emulate_media(color_scheme="light")

    @property
    def campaign(self) -> Campaign:
        return Campaign.objects.get(slug="track")


@pytest.fixture
def year(visit: Visitor, settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Year:
    storages = settings.STORAGES["default"] | {"OPTIONS": {"location": str(tmp_path / "files")}}
    settings.STORAGES = settings.STORAGES | {"default": storages}
    monkeypatch.setattr(jobs, "wake_worker", lambda *args: None)  # the test is the worker
    pictures = Path(os.environ.get("SCREENSHOTS") or tmp_path / "pictures")
    pictures.mkdir(parents=True, exist_ok=True)
    cast = {name: make_user(f"{name}@example.org", name=name.title()) for name in TEAMS}
    cast["olga"] = make_user("olga@example.org", name="Olga", is_approved=True)
    year = Year(pictures, cast)
    for who, person in cast.items():
        year.windows[who] = visit("/", person=person)
    year.windows["nobody"] = visit("/")
    return year


def test_a_year_by_clicks(year: Year) -> None:
    """It takes most of a minute, because it is one story: each part begins where the last ended."""
    draft_it(year)
    gather_teams(year)
    submit_runs(year)
    judged = judge_the_pool(year)
    publish(year)
    correct(year, judged)
    assert {who: each.complaints for who, each in year.windows.items()} == {
        who: [] for who in year.windows
    }


def a_file(name: str, data: bytes) -> dict[str, object]:
    return {"name": name, "mimeType": "text/plain", "buffer": data}


def press(page: Page, name: str) -> None:
    """Until the answer is there: what is looked for next may also be on the page before it."""
    with page.expect_navigation():
        page.get_by_role("main").get_by_role("button", name=name, exact=True).first.click()


def draft_it(year: Year) -> None:
    page = year.page("olga", "/campaigns/new/")
    page.locator(".more-settings > summary").click()
    for label, value in {
        "Name": "A track",
        "URL name": "track",
        "Guidelines": "Return **documents**, best first.\n\n- at most 100 a topic\n- one tag a run",
        "Terms": "Use the topics for research *only*.",
        "Runs per team": "6",
    }.items():
        page.get_by_label(label, exact=False).first.fill(value)
    page.get_by_label("Submissions close").fill("2090-05-01T12:00")
    page.get_by_label("Who can participate").select_option("approval")
    page.get_by_label("Teams can be anonymous").check()
    page.get_by_label("Teams accept each run after validation").check()
    year.picture(page, "settings", is_dark=True)
    page.locator("form button.main").click()
    expect(page.locator("h1")).to_have_text("Manage")
    page.get_by_label("Topics file").set_input_files(a_file("topics.tsv", STOCK.topics))
    press(page, "Add topics")
    expect(page.locator("main")).to_contain_text("8 topics")
    year.picture(page, "draft")
    year.picture(year.page("olga", f"{HERE}/manage/visibility/"), "what-is-shown")
    year.picture(year.page("olga", f"{HERE}/?as=public&at=published"), "preview", NARROW)
    press(year.page("olga", f"{HERE}/manage/"), "Open submissions")


def gather_teams(year: Year) -> None:
    for who, name in TEAMS.items():
        page = year.page(who, f"{HERE}/team/")
        page.get_by_label("Team name").fill(name)
        if who == "ben":
            page.get_by_label("Stay anonymous").check()
        page.get_by_label("I accept these terms").check()
        if who == "ada":
            year.picture(page, "founding", NARROW)
        press(page, "Create team")
        expect(page.locator("main")).to_contain_text("awaits the approval of an organiser")
    page = year.page("olga", f"{HERE}/manage/people/")
    year.picture(page, "waiting-teams")
    for _ in TEAMS:
        press(page, "Approve team")
    page.get_by_text("Change Canopy Two").click()
    page.get_by_role("link", name="Merge Canopy Two into another team").click()
    page.get_by_label("Team to merge Canopy Two into").select_option("Canopy")
    press(page, "Preview merge")
    expect(page.locator("h1")).to_have_text("Merge Canopy Two into Canopy")
    year.picture(page, "merging", NARROW)
    press(page, "Merge teams")
    expect(page.locator("main")).to_contain_text("3 teams")
    year.picture(page, "people", is_dark=True)
    expect(year.page("dora", f"{HERE}/team/").locator("h1")).to_have_text("Canopy")
    year.picture(year.page("ada", f"{HERE}/"), "overview")


def submit_runs(year: Year) -> None:
    first, second, *others = STOCK.tags
    send(year, "ada", STOCK.runs[first])
    page = year.windows["ada"].page
    year.picture(page, "check-sheet", NARROW)
    press(page, "Accept run")
    expect(page.locator("#run-status")).to_contain_text("Accepted")
    send(year, "ben", STOCK.runs[second].replace(b" 7 ", b" 7 x", 3))
    page = year.windows["ben"].page
    expect(page.locator("main")).to_contain_text("line 7")
    year.picture(page, "refused", is_dark=True)
    for number, tag in enumerate((second, *others)):
        submit_by_function(year, list(TEAMS.values())[(number + 1) % 3], tag)
    replace_by_clicks(year, first)
    year.picture(year.page("ada", f"{HERE}/runs/"), "own-runs", NARROW)
    year.picture(year.page("ada", f"{HERE}/submit/"), "submit")


def send(year: Year, who: str, data: bytes) -> None:
    page = year.page(who, f"{HERE}/submit/")
    submit(year, page, data)


def submit(year: Year, page: Page, data: bytes) -> None:
    page.get_by_label("Run file").set_input_files(a_file("run.txt", data))
    press(page, "Submit run")
    expect(page).to_have_url(re.compile(r"/runs/[a-z2-7]{16}/$"))
    perform_waiting_jobs(year.campaign)
    page.reload()


def submit_by_function(year: Year, team_name: str, tag: str) -> None:
    """What the clicks do, without the clicks."""
    team = Team.objects.get(name=team_name)
    person = team.memberships.first().person
    with submission.stored_upload(ContentFile(STOCK.runs[tag], name=tag)) as file:
        run = submission.submit_run(
            campaign=year.campaign, team=team, person=person, file=file, submitted_at=timezone.now()
        )
    perform_waiting_jobs(year.campaign)
    assert decisions.accept_checked(run=Run.objects.get(pk=run.pk), person=person)


def replace_by_clicks(year: Year, tag: str) -> None:
    old = Run.objects.get(tag=tag)
    page = year.page("ada", f"{HERE}/runs/{old.public_id}/")
    page.get_by_role("link", name="Replace this run").click()
    shorter = b"\n".join(STOCK.runs[tag].splitlines()[:-5])
    submit(year, page, shorter)
    press(page, "Accept run")
    expect(page.locator("#run-status")).to_contain_text("Accepted")
    old.refresh_from_db()
    assert old.replaced_at is not None


def judge_the_pool(year: Year) -> Judged:
    page = year.page("olga", f"{HERE}/manage/")
    press(page, "Close submissions and begin judging")
    judged = STOCK.pool(STOCK.tags)
    topics = {topic.code: topic for topic in year.campaign.topics.all()}
    Judgment.objects.bulk_create(
        Judgment(
            campaign=year.campaign,
            topic=topics[code],
            doc_id=document,
            grade=min(grade, 1),
            assessor=year.people["olga"],
        )
        for (code, document), grade in judged.items()
    )
    page.reload()
    page.get_by_text("Freeze the judgments made here").click()
    press(page, "Freeze and activate")
    year.picture(page, "scoring")
    perform_waiting_jobs(year.campaign)
    blind = year.page("ada", f"{HERE}/leaderboard/")
    expect(blind.locator("table.board")).to_have_count(0)
    year.picture(blind, "blind", NARROW)
    year.picture(year.page("olga", f"{HERE}/manage/queue/"), "queue")
    return {pair: min(grade, 1) for pair, grade in judged.items()}


def publish(year: Year) -> None:
    page = year.page("olga", f"{HERE}/manage/")
    page.locator("summary", has_text=re.compile("^Publish results$")).click()
    press(page, "Publish results")
    expect(page.locator("main")).to_contain_text("Published on")
    expect(page.locator("main")).not_to_contain_text("Next date")  # no more runs are due
    board = year.page("nobody", f"{HERE}/leaderboard/")
    expect(board.locator("table.board tbody tr")).to_have_count(12)
    assert "Bergwerk" not in board.content()
    assert "anonymous-" in board.content()
    year.picture(board, "board")
    year.picture(board, "board", NARROW, is_dark=True)
    board.locator("table.board tbody tr a").first.click()
    year.picture(board, "run")
    year.picture(year.page("nobody", f"{HERE}/topics/"), "topics", is_dark=True)
    year.picture(year.page("nobody", f"{HERE}/topics/1/"), "topic", NARROW)


def correct(year: Year, judged: Judged) -> None:
    page = year.page("olga", f"{HERE}/downloads/")
    press(page, "Create snapshot")
    expect(page).to_have_url(re.compile(r"/snapshots/[a-z2-7]{16}/$"))
    snapshot = page.url
    page.goto(f"{HERE}/manage/")
    page.get_by_text("Add a new version from a file").click()
    second = trecyear.qrels_file(trecyear.corrected(judged))
    page.get_by_label("Qrels file").set_input_files(a_file("qrels.txt", second))
    page.locator("details[open]").get_by_label("Note").first.fill("fifty were wrong")
    press(page, "Add and activate")
    expect(page.locator("#rescoring")).to_be_visible()
    perform_waiting_jobs(year.campaign)
    page.goto(f"{HERE}/manage/")
    year.picture(page, "manage", is_dark=True)
    page.get_by_role("link", name="changes from v1 to v2").click()
    expect(page.locator("main")).to_contain_text("50 judgments")
    year.picture(page, "diff")
    board = year.page("nobody", f"{HERE}/leaderboard/?qrels=1")
    expect(board.locator("table.board tbody tr")).to_have_count(12)
    year.picture(board, "board-of-v1")
    kept = year.page("nobody", snapshot)
    expect(kept.locator("tbody tr")).to_have_count(12)
    year.picture(kept, "snapshot", NARROW)
    year.picture(year.page("nobody", f"{HERE}/downloads/"), "downloads")
    year.picture(year.page("olga", f"{HERE}/manage/log/"), "log", NARROW)
