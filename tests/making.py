"""Plain functions that make rows for tests; each makes what it needs and is not given."""

import copy
import hashlib
import io
import itertools
from typing import Any

import numpy as np
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from campaigns.access import Viewer
from campaigns.models import Campaign, Membership, PendingUpload, Qrels, Run, Team, Topic, User
from campaigns.models.identity import new_public_id
from campaigns.models.showing import trec_style
from scoring.core.data.artefacts import pack_vector
from scoring.core.measures.names import parse_measure
from scoring.downloads.package import write_package
from scoring.evaluation.rules import rules_of, version_of
from scoring.models import Evaluation, Job, Score, Snapshot

_numbers = itertools.count(1)


def make_user(email: str | None = None, **facts: Any) -> User:
    return User.objects.create_user(
        email or f"person{next(_numbers)}@example.org", "a long password", **facts
    )


def make_campaign(*, topics: tuple[str, ...] = ("1", "2"), **facts: Any) -> Campaign:
    number = next(_numbers)
    defaults: dict[str, Any] = {
        "slug": f"campaign-{number}",
        "name": f"Campaign {number}",
        "stage": Campaign.Stage.OPEN,
        "is_accepting": True,
    }
    campaign = Campaign.objects.create(**defaults | facts)
    Topic.objects.bulk_create(
        Topic(campaign=campaign, code=code, position=position, fields=[["title", f"topic {code}"]])
        for position, code in enumerate(topics)
    )
    return campaign


def make_organiser(campaign: Campaign, person: User | None = None) -> User:
    person = person or make_user()
    Membership.objects.create(campaign=campaign, person=person, role=Membership.Role.ORGANISER)
    return person


def make_team(campaign: Campaign, *people: User, name: str | None = None) -> Team:
    team = Team.objects.create(campaign=campaign, name=name or f"Team {next(_numbers)}")
    for person in people:
        Membership.objects.create(
            campaign=campaign, person=person, role=Membership.Role.PARTICIPANT, team=team
        )
    return team


def make_run(campaign: Campaign | None = None, team: Team | None = None, **facts: Any) -> Run:
    """A run's row without a file; its tag and state as given."""
    campaign = campaign or (team.campaign if team else make_campaign())
    now = timezone.now()
    defaults: dict[str, Any] = {
        "tag": f"run{next(_numbers)}",
        "size": 100,
        "digest": "0" * 64,
        "submitted_at": now,
        "state_changed_at": now,
        "state": Run.State.ACCEPTED,
    }
    return Run.objects.create(
        campaign=campaign, team=team or make_team(campaign), **defaults | facts
    )


def make_qrels(campaign: Campaign, **facts: Any) -> Qrels:
    """An active qrels version without a file behind it."""
    version = campaign.qrels.count() + 1
    qrels = Qrels.objects.create(
        campaign=campaign,
        **{
            "version": version,
            "digest": "1" * 64,
            "storage_key": f"qrels/none/{campaign.pk}-{version}",
            "highest_grade": 1,
            "judgment_count": 10,
        }
        | facts,
    )
    campaign.active_qrels = qrels
    campaign.save(update_fields=["active_qrels"])
    return qrels


def make_upload(campaign: Campaign, actor: User, data: bytes, **facts: Any) -> PendingUpload:
    """Large qrels that await confirmation, with their file."""
    identity = new_public_id()
    defaults: dict[str, Any] = {
        "public_id": identity,
        "kind": PendingUpload.Kind.QRELS,
        "state": PendingUpload.State.UNCONFIRMED,
        "state_changed_at": timezone.now(),
        "original_name": "large.txt",
        "storage_key": default_storage.save(
            f"uploads/{identity[:2]}/{identity}", ContentFile(data)
        ),
        "digest": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        "options": {"note": "", "is_activated": True, "is_confirmed": False},
    }
    return PendingUpload.objects.create(campaign=campaign, actor=actor, **defaults | facts)


def make_scores(run: Run, scores: dict[str, tuple[float | None, float | None]]) -> Evaluation:
    """Stores mean base and residual by canonical measure name, under the current rules."""
    campaign = Campaign.objects.select_related("active_qrels").get(pk=run.campaign_id)
    evaluation = Evaluation.objects.create(
        run=run,
        qrels=campaign.active_qrels,
        definitions=rules_of(campaign).digest,
        state=Evaluation.State.SCORED,
        scored_at=timezone.now(),
    )
    topics = campaign.topics.count()
    for name, (base, residual) in scores.items():
        Score.objects.create(
            evaluation=evaluation,
            measure=name,
            definition=version_of(parse_measure(name)),
            mean_base=base,
            mean_residual=residual,
            topic_count=topics,
            bases=pack_vector(np.full(topics, np.nan if base is None else base)),
            residuals=None if residual is None else pack_vector(np.full(topics, residual)),
        )
    return evaluation


def give_file(qrels: Qrels, data: bytes = b"1 0 d1 1\n1 0 d2 0\n2 0 d2 1\n") -> Qrels:
    """Puts this file behind a version that `make_qrels` made, unless it has one."""
    if not default_storage.exists(qrels.storage_key):
        qrels.storage_key = default_storage.save(f"qrels/ma/{new_public_id()}", ContentFile(data))
        qrels.digest = hashlib.sha256(data).hexdigest()
        qrels.save(update_fields=["storage_key", "digest"])
    return qrels


def make_failed_job(run: Run) -> Job:
    """The check of a run that was given up; the run itself stays as it is."""
    now = timezone.now()
    return Job.objects.create(
        campaign_id=run.campaign_id,
        kind=Job.Kind.CHECK,
        subject=run.pk,
        state=Job.State.FAILED,
        attempts=3,
        waiting_since=now,
        rung_at=now,
        finished_at=now,
        error="OSError('the disk is full')",
    )


def make_snapshot(campaign: Campaign) -> Snapshot:
    """Of the board as it is, with all that a published campaign in TREC style shows of it."""
    shown = copy.copy(campaign)
    for switch, setting in trec_style()["published"].items():
        setattr(shown, switch, setting)
    public = Viewer(campaign=shown, person=None, roles=frozenset(), team=None)
    out = io.BytesIO()
    write_package(public, campaign.active_qrels, out, made_at=timezone.now())
    return Snapshot.objects.create(
        campaign=campaign,
        title="As it stood",
        qrels=campaign.active_qrels,
        definitions=rules_of(campaign).digest,
        storage_key=default_storage.save(
            f"snapshots/ma/{new_public_id()}", ContentFile(out.getvalue())
        ),
        digest=hashlib.sha256(out.getvalue()).hexdigest(),
        size=len(out.getvalue()),
    )
