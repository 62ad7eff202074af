"""Operations on a team: create, approve, rename, leave, disqualify. `merging` merges two teams.

Each operation locks the team's row, so that operations of two organisers do not overlap.
"""

from collections import Counter
from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from campaigns import access
from campaigns.errors import CannotChangeTeam
from campaigns.log import record
from campaigns.mail import notices
from campaigns.models import Campaign, Membership, Run, Team, User
from campaigns.participation import participating_teams
from campaigns.trec.names import composed, name_key

NAME_TAKEN = (
    "Another team of this campaign has this name. Choose another one. If it is your team, ask a "
    "member for an invitation link."
)


def approved_teams_named(campaign: Campaign, name: str, *, but: Team | None = None) -> list[Team]:
    """The approved teams that have this name already. Call it with the campaign locked."""
    approved = campaign.teams.select_related("campaign").exclude(approved_at=None).order_by("pk")
    others = approved.exclude(pk=but.pk) if but is not None else approved
    return [team for team in others if name_key(team.name) == name_key(name)]


def same_named(approved: Collection[Team]) -> list[Team]:
    """Those of these teams whose name another one of them has too."""
    counts = Counter(name_key(team.name) for team in approved)
    return [team for team in approved if counts[name_key(team.name)] > 1]


def team_choices(approved: Collection[Team]) -> list[tuple[str, str]]:
    """The public id and the name of each of these teams, for a choice of an organiser. Names that
    are not unique have the members behind them, because a team sees each run and person in it."""
    members: dict[int, list[str]] = {team.pk: [] for team in same_named(approved)}
    of_these = Membership.objects.filter(team__in=members).select_related("person")
    for membership in of_these.order_by("created_at", "pk"):
        members[membership.team_id].append(str(membership.person))
    notes = {pk: f" ({', '.join(names) or 'no members'})" for pk, names in members.items()}
    return [(team.public_id, team.name + notes.get(team.pk, "")) for team in approved]


@transaction.atomic
def create_team(*, campaign: Campaign, name: str, actor: User) -> Team:
    """Creates a team without members for an organiser. Its members join by a link."""
    campaign = lock_campaign(campaign)
    refuse_archived(campaign)
    _refuse_taken_name(campaign, name)
    team = Team.objects.create(campaign=campaign, name=name)
    record(team, actor, "created team", team=name)
    return team


@transaction.atomic
def decide_team(*, team: Team, approve: bool, actor: User, name: str = "") -> None:
    """Approves a team that awaits approval, under another name if one is given, or declines and
    deletes it."""
    lock_campaign(team.campaign)
    team = lock_team(team)
    if team.approved_at is not None:
        raise CannotChangeTeam("This team is already approved.")
    if approve:
        if name:
            _rename(team, name, actor)
        _refuse_taken_name(team.campaign, team.name, but=team)
        team.approved_at = timezone.now()
        team.save(update_fields=["approved_at"])
        notices.notify_members(team, "approved", key=team.public_id)
        record(team, actor, "approved", team=team.name)
        return
    if team.runs.exists():
        raise CannotChangeTeam("This team has runs. Disqualify it instead.")
    notices.notify_members(team, "declined", key=team.public_id)
    _take_out(team.memberships.all())
    record(team, actor, "declined", team=team.name)
    team.delete()


@transaction.atomic
def rename_team(*, team: Team, name: str, actor: User) -> None:
    """Gives the team another name, on behalf of an organiser."""
    lock_campaign(team.campaign)
    team = lock_team(team)
    if team.approved_at is not None:
        _refuse_taken_name(team.campaign, name, but=team)
    _rename(team, name, actor)


@transaction.atomic
def admit_team(*, team: Team, admit: bool, actor: User) -> None:
    """Admits the team or revokes its admission. Members of an admitted team see what participants
    see after submissions close, even without a run that counts."""
    team = lock_team(team)
    if team.approved_at is None:
        raise CannotChangeTeam("This team awaits your approval. Approve it first.")
    if (team.admitted_at is not None) == admit:
        raise CannotChangeTeam(f"This team is {'already' if admit else 'not'} admitted.")
    team.admitted_at = timezone.now() if admit else None
    team.save(update_fields=["admitted_at"])
    record(team, actor, "admitted" if admit else "revoked admission", team=team.name)


@transaction.atomic
def edit_team(
    *, team: Team, name: str, is_anonymous: bool, shares_files: bool, person: User
) -> None:
    """Changes the settings of the team, on behalf of a member. If its members cannot see the other
    teams, an organiser approves each new name, so that the answer does not depend on them."""
    lock_campaign(team.campaign)
    team = lock_team(team)
    before = {
        "name": team.name,
        "proposed_name": team.proposed_name,
        "is_anonymous": team.is_anonymous,
        "shares_files": team.shares_files,
    }
    # A team that awaits approval has no name yet that another one could have.
    is_renamed = team.approved_at is not None and name != composed(team.name)
    participates = participating_teams(team.campaign, timezone.now()).contains(team)
    shows_name = is_renamed or (team.is_anonymous and not is_anonymous)
    others = _hidden_teams_named(team, name, participates=participates) if shows_name else []
    must_wait = is_renamed and not access.sees_teams(team.campaign, participates=participates)
    team.name, team.proposed_name = (team.name, name) if must_wait else (name, "")
    team.shares_files = shares_files
    # If anonymous teams are no longer allowed, an existing one may stay anonymous.
    may_hide = team.campaign.allows_anonymous_teams or team.is_anonymous
    team.is_anonymous = is_anonymous and may_hide
    after = {field: getattr(team, field) for field in before}
    if after != before:
        team.save(update_fields=list(before))
        record(team, person, "changed team", before=before, after=after)
    if team.proposed_name and team.proposed_name != before["proposed_name"]:
        notices.notify_organisers(team, "proposed_name", key=timezone.now().isoformat())
    elif is_renamed and others and not must_wait:
        notices.notify_organisers(team, "same_name", key=timezone.now().isoformat())


