"""A published campaign with something of everything, and clients as scripts are."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from knox.models import AuthToken
from rest_framework.response import Response
from rest_framework.test import APIClient

from campaigns import lifecycle
from campaigns.models import Campaign, PendingUpload, Run, User
from scoring.evaluation.rules import rules_of
from scoring.models import Snapshot
from tests.making import (
    give_file,
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_snapshot,
    make_team,
    make_upload,
    make_user,
)

FILE = b"1 Q0 d1 1 2.0 tag\n2 Q0 d1 1 2.0 tag\n"


@dataclass(frozen=True)
class World:
    campaign: Campaign
    run: Run
    organiser: User
    participant: User
    upload: PendingUpload  # awaits confirmation

    @property
    def url(self) -> str:
        return f"/api/campaigns/{self.campaign.slug}/"

    @cached_property
    def snapshot(self) -> Snapshot:
        """Taken when a test asks for it: that takes longer than all the rest."""
        return make_snapshot(self.campaign)


@pytest.fixture
def world(db: None) -> World:
    campaign = make_campaign(slug="the-campaign", topics=("1", "2", "a/b"))
    organiser, participant = make_organiser(campaign, make_user(is_approved=True)), make_user()
    give_file(make_qrels(campaign))
    run = make_run(
        campaign,
        make_team(campaign, participant, name="Ours"),
        tag="ours",
        storage_key=default_storage.save("runs/aa/file", ContentFile(FILE)),
        digest=hashlib.sha256(FILE).hexdigest(),
    )
    values = {str(m): (0.5 + n / 100, 0.1) for n, m in enumerate(rules_of(campaign).measures)}
    make_scores(run, values)
    lifecycle.start_judging(campaign=campaign, actor=organiser)
    lifecycle.publish(campaign=campaign, actor=organiser)
    upload = make_upload(campaign, organiser, b"1 0 d1 1\n")
    return World(campaign, run, organiser, participant, upload)


def client_of(person: User | None) -> APIClient:
    """With a token, as a script has it."""
    client = APIClient(raise_request_exception=False)
    if person is not None:
        _, token = AuthToken.objects.create(person)
        client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return client


def faulty(answer: Response) -> list[tuple[str | None, str]]:
    """The fields that an answer of 400 names, each with its code."""
    assert (answer.status_code, answer.json()["code"]) == (400, "fields"), answer.content
    return [(fault["field"], fault["code"]) for fault in answer.json()["fields"]]
