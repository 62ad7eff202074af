"""A real run, a real browser, a real web server and worker: from dropped file to published board.

The campaign holds the other 142 runs of TREC-COVID round 1.
"""

import csv
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.chromium import new_context
from tests.patience import PATIENCE, wait_for
from trackside.processes import HOST, answers, free_port

DATA = os.environ.get("TRACKSIDE_DATA")
pytestmark = [
    pytest.mark.long,
    pytest.mark.data,
    pytest.mark.browser,
    pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs"),
]
ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(DATA or ".") / "trec-covid-round1"
OURS = "sab20.1.meta.docs"
PASSWORD = "a long enough password"

PEOPLE = f"""
from campaigns import lifecycle
from campaigns.models import *
campaign = Campaign.objects.get(slug="covid")
organiser = User.objects.create_user("organiser@site.example", {PASSWORD!r})
participant = User.objects.create_user("participant@site.example", {PASSWORD!r})
Membership.objects.create(campaign=campaign, person=organiser, role="organiser")
team = Team.objects.create(campaign=campaign, name="sabir")
Membership.objects.create(campaign=campaign, person=participant, role="participant", team=team)
lifecycle.open_submissions(campaign=campaign, actor=organiser)
"""


@dataclass(frozen=True)
class Site:
    url: str

    def at(self, path: str) -> str:
        return self.url + path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The campaign without our run."""
    folder = tmp_path_factory.mktemp("covid")
    (folder / "runs").mkdir()
    for name in ("topics.xml", "qrels.txt.gz"):
        (folder / name).symlink_to(FOLDER / name)
    for path in (FOLDER / "runs").iterdir():
        if path.name != f"{OURS}.gz":
            (folder / "runs" / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def site(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Web server and worker as processes of their own, over SQLite and a message folder."""
    port = free_port()
    environment = os.environ | {
        "VAR_DIR": str(tmp_path_factory.mktemp("var")),
        "DJANGO_SETTINGS_MODULE": "trackside.settings",
        "SWEEP_SECONDS": "2",
        "LOG_LEVEL": "WARNING",
        "SECRET_KEY": "only-for-tests",
    }
    environment.pop("DATABASE_URL", None)
    environment.pop("BROKER_URL", None)

    def manage(*words: str) -> None:
        subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, env=environment, check=True)

    manage("migrate", "-v0")
    table = str(FOLDER / "leaderboard.csv")
    manage("import_campaign", str(folder), "--slug", "covid", "--runs-table", table)
    manage("shell", "-c", PEOPLE)
    web = [
        "gunicorn",
        "trackside.wsgi",
        "--bind",
        f"{HOST}:{port}",
        "--threads",
        "4",
        "--no-control-socket",
    ]
    worker = ["celery", "-A", "trackside.celery", "worker", "-c", "1", "-l", "warning"]
    with running(web, environment), running(worker, environment):
        wait_for("the site", lambda: answers(port, "/"))
        yield Site(f"http://{HOST}:{port}")


@contextmanager
def running(words: list[str], environment: dict[str, str]) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, env=environment)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture
def participant(chromium: Browser, site: Site) -> Iterator[Page]:
    yield from signed_in(chromium, site, "participant@site.example")


@pytest.fixture
def organiser(chromium: Browser, site: Site) -> Iterator[Page]:
    yield from signed_in(chromium, site, "organiser@site.example")


def signed_in(chromium: Browser, site: Site, email: str) -> Iterator[Page]:
    context = new_context(chromium)
    page = context.new_page()
    page.goto(site.at("/accounts/login/"))
    page.get_by_label(re.compile("mail", re.I)).fill(email)
    page.get_by_label("Password", exact=False).first.fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name=re.compile("log in", re.I)).click()
    expect(page).to_have_url(site.at("/"))
    yield page
    context.close()


def csv_row(page: Page, site: Site) -> dict[str, str] | None:
    """Our run in the CSV of RBP(p=0.8), as this person gets it; None where it is not shown."""
    url = site.at("/campaigns/covid/leaderboard.csv?measure=RBP(p%3D0.8)")
    # The server may close an idle connection as the next request comes; browsers send it again.
    answer = page.request.get(url, max_retries=1)
    if answer.status == 404:
        return None
    rows = csv.DictReader(io.StringIO(answer.text()))
    return next((row for row in rows if row["run"] == OURS), None)


def board_row(page: Page, site: Site):
    page.goto(site.at("/campaigns/covid/leaderboard/?measure=RBP(p%3D0.8)"))
    return page.locator("table.board tbody tr", has=page.get_by_role("link", name=OURS))


def test_a_dropped_file_becomes_a_row_on_the_published_board(
    participant: Page, organiser: Page, site: Site
) -> None:
    participant.goto(site.at("/campaigns/covid/submit/"))
    slow_down(participant, bytes_per_second=150_000)
    participant.get_by_label("Run file").set_input_files(FOLDER / "runs" / f"{OURS}.gz")
    participant.get_by_role("button", name="Submit run").click()
    seen = progress_seen(participant)
    assert len(seen) >= 3, f"the bar showed {seen}"
    assert seen == sorted(seen)

    expect(participant).to_have_url(re.compile("/runs/[a-z2-7]{16}/$"))
    status = participant.locator("#run-status")
    expect(status).to_contain_text("Accepted. You do not need to do anything.")
    text = participant.locator("main").inner_text()
    assert "RBP" not in text  # as a participant nothing but the status is seen
    assert csv_row(participant, site) is None
    expect(board_row(participant, site)).to_have_count(0)

    row = board_row_once_scored(organiser, site)
    assert organiser.locator("table.board tbody tr").count() == 143
    cells, record = row.inner_text(), csv_row(organiser, site)
    assert record is not None
    assert_row_shows(cells, record)

    organiser.goto(site.at("/campaigns/covid/manage/"))
    organiser.locator("summary", has_text="Publish").click()
    organiser.get_by_role("button", name="Publish results").click()
    expect(organiser.locator("main")).to_contain_text("Published on")
    shown = board_row(participant, site)
    expect(shown).to_have_count(1)
    assert_row_shows(shown.inner_text(), csv_row(participant, site) or {})


def board_row_once_scored(page: Page, site: Site) -> Locator:
    def row_among_all() -> Locator | None:
        row = board_row(page, site)
        is_whole = page.locator("table.board tbody tr").count() == 143
        return row if is_whole and row.count() == 1 else None

    return wait_for("the run on the board", row_among_all)


def assert_row_shows(cells: str, record: dict[str, str]) -> None:
    """The page's numbers are the CSV's, rounded to what it shows."""
    base, residual, _ = re.findall(r"\+?\d+\.\d+", cells)[-3:]
    digits = len(base.split(".")[1])
    assert base == f"{float(record['base']):.{digits}f}"
    assert residual.lstrip("+") == f"{float(record['residual']):.{digits}f}"
    assert cells.split()[0] == record["rank"]


def slow_down(page: Page, *, bytes_per_second: int) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": 0,
            "downloadThroughput": -1,
            "uploadThroughput": bytes_per_second,
        },
    )


def progress_seen(page: Page) -> list[float]:
    """The different values the upload's bar shows until the page is left."""
    seen: list[float] = []

    def is_left() -> bool:
        with suppress(Exception):  # the page may be left while it is asked
            value = float(page.evaluate("document.querySelector('#progress')?.value ?? 0"))
            if value and value not in seen:
                seen.append(value)
        return "/submit/" not in page.url

    wait_for("the upload to end", is_left)
    return seen
