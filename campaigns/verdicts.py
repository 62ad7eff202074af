"""What became of a run's file: accepted, or refused with its problems.

Both are called inside the transaction that finishes the check, so that a check that lost its
lease changes nothing.
"""

from collections.abc import Sequence
from functools import partial

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from campaigns.models import LogEntry, Run


def accept_run(run: Run, *, tag: str, warnings: Sequence[dict[str, object]]) -> None:
    run.tag = tag
    run.warnings = list(warnings)
    _decide(run, Run.State.ACCEPTED, ["tag", "warnings"])


def refuse_run(
    run: Run, *, problems: Sequence[dict[str, object]], total: int, tag: str = ""
) -> None:
    """Keeps the row and its digest; the file goes when the decision is committed."""
    if run.storage_key:
        transaction.on_commit(partial(default_storage.delete, run.storage_key))
    run.storage_key = ""
    run.problems, run.problem_count, run.tag = list(problems), total, tag
    _decide(run, Run.State.REFUSED, ["storage_key", "problems", "problem_count", "tag"])


def is_tag_taken(run: Run, tag: str) -> bool:
    """Whether another live run of the same team has this tag."""
    return run.team.runs.live().filter(tag=tag).exclude(pk=run.pk).exists()


def _decide(run: Run, state: str, fields: list[str]) -> None:
    run.state = state
    run.state_changed_at = timezone.now()
    run.save(update_fields=[*fields, "state", "state_changed_at"])
    LogEntry.objects.create(campaign_id=run.campaign_id, verb=state, subject=run.public_id)
