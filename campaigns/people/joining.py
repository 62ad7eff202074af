"""What keeps a person from joining a campaign or from inviting others; and the joining itself.

Call these in a transaction that holds the campaign by `locked`.
"""

from django.db import IntegrityError, transaction
from django.db.models import Q

from campaigns.errors import CannotInvite, CannotJoin
from campaigns.models import Campaign, Invitation, Membership, Team, User
from campaigns.people import teams

# These roles and a team exclude each other.
OUTSIDE_TEAMS = (Membership.Role.ASSESSOR, Membership.Role.READER)


def lock_campaign(campaign: Campaign) -> Campaign:
    """The campaign as it is, until this transaction ends: who joins, invites or is removed does so
    one after the other, and no stage changes in between."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)


def refuse_archived(campaign: Campaign) -> None:
    if campaign.archived_at is not None:
        raise CannotJoin("This campaign is archived; nobody joins it any more.")


def refuse_second_team(campaign: Campaign, person: User) -> None:
    if Membership.objects.filter(
        campaign=campaign, person=person, role=Membership.Role.PARTICIPANT
    ).exists():
        raise CannotJoin("You are in a team of this campaign already.")


def refuse_invitation_by_outsider(campaign: Campaign, by: User, team: Team | None) -> None:
    may_invite = Q(role=Membership.Role.ORGANISER)
    if team is not None:
        may_invite |= Q(team=team)
    if not campaign.memberships.filter(may_invite, person=by).exists():
        raise CannotInvite("You were removed in the meantime, so you cannot invite anyone.")


def refuse_conflict(campaign: Campaign, person: User, role: str) -> None:
    """Raises `CannotJoin` for an assessor or a reader who would be in a team, and the reverse."""
    in_team = Membership.Role.PARTICIPANT
    excluded = {in_team: OUTSIDE_TEAMS} | dict.fromkeys(OUTSIDE_TEAMS, (in_team,))
    rivals = excluded.get(Membership.Role(role), ())
    held = campaign.memberships.filter(person=person, role__in=rivals).first()
    if held is None:
        return
    if held.team is not None:
        raise CannotJoin(
            f"You are a member of the team {held.team} of this campaign, and no {role} is in a "
            "team. Leave the team first, or ask an organiser."
        )
    raise CannotJoin(
        f"You have the role {held.role} in this campaign, and no {held.role} is in a team. Ask an "
        "organiser to remove that role."
    )


def refuse_removed(invitation: Invitation, person: User) -> None:
    removed_at = teams.last_removal(invitation.campaign, person)
    if removed_at is not None and invitation.created_at <= removed_at:
        raise CannotJoin(
            "An organiser removed you from this campaign after this link was made. Ask for a new "
            "link."
        )


def join(campaign: Campaign, person: User, role: str, team: Team | None) -> Membership:
    try:
        with transaction.atomic():
            return Membership.objects.create(campaign=campaign, person=person, role=role, team=team)
    except IntegrityError as error:  # two clicks at once; the constraint let one through
        raise CannotJoin("You have joined already.") from error
