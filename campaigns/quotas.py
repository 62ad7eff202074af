"""How many runs a team may hand in: counted runs, and apart from them attempts.

One function answers for the page, the API and the decision; the decision asks it under a lock.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from campaigns.errors import SubmissionRefused
from campaigns.models import Audience, Campaign, Run, Team
from campaigns.models.runs import STANDING

ATTEMPT_WINDOW = timedelta(hours=24)


@dataclass(frozen=True)
class Quota:
    """Where a team stands. `next_at` is set where another run is not taken now but will be."""

    used: int
    limit: int | None  # None: as many as they like
    next_at: datetime | None
    attempts: int
    attempt_limit: int

    @property
    def is_used_up(self) -> bool:
        return self.limit is not None and self.used >= self.limit

    @property
    def is_out_of_attempts(self) -> bool:
        return self.attempts >= self.attempt_limit

    @property
    def left(self) -> int | None:
        return None if self.limit is None else max(self.limit - self.used, 0)


def quota_of(
    campaign: Campaign, team: Team, moment: datetime, *, replacing: Run | None = None
) -> Quota:
    """The team's quota at `moment`, for a run that replaces this one, or for one more."""
    counted = _counted(campaign, team, replacing)
    if campaign.quota_days is not None:
        counted = counted.filter(submitted_at__gt=moment - timedelta(days=campaign.quota_days))
    # A failed file is our fault; every other one that came was an attempt.
    tried = team.runs.exclude(state=Run.State.FAILED).filter(
        submitted_at__gt=moment - ATTEMPT_WINDOW
    )
    quota = Quota(
        used=counted.count(),
        limit=campaign.run_quota,
        next_at=None,
        attempts=tried.count(),
        attempt_limit=campaign.attempt_quota,
    )
    return replace(quota, next_at=_next_at(campaign, quota, counted, tried))


def decide_quota(
    campaign: Campaign, team: Team, moment: datetime, *, replacing: Run | None = None
) -> None:
    """Raises `SubmissionRefused` where the team has its runs, or has tried too often today."""
    quota = quota_of(campaign, team, moment, replacing=replacing)
    if quota.is_used_up:
        raise SubmissionRefused(_used_up(campaign, quota), "quota", quota.next_at)
    if quota.is_out_of_attempts:
        message = f"The team has handed in {quota.attempts} files within 24 hours"
        raise SubmissionRefused(message + _from(quota.next_at) + ".", "attempts", quota.next_at)


def frees_a_place(campaign: Campaign, quota: Quota, run: Run, moment: datetime) -> bool:
    """Whether a run that replaces this one would be within the team's quota."""
    if quota.limit is None or tells_anything(campaign) or quota.used > quota.limit:
        return quota.limit is None
    if campaign.quota_days is None:
        return True
    return run.submitted_at > moment - timedelta(days=campaign.quota_days)


def tells_anything(campaign: Campaign) -> bool:
    """Whether a team learns of its scores while it may still hand in: then a run that was scored
    keeps its place, for else withdrawing and trying again would be probing without end."""
    return (
        campaign.shows_own_scores
        or campaign.board_audience >= Audience.PARTICIPANTS
        or campaign.feedback != Campaign.Feedback.NONE
    )


def _counted(campaign: Campaign, team: Team, replacing: Run | None) -> QuerySet[Run]:
    """Refused and failed runs do not count, nor, where scores are a secret, do withdrawn and
    replaced ones; a run and the one that is to replace it count once."""
    if tells_anything(campaign):
        return team.runs.filter(STANDING | Q(state=Run.State.ACCEPTED))
    counted = team.runs.without_successors().filter(STANDING)
    return counted if replacing is None else counted.exclude(pk=replacing.pk)


def _next_at(
    campaign: Campaign, quota: Quota, counted: QuerySet[Run], tried: QuerySet[Run]
) -> datetime | None:
    """When the oldest of those that stand in the way are out of their window."""
    moments = []
    if quota.limit is not None and quota.is_used_up:
        if campaign.quota_days is None or quota.limit == 0:
            return None  # waiting does not help
        window = timedelta(days=campaign.quota_days)
        moments += [moment + window for moment in _newest(counted, quota.limit)]
    if quota.is_out_of_attempts:
        if quota.attempt_limit == 0:
            return None
        moments += [moment + ATTEMPT_WINDOW for moment in _newest(tried, quota.attempt_limit)]
    return max(moments, default=None)


def _newest(runs: QuerySet[Run], place: int) -> QuerySet[Run, datetime]:
    """When the run at this place came, counted from the newest; nothing if there are fewer."""
    came = runs.order_by("-submitted_at").values_list("submitted_at", flat=True)
    return came[place - 1 : place]


def _used_up(campaign: Campaign, quota: Quota) -> str:
    having = (
        "The team has its one run" if quota.limit == 1 else f"The team has its {quota.limit} runs"
    )
    if campaign.quota_days is not None:
        return f"{having} of {campaign.quota_days} days{_from(quota.next_at)}."
    if tells_anything(campaign):
        return f"{having}; withdrawn and replaced ones count as well."
    return f"{having}; withdraw or replace one to hand in another."


def _from(moment: datetime | None) -> str:
    return f"; the next one is taken from {moment:%-d %B %Y %H:%M:%S} UTC" if moment else ""
