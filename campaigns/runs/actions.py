"""The actions that a viewer may take on a run, for the page that shows the buttons."""

from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from campaigns.access import Viewer
from campaigns.models import Run
from campaigns.runs import decisions, submission


@dataclass(frozen=True)
class RunActions:
    """`successor` is the upload that replaces the run once it is accepted, `replaced_tag` the tag
    of the run that this one replaces."""

    can_follow: bool
    can_accept: bool
    can_withdraw: bool
    can_replace: bool
    can_download: bool
    validation_report: dict[str, Any]
    successor: Run | None
    replaced_tag: str


def actions_on(viewer: Viewer, run: Run) -> RunActions:
    """At most two queries."""
    moment = timezone.now()
    can_follow = viewer.can_follow(run)
    can_accept = decisions.can_accept(viewer, run)
    is_current = can_follow and run.replaced_at is None
    successor = submission.successor_of(run) if is_current else None
    return RunActions(
        can_follow=can_follow,
        can_accept=can_accept,
        can_withdraw=submission.can_withdraw(viewer, run, moment),
        can_replace=submission.can_replace(viewer, run, moment, successor=successor),
        can_download=bool(run.storage_key) and viewer.can_download(run),
        validation_report=decisions.validation_report_for(viewer, run),
        successor=successor,
        replaced_tag=run.replaces.tag if can_accept and run.replaces is not None else "",
    )
