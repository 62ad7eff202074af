"""The rows of the page on which organisers see people and teams."""

from dataclasses import dataclass
from typing import TypeAlias

from campaigns.models import Campaign, Membership, Team
from campaigns.people import teams
from campaigns.people.email_invitations import Invited, invited_by_email
from campaigns.trec.names import name_key

Members: TypeAlias = list[Membership]


@dataclass(frozen=True)
class PeopleRows:
    waiting: list[tuple[Team, Members, bool]]  # and whether an approved team has the name
    approved: list[tuple[Team, Members, bool]]  # and whether another one has the name; those first
    without_team: Members  # participants
    others: list[tuple[Membership, str]]  # other roles, and what ties the person to a team
    invited: list[Invited]


def people_rows(campaign: Campaign) -> PeopleRows:
    """Runs four queries for any number of people."""
    memberships = list(
        campaign.memberships.select_related("person", "team").order_by("role", "created_at")
    )
    all_teams = list(teams.with_counts(campaign).order_by("name", "pk"))
    members: dict[int, Members] = {team.pk: [] for team in all_teams}
    teams_of = teams.teams_with_runs_left(campaign)
    for membership in memberships:
        if membership.team_id is not None:
            members[membership.team_id].append(membership)
            teams_of[membership.person_id] = f"in the team {membership.team}"
    alone = [each for each in memberships if each.team_id is None]
    approved = [team for team in all_teams if team.approved_at is not None]
    taken = {name_key(team.name) for team in approved}
    same_named = teams.same_named(approved)
    return PeopleRows(
        waiting=[
            (team, members[team.pk], name_key(team.name) in taken)
            for team in all_teams
            if team.approved_at is None
        ],
        approved=[
            (team, members[team.pk], team in same_named)
            for team in sorted(approved, key=lambda team: team not in same_named)
        ],
        without_team=[each for each in alone if each.role == Membership.Role.PARTICIPANT],
        others=[
            (each, teams_of.get(each.person_id, ""))
            for each in alone
            if each.role != Membership.Role.PARTICIPANT
        ],
        invited=invited_by_email(campaign, memberships),
    )
