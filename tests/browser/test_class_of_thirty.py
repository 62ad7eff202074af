"""A class of 30 in one room: one link, thirty sign-ups, teams, runs and a leaderboard.

A real site with its own limits and mail in a folder: the embedded one with one web process and one
worker, or the production stack behind its proxy. Every student has a browser of their own, and all
browsers have one address. The long tier has six students, on the embedded site; `make
test-exhaustive` has thirty, on both. The test prints its figures:
`pytest -m "" -s tests/browser/test_class_of_thirty.py`.
"""

import asyncio
import email
import os
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.policy import default
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Response, async_playwright, expect

from tests.chromium import ARGUMENTS, CHROMIUM
from tests.patience import MILLISECONDS, PATIENCE, wait_for
from trackside.processes import HOST, WEB, WORKER, Supervisor, answers, free_port
from trackside.stack import Missing, running

pytestmark = [
    pytest.mark.long,
    pytest.mark.browser,
    pytest.mark.xdist_group("crowd"),
]
TOPICS, DEPTH = 50, 100
PASSWORD = "correct horse battery staple"
STEP = 5 * PATIENCE  # seconds, for one step of one student among thirty on a small machine

CAMPAIGN = f"""
from campaigns import lifecycle
from campaigns.models import *
from campaigns.models.showing import Preset, class_room
organiser = User.objects.create_user("olga@uni.example", {PASSWORD!r}, name="Olga")
organiser.emailaddress_set.create(email=organiser.email, verified=True, primary=True)
campaign = Campaign.objects.get(slug="class")
campaign.is_private, campaign.joining = True, "open"
campaign.save()
Membership.objects.create(campaign=campaign, person=organiser, role="organiser")
lifecycle.change_visibility(
    campaign=campaign, preset=Preset.CLASS_ROOM, table=class_room(), actor=organiser
)
lifecycle.open_submissions(campaign=campaign, actor=organiser)
"""
SCORED = """
from scoring.models import Evaluation
print(Evaluation.objects.filter(state="scored").count())
"""


@dataclass
class Class:
    """The site, and what happened to everybody in the room."""

    students: int
    url: str
    folder: Path
    link: str = ""
    refusals: list[str] = field(default_factory=list)
    requests: int = 0
    ends: dict[str, float] = field(default_factory=dict)  # when the last student ended a step

    def watch(self, page: Page) -> None:
        page.set_default_timeout(1000 * STEP)
        page.on("response", self._note)

    def _note(self, response: Response) -> None:
        self.requests += 1
        if response.status >= 400:
            self.refusals.append(f"{response.status} {response.url}")

    def done(self, step: str) -> None:
        self.ends[step] = time.monotonic()


@pytest.mark.parametrize(
    ("kind", "students"),
    [
        ("embedded", 6),
        pytest.param("production", 30, marks=pytest.mark.exhaustive),
        pytest.param("embedded", 30, marks=pytest.mark.exhaustive),
    ],
)
def test_a_class_plays_from_one_link_to_the_leaderboard(
    kind: str, students: int, tmp_path: Path
) -> None:
    """It takes most of a minute, because each step of the class begins where the last ended."""
    write_campaign(tmp_path / "campaign")
    (tmp_path / "mail").mkdir()
    with running_site(kind, tmp_path) as (site, url), ThreadPoolExecutor(1) as thread:
        room = Class(students, url, tmp_path)
        site.manage(
            *("import_campaign", str(tmp_path / "campaign"), "--slug", "class"), LOG_LEVEL="ERROR"
        )
        site.manage("shell", "-v0", "-c", CAMPAIGN, LOG_LEVEL="ERROR")
        expect.set_options(timeout=MILLISECONDS)
        began = thread.submit(asyncio.run, play(room)).result()
        scored = int(site.manage("shell", "-v0", "-c", SCORED, LOG_LEVEL="ERROR"))
    print(f"\n{kind}: {students} students, {room.requests} requests, {len(room.refusals)} refusals")
    for step, end in room.ends.items():
        print(f"  {step}: after {end - began:.0f} s")
    assert room.refusals == []
    assert scored == students


# --- the room -------------------------------------------------------------------------------------


