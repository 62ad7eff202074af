"""Taking in a run: its file is stored first, then one short transaction decides."""

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
from campaigns.log import record
from campaigns.models import Campaign, Run, Team, User
from campaigns.models.runs import LIVE, STANDING
from campaigns.people import membership
from campaigns.quotas import decide_quota
from campaigns.runs.description import Description
from campaigns.runs.uploads import StoredFile, stored_upload

__all__ = [
    "StoredFile",
    "SubmissionRefused",
    "can_replace",
    "can_withdraw",
    "decide_deadline",
    "refuse_early",
    "stored_upload",
    "submit",
    "submit_run",
    "successor_of",
    "withdraw_run",
]


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
    """Takes in what a member hands in for the own team, or an organiser for any, by page or by
    API. Deadlines and quotas are the teams', not the organisers'. Raises `SubmissionRefused`.

    `completed_at` is when the body was complete, where a proxy says so; else it is now."""
    giver = _Submitter.of(viewer, team)
    completed_at = completed_at or timezone.now()
    moment = lifecycle.deciding_moment(arrived_at, completed_at)
    try:
        _decide_early(viewer, giver, moment, replaces)  # before a large file is stored
        _refuse_slow(giver, completed_at - arrived_at, upload.size or 0)
    except SubmissionRefused:
        if _earlier_upload(giver.team, idempotency_key) is None:
            raise  # a repeated one is answered as the first was, whatever has changed since
    with stored_upload(upload) as file:
        return submit_run(
            campaign=viewer.campaign,
            team=giver.team,
            person=giver.person,
            file=file,
            submitted_at=arrived_at,
            received_at=completed_at,
            run_type=description.run_type,
            description=description.text,
            judging_priority=description.priority,
            answers=description.answers,
            replaces=replaces,
            idempotency_key=idempotency_key,
            is_past_deadline_allowed=giver.is_organiser,
        )


def submit_run(
    *,
    campaign: Campaign,
    team: Team,
    person: User | None,
    file: StoredFile,
    submitted_at: datetime,
    received_at: datetime | None = None,
    run_type: str = Run.Type.AUTOMATIC,
    description: str = "",
    judging_priority: int | None = None,
    answers: dict[str, Any] | None = None,
    replaces: str = "",
    is_pooled: bool | None = None,
    idempotency_key: str = "",
    is_past_deadline_allowed: bool = False,
) -> Run:
    """Decides deadline and quota, writes the row *waiting*, and rings. Raises `SubmissionRefused`.

    A repeated `idempotency_key` gives the first run back and drops the second copy of the file;
    with another file it is refused.
    `is_past_deadline_allowed` is for the organisers' own uploads and imports: they are held to
    neither dates nor quotas.
    """
    with transaction.atomic():
        # One team's uploads queue here, so that parallel ones cannot pass the quota together. What
        # organisers did with the team during the upload counts from here on.
        team = _locked(team)
        earlier = _earlier_upload(team, idempotency_key)
        if earlier is not None:
            if earlier.digest != file.digest:
                raise SubmissionRefused(
                    "This idempotency key came with another file before.", "key_reused"
                )
            transaction.on_commit(partial(default_storage.delete, file.storage_key))
            return earlier
        replaced = _replaced_run(team, replaces)
        is_late = False
        if not is_past_deadline_allowed:
            moment = lifecycle.deciding_moment(submitted_at, received_at)
            is_late = _decide(campaign, team, moment, replaced)
        run = Run.objects.create(
            campaign=campaign,
            team=team,
            uploaded_by=person,
            run_type=run_type,
            description=description,
            judging_priority=judging_priority,
            answers=answers or {},
            replaces=replaced,
            is_pooled=is_pooled,
            original_name=file.original_name,
            size=file.size,
            digest=file.digest,
            storage_key=file.storage_key,
            submitted_at=submitted_at,
            received_at=received_at,
            state_changed_at=timezone.now(),
            idempotency_key=idempotency_key,
            is_late=is_late,
        )
        details = {"replaces": replaces} if replaces else {}
        record(run, person, "uploaded", **details)
        scoring_hooks.enqueue_check(run)
    return run


def _locked(team: Team) -> Team:
    locked = Team.objects.select_for_update().filter(pk=team.pk).first()
    if locked is None:
        message = (
            "An organiser merged your team into another one, or removed it, during the upload."
        )
        raise SubmissionRefused(f"{message} Submit the run again.", "team_gone")
    return locked


def decide_deadline(campaign: Campaign, moment: datetime) -> bool:
    """Whether a run of this `deciding_moment` is late; raises `SubmissionRefused` outside the
    dates."""
    if lifecycle.is_accepting_at(campaign, moment):
        return False
    if lifecycle.is_late_at(campaign, moment):
        return True
    if not campaign.is_accepting:
        raise SubmissionRefused("This campaign is not accepting runs.", code="not_accepting")
    if campaign.opens_at and moment < campaign.opens_at:
        raise SubmissionRefused(
            f"Runs are taken from {campaign.opens_at:%-d %B %Y %H:%M} UTC.",
            "too_early",
            campaign.opens_at,
        )
    raise SubmissionRefused(
        f"Runs were taken until {campaign.closes_at:%-d %B %Y %H:%M} UTC.", "too_late"
    )


