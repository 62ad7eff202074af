"""What becomes of a team: let in, renamed, left, disqualified; `merging` makes two one.

Each act holds the team's row, so that two organisers at once do one thing after the other.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from campaigns.errors import CannotChangeTeam
from campaigns.log import record
from campaigns.mail import notices
from campaigns.models import Campaign, Membership, Team, User


@transaction.atomic
def create_team(*, campaign: Campaign, name: str, actor: User) -> Team:
    """An organiser's team without anybody in it yet: a link brings its members."""
    refuse_archived(campaign)
    team = Team.objects.create(campaign=campaign, name=name)
    record(team, actor, "founded", team=name)
    return team


@transaction.atomic
def decide_team(*, team: Team, approve: bool, actor: User) -> None:
    """Lets a team in that waits, or sends it away: then it is as if it had never asked."""
    team = lock_team(team)
    if team.approved_at is not None:
        raise CannotChangeTeam("This team has been let in already.")
    if approve:
        team.approved_at = timezone.now()
        team.save(update_fields=["approved_at"])
        notices.notify_members(team, "approved", key=team.public_id)
        record(team, actor, "approved", team=team.name)
        return
    if team.runs.exists():
        raise CannotChangeTeam("This team has runs; disqualify it instead.")
    notices.notify_members(team, "declined", key=team.public_id)
    team.memberships.all().delete()
    record(team, actor, "declined", team=team.name)
    team.delete()


@transaction.atomic
def admit_team(*, team: Team, admit: bool, actor: User) -> None:
    """After the close its members see what participants see, although no run of theirs counts; or
    no longer."""
    team = lock_team(team)
    if team.approved_at is None:
        raise CannotChangeTeam("This team awaits your approval: approve it first.")
    if (team.admitted_at is not None) == admit:
        raise CannotChangeTeam(f"This team is {'already' if admit else 'not'} admitted.")
    team.admitted_at = timezone.now() if admit else None
    team.save(update_fields=["admitted_at"])
    record(team, actor, "admitted" if admit else "revoked admission", team=team.name)


@transaction.atomic
def edit_team(
    *, team: Team, name: str, is_anonymous: bool, shares_files: bool, person: User
) -> None:
    """Its own members rename it, hide or show it, and say whether its files may be passed on."""
    team = lock_team(team)
    was = {"name": team.name, "is_anonymous": team.is_anonymous, "shares_files": team.shares_files}
    team.name, team.shares_files = name, shares_files
    # Where anonymous teams are no longer allowed, one that is stays so until it says otherwise.
    may_hide = team.campaign.allows_anonymous_teams or team.is_anonymous
    team.is_anonymous = is_anonymous and may_hide
    now = {field: getattr(team, field) for field in was}
    if now != was:
        team.save(update_fields=list(was))
        record(team, person, "changed team", before=was, after=now)


@transaction.atomic
def leave(*, team: Team, person: User) -> None:
    """The runs stay the team's."""
    membership = Membership.objects.filter(team=lock_team(team), person=person).first()
    if membership is not None:
        drop_member(membership, actor=person, verb="left")


@transaction.atomic
def drop_member(membership: Membership, *, actor: User, verb: str) -> None:
    """Takes a member out of a team; with the last one goes a team that never handed anything in."""
    if membership.team is None:
        raise ValueError(f"{membership} is in no team")
    team = lock_team(membership.team)
    if not Membership.objects.filter(pk=membership.pk).delete()[0]:
        return
    had_runs = team.runs.exists()
    record(team, actor, verb, team=team.name, person=membership.person_id, had_runs=had_runs)
    if not had_runs and not team.memberships.exists():
        team.delete()


def has_left_runs_behind(campaign: Campaign, person: User) -> bool:
    """Whether this person was in a team of this campaign that has runs, and is no more."""
    return campaign.log.filter(
        verb__in=["left", "removed"], details__person=person.pk, details__had_runs=True
    ).exists()


def teams_with_runs_left(campaign: Campaign) -> dict[int, str]:
    """In words, by person: which team that has runs each was in, and is no more."""
    left = campaign.log.filter(verb__in=["left", "removed"], details__had_runs=True)
    entries = left.order_by("at").values_list("details__person", "details__team")
    return {person: f"was in the team {team}" for person, team in entries}


def last_removal(campaign: Campaign, person: User) -> datetime | None:
    """When an organiser last took a role or a team of this campaign from this person."""
    removals = campaign.log.filter(verb="removed", details__person=person.pk)
    return removals.aggregate(last=Max("at"))["last"]


@transaction.atomic
def disqualify_team(*, team: Team, reason: str, actor: User) -> None:
    """None of its runs is ranked; that it is so, and why, is seen beside them."""
    reason = " ".join(reason.split())
    if not reason:
        raise CannotChangeTeam("Say why: the reason is shown beside the team's runs.")
    if len(reason) > 500:
        raise CannotChangeTeam("Say why in at most 500 characters.")
    team = lock_team(team)
    if team.disqualified_at is not None:
        raise CannotChangeTeam("This team is disqualified already.")
    team.disqualified_at, team.disqualified_reason = timezone.now(), reason
    team.save(update_fields=["disqualified_at", "disqualified_reason"])
    stamp = team.disqualified_at.isoformat()
    notices.notify_members(team, "disqualified", key=stamp)
    record(team, actor, "disqualified team", team=team.name, reason=reason)


@transaction.atomic
def reinstate_team(*, team: Team, actor: User) -> None:
    team = lock_team(team)
    if team.disqualified_at is None:
        raise CannotChangeTeam("This team is not disqualified.")
    team.disqualified_at, team.disqualified_reason = None, ""
    team.save(update_fields=["disqualified_at", "disqualified_reason"])
    notices.notify_members(team, "reinstated", key=timezone.now().isoformat())
    record(team, actor, "reinstated team", team=team.name)


def lock_team(team: Team) -> Team:
    """The team as it is, until this transaction ends."""
    rows = (
        Team.objects.select_for_update(of=("self",)).select_related("campaign").filter(pk=team.pk)
    )
    found = rows.first()
    if found is None:
        raise CannotChangeTeam("This team is gone: it was merged, declined or left by all.")
    refuse_archived(found.campaign)
    return found


def refuse_archived(campaign: Campaign) -> None:
    if campaign.archived_at is not None:
        raise CannotChangeTeam("This campaign is archived; nothing about it changes any more.")
