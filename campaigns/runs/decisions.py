"""The result of a run's check, and what people decide about the run afterwards.

Call `pass_check` and `refuse_run` inside the transaction that finishes the check, so that a check
that lost its lease changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, cast

from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.utils import timezone

from campaigns import lifecycle, scoring_hooks
from campaigns.access import Viewer
from campaigns.log import record
from campaigns.mail import messages, notices
from campaigns.models import Campaign, LogEntry, Run, Team, User
from campaigns.models.runs import RunQuerySet, run_name
from campaigns.runs import submission
from campaigns.runs.description import LONGEST_NAME, checked_name
from campaigns.trec.names import name_key

LONGEST_REASON = 500
# The stages in which a team may accept its own checked run.
BEFORE_JUDGING = (Campaign.Stage.OPEN, Campaign.Stage.CLOSED)


def lock_run(run: Run) -> Run:
    """The run, locked until this transaction ends, after its campaign and its team. Imports, merges
    and requests for scores lock in this order too: with another one, two of them can wait for each
    other. The lock of the team also puts the runs that get a name in a queue."""
    Campaign.objects.select_for_update(no_key=True).filter(pk=run.campaign_id).first()
    Team.objects.select_for_update(of=("self",), no_key=True).filter(runs=run.pk).first()
    return (
        Run.objects.select_for_update(of=("self",))
        .select_related("campaign", "team")
        .get(pk=run.pk)
    )


def pass_check(
    run: Run,
    *,
    tag: str,
    name: str,
    warnings: Sequence[dict[str, object]],
    check_sheet: dict[str, Any],
    now_accepted: bool,
) -> None:
    """The file is valid: the run is accepted, or it waits for its team to accept it."""
    run.tag, run.name, run.warnings, run.check_sheet = tag, name, list(warnings), check_sheet
    fields = ["tag", "name", "warnings", "check_sheet"]
    if now_accepted:
        run.accepted_at = timezone.now()
        _retire_replaced(run, run.accepted_at)
        _decide(run, Run.State.ACCEPTED, [*fields, "accepted_at"])
        return
    _decide(run, Run.State.CHECKED, fields)
    # A run that was withdrawn during its check has nothing left to accept.
    if run.withdrawn_at is None:
        notices.notify_team(run, "checked")


def refuse_run(run: Run, *, problems: Sequence[dict[str, Any]], total: int, tag: str = "") -> None:
    """Keeps the row and its digest, and deletes the file on commit."""
    if run.storage_key:
        # Not before: if the transaction fails, the run still has its file.
        transaction.on_commit(partial(default_storage.delete, run.storage_key))
    run.storage_key = ""
    run.problems, run.problem_count, run.tag = list(problems), total, tag
    _decide(run, Run.State.REFUSED, ["storage_key", "problems", "problem_count", "tag"])
    notices.notify_team(run, "refused")


def free_name(run: Run, wished: str) -> str:
    """The wished name, with a number if another run of the team has the same `name_key`, that is
    live or awaits acceptance. The run that this one replaces does not count."""
    others = _other_runs(run).values_list(run_name(), flat=True)
    taken = {name_key(name) for name in others}
    name, number = wished, 1
    while name_key(name) in taken:
        number += 1
        suffix = f"-{number}"
        name = wished[: LONGEST_NAME - len(suffix)] + suffix
    return name


def same_file_of(run: Run) -> Run | None:
    """The live run of the team with the same file, unless this run replaces it."""
    return _other_runs(run).filter(digest=run.digest).first()


def _other_runs(run: Run) -> RunQuerySet:
    others = run.team.runs.filter(
        state__in=[Run.State.CHECKED, Run.State.ACCEPTED], withdrawn_at=None, replaced_at=None
    ).exclude(pk__in=[run.pk, run.replaces_id or run.pk])
    return cast(RunQuerySet, others)


@transaction.atomic
def rename_run(*, run: Run, name: str, actor: User) -> None:
    """Raises `ValidationError` if the name is not valid, or is that of another run of the team."""
    lifecycle.refuse_archived(run.campaign)
    run = lock_run(run)
    before, name = run.display_name, checked_name(name)
    if name == before:
        return
    taken = ValidationError(
        f"Your team has another run named {name} (ignoring case). Choose another name."
    )
    if free_name(run, name) != name:
        raise taken
    run.name = name
    try:
        # A savepoint: after a violated constraint PostgreSQL refuses all else in the transaction.
        with transaction.atomic():
            run.save(update_fields=["name"])
    except IntegrityError as error:  # another run of the team got this name at the same time
        raise taken from error
    record(run, actor, "renamed run", name=[before, name])


def can_rename(viewer: Viewer, run: Run) -> bool:
    """The team may until the results are published, and an organiser at any time."""
    is_live = run.withdrawn_at is None and run.replaced_at is None
    is_read = run.state in (Run.State.CHECKED, Run.State.ACCEPTED)
    if not (is_live and is_read) or viewer.campaign.archived_at is not None:
        return False
    is_open = viewer.campaign.stage != Campaign.Stage.PUBLISHED
    return viewer.is_organiser or (viewer.owns(run) and is_open)


def can_accept(viewer: Viewer, run: Run) -> bool:
    """The team may until judging begins, and an organiser at any time."""
    if run.state != Run.State.CHECKED or run.withdrawn_at or viewer.campaign.archived_at:
        return False
    is_in_time = viewer.campaign.stage in BEFORE_JUDGING
    return viewer.is_organiser or (viewer.owns(run) and is_in_time)


def accept_checked(*, run: Run, person: User) -> bool:
    """Accepts a checked run and retires the one that it replaces. False if the run was accepted
    or withdrawn in the meantime, or if another run of the team has its name."""
    try:
        with transaction.atomic():
            run = lock_run(run)
            if run.state != Run.State.CHECKED or run.withdrawn_at is not None:
                return False
            run.accepted_at = timezone.now()
            _retire_replaced(run, run.accepted_at)
            _decide(run, Run.State.ACCEPTED, ["accepted_at"], actor=person)
            scoring_hooks.enqueue_evaluation(run)
    except IntegrityError:  # another run of the team went live with this name
        return False
    return True


def disqualify_run(*, run: Run, reason: str, actor: User) -> bool:
    """Removes the run from the ranking. Everyone who sees the run sees the reason."""
    reason = " ".join(reason.split())
    if not reason or len(reason) > LONGEST_REASON or "\0" in reason:
        raise ValidationError(f"Write a reason of at most {LONGEST_REASON} characters.")
    with transaction.atomic():
        lifecycle.refuse_archived(run.campaign)
        changed = Run.objects.filter(pk=run.pk, disqualified_at=None).update(
            disqualified_at=timezone.now(), disqualified_reason=reason
        )
        if changed:
            entry = record(run, actor, "disqualified", reason=reason)
            _notify_team(run, "run_disqualified", entry)
    return bool(changed)


@transaction.atomic
def reinstate_run(*, run: Run, actor: User) -> bool:
    """Returns a disqualified run to the ranking."""
    lifecycle.refuse_archived(run.campaign)
    changed = Run.objects.filter(pk=run.pk, disqualified_at__isnull=False).update(
        disqualified_at=None, disqualified_reason=""
    )
    if changed:
        entry = record(run, actor, "reinstated")
        _notify_team(run, "run_reinstated", entry)
    return bool(changed)


def validation_report_for(viewer: Viewer, run: Run) -> dict[str, Any]:
    """The validation report for viewers who may follow the run, with its flags for organisers
    only."""
    if not viewer.can_follow(run):
        return {}
    return {
        name: value
        for name, value in run.check_sheet.items()
        if name != "flags" or viewer.is_organiser
    }


def _retire_replaced(run: Run, moment: datetime) -> None:
    """Call this before the new run goes live, because both may have the same name."""
    if run.replaces_id is None or run.withdrawn_at is not None:
        return
    old = Run.objects.filter(pk=run.replaces_id, replaced_at=None, withdrawn_at=None)
    for replaced in old:
        # Repeats the condition: the old run may have been withdrawn since it was read.
        if old.update(replaced_at=moment):
            # What organisers said of the old run holds for the one in its place.
            marks = {"is_baseline": replaced.is_baseline, "family": replaced.family}
            Run.objects.filter(pk=run.pk).update(**marks)
            record(replaced, None, "replaced", by=run.public_id)


def _decide(run: Run, state: str, fields: list[str], *, actor: User | None = None) -> None:
    run.state = state
    run.state_changed_at = timezone.now()
    run.save(update_fields=[*fields, "state", "state_changed_at"])
    record(run, actor, state)


def _notify_team(run: Run, kind: str, entry: LogEntry) -> None:
    """Sends templates/mail/<kind>.txt, once for each decision."""
    # The callers have changed it by a query.
    run.refresh_from_db(fields=["disqualified_reason"])
    subject, body = messages.about_run(run, kind)
    notices.notify(
        campaign=run.campaign,
        key=f"{kind}/{entry.pk}",
        subject=subject,
        body=body,
        to=messages.members_of(run.team),
    )


@dataclass(frozen=True)
class RunActions:
    """`successor` is the upload that replaces the run once it is accepted, `replaced_name` the name
    of the run that this one replaces."""

    can_follow: bool
    can_accept: bool
    can_withdraw: bool
    can_replace: bool
    can_download: bool
    validation_report: dict[str, Any]
    successor: Run | None
    replaced_name: str
    can_rename: bool


def actions_on(viewer: Viewer, run: Run) -> RunActions:
    """At most two queries."""
    moment = timezone.now()
    can_follow = viewer.can_follow(run)
    may_accept = can_accept(viewer, run)
    is_current = can_follow and run.replaced_at is None
    successor = submission.successor_of(run) if is_current else None
    return RunActions(
        can_follow=can_follow,
        can_accept=may_accept,
        can_withdraw=submission.can_withdraw(viewer, run, moment),
        can_replace=submission.can_replace(viewer, run, moment, successor=successor),
        can_download=bool(run.storage_key) and viewer.can_download(run),
        validation_report=validation_report_for(viewer, run),
        successor=successor,
        replaced_name=run.replaces.display_name if may_accept and run.replaces else "",
        can_rename=can_rename(viewer, run),
    )
