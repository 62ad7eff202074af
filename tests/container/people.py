"""A campaign on the running site, and a person who uses it with a browser through the proxy."""

import gzip
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect, sync_playwright

from tests.chromium import ARGUMENTS, CHROMIUM, new_context
from tests.container.site import HOST, Site
from tests.patience import MILLISECONDS, PATIENCE, wait_for

SLUG = "containers"
TOPICS = 20
EMAIL = "participant@site.example"
PASSWORD = "a long enough password"

# Run by manage.py shell.
PREPARE = f"""
from campaigns.qrels import versions
from campaigns.models import Audience, Campaign, Topic, User
campaign = Campaign.objects.create(
    slug="{SLUG}", name="In containers", stage="open", is_accepting=True, run_depth=1_000_000,
    measures=["AP"], runs_audience=Audience.EVERYONE, shows_own_scores=True,
    board_audience=Audience.EVERYONE,
)
Topic.objects.bulk_create(
    Topic(campaign=campaign, code=str(code), position=code) for code in range({TOPICS})
)
qrels = "".join(f"{{t}} 0 d{{d}} {{d % 2}}\\n" for t in range({TOPICS}) for d in range(20))
versions.add_qrels(campaign=campaign, data=qrels.encode(), note="", actor=None)
"""
JOIN = f"""
from campaigns.models import Campaign, Membership, Team, User
campaign = Campaign.objects.get(slug="{SLUG}")
team = Team.objects.create(campaign=campaign, name="The team")
person = User.objects.get(email="{EMAIL}")
Membership.objects.create(campaign=campaign, person=person, role="participant", team=team)
"""


def run_file(tag: str, depth: int) -> bytes:
    """A packed run; its AP is 1/2 or more, as every other judged document is relevant."""
    lines = (
        f"{topic} Q0 d{rank} {rank + 1} {depth - rank} {tag}\n"
        for topic in range(TOPICS)
        for rank in range(depth)
    )
    return gzip.compress("".join(lines).encode(), 1)


@dataclass(frozen=True)
class Person:
    page: Page
    name: str  # of the pictures
    proxy: tuple[str, int]

    def sign_up(self) -> None:
        self.page.goto("/accounts/signup/")
        self.page.get_by_label("Your name").fill("Ann Lee")
        self.page.get_by_label(re.compile("mail", re.I)).fill(EMAIL)
        for field in self.page.locator("main input[type=password]").all():
            field.fill(PASSWORD)
        self.page.locator("main form button[type=submit]").click()
        expect(self.page).not_to_have_url(re.compile("signup"))

    def upload(self, tag: str, data: bytes) -> str:
        """The URL of the run's page."""
        self.page.goto(f"/campaigns/{SLUG}/submit/")
        file = {"name": f"{tag}.gz", "mimeType": "application/gzip", "buffer": data}
        self.page.get_by_label("Run file").set_input_files(file)
        self.page.locator("#send").click()
        expect(self.page).to_have_url(re.compile("/runs/[a-z2-7]{16}/$"))
        return self.page.url

    def sees_accepted(self, run: str) -> None:
        self.page.goto(run)
        status = self.page.locator("#run-status")
        expect(status).to_contain_text("Accepted", timeout=4 * MILLISECONDS)

    def sees_score(self, tag: str) -> str:
        """What the leaderboard says of it, once it is there."""
        row = self.page.locator("table.board tbody tr", has=self.page.get_by_role("link", name=tag))

        def score() -> re.Match[str] | None:
            self.page.goto(f"/campaigns/{SLUG}/leaderboard/?measure=AP")
            return re.search(r"\d\.\d{4}", row.inner_text()) if row.count() == 1 else None

        def board() -> str:
            return self.page.locator("main").inner_text()

        return wait_for(f"{tag} on the board", score, explain=board, patience=2 * PATIENCE)[0]

    def downloads(self, run: str) -> bytes:
        """In this person's session; Playwright's own client would not find the site by its name."""
        cookies = "; ".join(
            f"{each['name']}={each['value']}" for each in self.page.context.cookies()
        )
        parts = urlsplit(f"{run}file")
        connection = HTTPConnection(*self.proxy, timeout=PATIENCE)
        connection.request("GET", parts.path, headers={"Host": parts.netloc, "Cookie": cookies})
        return connection.getresponse().read()

    def takes_picture(self, what: str) -> None:
        """Into the folder that SCREENSHOTS names; none without it."""
        if folder := os.environ.get("SCREENSHOTS"):
            self.page.screenshot(path=Path(folder) / f"{self.name}-{what}.png", full_page=True)


@contextmanager
def person_at(site: Site, name: str) -> Iterator[Person]:
    """A browser of its own, for which the site's name is the proxy's address."""
    address, port = site.proxy
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[*ARGUMENTS, f"--host-resolver-rules=MAP {HOST} {address}"],
            timeout=MILLISECONDS,
        )
        expect.set_options(timeout=MILLISECONDS)
        page = new_context(browser, base_url=f"http://{HOST}:{port}").new_page()
        yield Person(page, name, site.proxy)
        browser.close()
