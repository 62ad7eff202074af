"""A person's own campaigns for the home page: the roles in each, and what waits for the person.

The number of queries does not depend on the number of campaigns. Nothing here reads scores, or runs
of other teams that the person may not see.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from campaigns import access, lifecycle
from campaigns.judging.tasks import left_by_campaign
from campaigns.models import Campaign, Membership, Run, Team, User
from campaigns.models.runs import STANDING
from campaigns.participation import is_before_close
from campaigns.people import organiser_requests
from campaigns.runs.decisions import BEFORE_JUDGING

Role = Membership.Role


@dataclass(frozen=True)
class OwnCampaign:
    """A campaign in which the person has a role, and how many things wait for the person there."""

    campaign: Campaign
    roles: tuple[str, ...]  # without that of a team member
    team: Team | None
    has_to_join: bool  # a team, or to create one
    is_accepting: bool  # runs of the person's team
    has_runs: bool  # of the person's team
    to_accept: int  # runs of the person's team
    to_judge: int  # documents
    to_approve: int  # teams and new names of teams
    failed: int  # runs that an organiser can check again

    @property
    def has_to_submit(self) -> bool:
        return self.is_accepting and not self.has_runs

    @property
    def is_own_draft(self) -> bool:
        return self.campaign.stage == Campaign.Stage.DRAFT and Role.ORGANISER in self.roles

    @property
    def is_waiting(self) -> bool:
        counts = self.to_accept + self.to_judge + self.to_approve + self.failed
        return bool(counts) or self.has_to_submit or self.has_to_join or self.is_own_draft


def own_campaigns(person: User, moment: datetime) -> list[OwnCampaign]:
    """Those that wait for the person first, then the newest."""
    visible = access.campaigns_visible_to(person).filter(archived_at=None)
    memberships = list(
        Membership.objects.filter(person=person, campaign__in=visible)
        .select_related("campaign", "team")
        .order_by("-campaign__created_at", "-campaign", "role")
    )
    organised = {each.campaign_id for each in memberships if each.role == Role.ORGANISER}
    assessed = {each.campaign_id for each in memberships if each.role == Role.ASSESSOR}
    teams = {each.team_id for each in memberships if each.team_id}
    runs = Run.objects.filter(team__in=teams)
    unapproved = Q(approved_at=None) | ~Q(proposed_name="")
    counts = _Counts(
        with_runs=_by_campaign(runs.filter(STANDING)),
        to_accept=_by_campaign(
            runs.filter(
                state=Run.State.CHECKED, withdrawn_at=None, campaign__stage__in=BEFORE_JUDGING
            )
        ),
        to_judge=left_by_campaign(person, assessed, moment),
        to_approve=_by_campaign(Team.objects.filter(unapproved, campaign__in=organised)),
        failed=_by_campaign(
            Run.objects.filter(state=Run.State.FAILED, withdrawn_at=None, campaign__in=organised)
        ),
    )
    by_campaign: dict[int, list[Membership]] = {}
    for each in memberships:
        by_campaign.setdefault(each.campaign_id, []).append(each)
    found = [_own(each, counts, moment) for each in by_campaign.values()]
    # The sort is stable, so that the newest stay first among those that wait and among the others.
    return sorted(found, key=lambda own: not own.is_waiting)


def open_requests(person: User) -> int:
    """How many people wait for an operator's permission to create campaigns."""
    return organiser_requests.open_requests().count() if person.is_staff else 0


@dataclass(frozen=True)
class _Counts:
    """By campaign."""

    with_runs: Counter[int]
    to_accept: Counter[int]
    to_judge: Counter[int]
    to_approve: Counter[int]
    failed: Counter[int]


def _by_campaign(rows: QuerySet[Run] | QuerySet[Team]) -> Counter[int]:
    return Counter(rows.values_list("campaign", flat=True))


def _own(memberships: Collection[Membership], counts: _Counts, moment: datetime) -> OwnCampaign:
    campaign = next(iter(memberships)).campaign
    team = next((each.team for each in memberships if each.team), None)
    return OwnCampaign(
        campaign=campaign,
        roles=tuple(each.role for each in memberships if each.team_id is None),
        team=team,
        has_to_join=any(
            each.role == Role.PARTICIPANT and each.team_id is None for each in memberships
        )
        and campaign.joining != Campaign.Joining.INVITED
        and is_before_close(campaign, moment),
        is_accepting=team is not None
        and team.approved_at is not None
        and team.disqualified_at is None
        and lifecycle.is_accepting_at(campaign, moment)
        and (campaign.topics_released_at is None or campaign.topics_released_at <= moment),
        has_runs=bool(counts.with_runs[campaign.pk]),
        to_accept=counts.to_accept[campaign.pk],
        to_judge=counts.to_judge[campaign.pk],
        to_approve=counts.to_approve[campaign.pk],
        failed=counts.failed[campaign.pk],
    )
