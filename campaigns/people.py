"""Who joins a campaign, and as what: invitations, roles, terms."""

import hashlib
import secrets
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from campaigns import lifecycle, notices, teams
from campaigns.models import Campaign, Invitation, LogEntry, Membership, Team, User

INVITATION_LIFETIME = timedelta(days=30)

# Roles that a link gives by itself; a participant needs a team to come into.
INVITED_ROLES = (Membership.Role.ORGANISER, Membership.Role.ASSESSOR, Membership.Role.READER)


class CannotJoin(Exception):
    """The message says why, to the person who tried."""


class CannotRemove(Exception):
    """The message says why, to the organiser who tried."""


def display_name(person: User) -> str:
    """What people of other teams are shown: never the e-mail address."""
    return person.name or "somebody without a name yet"


def found_team(
    *,
    campaign: Campaign,
    person: User,
    name: str,
    is_anonymous: bool = False,
    shares_files: bool = False,
    accepts_terms: bool = False,
) -> Team:
    """A new team with this person in it. It waits for an organiser's word where the campaign asks
    for one, and where the person left a team that has runs: no quota is had twice by leaving."""
    _refuse_archived(campaign)
    if campaign.joining == Campaign.Joining.INVITED:
        raise CannotJoin("Teams are founded by the organisers of this campaign.")
    waits = campaign.joining == Campaign.Joining.APPROVAL
    with transaction.atomic():
        _refuse_second_team(campaign, person)
        waits = waits or teams.has_left_runs_behind(campaign, person)
        team = Team.objects.create(
            campaign=campaign,
            name=name,
            approved_at=None if waits else timezone.now(),
            is_anonymous=is_anonymous and campaign.allows_anonymous_teams,
            shares_files=shares_files,
        )
        _join(campaign, person, Membership.Role.PARTICIPANT, team)
        if accepts_terms:
            accept_terms(campaign=campaign, person=person)
        LogEntry.objects.create(
            campaign=campaign,
            actor=person,
            verb="founded",
            subject=team.public_id,
            details={"team": name, "waits": waits},
        )
        if waits:
            notices.tell_organisers(team, "asked")
    return team


def invite(
    *, campaign: Campaign, by: User, role: str, team: Team | None = None
) -> tuple[Invitation, str]:
    """The invitation and the token of its link, which is kept nowhere else. Raises `Archived`."""
    lifecycle.refuse_archived(campaign)
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        invitation = Invitation.objects.create(
            campaign=campaign,
            role=role,
            team=team,
            token_digest=_digest(token),
            created_by=by,
            expires_at=timezone.now() + INVITATION_LIFETIME,
        )
        LogEntry.objects.create(
            campaign=campaign,
            actor=by,
            verb="invited",
            subject=role,
            details={"team": team.public_id} if team else {},
        )
    return invitation, token


def find_invitation(token: str) -> Invitation | None:
    """The invitation this token opens, if it still does."""
    return (
        Invitation.objects.select_related("campaign", "team")
        .filter(token_digest=_digest(token), revoked_at=None, expires_at__gt=timezone.now())
        .first()
    )


def accept_invitation(
    *, invitation: Invitation, person: User, accepts_terms: bool = False
) -> Membership:
    """Gives the person the role the link offers. Following it twice changes nothing."""
    campaign, role, team = invitation.campaign, invitation.role, invitation.team
    _refuse_archived(campaign)
    with transaction.atomic():
        # Whoever revokes it waits here, or has done it.
        held = Invitation.objects.select_for_update().filter(pk=invitation.pk, revoked_at=None)
        if not held.exists():
            raise CannotJoin("This invitation has been revoked.")
        existing = Membership.objects.filter(campaign=campaign, person=person, role=role).first()
        if existing is not None and existing.team_id == (team.pk if team else None):
            return existing
        if team is not None:
            _refuse_second_team(campaign, person)
        membership = _join(campaign, person, role, team)
        if accepts_terms:
            accept_terms(campaign=campaign, person=person)
        LogEntry.objects.create(campaign=campaign, actor=person, verb="joined", subject=role)
    return membership


@transaction.atomic
def revoke(invitation: Invitation, *, actor: User | None = None) -> None:
    """The link opens nothing any more; who followed it before stays. Raises `Archived`."""
    lifecycle.refuse_archived(invitation.campaign)
    revoked = Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(
        revoked_at=timezone.now()
    )
    if revoked:
        LogEntry.objects.create(
            campaign_id=invitation.campaign_id,
            actor=actor,
            verb="revoked invitation",
            subject=invitation.role,
        )


@transaction.atomic
def remove_role(*, membership: Membership, actor: User) -> None:
    """Takes a role from a person; never the last organiser's, who alone could undo it. Raises
    `CannotRemove`, and as leaving a team does."""
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=membership.campaign_id)
    if campaign.archived_at is not None:
        raise CannotRemove("The campaign is archived: bring it back first.")
    membership = Membership.objects.filter(pk=membership.pk).first() or membership
    if membership.role == Membership.Role.ORGANISER:
        organisers = campaign.memberships.filter(role=Membership.Role.ORGANISER)
        if not organisers.exclude(pk=membership.pk).exists():
            raise CannotRemove("This is the last organiser; invite another one first.")
    if membership.team is not None:
        teams.drop_member(membership, actor=actor, verb="removed")
    elif Membership.objects.filter(pk=membership.pk).delete()[0]:
        LogEntry.objects.create(
            campaign=campaign,
            actor=actor,
            verb="removed",
            subject=membership.role,
            details={"person": membership.person_id},
        )


def terms_digest(campaign: Campaign) -> str:
    """Which words are accepted; changed ones are asked for anew."""
    return _digest(campaign.terms)


@transaction.atomic
def accept_terms(*, campaign: Campaign, person: User) -> None:
    """Accepts the terms as they stand in `campaign`, in each role this person has. Raises
    `Archived`."""
    lifecycle.refuse_archived(campaign)
    accepted = Membership.objects.filter(campaign=campaign, person=person).update(
        terms_digest=terms_digest(campaign), terms_accepted_at=timezone.now()
    )
    if accepted:
        LogEntry.objects.create(campaign=campaign, actor=person, verb="accepted terms")


def has_accepted_terms(campaign: Campaign, person: User) -> bool:
    """Whether this person has accepted the terms as they stand; yes where there are none."""
    if not campaign.terms:
        return True
    mine = Membership.objects.filter(campaign=campaign, person=person)
    return mine.filter(terms_digest=terms_digest(campaign)).exists()


def _refuse_archived(campaign: Campaign) -> None:
    if campaign.archived_at is not None:
        raise CannotJoin("This campaign is archived; nobody joins it any more.")


def _refuse_second_team(campaign: Campaign, person: User) -> None:
    if Membership.objects.filter(
        campaign=campaign, person=person, role=Membership.Role.PARTICIPANT
    ).exists():
        raise CannotJoin("You are in a team of this campaign already.")


def _join(campaign: Campaign, person: User, role: str, team: Team | None) -> Membership:
    try:
        with transaction.atomic():
            return Membership.objects.create(campaign=campaign, person=person, role=role, team=team)
    except IntegrityError as error:  # two clicks at once; the constraint let one through
        raise CannotJoin("You have joined already.") from error


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
