"""Where scores by topic are hidden and their means are not, no answer depends on which topic a
score is of: the same campaign with two topics exchanged gives the same answers, word for word."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from campaigns.access import viewer_or_404
from campaigns.models import Audience, Campaign, Team, User
from campaigns.models.showing import CLOSED
from campaigns.qrels.versions import add_qrels
from campaigns.runs import submission
from scoring.downloads.snapshots import create_snapshot
from scoring.models import Job, Snapshot
from scoring.worker import perform_waiting_jobs
from tests.access.crawler import Crawl, crawl
from tests.access.worlds import ids_of
from tests.caches import empty_caches
from tests.frozen_clock import frozen
from tests.making import make_campaign, make_organiser, make_team, make_user

pytestmark = pytest.mark.django_db

SLUG = "hidden"
ONLY_MEANS = CLOSED | {
    "board_audience": Audience.EVERYONE,
    "runs_audience": Audience.EVERYONE,
    "per_topic_audience": Audience.ORGANISERS,
}
RUNS = {  # documents of three topics, the best first
    "ant": ("d1 d2 d3", "d5 d4 d2", "d1 d4 d3"),
    "bee": ("d4 d1 d2", "d1 d2 d5", "d3 d4 d1"),
    "cow": ("d5 d4 d1", "d4 d5 d1", "d4 d1 d2"),
}
RELEVANT = ("d1 d2", "d1", "d1 d3")
EXCHANGED = (1, 0, 2)  # a sum of three numbers is the same to the last bit in this order


@contextmanager
def world(order: tuple[int, ...]) -> Iterator[Campaign]:
    """A published campaign whose topics have these documents, until the block ends."""
    empty_caches()
    with frozen("2026-06-01T12:00:00Z"), transaction.atomic():
        campaign = make_campaign(slug=SLUG, name="Hidden", topics=("1", "2", "3"))
        organiser = make_organiser(campaign)
        with ids_of("teams"):
            team = make_team(campaign, make_user("member@example.org"), name="Animals")
            make_team(campaign, make_user("participant@example.org"), name="Others")
        qrels = "".join(
            f"{topic} 0 {document} {int(document in RELEVANT[order[topic - 1]].split())}\n"
            for topic in (1, 2, 3)
            for document in ("d1", "d2", "d3", "d4", "d5")
        )
        with ids_of("runs"):
            for tag, rankings in RUNS.items():
                submit(campaign, team, tag, [rankings[place] for place in order])
            add_qrels(
                campaign=campaign, data=qrels.encode(), note="", actor=organiser, is_confirmed=True
            )
            perform_waiting_jobs(campaign)
            Campaign.objects.filter(pk=campaign.pk).update(stage="published", **ONLY_MEANS)
            campaign.refresh_from_db()
            viewer = viewer_or_404(organiser, SLUG)
            create_snapshot(viewer=viewer, actor=organiser, title="As published")
        yield campaign
        transaction.set_rollback(True)


def submit(campaign: Campaign, team: Team, tag: str, rankings: list[str]) -> None:
    lines = "".join(
        f"{topic} Q0 {document} {rank} {10 - rank} {tag}\n"
        for topic, documents in enumerate(rankings, start=1)
        for rank, document in enumerate(documents.split(), start=1)
    )
    with submission.stored_upload(ContentFile(lines.encode(), name=f"{tag}.txt")) as file:
        submission.submit_run(
            campaign=campaign, team=team, person=None, file=file, submitted_at=timezone.now()
        )


def look(order: tuple[int, ...], role: str, *, is_following: bool) -> Crawl:
    """What they get once all analyses that they asked for are computed."""
    with world(order) as campaign:
        person = User.objects.filter(email=f"{role}@example.org").first()
        values: dict[str, list[object]] = {
            "slug": [SLUG],
            "public_id": [run.public_id for run in campaign.runs.all()],
            "snapshot": [snapshot.public_id for snapshot in Snapshot.objects.all()],
            "team": [team.public_id for team in campaign.teams.all()],
            "version": [1],
            "old": [1],
            "new": [1],
            "code": ["1"],
            "name": ["RBP"],
            "step": ["publish"],
            "role": ["reader"],
            "account": ["organiser"],
            "act": ["approve"],
            "token": ["no-such-token"],
            "key": ["no-such-key"],
            "membership": [1],
            "invitation": [1],
            "announcement": [1],
            "gold_document": [1],
            "program": [1],
            "request_id": [1],
            "decision": ["approve"],
            "job": [1],
            "upload": ["no-such-upload"],
            "guide": ["organiser"],
            "file": ["examples/run.txt"],
        }
        crawl(person, values, is_following=is_following)
        perform_waiting_jobs(campaign)
        assert not campaign.jobs.filter(state=Job.State.FAILED)
        files = [*campaign.runs.all(), *campaign.qrels.all()]
        digests = [each.digest.encode() for each in files]
        found = crawl(person, values, is_following=is_following)
        return Crawl({a: without(digests, answer) for a, answer in found.answers.items()})


def without(digests: list[bytes], answer: bytes) -> bytes:
    """The digest of a file is public, and tells nothing of topics to those who lack the file."""
    _, _, body = answer.partition(b"\n")
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            answer = b"".join(archive.read(name) for name in archive.namelist())
    for digest in digests:
        answer = answer.replace(digest, b"a digest")
    return answer


@pytest.mark.parametrize(
    ("role", "is_following"),
    [
        ("nobody", False),
        pytest.param("nobody", True, marks=pytest.mark.long),
        pytest.param("participant", True, marks=pytest.mark.long),
    ],
    ids=["urls-nobody", "links-nobody", "links-participant"],
)
def test_no_answer_tells_which_topic_a_score_is_of(role: str, is_following: bool) -> None:
    """By every URL of the site, or also by every link of its pages."""
    first = look((0, 1, 2), role, is_following=is_following)
    second = look(EXCHANGED, role, is_following=is_following)
    assert first.differences(second) == []
    assert len(first.answers) > (500 if is_following else 400)
