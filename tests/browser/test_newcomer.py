"""From sign-up to a published campaign of one's own, on a fresh site whose mail is in files.

Every page is a picture. SCREENSHOTS names a folder to keep them in; without it they go with the
test.
"""

import email
import os
import re
from dataclasses import dataclass, field
from email import policy
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from campaigns.models import Campaign, User
from campaigns.runs import submission
from scoring.jobs import queue as jobs
from tests.browser.conftest import Visit, Visitor
from tests.flow_world import perform_jobs, run_file
from tests.making import make_team, make_user

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ADDRESS = "nora@example.org"
SIGN_UP = {
    "name": "Nora Newcomer",
    "email": ADDRESS,
    "password1": "a long password of hers",
    "password2": "a long password of hers",
}
MOST_CLICKS, MOST_FIELDS = 15, 8


@dataclass
class Newcomer:
    """Counts what the person does, and takes a picture of every page that they see."""

    visit: Visit
    pictures: Path
    mail: Path
    clicks: int = 0
    fields: int = 0
    pages: list[str] = field(default_factory=list)

    @property
    def page(self) -> Page:
        return self.visit.page

    def click(self, target: Locator) -> None:
        self.clicks += 1
        target.click()
        self.look()

    def press(self, name: str) -> None:
        """A button of the page's content."""
        main = self.page.get_by_role("main")
        self.click(main.get_by_role("button", name=name, exact=True).first)

    def follow(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True).first)

    def fill(self, target: Locator, value: str) -> None:
        self.fields += 1
        target.fill(value)

    def choose_file(self, label: str, name: str, text: str) -> None:
        self.fields += 1
        file = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
        self.page.get_by_label(label).first.set_input_files(file)

    def open_link_of_email(self) -> None:
        """The link in the latest email, which the worker wrote into a file."""
        perform_jobs()
        path = max(self.mail.iterdir(), key=lambda each: each.stat().st_mtime)
        message = email.message_from_bytes(path.read_bytes(), policy=policy.default)
        assert message["To"] == ADDRESS
        link = re.search(r"https?://\S+", message.get_content())
        assert link is not None
        self.clicks += 1
        self.page.goto(urlsplit(link[0]).path)
        self.look()

    def look(self) -> None:
        """No page ends the way: each has a link or a button that leads on."""
        self.page.wait_for_load_state("networkidle")
        self.pages.append(self.page.locator("h1").first.inner_text())
        name = re.sub(r"\W+", "-", self.pages[-1].lower()).strip("-")
        path = self.pictures / f"{len(self.pages):02d}-{name}.png"
        self.page.screenshot(path=path, full_page=True)
        ways = self.page.get_by_role("main").locator("a[href], button:not([disabled]), summary")
        expect(ways.first, name).to_be_attached()  # waits where the next page is only just coming


@pytest.fixture
def newcomer(visit: Visitor, settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Newcomer:
    monkeypatch.setattr(jobs, "wake_worker", lambda *args: None)  # the test is the worker
    storages = settings.STORAGES["default"] | {"OPTIONS": {"location": str(tmp_path / "files")}}
    settings.STORAGES = settings.STORAGES | {"default": storages}
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.WHO_MAY_CREATE_CAMPAIGNS = "approved"
    settings.EMAIL_BACKEND = "campaigns.mail.outbox.StoredMail"  # the test runner changes it
    settings.MAIL_TRANSPORT = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    pictures = Path(os.environ.get("SCREENSHOTS") or tmp_path / "pictures")
    pictures.mkdir(parents=True, exist_ok=True)
    return Newcomer(visit("/"), pictures, tmp_path / "mail")


def test_a_newcomer_publishes_a_campaign(newcomer: Newcomer, visit: Visitor) -> None:
    newcomer.look()
    sign_up(newcomer)
    ask_to_organise(newcomer)
    approve(visit("/organiser-requests/", person=make_user(is_staff=True)).page)
    create_and_open(newcomer)
    others_submit()
    publish(newcomer)
    assert newcomer.visit.complaints == []
    assert newcomer.clicks <= MOST_CLICKS, newcomer.pages
    assert newcomer.fields <= MOST_FIELDS
    print(f"{newcomer.clicks} clicks, {newcomer.fields} fields, {len(newcomer.pages)} pages")


def approve(page: Page) -> None:
    """The operator, in another browser, with one press."""
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("status").first).to_contain_text("is approved")


def sign_up(newcomer: Newcomer) -> None:
    newcomer.follow("Sign up")
    for name, value in SIGN_UP.items():
        if (box := newcomer.page.locator(f"input[name={name}]")).count():
            newcomer.fill(box, value)
    newcomer.press("Sign up")
    newcomer.open_link_of_email()
    newcomer.press("Confirm address")
    assert User.objects.get(email=ADDRESS).is_active


def ask_to_organise(newcomer: Newcomer) -> None:
    """On the page that follows sign-up."""
    expect(newcomer.page.get_by_role("heading", level=1)).to_have_text("Welcome, Nora Newcomer")
    newcomer.fill(newcomer.page.get_by_label("What do you want to evaluate"), "Search of the sea.")
    newcomer.press("Ask to run a campaign")
    expect(newcomer.page.get_by_role("main")).to_contain_text("awaits their approval")


def create_and_open(newcomer: Newcomer) -> None:
    newcomer.page.goto("/")  # as after the operator's email
    newcomer.look()
    newcomer.follow("Create campaign")
    zone = newcomer.page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    expect(newcomer.page.get_by_label("Time zone")).to_have_value(zone)
    newcomer.fill(newcomer.page.get_by_label("Name", exact=True), "Search of the sea")
    newcomer.press("Create campaign")
    newcomer.choose_file("Topics file", "topics.tsv", "1\tsalt\n2\ttides\n")
    newcomer.press("Add topics")
    newcomer.press("Open submissions")


def others_submit() -> None:
    campaign = Campaign.objects.get(slug="search-of-the-sea")
    for name, documents in {"Gulls": ("d1", "d3"), "Terns": ("d2", "d1")}.items():
        team, person = make_team(campaign, name=name), make_user()
        data = ContentFile(run_file(name.lower(), documents=documents), name=f"{name}.txt")
        with submission.stored_upload(data) as file:
            submission.submit_run(
                campaign=campaign, team=team, person=person, file=file, submitted_at=timezone.now()
            )
    perform_jobs()


def publish(newcomer: Newcomer) -> None:
    newcomer.page.reload()
    newcomer.choose_file("Qrels file", "qrels.txt", "1 0 d1 1\n1 0 d2 0\n2 0 d3 1\n")
    newcomer.press("Add and activate")
    perform_jobs()
    newcomer.press("Close submissions")
    newcomer.click(newcomer.page.locator("summary", has_text="Publish results"))
    newcomer.press("Publish results")
    campaign = Campaign.objects.get(slug="search-of-the-sea")
    assert campaign.stage == Campaign.Stage.PUBLISHED
    newcomer.page.goto(f"/campaigns/{campaign.slug}/leaderboard/")
    newcomer.look()
    expect(newcomer.page.locator(".board tbody tr")).to_have_count(2)
