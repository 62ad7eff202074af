"""Teams, invitations and roles: who joins what, and how."""

import hashlib
import secrets
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone
from knox.models import AuthToken

from campaigns.models import Campaign, Invitation, LogEntry, Membership, Team, User

INVITATION_LIFETIME = timedelta(days=30)
TOKEN_LIFETIME = timedelta(days=365)


class CannotJoin(Exception):
    """The message says why, to the person who tried."""


def display_name(person: User) -> str:
    """What other people are shown: never the e-mail address."""
    return person.name or "somebody without a name yet"


def make_token(person: User) -> str:
    """A token for the person's scripts; only its digest is kept. It expires after a year."""
    _, token = AuthToken.objects.create(user=person, expiry=TOKEN_LIFETIME)
    return str(token)


def found_team(*, campaign: Campaign, person: User, name: str) -> Team:
    """A new team with this person in it."""
    with transaction.atomic():
        _refuse_second_team(campaign, person)
        team = Team.objects.create(campaign=campaign, name=name)
        _join(campaign, person, Membership.Role.PARTICIPANT, team)
        LogEntry.objects.create(
            campaign=campaign, actor=person, verb="founded", subject=team.public_id
        )
    return team


def invite(
    *, campaign: Campaign, by: User, role: str, team: Team | None = None
) -> tuple[Invitation, str]:
    """The invitation and the token of its link, which is kept nowhere else."""
    token = secrets.token_urlsafe(24)
    invitation = Invitation.objects.create(
        campaign=campaign,
        role=role,
        team=team,
        token_digest=_digest(token),
        created_by=by,
        expires_at=timezone.now() + INVITATION_LIFETIME,
    )
    return invitation, token


def find_invitation(token: str) -> Invitation | None:
    """The invitation this token opens, if it still does."""
    return (
        Invitation.objects.select_related("campaign", "team")
        .filter(token_digest=_digest(token), revoked_at=None, expires_at__gt=timezone.now())
        .first()
    )


def accept_invitation(*, invitation: Invitation, person: User) -> Membership:
    """Gives the person the role the link offers. Following it twice changes nothing."""
    campaign, role, team = invitation.campaign, invitation.role, invitation.team
    with transaction.atomic():
        existing = Membership.objects.filter(campaign=campaign, person=person, role=role).first()
        if existing is not None and existing.team_id == (team.pk if team else None):
            return existing
        if team is not None:
            _refuse_second_team(campaign, person)
        membership = _join(campaign, person, role, team)
        LogEntry.objects.create(campaign=campaign, actor=person, verb="joined", subject=role)
    return membership


def revoke(invitation: Invitation) -> None:
    Invitation.objects.filter(pk=invitation.pk).update(revoked_at=timezone.now())


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


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