def refuse_early(viewer: Viewer, moment: datetime) -> None:
    """Raises `SubmissionRefused` where no further run of this viewer would be accepted, whatever
    is in it."""
    if not viewer.is_organiser:
        _decide_early(viewer, _Submitter.of(viewer, viewer.team), moment, replaces="")
    elif viewer.campaign.archived_at is not None:  # else it hands in for whom it likes, any time
        raise SubmissionRefused("This campaign is in the archive.", "archived")


def can_withdraw(viewer: Viewer, run: Run, moment: datetime) -> bool:
    """A team takes its run back while runs are taken, and an organiser any time: nobody changes a
    closed or published board alone. A disqualified run stays, to be seen as such."""
    is_gone = run.withdrawn_at is not None or run.replaced_at is not None
    if is_gone or run.state == Run.State.REFUSED or viewer.campaign.archived_at is not None:
        return False
    is_open = lifecycle.is_accepting_at(viewer.campaign, moment) and run.disqualified_at is None
    return viewer.is_organiser or (viewer.owns(run) and is_open)


def can_replace(viewer: Viewer, run: Run, moment: datetime, *, successor: Run | None) -> bool:
    """As withdrawing, for a run that counts and that no other upload is about to replace."""
    counts = run.state == Run.State.ACCEPTED and run.disqualified_at is None
    return counts and successor is None and can_withdraw(viewer, run, moment)


def successor_of(run: Run) -> Run | None:
    """The upload that replaces it once it is accepted."""
    return run.replacements.filter(STANDING).first()


@transaction.atomic
def withdraw_run(*, run: Run, person: User) -> None:
    """Takes the run back: it leaves the board and frees its tag and its quota."""
    withdrawn = Run.objects.filter(pk=run.pk, withdrawn_at=None, replaced_at=None).update(
        withdrawn_at=timezone.now()
    )
    if withdrawn:
        record(run, person, "withdrew")


@dataclass(frozen=True)
class _Submitter:
    """Who hands in, and for which team; an organiser's own team is a team like any other."""

    person: User
    team: Team
    is_organiser: bool

    @classmethod
    def of(cls, viewer: Viewer, team: Team | None) -> "_Submitter":
        is_own = viewer.team is not None and (team is None or team.pk == viewer.team.pk)
        chosen = viewer.team if is_own else team
        if chosen is None or not isinstance(viewer.person, User):
            raise SubmissionRefused("Join a team first.", "team")
        if not is_own and not (viewer.is_organiser and chosen.campaign_id == viewer.campaign.pk):
            raise SubmissionRefused("That is not your team.", "team")
        return cls(viewer.person, chosen, is_organiser=not is_own)


def _decide_early(viewer: Viewer, giver: _Submitter, moment: datetime, replaces: str) -> None:
    campaign = viewer.campaign
    if campaign.archived_at is not None:
        raise SubmissionRefused("This campaign is in the archive.", "archived")
    if giver.is_organiser:
        return
    if not membership.has_accepted_terms(campaign, giver.person):
        raise SubmissionRefused("Accept the campaign's terms first, on your team's page.", "terms")
    _decide(campaign, giver.team, moment, _replaced_run(giver.team, replaces))


def _refuse_slow(giver: _Submitter, lasted: timedelta, size: int) -> None:
    """Raises `SubmissionRefused` for an upload that took longer than the least rate allows."""
    rate = settings.UPLOAD_LEAST_BYTES_PER_SECOND
    allowed = settings.UPLOAD_ALLOWANCE_SECONDS + size / rate
    if not giver.is_organiser and lasted.total_seconds() > allowed:
        raise SubmissionRefused(
            f"The upload took {lasted.total_seconds():,.0f} s, and a file of {size:,} bytes must be"
            f" complete within {allowed:,.0f} s. Compress it with gzip, or send it again over a"
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
    if released is not None and moment < released:  # checking a run would tell what they are
        message = f"The topics are released on {released:%-d %B %Y %H:%M} UTC; runs come after."
        raise SubmissionRefused(message, "topics_unreleased", released)
    if replaced is not None and is_late and not replaced.is_late:
        raise SubmissionRefused("A late run cannot replace one that came in time.", "replaces")
    decide_quota(campaign, team, moment, replacing=replaced)
    return is_late


def _replaced_run(team: Team, public_id: str) -> Run | None:
    if not public_id:
        return None
    run = team.runs.filter(LIVE, public_id=public_id, disqualified_at=None).first()
    if run is None:
        raise SubmissionRefused("The team has no such run to replace.", "replaces")
    if successor_of(run) is not None:
        raise SubmissionRefused("Another upload is about to replace that run.", "replaces")
    return run


def _earlier_upload(team: Team, idempotency_key: str) -> Run | None:
    if not idempotency_key:
        return None
    return team.runs.filter(idempotency_key=idempotency_key).first()
