"""Submission of a run: the file is hashed and streamed to storage first, then one short transaction
accepts it or not."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from campaigns import lifecycle, scoring_hooks
from campaigns.access import Viewer
from campaigns.errors import SubmissionRefused
from campaigns.log import new_entry, record, record_all
from campaigns.models import Campaign, Run, Team, User
from campaigns.models.identity import new_public_id
from campaigns.models.runs import LIVE, STANDING
from campaigns.people import membership
from campaigns.quotas import decide_quota
from campaigns.runs.description import Description
from campaigns.text import zones

NOT_IN_A_TEAM = "You are not in a team of this campaign, and submissions are not open to new teams."


@dataclass(frozen=True)
class StoredFile:
    """A file in storage to which no row refers yet."""

    storage_key: str
    digest: str  # sha256, hexadecimal
    size: int
    original_name: str


def submit(
    *,
    viewer: Viewer,
    upload: File,
    arrived_at: datetime,
    description: Description,
    completed_at: datetime | None = None,
    idempotency_key: str = "",
    replaces: str = "",
    team: Team | None = None,
) -> Run:
    """Submits a run for the viewer's own team or, by an organiser, for any team. Deadlines and
    quotas do not apply to organisers. Raises `SubmissionRefused`.

    `completed_at` is when a proxy had received the whole body. The default is now."""
    submitter = _Submitter.of(viewer, team)
    completed_at = completed_at or timezone.now()
    moment = lifecycle.deciding_moment(arrived_at, completed_at)
    try:
        _decide_early(viewer, submitter, moment, replaces)  # before a large file is stored
        _refuse_slow(submitter, completed_at - arrived_at, upload.size or 0)
    except SubmissionRefused:
        if _earlier_upload(submitter.team, idempotency_key) is None:
            raise  # a repeated upload gets the first answer, whatever has changed since
    with stored_upload(upload) as file:
        return submit_run(
            campaign=viewer.campaign,
            team=submitter.team,
            person=submitter.person,
            file=file,
            submitted_at=arrived_at,
            received_at=completed_at,
            name=description.name,
            run_type=description.run_type,
            description=description.text,
            judging_priority=description.priority,
            answers=description.answers,
            replaces=replaces,
            idempotency_key=idempotency_key,
            is_past_deadline_allowed=submitter.is_organiser,
        )


def submit_run(
    *,
    campaign: Campaign,
    team: Team,
    person: User | None,
    file: StoredFile,
    submitted_at: datetime,
    received_at: datetime | None = None,
    name: str = "",
    run_type: str = Run.Type.AUTOMATIC,
    description: str = "",
    judging_priority: int | None = None,
    answers: dict[str, Any] | None = None,
    replaces: str = "",
    is_pooled: bool | None = None,
    idempotency_key: str = "",
    is_past_deadline_allowed: bool = False,
) -> Run:
    """Checks deadline and quota, creates the run as *waiting*, and enqueues its check. Raises
    `SubmissionRefused`.

    A repeated `idempotency_key` returns the first run and deletes the second copy of the file.
    With another file it is refused. `is_past_deadline_allowed` is for uploads by organisers, to
    which neither dates nor quotas apply.
    """
    with transaction.atomic():
        # The lock puts parallel uploads of one team in a queue, so that they cannot exceed the
        # quota together, and reads what organisers changed in the team during the upload.
        team = _lock_team(team)
        earlier = _earlier_upload(team, idempotency_key)
        if earlier is not None:
            if earlier.digest != file.digest:
                raise SubmissionRefused(
                    "You already used this idempotency key with another file. Use a new key.",
                    "key_reused",
                )
            transaction.on_commit(partial(default_storage.delete, file.storage_key))
            return earlier
        replaced = _replaced_run(team, replaces)
        is_late = False
        if not is_past_deadline_allowed:
            moment = lifecycle.deciding_moment(submitted_at, received_at)
            is_late = _decide(campaign, team, moment, replaced)
        run = new_run(
            campaign=campaign,
            team=team,
            file=file,
            uploaded_by=person,
            name=name or (replaced.display_name if replaced else ""),
            run_type=run_type,
            description=description,
            judging_priority=judging_priority,
            answers=answers or {},
            replaces=replaced,
            is_pooled=is_pooled,
            submitted_at=submitted_at,
            received_at=received_at,
            idempotency_key=idempotency_key,
            is_late=is_late,
        )
        create_runs([run])
    return run


def new_run(*, file: StoredFile, **facts: Any) -> Run:
    """A run of this file, not yet created."""
    return Run(
        original_name=file.original_name,
        size=file.size,
        digest=file.digest,
        storage_key=file.storage_key,
        state_changed_at=timezone.now(),
        **facts,
    )


def create_runs(runs: Sequence[Run], *, is_import: bool = False) -> None:
    """Creates new runs of a campaign as *waiting* and enqueues their checks, in four statements
    for any number of runs. Call it in a transaction. Uploads come before an import."""
    Run.objects.bulk_create(runs)
    entries = []
    for run in runs:
        details = {"replaces": run.replaces.public_id} if run.replaces else {}
        entries.append(new_entry(run, run.uploaded_by, "uploaded", **details))
    record_all(entries)
    scoring_hooks.enqueue_checks(runs, is_import=is_import)


def _lock_team(team: Team) -> Team:
    locked = Team.objects.select_for_update(no_key=True).filter(pk=team.pk).first()
    if locked is None:
        message = (
            "An organiser merged your team into another team, or deleted it, during the upload."
        )
        raise SubmissionRefused(f"{message} Submit the run again.", "team_gone")
    return locked


def decide_deadline(campaign: Campaign, moment: datetime) -> bool:
    """Whether a run of this `deciding_moment` is late. Raises `SubmissionRefused` if submissions
    are not open then."""
    if lifecycle.is_accepting_at(campaign, moment):
        return False
    if lifecycle.is_late_at(campaign, moment):
        return True
    if not campaign.is_accepting:
        raise SubmissionRefused("This campaign does not accept submissions.", "not_accepting")
    if campaign.opens_at and moment < campaign.opens_at:
        raise SubmissionRefused(
            f"Submissions open on {zones.date_text(campaign.opens_at, campaign.time_zone)}.",
            "too_early",
            campaign.opens_at,
        )
    closed = zones.date_text(campaign.closes_at, campaign.time_zone)
    raise SubmissionRefused(f"Submissions closed on {closed}.", "too_late")


def refuse_early(viewer: Viewer, moment: datetime) -> None:
    """Raises `SubmissionRefused` if the site would refuse any file of this viewer now."""
    if not viewer.is_organiser:
        _decide_early(viewer, _Submitter.of(viewer, viewer.team), moment, replaces="")
    elif viewer.campaign.archived_at is not None:
        raise SubmissionRefused("This campaign is archived.", "archived")


def can_withdraw(viewer: Viewer, run: Run, moment: datetime) -> bool:
    """A team may withdraw its run while submissions are open, and an organiser at any time. A team
    cannot withdraw a disqualified run, so that it stays visible."""
    is_inactive = run.withdrawn_at is not None or run.replaced_at is not None
    if is_inactive or run.state == Run.State.REFUSED or viewer.campaign.archived_at is not None:
        return False
    is_open = lifecycle.is_accepting_at(viewer.campaign, moment) and run.disqualified_at is None
    return viewer.is_organiser or (viewer.owns(run) and is_open)


def can_replace(viewer: Viewer, run: Run, moment: datetime, *, successor: Run | None) -> bool:
    """As `can_withdraw`, for a run that counts and that no other upload is about to replace."""
    # Replacing a disqualified run would end its disqualification.
    counts = run.state == Run.State.ACCEPTED and run.disqualified_at is None
    return counts and successor is None and can_withdraw(viewer, run, moment)


def successor_of(run: Run) -> Run | None:
    """The upload that replaces this run once the upload is accepted."""
    return run.replacements.filter(STANDING).first()


@transaction.atomic
def withdraw_run(*, run: Run, person: User) -> None:
    """Removes the run from the leaderboard, and frees its name and its place in the quota."""
    withdrawn = Run.objects.filter(pk=run.pk, withdrawn_at=None, replaced_at=None).update(
        withdrawn_at=timezone.now()
    )
    if withdrawn:
        record(run, person, "withdrew")


@dataclass(frozen=True)
class _Submitter:
    """The person who submits, and the team. An organiser's own team has no privileges."""

    person: User
    team: Team
    is_organiser: bool

    @classmethod
    def of(cls, viewer: Viewer, team: Team | None) -> "_Submitter":
        is_own = viewer.team is not None and (team is None or team.pk == viewer.team.pk)
        chosen = viewer.team if is_own else team
        if chosen is None or not isinstance(viewer.person, User):
            raise _refused_without_team(viewer)
        if not is_own and not (viewer.is_organiser and chosen.campaign_id == viewer.campaign.pk):
            raise SubmissionRefused("You can submit runs for your own team only.", "team")
        return cls(viewer.person, chosen, is_organiser=not is_own)


