"""Who joins a campaign, and as what: invitations, roles, terms."""

import hashlib
import secrets
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from campaigns import lifecycle, participation
from campaigns.errors import CannotInvite, CannotJoin, CannotRemoveMember
from campaigns.log import record
from campaigns.mail import notices
from campaigns.models import Campaign, Invitation, Membership, Team, User
from campaigns.people import teams

INVITATION_DAYS, MOST_DAYS = 30, 365

# Roles that a link gives by itself; a participant needs a team to come into.
INVITED_ROLES = (Membership.Role.ORGANISER, Membership.Role.ASSESSOR, Membership.Role.READER)
# How many people may follow a link into a team, unless whoever makes it says otherwise; a link for
# a role is for one.
TEAM_LINK_USES = 5
MOST_USES = 500
# These roles and a team exclude each other.
OUTSIDE_TEAMS = (Membership.Role.ASSESSOR, Membership.Role.READER)


def display_name(person: User) -> str:
    """What people of other teams are shown: never the e-mail address."""
    return person.name or "somebody without a name yet"


def create_own_team(
    *,
    campaign: Campaign,
    person: User,
    name: str,
    is_anonymous: bool = False,
    shares_files: bool = False,
    accepts_terms: bool = False,
) -> Team:
    """A new team with this person in it, before submissions close. An organiser approves it first
    where the campaign says so, where the person left a team that has runs (no quota is had twice
    by leaving), and where an organiser removed the person before."""
    with transaction.atomic():
        now = _lock_campaign(campaign)  # `campaign` has the terms as the person saw them
        _refuse_archived(now)
        if now.joining == Campaign.Joining.INVITED:
            raise CannotJoin("In this campaign only organisers create teams.")
        if not participation.is_before_close(now, timezone.now()):
            raise CannotJoin(
                "Submissions are not open, so you cannot create a team. An organiser can create "
                "one at any time, under People and teams."
            )
        _refuse_second_team(campaign, person)
        _refuse_conflict(campaign, person, Membership.Role.PARTICIPANT)
        waits = (
            now.joining == Campaign.Joining.APPROVAL
            or teams.has_left_runs_behind(campaign, person)
            or teams.last_removal(campaign, person) is not None
        )
        team = Team.objects.create(
            campaign=campaign,
            name=name,
            approved_at=None if waits else timezone.now(),
            is_anonymous=is_anonymous and now.allows_anonymous_teams,
            shares_files=shares_files,
        )
        _join(campaign, person, Membership.Role.PARTICIPANT, team)
        if accepts_terms:
            accept_terms(campaign=campaign, person=person)
        record(team, person, "founded", team=name, waits=waits)
        if waits:
            notices.notify_organisers(team, "asked")
    return team


def invite(
    *,
    campaign: Campaign,
    by: User,
    role: str,
    team: Team | None = None,
    max_uses: int | None = None,
    days: int | None = None,
) -> tuple[Invitation, str]:
    """The invitation and the token of its link, which is kept nowhere else. Raises `Archived`, and
    `CannotInvite` for a person who was removed a moment ago."""
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        campaign = _lock_campaign(campaign)
        lifecycle.refuse_archived(campaign)
        _refuse_invitation_by_outsider(campaign, by, team)
        invitation = Invitation.objects.create(
            campaign=campaign,
            role=role,
            team=team,
            token_digest=_digest(token),
            created_by=by,
            expires_at=timezone.now() + timedelta(days=days or INVITATION_DAYS),
            max_uses=max_uses or (TEAM_LINK_USES if team else 1),
        )
        details = {"team": team.public_id} if team else {}
        record(campaign, by, "invited", role, **details)
    return invitation, token


def find_invitation(token: str) -> Invitation | None:
    """The invitation of this token, unless it was revoked or has expired. It may be used up."""
    return (
        Invitation.objects.select_related("campaign", "team")
        .filter(token_digest=_digest(token), revoked_at=None, expires_at__gt=timezone.now())
        .first()
    )


def open_links(campaign: Campaign) -> QuerySet[Invitation]:
    """The links that somebody can still follow, the latest first."""
    links = campaign.invitations.filter(
        revoked_at=None, expires_at__gt=timezone.now(), uses__lt=F("max_uses")
    )
    return links.select_related("team", "created_by").order_by("-created_at")


def accept_invitation(
    *, invitation: Invitation, person: User, accepts_terms: bool = False
) -> Membership:
    """Gives the person the role the link offers. Following it twice changes nothing."""
    role, team = invitation.role, invitation.team
    with transaction.atomic():
        campaign = invitation.campaign  # with the terms as the person saw them
        _refuse_archived(_lock_campaign(campaign))
        if (existing := membership_by(invitation, person)) is not None:
            return existing
        if team is not None:
            # Before the link's row, in the order in which a merge takes them.
            Team.objects.select_for_update().filter(pk=team.pk).first()
            _refuse_second_team(campaign, person)
        _refuse_conflict(campaign, person, role)
        _refuse_removed(invitation, person)
        _use(invitation)
        membership = _join(campaign, person, role, team)
        if accepts_terms:
            accept_terms(campaign=campaign, person=person)
        record(campaign, person, "joined", role, invitation=invitation.pk)
    return membership


