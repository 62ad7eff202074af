"""The people of a track's year, their browsers, and what they do again and again."""

import csv
import io
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import time_machine
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from campaigns.mail import notices
from campaigns.models import Campaign, Run, User
from tests.access.crawler import Crawl, crawl
from tests.flow_world import perform_jobs
from tests.trecyear import Stock

HERE = "/campaigns/track"
API = f"/api{HERE}"
SETTINGS = {
    "slug": "track",
    "name": "A track",
    "guidelines": "Return **documents**, best first.",
    "joining": "approval",
    "terms": "Use the topics for research only.",
    "allows_anonymous_teams": True,
    "opens_at": "2026-04-01T00:00:00Z",
    "topics_released_at": "2026-04-01T00:00:00Z",
    "closes_at": "2026-05-01T12:00:00Z",  # the end of April, anywhere on Earth
    "grace_minutes": 30,
    "reveals_teams_at": "2026-09-01T00:00:00Z",
    "highest_grade": 2,
    "persistences": [0.8],
    "asks_acceptance": True,
    "preset": "trec",
}
TEAMS = {"ada": "Alpenglow", "ben": "Bergwerk", "cem": "Canopy", "dora": "Canopy Two"}
HIDDEN = "Bergwerk"  # stays anonymous until September
INSTANT = timedelta(microseconds=1)


@dataclass
class Year:
    stock: Stock
    clock: time_machine.Traveller
    people: dict[str, User]
    browsers: dict[str, Client]
    handed: dict[str, bytes] = field(default_factory=dict)  # what stands, by tag

    @property
    def organiser_client(self) -> Client:
        return self.browsers["olga"]

    @property
    def campaign(self) -> Campaign:
        return Campaign.objects.get(slug="track")

    def move_to(self, moment: datetime | str) -> None:
        self.clock.move_to(moment)
        for who, person in self.people.items():
            self.browsers[who].force_login(person)  # a session lasts two weeks

    def step(self, name: str) -> None:
        self.post("olga", f"{HERE}/manage/steps/{name}/")

    def post(self, who: str, path: str, status: int = 302, **fields: Any) -> HttpResponse:
        response = self.browsers[who].post(path, fields)
        assert response.status_code == status, response.content.decode()
        return response

    def told(self) -> dict[str, list[str]]:
        """The mails since the last look: subjects by recipient."""
        notices.notify_of_dates(timezone.now())
        perform_jobs()
        names = {person.email: name for name, person in self.people.items()}
        found: dict[str, list[str]] = {}
        for letter in mail.outbox:
            found.setdefault(names[letter.to[0]], []).append(letter.subject)
        mail.outbox.clear()
        return found


def told_all(subject: str) -> dict[str, list[str]]:
    """One mail to everybody in a team."""
    return {who: [f"A track: {subject}"] for who in TEAMS}


def upload(data: bytes, **fields: str) -> dict[str, Any]:
    return {"file": SimpleUploadedFile("run.txt", data), "run_type": "automatic", **fields}


def submit(year: Year, who: str, tag: str, *, is_by_script: bool, **fields: str) -> Run:
    data = fields.pop("data", "").encode() or year.stock.runs[tag]
    if is_by_script:
        answers = [
            year.browsers[who].post(
                f"{API}/runs/", upload(data, **fields), headers={"Idempotency-Key": tag}
            )
            for _ in range(2)  # the first answer was lost on the way
        ]
        assert [answer.status_code for answer in answers] == [202, 202]
        assert answers[0].json()["id"] == answers[1].json()["id"]
        run = Run.objects.get(public_id=answers[0].json()["id"])
    else:
        year.post(who, f"{HERE}/submit/", **upload(data, **fields))
        run = Run.objects.latest("pk")
    perform_jobs()
    run.refresh_from_db()
    assert run.state == Run.State.CHECKED, run.problems
    url = API if is_by_script else HERE
    year.post(who, f"{url}/runs/{run.public_id}/accept/", 200 if is_by_script else 302)
    year.handed[tag] = data
    return run


def look(year: Year, who: str) -> Crawl:
    """Everything this person can look at."""
    run = Run.objects.filter(team__memberships__person=year.people.get(who)).first()
    nothing: dict[str, list[object]] = {
        part: [1]
        for part in (
            "version",
            "old",
            "membership",
            "invitation",
            "announcement",
            "gold_document",
            "program",
            "request_id",
            "job",
        )
    } | {
        part: ["none"]
        for part in (
            "token",
            "key",
            "team",
            "snapshot",
            "role",
            "act",
            "step",
            "decision",
            "upload",
        )
    }
    values: dict[str, list[object]] = nothing | {
        "slug": ["track"],
        "public_id": [run.public_id if run else "none", Run.objects.latest("pk").public_id],
        "code": [year.campaign.topics.first().code],
        "new": [2],
        "name": ["RBP"],
        "guide": ["organiser"],
        "account": ["organiser"],
        "file": ["client.py"],
    }
    return crawl(year.people.get(who), values, is_following=False)


def board(client: Client, query: str) -> list[dict[str, str]]:
    response = client.get(f"{HERE}/leaderboard.csv?{query}")
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))
