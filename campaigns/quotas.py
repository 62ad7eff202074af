"""How many runs a team may submit. Runs that count and attempts have separate limits.

The page, the API and the decision use one function. The decision calls it under a lock.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from campaigns.errors import SubmissionRefused
from campaigns.models import Audience, Campaign, Run, Team
from campaigns.models.runs import STANDING
from campaigns.text import zones

ATTEMPT_WINDOW = timedelta(hours=24)


@dataclass(frozen=True)
class Quota:
    """A team's use of its quota. `next_at` is set if the team cannot submit now but will be able
    to later."""

    used: int
    limit: int | None  # None: no limit
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
    # Refused and failed runs do not count. Unless scores are revealed, withdrawn and replaced runs
    # do not count either, and a run and its pending replacement count once.
    if reveals_scores(campaign):
        counted = team.runs.filter(STANDING | Q(state=Run.State.ACCEPTED))
    else:
        counted = team.runs.without_successors().filter(STANDING)
        if replacing is not None:
            counted = counted.exclude(pk=replacing.pk)
    if campaign.quota_days is not None:
        counted = counted.filter(submitted_at__gt=moment - timedelta(days=campaign.quota_days))
    # A failed file is the site's fault. Every other file is an attempt.
    attempts = team.runs.exclude(state=Run.State.FAILED).filter(
        submitted_at__gt=moment - ATTEMPT_WINDOW
    )
    quota = Quota(
        used=counted.count(),
        limit=campaign.run_quota,
        next_at=None,
        attempts=attempts.count(),
        attempt_limit=campaign.attempt_quota,
    )
    return replace(quota, next_at=_next_at(campaign, quota, counted, attempts))


def decide_quota(
    campaign: Campaign, team: Team, moment: datetime, *, replacing: Run | None = None
) -> None:
    """Raises `SubmissionRefused` if the team's quota of runs or of attempts is used up."""
    quota = quota_of(campaign, team, moment, replacing=replacing)
    if quota.is_used_up:
        raise SubmissionRefused(_used_up(campaign, quota), "quota", quota.next_at)
    if quota.is_out_of_attempts:
        message = f"The team has submitted {quota.attempts} files within 24 hours."
        raise SubmissionRefused(message + _next(campaign, quota.next_at), "attempts", quota.next_at)


def frees_quota(campaign: Campaign, quota: Quota, run: Run, moment: datetime) -> bool:
    """Whether a run that replaces this one would be within the team's quota."""
    if quota.limit is None or reveals_scores(campaign) or quota.used > quota.limit:
        return quota.limit is None
    if campaign.quota_days is None:
        return True
    return run.submitted_at > moment - timedelta(days=campaign.quota_days)


def reveals_scores(campaign: Campaign) -> bool:
    """Whether a team sees scores while submissions are open. Then withdrawn runs count towards the
    quota, because otherwise a team could probe without limit."""
    return (
        campaign.shows_own_scores
        or campaign.board_audience >= Audience.PARTICIPANTS
        or campaign.feedback != Campaign.Feedback.NONE
    )


def _next_at(
    campaign: Campaign, quota: Quota, counted: QuerySet[Run], attempts: QuerySet[Run]
) -> datetime | None:
    """When the oldest runs and attempts that use up the quota leave its window."""
    moments = []
    if quota.limit is not None and quota.is_used_up:
        if campaign.quota_days is None or quota.limit == 0:
            return None  # waiting does not help
        window = timedelta(days=campaign.quota_days)
        # Once the run at the place of the limit leaves the window, there is room for one.
        moments += [moment + window for moment in _newest(counted, quota.limit)]
    if quota.is_out_of_attempts:
        if quota.attempt_limit == 0:
            return None
        moments += [moment + ATTEMPT_WINDOW for moment in _newest(attempts, quota.attempt_limit)]
    return max(moments, default=None)


def _newest(runs: QuerySet[Run], place: int) -> QuerySet[Run, datetime]:
    """When the run at this place, counted from the newest, was submitted. Empty if there are
    fewer runs."""
    moments = runs.order_by("-submitted_at").values_list("submitted_at", flat=True)
    return moments[place - 1 : place]


def _used_up(campaign: Campaign, quota: Quota) -> str:
    used = f"The team has submitted {quota.used} of {quota.limit} run"
    used += "" if quota.limit == 1 else "s"
    if campaign.quota_days is not None:
        days = f"{campaign.quota_days} day{'' if campaign.quota_days == 1 else 's'}"
        return f"{used} within {days}.{_next(campaign, quota.next_at)}"
    if reveals_scores(campaign):
        return f"{used}. Withdrawn and replaced runs count too."
    return f"{used}. Withdraw or replace a run to submit another."


def _next(campaign: Campaign, moment: datetime | None) -> str:
    if moment is None:
        return ""
    date = zones.date_text(moment, campaign.time_zone, "%-d %B %Y %H:%M:%S")
    return f" It can submit another run from {date}."