def membership_by(invitation: Invitation, person: User) -> Membership | None:
    """The role or the team that the link offers, if this person has it already."""
    return Membership.objects.filter(
        campaign=invitation.campaign_id,
        person=person,
        role=invitation.role,
        team=invitation.team_id,
    ).first()


@transaction.atomic
def revoke(invitation: Invitation, *, actor: User | None = None) -> None:
    """The link opens nothing any more; who followed it before stays. Raises `Archived`."""
    lifecycle.refuse_archived(invitation.campaign)
    revoked = Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(
        revoked_at=timezone.now()
    )
    if revoked:
        record(invitation.campaign, actor, "revoked invitation", invitation.role)


@transaction.atomic
def remove_role(*, membership: Membership, actor: User) -> None:
    """Takes a role from a person, and revokes the links that this person made or used; never the
    last organiser's role, who alone could undo it. Removing oneself is leaving: no link is revoked.
    Raises `CannotRemoveMember`, and as leaving a team does."""
    campaign = _lock_campaign(membership.campaign)
    if campaign.archived_at is not None:
        raise CannotRemoveMember("The campaign is archived: bring it back first.")
    membership = Membership.objects.filter(pk=membership.pk).first() or membership
    if membership.role == Membership.Role.ORGANISER:
        organisers = campaign.memberships.filter(role=Membership.Role.ORGANISER)
        if not organisers.exclude(pk=membership.pk).exists():
            raise CannotRemoveMember("This is the last organiser; invite another one first.")
    is_leaving = membership.person_id == actor.pk
    verb = "left" if is_leaving else "removed"
    if membership.team is not None:
        teams.drop_member(membership, actor=actor, verb=verb)
    elif Membership.objects.filter(pk=membership.pk).delete()[0]:
        record(campaign, actor, verb, membership.role, person=membership.person_id)
    if not is_leaving:
        _revoke_links_of(campaign, membership.person, actor)


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
        record(campaign, person, "accepted terms")


def has_accepted_terms(campaign: Campaign, person: User) -> bool:
    """Whether this person has accepted the terms as they stand; yes where there are none."""
    if not campaign.terms:
        return True
    mine = Membership.objects.filter(campaign=campaign, person=person)
    return mine.filter(terms_digest=terms_digest(campaign)).exists()


def _use(invitation: Invitation) -> None:
    """Counts one use. In one statement: of two people at the last use, one enters."""
    held = Invitation.objects.filter(
        pk=invitation.pk,
        revoked_at=None,
        expires_at__gt=timezone.now(),
        uses__lt=F("max_uses"),
    )
    if not held.update(uses=F("uses") + 1):
        raise CannotJoin(
            "This link was revoked, has expired, or was used as often as it allows. Ask for a new "
            "one."
        )


def _revoke_links_of(campaign: Campaign, person: User, actor: User) -> None:
    """Those that the person made in this campaign, and those by which the person joined."""
    joined = campaign.log.filter(verb="joined", actor=person)
    used = [pk for pk in joined.values_list("details__invitation", flat=True) if pk is not None]
    for invitation in campaign.invitations.filter(
        Q(created_by=person) | Q(pk__in=used), revoked_at=None, expires_at__gt=timezone.now()
    ):
        revoke(invitation, actor=actor)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _lock_campaign(campaign: Campaign) -> Campaign:
    """The campaign as it is, until this transaction ends: who joins, invites or is removed does so
    one after the other, and no stage changes in between."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)


def _refuse_archived(campaign: Campaign) -> None:
    if campaign.archived_at is not None:
        raise CannotJoin("This campaign is archived; nobody joins it any more.")


def _refuse_second_team(campaign: Campaign, person: User) -> None:
    if Membership.objects.filter(
        campaign=campaign, person=person, role=Membership.Role.PARTICIPANT
    ).exists():
        raise CannotJoin("You are in a team of this campaign already.")


def _refuse_invitation_by_outsider(campaign: Campaign, by: User, team: Team | None) -> None:
    may_invite = Q(role=Membership.Role.ORGANISER)
    if team is not None:
        may_invite |= Q(team=team)
    if not campaign.memberships.filter(may_invite, person=by).exists():
        raise CannotInvite("You were removed in the meantime, so you cannot invite anyone.")


def _refuse_conflict(campaign: Campaign, person: User, role: str) -> None:
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


def _refuse_removed(invitation: Invitation, person: User) -> None:
    removed_at = teams.last_removal(invitation.campaign, person)
    if removed_at is not None and invitation.created_at <= removed_at:
        raise CannotJoin(
            "An organiser removed you from this campaign after this link was made. Ask for a new "
            "link."
        )


def _join(campaign: Campaign, person: User, role: str, team: Team | None) -> Membership:
    try:
        with transaction.atomic():
            return Membership.objects.create(campaign=campaign, person=person, role=role, team=team)
    except IntegrityError as error:  # two clicks at once; the constraint let one through
        raise CannotJoin("You have joined already.") from error
