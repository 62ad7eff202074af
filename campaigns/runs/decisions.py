"""What became of a run's file: checked, accepted, or refused with its problems; and what people
decide of a run afterwards.

`pass_check` and `refuse_run` are called inside the transaction that finishes the check, so that a
check that lost its lease changes nothing.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.utils import timezone

from campaigns import lifecycle, scoring_hooks
from campaigns.access import Viewer
from campaigns.log import record
from campaigns.mail import messages, notices
from campaigns.models import Campaign, LogEntry, Run, User

LONGEST_REASON = 500
# While a team may still say that a run of its own counts.
BEFORE_JUDGING = (Campaign.Stage.OPEN, Campaign.Stage.CLOSED)


def lock_run(run: Run) -> Run:
    """The run as it is until this transaction ends: a withdrawal waits, or has come before."""
    return (
        Run.objects.select_for_update(of=("self",))
        .select_related("campaign", "team")
        .get(pk=run.pk)
    )


def pass_check(
    run: Run,
    *,
    tag: str,
    warnings: Sequence[dict[str, object]],
    check_sheet: dict[str, Any],
    now_accepted: bool,
) -> None:
    """Nothing is wrong with the file: accepted, or checked and waiting for its team's word."""
    run.tag, run.warnings, run.check_sheet = tag, list(warnings), check_sheet
    fields = ["tag", "warnings", "check_sheet"]
    if now_accepted:
        run.accepted_at = timezone.now()
        _retire_replaced(run, run.accepted_at)
        _decide(run, Run.State.ACCEPTED, [*fields, "accepted_at"])
        return
    _decide(run, Run.State.CHECKED, fields)
    if run.withdrawn_at is None:
        notices.notify_team(run, "checked")


def refuse_run(run: Run, *, problems: Sequence[dict[str, Any]], total: int, tag: str = "") -> None:
    """Keeps the row and its digest; the file goes when the decision is committed."""
    if run.storage_key:
        transaction.on_commit(partial(default_storage.delete, run.storage_key))
    run.storage_key = ""
    run.problems, run.problem_count, run.tag = list(problems), total, tag
    _decide(run, Run.State.REFUSED, ["storage_key", "problems", "problem_count", "tag"])
    notices.notify_team(run, "refused")


def is_tag_taken(run: Run, tag: str) -> bool:
    """Whether another run of the same team has this tag, live or with its check sheet to be
    accepted; the one that this run replaces gives its tag away."""
    holders = run.team.runs.filter(
        tag=tag,
        state__in=[Run.State.CHECKED, Run.State.ACCEPTED],
        withdrawn_at=None,
        replaced_at=None,
    ).exclude(pk=run.pk)
    if run.replaces_id is not None:
        holders = holders.exclude(pk=run.replaces_id)
    return holders.exists()


def can_accept(viewer: Viewer, run: Run) -> bool:
    """The team until judging begins, for the upload made the deadline; an organiser any time."""
    if run.state != Run.State.CHECKED or run.withdrawn_at or viewer.campaign.archived_at:
        return False
    is_in_time = viewer.campaign.stage in BEFORE_JUDGING
    return viewer.is_organiser or (viewer.owns(run) and is_in_time)


def accept_checked(*, run: Run, person: User) -> bool:
    """Lets a checked run count, and retires the one it replaces; once, however often it is asked.
    False where it cannot count any more: withdrawn meanwhile, or its tag given to another run."""
    try:
        with transaction.atomic():
            held = lock_run(run)
            if held.state != Run.State.CHECKED or held.withdrawn_at is not None:
                return False
            held.accepted_at = timezone.now()
            _retire_replaced(held, held.accepted_at)
            _decide(held, Run.State.ACCEPTED, ["accepted_at"], actor=person)
            scoring_hooks.enqueue_evaluation(held)
    except IntegrityError:  # another run of the team went live with this tag
        return False
    return True


def disqualify_run(*, run: Run, reason: str, actor: User) -> bool:
    """Takes the run out of the ranking, for a reason that is shown with it."""
    reason = " ".join(reason.split())
    if not reason or len(reason) > LONGEST_REASON or "\0" in reason:
        raise ValidationError(f"Give a reason, in at most {LONGEST_REASON} characters.")
    with transaction.atomic():
        lifecycle.refuse_archived(run.campaign)
        changed = Run.objects.filter(pk=run.pk, disqualified_at=None).update(
            disqualified_at=timezone.now(), disqualified_reason=reason
        )
        if changed:
            entry = record(run, actor, "disqualified", reason=reason)
            _tell(run, "run_disqualified", entry)
    return bool(changed)


@transaction.atomic
def reinstate_run(*, run: Run, actor: User) -> bool:
    """Puts a disqualified run back where it stood."""
    lifecycle.refuse_archived(run.campaign)
    changed = Run.objects.filter(pk=run.pk, disqualified_at__isnull=False).update(
        disqualified_at=None, disqualified_reason=""
    )
    if changed:
        entry = record(run, actor, "reinstated")
        _tell(run, "run_reinstated", entry)
    return bool(changed)


def report_for(viewer: Viewer, run: Run) -> dict[str, Any]:
    """The check sheet as this viewer may see it: the flags are for organisers, and the rest for
    whoever may follow the run."""
    if not viewer.can_follow(run):
        return {}
    return {
        name: value
        for name, value in run.check_sheet.items()
        if name != "flags" or viewer.is_organiser
    }


def _retire_replaced(run: Run, moment: datetime) -> None:
    """Before the new run goes live, so that both may have one tag."""
    if run.replaces_id is None or run.withdrawn_at is not None:
        return
    old = Run.objects.filter(pk=run.replaces_id, replaced_at=None, withdrawn_at=None)
    for replaced in old:
        if old.update(replaced_at=moment):
            record(replaced, None, "replaced", by=run.public_id)


def _decide(run: Run, state: str, fields: list[str], *, actor: User | None = None) -> None:
    run.state = state
    run.state_changed_at = timezone.now()
    run.save(update_fields=[*fields, "state", "state_changed_at"])
    record(run, actor, state)


def _tell(run: Run, kind: str, entry: LogEntry) -> None:
    """By templates/mail/<kind>.txt, for each time it is decided."""
    run.refresh_from_db(fields=["disqualified_reason"])
    subject, body = messages.about_run(run, kind)
    notices.notify(
        campaign=run.campaign,
        key=f"{kind}/{entry.pk}",
        subject=subject,
        body=body,
        to=messages.members_of(run.team),
    )
