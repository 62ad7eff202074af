"""What the upload form offers to a viewer, so that it offers nothing that `submission` refuses."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from campaigns.access import Viewer
from campaigns.errors import SubmissionRefused
from campaigns.models import Run
from campaigns.models.runs import run_name
from campaigns.quotas import decide_quota, frees_quota, quota_of
from campaigns.runs import submission


@dataclass(frozen=True)
class SubmissionOptions:
    """The reason why the viewer cannot submit, or the runs that a new run may replace. If
    `quota_message` is set, the new run must replace one of them."""

    refusal: SubmissionRefused | None = None
    replaceable: Sequence[Run] = ()
    quota_message: str = ""

    @property
    def replaceable_ids(self) -> set[str]:
        return {run.public_id for run in self.replaceable}


def options_for(viewer: Viewer, moment: datetime) -> SubmissionOptions:
    try:
        submission.refuse_early(viewer, moment)
    except SubmissionRefused as refusal:
        if refusal.code != "quota":
            return SubmissionOptions(refusal)
        return _replacement_only(viewer, moment, refusal)
    return SubmissionOptions(replaceable=replaceable_runs(viewer, moment))


def replaceable_runs(viewer: Viewer, moment: datetime) -> list[Run]:
    """The live runs that an upload of this viewer may replace: of its team, or of any team for an
    organiser. Runs that another upload is about to replace are left out."""
    if viewer.is_organiser:
        runs = viewer.campaign.runs
    elif viewer.team is not None:
        runs = viewer.team.runs
    else:
        return []
    # In this order, because a successor that waits for its check is not live.
    live = runs.without_successors().live().filter(disqualified_at=None).select_related("team")
    runs = live.order_by(run_name(), "pk")
    return [run for run in runs if submission.can_withdraw(viewer, run, moment)]


def _replacement_only(
    viewer: Viewer, moment: datetime, refusal: SubmissionRefused
) -> SubmissionOptions:
    """The quota is used up, so that a new run must replace a run that counts."""
    campaign, team = viewer.campaign, viewer.team
    assert team is not None
    quota = quota_of(campaign, team, moment)
    runs = [
        run for run in replaceable_runs(viewer, moment) if frees_quota(campaign, quota, run, moment)
    ]
    if not runs:
        return SubmissionOptions(refusal)
    try:
        # With any of them: the limit of files does not depend on which run is replaced.
        decide_quota(campaign, team, moment, replacing=runs[0])
    except SubmissionRefused as other:  # too many files within 24 hours
        return SubmissionOptions(other)
    return SubmissionOptions(replaceable=runs, quota_message=str(refusal))
