"""Taking in a run: its file is stored first, then one short transaction decides."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from campaigns import bell, lifecycle
from campaigns.access import Viewer
from campaigns.models import Campaign, LogEntry, Run, Team, User
from campaigns.models.identity import new_public_id


class NotTaken(Exception):
    """The run was not taken in; the message says why, to its uploader."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class StoredFile:
    """A file that lies in storage and that no row owns yet."""

    storage_key: str
    digest: str  # sha256, hexadecimal
    size: int
    original_name: str


@contextmanager
def stored_upload(upload: File) -> Iterator[StoredFile]:
    """Streams an upload to storage; deletes it again if the block does not take it in.

    Raises `NotTaken` for one that is too large.
    """
    if (upload.size or 0) > settings.MAX_UPLOAD_BYTES:
        limit = settings.MAX_UPLOAD_BYTES // (1024 * 1024)
        raise NotTaken(f"The file is too large: at most {limit} MiB are taken. Gzip it.", "size")
    counted = _Digested(upload)
    identity = new_public_id()
    key = default_storage.save(f"runs/{identity[:2]}/{identity}", counted)
    try:
        yield StoredFile(
            storage_key=key,
            digest=counted.digest.hexdigest(),
            size=counted.read_bytes,
            original_name=_shown_name(upload.name),
        )
    except BaseException:
        # A process that is told to stop may be past the commit: then the file is the run's.
        if not Run.objects.filter(storage_key=key).exists():
            default_storage.delete(key)
        raise


def hand_in(
    *,
    viewer: Viewer,
    upload: File,
    arrived_at: datetime,
    run_type: str,
    description: str,
    idempotency_key: str,
) -> Run:
    """Takes in what a member of a team hands in, by page or by API. Raises `NotTaken`."""
    decide_deadline(viewer.campaign, arrived_at)  # before a large file is stored
    with stored_upload(upload) as file:
        return submit_run(
            campaign=viewer.campaign,
            team=viewer.team,
            person=viewer.person,
            file=file,
            submitted_at=arrived_at,
            run_type=run_type,
            description=description,
            idempotency_key=idempotency_key,
        )


def submit_run(
    *,
    campaign: Campaign,
    team: Team,
    person: User | None,
    file: StoredFile,
    submitted_at: datetime,
    run_type: str = Run.Type.AUTOMATIC,
    description: str = "",
    is_pooled: bool | None = None,
    idempotency_key: str = "",
    is_past_deadline_allowed: bool = False,
) -> Run:
    """Decides deadline and quota, writes the row *waiting*, and rings. Raises `NotTaken`.

    A repeated `idempotency_key` gives the first run back and drops the second copy of the file;
    with another file it is refused.
    `is_past_deadline_allowed` is for the organiser's own imports.
    """
    with transaction.atomic():
        # One team's uploads queue here, so that parallel ones cannot pass the quota together.
        Team.objects.select_for_update().get(pk=team.pk)
        earlier = _earlier_upload(team, idempotency_key)
        if earlier is not None:
            if earlier.digest != file.digest:
                raise NotTaken("This idempotency key came with another file before.", "key_reused")
            transaction.on_commit(partial(default_storage.delete, file.storage_key))
            return earlier
        is_late = False
        if not is_past_deadline_allowed:
            is_late = decide_deadline(campaign, submitted_at)
            decide_quota(campaign, team)
        run = Run.objects.create(
            campaign=campaign,
            team=team,
            uploaded_by=person,
            run_type=run_type,
            description=description,
            is_pooled=is_pooled,
            original_name=file.original_name,
            size=file.size,
            digest=file.digest,
            storage_key=file.storage_key,
            submitted_at=submitted_at,
            state_changed_at=timezone.now(),
            idempotency_key=idempotency_key,
            is_late=is_late,
        )
        LogEntry.objects.create(
            campaign=campaign, actor=person, verb="uploaded", subject=run.public_id
        )
        bell.ring_for_check(run)
    return run


def decide_deadline(campaign: Campaign, moment: datetime) -> bool:
    """Whether a run that began to arrive then is late; raises `NotTaken` outside the dates."""
    if lifecycle.is_accepting_at(campaign, moment):
        return False
    if lifecycle.is_late_at(campaign, moment):
        return True
    if not campaign.is_accepting:
        raise NotTaken("This campaign is not accepting runs.", code="not_accepting")
    if campaign.opens_at and moment < campaign.opens_at:
        raise NotTaken(f"Runs are taken from {campaign.opens_at:%-d %B %Y %H:%M} UTC.", "too_early")
    raise NotTaken(f"Runs were taken until {campaign.closes_at:%-d %B %Y %H:%M} UTC.", "too_late")


def decide_quota(campaign: Campaign, team: Team) -> None:
    """Raises `NotTaken` where the team's counted runs reach the quota. Refused and failed runs
    do not count, nor do withdrawn and replaced ones."""
    if campaign.run_quota is None:
        return
    counted = team.runs.filter(withdrawn_at=None, replaced_at=None).exclude(
        state__in=[Run.State.REFUSED, Run.State.FAILED]
    )
    if counted.count() >= campaign.run_quota:
        raise NotTaken(
            f"The team has its {campaign.run_quota} runs; withdraw one to hand in another.",
            code="quota",
        )


def can_withdraw(viewer: Viewer, run: Run, moment: datetime) -> bool:
    """A team takes its run back while runs are taken, and an organiser any time: nobody changes a
    closed or published board alone."""
    if run.withdrawn_at is not None or run.state == Run.State.REFUSED:
        return False
    is_open = lifecycle.is_accepting_at(viewer.campaign, moment)
    return viewer.is_organiser or (viewer.owns(run) and is_open)


@transaction.atomic
def withdraw_run(*, run: Run, person: User) -> None:
    """Takes the run back: it leaves the board and frees its tag and its quota."""
    withdrawn = Run.objects.filter(pk=run.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())
    if withdrawn:
        LogEntry.objects.create(
            campaign_id=run.campaign_id, actor=person, verb="withdrew", subject=run.public_id
        )


def _earlier_upload(team: Team, idempotency_key: str) -> Run | None:
    if not idempotency_key:
        return None
    return team.runs.filter(idempotency_key=idempotency_key).first()


class _Digested(File):
    """A file that is digested while storage reads it."""

    def __init__(self, file: File) -> None:
        super().__init__(file.file, name=None)
        self.digest = hashlib.sha256()
        self.read_bytes = 0

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        with suppress(AttributeError, OSError):
            self.seek(0)
        while block := self.file.read(chunk_size or self.DEFAULT_CHUNK_SIZE):
            self.digest.update(block)
            self.read_bytes += len(block)
            yield block


def _shown_name(name: str | None) -> str:
    """What the uploader called the file: text to show, cut to fit, and never part of a path."""
    printable = "".join(c for c in (name or "") if c.isprintable())
    return printable[-200:]