async def play(room: Class) -> float:
    """Everybody does everything; when the first student followed the link."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=ARGUMENTS, timeout=1000 * STEP
        )
        organiser = await new_page(browser, room)
        room.link = await create_link(organiser, room)
        began = time.monotonic()
        links = [asyncio.get_running_loop().create_future() for _ in range(room.students // 2)]
        everybody = (study(browser, room, n, links[n // 2]) for n in range(room.students))
        await asyncio.gather(*everybody)
        await organiser.goto(f"{room.url}/campaigns/class/manage/people/#links")
        await expect(organiser.locator("main")).to_contain_text(
            f"{room.students} of {room.students + 1}"
        )
        await expect(organiser.locator("main")).not_to_contain_text("without a team")
        await browser.close()
    return began


async def create_link(page: Page, room: Class) -> str:
    await page.goto(f"{room.url}/accounts/login/?next=/campaigns/class/manage/people/")
    await page.get_by_label("Email address").fill("olga@uni.example")
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("main").get_by_role("button", name="Log in").click()
    await page.locator("#id_participants_max_uses").fill(str(room.students + 1))
    await page.get_by_role("button", name="Create link for participants").click()
    return await page.locator("#link").input_value()


async def study(browser: Browser, room: Class, number: int, team_link: asyncio.Future[str]) -> None:
    """The way of one student. The first of each two creates the team and invites the other one."""
    page = await new_page(browser, room)
    await sign_up(page, room, f"student{number}@uni.example")
    room.done("sign-ups confirmed")
    await page.get_by_role("button", name="Join campaign").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("class")
    room.done("joined by the link")
    if number % 2 == 0:
        await page.get_by_role("link", name="Take part").click()
        await page.get_by_label("Team name").fill(f"Team {number // 2}")
        await page.get_by_role("button", name="Create team").click()
        await page.get_by_role("button", name="Create invitation link").click()
        team_link.set_result(await page.locator("#link").input_value())
    else:
        await page.goto(await team_link)
        await page.get_by_role("button", name="Join Team").click()
    room.done("in a team")
    await submit(page, room, number)
    room.done("runs accepted")
    await see_score(page, room, f"run{number}")
    room.done("scores on the leaderboard")
    await page.context.close()


async def new_page(browser: Browser, room: Class) -> Page:
    page = await (await browser.new_context()).new_page()
    room.watch(page)
    return page


async def sign_up(page: Page, room: Class, address: str) -> None:
    await page.goto(room.link)
    await expect(page.get_by_role("heading", level=1)).to_have_text("Invitation to class")
    await page.get_by_role("main").get_by_role("link", name="Sign up").click()
    await page.get_by_label("Email address").fill(address)
    if await (name := page.get_by_label(re.compile("^(Your )?name"))).count():
        await name.fill(address.partition("@")[0])
    for password in await page.locator("input[type=password]").all():
        await password.fill(PASSWORD)
    await page.get_by_role("main").get_by_role("button", name="Sign up").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Check your email")
    await page.goto(await link_in_mail(room.folder / "mail", address))
    await page.get_by_role("button", name="Confirm address").click()


async def submit(page: Page, room: Class, number: int) -> None:
    await page.goto(f"{room.url}/campaigns/class/submit/")
    await page.get_by_label("Run file").set_input_files(
        {"name": f"run{number}.txt", "mimeType": "text/plain", "buffer": run_file(number)}
    )
    await page.get_by_role("button", name="Submit run").click()
    await page.wait_for_url(re.compile("/runs/[a-z2-7]{16}/$"))
    status = page.locator("#run-status")
    await expect(status).to_contain_text("Accepted", timeout=1000 * STEP)


async def see_score(page: Page, room: Class, tag: str) -> None:
    """Loads the leaderboard again until it has the run."""
    for _ in range(int(STEP)):
        await page.goto(f"{room.url}/campaigns/class/leaderboard/")
        if await page.get_by_role("link", name=tag, exact=True).count():
            return
        await asyncio.sleep(1)
    raise AssertionError(f"{tag} is not on the leaderboard")


BETWEEN_EMAILS = b"-" * 79 + b"\n"


async def link_in_mail(folder: Path, address: str) -> str:
    """The first link in the email to this address. Django names a file by the second and by an
    address in memory, so two emails of a second may be in one file."""

    def find() -> str | None:
        texts = [path.read_bytes() for path in folder.glob("*.log")]
        for text in (each for whole in texts for each in whole.split(BETWEEN_EMAILS)):
            message = email.message_from_bytes(text, policy=default)
            if message["To"] == address and (found := re.search(r"https?://\S+", str(message))):
                return found[0]
        return None

    return await asyncio.to_thread(wait_for, f"an email to {address}", find, patience=STEP)


# --- the site -------------------------------------------------------------------------------------


@contextmanager
def running_site(kind: str, folder: Path) -> Iterator[tuple[Supervisor, str]]:
    """The site and its URL."""
    port = free_port()
    url = f"http://{HOST}:{port}"
    settings = {"EMAIL_URL": f"filemail:///{folder / 'mail'}", "SITE_URL": url}
    try:
        with (
            running(folder / "stack", port=port, **settings)
            if kind == "production"
            else embedded(folder, port, settings)
        ) as site:
            yield site, url
    except Missing as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))


@contextmanager
def embedded(folder: Path, port: int, settings: dict[str, str]) -> Iterator[Supervisor]:
    environment = settings | {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "trackside.settings",
        "VAR_DIR": str(folder / "site"),
        "SECRET_KEY": "only-for-tests",
    }
    site = Supervisor(folder, environment)
    site.manage("migrate", "--verbosity", "0", LOG_LEVEL="ERROR")
    try:
        site.start("web", *WEB, "--bind", f"{HOST}:{port}", "--worker-class", "gthread")
        site.start("worker", *WORKER, "-c", "2")
        site.wait_for("the site", lambda: site.is_ready("worker") and answers(port, "/"))
        yield site
    finally:
        site.stop(*site.processes)


def write_campaign(folder: Path) -> None:
    """Topics, and qrels in which every third document is relevant."""
    folder.mkdir()
    topics = "".join(f"{topic}\ttopic {topic}\n" for topic in range(1, TOPICS + 1))
    (folder / "topics.tsv").write_text(topics)
    judged = (
        f"{topic} 0 d{document} {int(document % 3 == 0)}\n"
        for topic in range(1, TOPICS + 1)
        for document in range(DEPTH)
    )
    (folder / "qrels.txt").write_text("".join(judged))


def run_file(number: int) -> bytes:
    """Every run has the documents in another order."""
    lines = (
        f"{topic} Q0 d{(rank * 7 + number * topic) % DEPTH} {rank + 1} {DEPTH - rank} run{number}\n"
        for topic in range(1, TOPICS + 1)
        for rank in range(DEPTH)
    )
    return "".join(lines).encode()