def _refused_without_team(viewer: Viewer) -> SubmissionRefused:
    if viewer.is_organiser:
        return SubmissionRefused("Say which team the run is for.", "team")
    if viewer.pending_team is not None:
        message = "Your team awaits approval by an organiser. It can submit runs after that."
        return SubmissionRefused(message, "not_approved")
    todo = "Join or create a team first." if viewer.can_create_team else NOT_IN_A_TEAM
    return SubmissionRefused(todo, "team")


def _decide_early(viewer: Viewer, submitter: _Submitter, moment: datetime, replaces: str) -> None:
    campaign = viewer.campaign
    if campaign.archived_at is not None:
        raise SubmissionRefused("This campaign is archived.", "archived")
    if submitter.is_organiser:
        return
    if not membership.has_accepted_terms(campaign, submitter.person):
        raise SubmissionRefused("Accept the campaign's terms on your team's page first.", "terms")
    _decide(campaign, submitter.team, moment, _replaced_run(submitter.team, replaces))


def _refuse_slow(submitter: _Submitter, duration: timedelta, size: int) -> None:
    """Raises `SubmissionRefused` if the upload took longer than the minimum rate allows."""
    rate = settings.UPLOAD_LEAST_BYTES_PER_SECOND
    allowed = settings.UPLOAD_ALLOWANCE_SECONDS + size / rate
    if not submitter.is_organiser and duration.total_seconds() > allowed:
        raise SubmissionRefused(
            f"The upload took {duration.total_seconds():,.0f} s. A file of {size:,} bytes must be"
            f" complete within {allowed:,.0f} s. Compress it with gzip, or submit it again over a"
            " faster connection.",
            "too_slow",
        )


