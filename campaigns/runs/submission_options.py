"""What an upload form may offer one person now, so that nothing is offered that would be refused.

What is decided when a file comes is decided in `intake`; here its answers are asked beforehand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from campaigns.access import Viewer
from campaigns.errors import SubmissionRefused
from campaigns.models import Run
from campaigns.quotas import decide_quota, frees_a_place, quota_of
from campaigns.runs import submission


@dataclass(frozen=True)
class Offer:
    """Why nothing is taken, or else what may be handed in: one more run, or one in place of these.
    `no_more` says why it may be only such a one."""

    refusal: SubmissionRefused | None = None
    replaceable: Sequence[Run] = ()
    no_more: str = ""


def offer_to(viewer: Viewer, moment: datetime) -> Offer:
    """Whatever is in the file: its lines are judged by the checker."""
    if viewer.pending_team is not None and not viewer.is_organiser:
        message = "Your team waits for an organiser to let it in; it can hand in runs then."
        return Offer(SubmissionRefused(message, "not_approved"))
    try:
        submission.refuse_early(viewer, moment)
    except SubmissionRefused as refusal:
        if refusal.code != "quota":
            return Offer(refusal)
        return _in_place_of_another(viewer, moment, refusal)
    return Offer(replaceable=replaceable_runs(viewer, moment))


def replaceable_runs(viewer: Viewer, moment: datetime) -> list[Run]:
    """The runs that an upload of this viewer may replace: live ones of its team, of any team for
    an organiser, and none that another upload is about to replace."""
    if viewer.is_organiser:
        runs = viewer.campaign.runs
    elif viewer.team is not None:
        runs = viewer.team.runs
    else:
        return []
    # In this order: a successor that waits to be checked is none of the live ones.
    found = runs.without_successors().live().filter(disqualified_at=None).select_related("team")
    return [
        run for run in found.order_by("tag", "pk") if submission.can_withdraw(viewer, run, moment)
    ]


def _in_place_of_another(viewer: Viewer, moment: datetime, refusal: SubmissionRefused) -> Offer:
    """Where the quota is used up, a run may come that takes the place of one that counts."""
    campaign, team = viewer.campaign, viewer.team
    assert team is not None
    quota = quota_of(campaign, team, moment)
    runs = [
        run
        for run in replaceable_runs(viewer, moment)
        if frees_a_place(campaign, quota, run, moment)
    ]
    if not runs:
        return Offer(refusal)
    try:
        decide_quota(campaign, team, moment, replacing=runs[0])
    except SubmissionRefused as other:  # too many files today
        return Offer(other)
    return Offer(replaceable=runs, no_more=str(refusal))
