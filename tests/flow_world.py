"""A campaign with people, a storage of its own, and a bell that is only noted."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, Qrels, Run, Team, User
from campaigns.qrels import versions
from scoring.jobs import queue
from scoring.models import Job
from scoring.worker import perform
from tests.frozen_clock import frozen
from tests.making import make_campaign, make_organiser, make_team, make_user

QRELS = b"1 0 d1 1\n1 0 d2 0\n2 0 d1 0\n2 0 d2 1\n"
DOCUMENTS = ("d1", "d2", "d3")


def run_file(tag: str = "ours", *, documents: tuple[str, ...] = DOCUMENTS) -> bytes:
    """A good run for topics 1 and 2."""
    return "".join(
        f"{topic} Q0 {document} {rank} {10 - rank} {tag}\n"
        for topic in ("1", "2")
        for rank, document in enumerate(documents, start=1)
    ).encode()


def perform_jobs(kind: Job.Kind | None = None) -> int:
    """What the workers would do: every waiting job (of this kind), and those they ask for."""
    performed = 0
    while waiting := _waiting(kind):
        for job in waiting:
            perform(job.pk)
            performed += 1
    return performed


def _waiting(kind: Job.Kind | None) -> list[Job]:
    waiting = Job.objects.filter(state=Job.State.WAITING).order_by("pk")
    return list(waiting.filter(kind=kind) if kind else waiting)


def stored_files(folder: str) -> list[str]:
    """The keys below a folder of the storage."""
    if not default_storage.exists(folder):
        return []
    shelves, _ = default_storage.listdir(folder)
    return [
        f"{folder}/{shelf}/{name}"
        for shelf in shelves
        for name in default_storage.listdir(f"{folder}/{shelf}")[1]
    ]


@dataclass(frozen=True)
class World:
    """A campaign of two topics, a participant's browser and the organiser's."""

    campaign: Campaign
    team: Team
    participant: User
    organiser: User
    browser: Client
    organiser_client: Client  # the organiser's browser

    def change(self, **facts: object) -> None:
        Campaign.objects.filter(pk=self.campaign.pk).update(**facts)
        self.campaign.refresh_from_db()

    def add_qrels(self, data: bytes = QRELS) -> Qrels:
        self.campaign.refresh_from_db()
        qrels, _ = versions.add_qrels(
            campaign=self.campaign, data=data, note="", actor=self.organiser
        )
        self.campaign.refresh_from_db()
        return qrels

    def submit(self, data: bytes, *, browser: Client | None = None, **fields: str) -> HttpResponse:
        """The upload form, sent."""
        return (browser or self.browser).post(
            reverse("campaigns:run-create", args=[self.campaign.slug]),
            {"file": SimpleUploadedFile("run.txt", data), "run_type": "automatic", **fields},
        )

    def submitted_run(self, data: bytes, *, browser: Client | None = None, **fields: str) -> Run:
        """The same, where it is certain to be taken; checked and scored as far as possible."""
        response = self.submit(data, browser=browser, **fields)
        assert response.status_code == 302, response.content.decode()
        run = Run.objects.latest("pk")
        perform_jobs()
        run.refresh_from_db()
        return run

    def submit_by_script(self, data: bytes, *, key: str = "") -> HttpResponse:
        return self.browser.post(
            reverse("api:run-create", args=[self.campaign.slug]),
            {"file": SimpleUploadedFile("run.txt", data)},
            headers={"Idempotency-Key": key} if key else {},
        )

    def withdraw(self, run: Run) -> None:
        url = reverse("campaigns:run-withdraw", args=[self.campaign.slug, run.public_id])
        assert self.browser.post(url).status_code == 302

    def page_of(self, run: Run, *, browser: Client | None = None) -> str:
        url = reverse("scoring:run-detail", args=[self.campaign.slug, run.public_id])
        response = (browser or self.browser).get(url)
        assert response.status_code == 200
        return response.content.decode()

    def answer_on(self, run: Run, *, browser: Client | None = None) -> dict:
        url = reverse("api:run-detail", args=[self.campaign.slug, run.public_id])
        response = (browser or self.browser).get(url)
        assert response.status_code == 200
        return response.json()

    def board(self, measure: str = "RBP(p=0.5)") -> list[dict]:
        """The leaderboard's rows, as the organiser gets them."""
        url = reverse("api:leaderboard", args=[self.campaign.slug])
        response = self.organiser_client.get(url, {"measure": measure})
        assert response.status_code == 200
        return response.json()

    def another_team(self) -> Client:
        person = make_user()
        make_team(self.campaign, person)
        return logged_in(person)


def logged_in(person: User) -> Client:
    browser = Client()
    browser.force_login(person)
    return browser


@pytest.fixture
def world(transactional_db: None, settings: object, tmp_path: Path) -> World:
    storages = settings.STORAGES["default"] | {"OPTIONS": {"location": str(tmp_path / "files")}}
    settings.STORAGES = settings.STORAGES | {"default": storages}
    campaign = make_campaign(measures=["AP", "Judged@10"])
    participant, organiser = make_user(), make_user()
    team = make_team(campaign, participant)
    make_organiser(campaign, organiser)
    return World(
        campaign=campaign,
        team=team,
        participant=participant,
        organiser=organiser,
        browser=logged_in(participant),
        organiser_client=logged_in(organiser),
    )


@pytest.fixture
def wake_ups(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The jobs that were wake_ups for, in order; no message is sent."""
    heard: list[int] = []
    monkeypatch.setattr(queue, "_silent_until", 0.0)
    monkeypatch.setattr(
        queue.current_app, "send_task", lambda name, args: heard.append(args[0]), raising=True
    )
    return heard


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    """Stands still until it is moved."""
    with frozen("2026-06-01T12:00:00Z") as traveller:
        yield traveller


@pytest.fixture
def files_of_its_own(settings: object, tmp_path: Path) -> None:
    storages = settings.STORAGES["default"] | {"OPTIONS": {"location": str(tmp_path / "files")}}
    settings.STORAGES = settings.STORAGES | {"default": storages}
