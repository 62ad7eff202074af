"""When teams can be created, and who are *participants*.

Both depend on the close of submissions: the stage or the closing date, whichever is earlier.
"""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from campaigns.models import Campaign, Run, Team


def is_before_close(campaign: Campaign, moment: datetime) -> bool:
    """Whether the campaign is open and its closing date has not passed. The time before the first
    date of submission is included, the grace period after the last one is not."""
    return campaign.is_accepting and (campaign.closes_at is None or moment < campaign.closes_at)


def allows_new_teams(campaign: Campaign, moment: datetime) -> bool:
    """Whether people can create teams, now or after a draft opens. Pages and emails invite to
    create a team only then."""
    if campaign.archived_at is not None:
        return False
    return campaign.stage == Campaign.Stage.DRAFT or is_before_close(campaign, moment)


def participating_teams(campaign: Campaign, moment: datetime) -> QuerySet[Team]:
    """Before the close, every approved team. After it, the teams with a run that counts, and those
    that an organiser has admitted.

    A run counts if it is accepted, in time, not withdrawn and not disqualified. Only a team that
    existed at the close can have one, unless an organiser submits a run for it.
    """
    approved = campaign.teams.filter(approved_at__isnull=False)
    if is_before_close(campaign, moment):
        return approved
    counted = Run.objects.ranked().filter(team=OuterRef("pk"))
    return approved.filter(Q(admitted_at__isnull=False) | Exists(counted))