def _decide(campaign: Campaign, team: Team, moment: datetime, replaced: Run | None) -> bool:
    """Whether a team's run is late. Raises `SubmissionRefused`."""
    if team.disqualified_at is not None:
        message = f"Your team is disqualified: {team.disqualified_reason}"
        raise SubmissionRefused(message, "disqualified")
    is_late = decide_deadline(campaign, moment)
    released = campaign.topics_released_at
    if released is not None and moment < released:  # the errors of a check would reveal topics
        date = zones.date_text(released, campaign.time_zone)
        message = f"Submit runs after the topics are released, on {date}."
        raise SubmissionRefused(message, "topics_unreleased", released)
    if replaced is not None and is_late and not replaced.is_late:
        message = "A late run cannot replace a run that was submitted before the deadline."
        raise SubmissionRefused(message, "replaces")
    decide_quota(campaign, team, moment, replacing=replaced)
    return is_late


def _replaced_run(team: Team, public_id: str) -> Run | None:
    if not public_id:
        return None
    run = team.runs.filter(LIVE, public_id=public_id, disqualified_at=None).first()
    if run is None:
        message = "The run to replace is not a current run of this team. Choose another run."
        raise SubmissionRefused(message, "replaces")
    if successor_of(run) is not None:
        raise SubmissionRefused("Another upload is about to replace that run.", "replaces")
    return run


def _earlier_upload(team: Team, idempotency_key: str) -> Run | None:
    if not idempotency_key:
        return None
    return team.runs.filter(idempotency_key=idempotency_key).first()


@contextmanager
def stored_upload(upload: File) -> Iterator[StoredFile]:
    """Streams an upload to storage, and deletes it if the block raises.

    Raises `SubmissionRefused` if the file is too large, OSError if the storage fails.
    """
    if (upload.size or 0) > settings.MAX_UPLOAD_BYTES:
        limit = settings.MAX_UPLOAD_BYTES // (1024 * 1024)
        raise SubmissionRefused(
            f"The file is larger than {limit} MiB. Compress it with gzip.", "size"
        )
    # A separate pass, because a storage may read the file twice, or a part of it again.
    upload.seek(0)
    digest = hashlib.file_digest(upload.file, "sha256").hexdigest()
    size = upload.seek(0, os.SEEK_END)
    # The uploader's name of the file is displayed and never part of a path.
    printable = "".join(c for c in (upload.name or "") if c.isprintable())
    key = _stored(upload)
    try:
        yield StoredFile(
            storage_key=key,
            digest=digest,
            size=size,
            original_name=printable[-200:],
        )
    except BaseException:
        # A process may be stopped after the commit. Then the file belongs to the run.
        if not Run.objects.filter(storage_key=key).exists():
            default_storage.delete(key)
        raise


def _stored(upload: File) -> str:
    identity = new_public_id()
    name = f"runs/{identity[:2]}/{identity}"
    try:
        return default_storage.save(name, File(upload.file))
    except OSError:
        with suppress(Exception):  # if this fails, housekeeping deletes the partial file
            default_storage.delete(name)
        raise