@transaction.atomic
def leave(*, team: Team, person: User) -> None:
    """Removes the person from the team. The runs stay with the team."""
    membership = Membership.objects.filter(team=lock_team(team), person=person).first()
    if membership is not None:
        drop_member(membership, actor=person, verb="left")


@transaction.atomic
def drop_member(membership: Membership, *, actor: User, verb: str) -> None:
    """Takes a member out of the team, and with the verb *removed* out of the campaign. A team
    without members that never submitted a run is deleted."""
    if membership.team is None:
        raise ValueError(f"{membership} is in no team")
    team = lock_team(membership.team)
    member = Membership.objects.filter(pk=membership.pk)
    if not (_take_out(member) if verb == "left" else member.delete()[0]):
        return
    had_runs = team.runs.exists()
    record(team, actor, verb, team=team.name, person=membership.person_id, had_runs=had_runs)
    if not had_runs and not team.memberships.exists():
        team.delete()


def _take_out(members: QuerySet[Membership]) -> int:
    """Members who joined by a link to the campaign stay in it without a team. The others leave it.
    Returns their number."""
    stay = members.filter(invitation__isnull=False, invitation__team=None).update(team=None)
    return stay + members.filter(team__isnull=False).delete()[0]


def has_left_runs_behind(campaign: Campaign, person: User) -> bool:
    """Whether this person left, or was removed from, a team of this campaign that has runs."""
    return campaign.log.filter(
        verb__in=["left", "removed"], details__person=person.pk, details__had_runs=True
    ).exists()


def teams_with_runs_left(campaign: Campaign) -> dict[int, str]:
    """By person, a text about the last team with runs that the person is no longer in."""
    left = campaign.log.filter(verb__in=["left", "removed"], details__had_runs=True)
    entries = left.order_by("at").values_list("details__person", "details__team")
    return {person: f"was in the team {team}" for person, team in entries}


def last_removal(campaign: Campaign, person: User) -> datetime | None:
    """When an organiser last removed this person from a role or a team of this campaign."""
    removals = campaign.log.filter(verb="removed", details__person=person.pk)
    return removals.aggregate(last=Max("at"))["last"]


@transaction.atomic
def disqualify_team(*, team: Team, reason: str, actor: User) -> None:
    """Excludes the team's runs from the ranking. The reason is shown with each run."""
    reason = " ".join(reason.split())
    if not reason:
        raise CannotChangeTeam("Enter a reason. It is shown with the team's runs.")
    if len(reason) > 500:
        raise CannotChangeTeam("Shorten the reason to at most 500 characters.")
    team = lock_team(team)
    if team.disqualified_at is not None:
        raise CannotChangeTeam("This team is already disqualified.")
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


def _hidden_teams_named(team: Team, name: str, *, participates: bool) -> list[Team]:
    """The other approved teams that have this name. Raises `CannotChangeTeam` if the members of the
    team, who participate or not, can see one of them."""
    others = approved_teams_named(team.campaign, name, but=team)
    if any(access.sees_team(other, participates=participates) for other in others):
        raise CannotChangeTeam(NAME_TAKEN)
    return others


def _refuse_taken_name(campaign: Campaign, name: str, *, but: Team | None = None) -> None:
    others = approved_teams_named(campaign, name, but=but)
    if others:
        raise CannotChangeTeam(
            f"The campaign has an approved team with this name: {others[0]}. Choose another "
            "name, or rename that team first."
        )


def _rename(team: Team, name: str, actor: User) -> None:
    before, team.name, team.proposed_name = team.name, name, ""
    team.save(update_fields=["name", "proposed_name"])
    if before != name:
        record(team, actor, "changed team", before={"name": before}, after={"name": name})


def lock_campaign(campaign: Campaign) -> Campaign:
    """The current row, locked until the transaction ends. Joining, inviting, naming and removing
    happen one after the other, and the stage cannot change in between. Lock it before a team."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)


def lock_team(team: Team) -> Team:
    """The current row, locked until the transaction ends."""
    rows = Team.objects.select_for_update(of=("self",)).select_related("campaign")
    current = rows.filter(pk=team.pk).first()
    if current is None:
        raise CannotChangeTeam(
            "The team no longer exists. It was declined, merged, or left by all its members."
        )
    refuse_archived(current.campaign)
    return current


def refuse_archived(campaign: Campaign) -> None:
    if campaign.archived_at is not None:
        raise CannotChangeTeam("This campaign is archived and cannot be changed.")


def with_counts(campaign: Campaign) -> QuerySet[Team]:
    """The teams with `file_count`, the number of submitted files, and `run_count`, the number of
    those that are live runs."""
    live = Q(runs__in=Run.objects.filter(campaign=campaign).live())
    return campaign.teams.annotate(file_count=Count("runs"), run_count=Count("runs", filter=live))
