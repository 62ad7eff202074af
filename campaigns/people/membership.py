"""Membership in a campaign: invitations, roles, terms."""

import base64
import hashlib
import secrets
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from campaigns import access, lifecycle, participation
from campaigns.errors import CannotChangeTeam, CannotInvite, CannotJoin, CannotRemoveMember
from campaigns.log import record
from campaigns.mail import notices
from campaigns.models import Campaign, Invitation, Membership, Team, User
from campaigns.people import teams

INVITATION_DAYS, MOST_DAYS = 30, 365

# Roles for which a link is for one person by default.
PERSONAL_ROLES = (Membership.Role.ORGANISER, Membership.Role.ASSESSOR, Membership.Role.READER)
# Default numbers of uses of a link into a team, and of a link for the participants of a campaign,
# who create a team or join one.
TEAM_LINK_USES, PARTICIPANT_LINK_USES = 5, 100
MOST_USES = 5_000
REMOVED = (
    "An organiser removed you from this campaign after this link was created. Ask an organiser for "
    "a new link."
)
# These roles and a team exclude each other.
OUTSIDE_TEAMS = (Membership.Role.ASSESSOR, Membership.Role.READER)


def display_name(person: User) -> str:
    """The name that other teams see, and never the email address."""
    return person.name or "unnamed user"


def create_own_team(
    *,
    campaign: Campaign,
    person: User,
    name: str,
    is_anonymous: bool = False,
    shares_files: bool = False,
    accepts_terms: bool = False,
) -> Team:
    """Creates a team with this person as a member, before submissions close. An organiser must
    approve it if the campaign requires that, if the person left a team that has runs (leaving must
    not give a second quota), or if an organiser removed the person before. If a team that the
    person cannot see has the name, only the organisers learn it, who rename one of the two."""
    with transaction.atomic():
        now = teams.lock_campaign(campaign)  # `campaign` has the terms that the person saw
        _refuse_archived(now)
        if now.joining == Campaign.Joining.INVITED:
            raise CannotJoin("In this campaign only organisers can create teams.")
        if not participation.is_before_close(now, timezone.now()):
            raise CannotJoin(
                "Submissions are not open, so you cannot create a team. An organiser can create "
                "one at any time, under People and teams."
            )
        _refuse_second_team(campaign, person)
        _refuse_conflict(campaign, person, Membership.Role.PARTICIPANT)
        needs_approval = (
            now.joining == Campaign.Joining.APPROVAL
            or teams.has_left_runs_behind(campaign, person)
            or teams.last_removal(campaign, person) is not None
        )
        is_taken = _is_taken(now, name, participates=not needs_approval)
        team = Team.objects.create(
            campaign=campaign,
            name=name,
            approved_at=None if needs_approval else timezone.now(),
            is_anonymous=is_anonymous and now.allows_anonymous_teams,
            shares_files=shares_files,
        )
        _join(campaign, person, Membership.Role.PARTICIPANT, team)
        if accepts_terms:
            accept_terms(campaign=campaign, person=person)
        record(team, person, "created team", team=name, waits=needs_approval)
        if needs_approval:
            notices.notify_organisers(team, "awaiting_approval")
        elif is_taken:
            notices.notify_organisers(team, "same_name", key=timezone.now().isoformat())
    return team


def invite(
    *,
    campaign: Campaign,
    by: User,
    role: str,
    team: Team | None = None,
    max_uses: int | None = None,
    days: int | None = None,
    email: str = "",
) -> tuple[Invitation, str]:
    """Creates an invitation; returns it and the token of its link, which is not stored. Raises
    `Archived`, and `CannotInvite` if the inviting person was removed in the meantime."""
    salt = secrets.token_hex(16)
    token = _token(salt)
    with transaction.atomic():
        campaign = teams.lock_campaign(campaign)
        lifecycle.refuse_archived(campaign)
        _refuse_invitation_by_outsider(campaign, by, team)
        invitation = Invitation.objects.create(
            campaign=campaign,
            role=role,
            team=team,
            token_digest=_digest(token),
            salt=salt,
            email=email,
            created_by=by,
            expires_at=timezone.now() + timedelta(days=days or INVITATION_DAYS),
            max_uses=max_uses or default_uses(role, team),
        )
        details = {"team": team.public_id} if team else {}
        record(campaign, by, "invited", role, **details)
    return invitation, token


def default_uses(role: str, team: Team | None = None) -> int:
    if team is not None:
        return TEAM_LINK_USES
    return PARTICIPANT_LINK_USES if role == Membership.Role.PARTICIPANT else 1


def token_of(invitation: Invitation) -> str | None:
    """The token of the link. None if the link is older than its salt, or SECRET_KEY has changed.
    The link then works as before, but the site cannot show it."""
    token = _token(invitation.salt)
    return token if _digest(token) == invitation.token_digest else None


def find_invitation(token: str) -> Invitation | None:
    """The invitation of this token, unless it is revoked or expired. It may be used up."""
    return (
        Invitation.objects.select_related("campaign", "team")
        .filter(token_digest=_digest(token), revoked_at=None, expires_at__gt=timezone.now())
        .first()
    )


def open_links(campaign: Campaign) -> QuerySet[Invitation]:
    """The valid links that are not sent by email, newest first."""
    return current_links(campaign).filter(uses__lt=F("max_uses"))


def current_links(campaign: Campaign) -> QuerySet[Invitation]:
    """As `open_links`, with those that are used up, because organisers ask who came by them."""
    links = campaign.invitations.filter(email="", revoked_at=None, expires_at__gt=timezone.now())
    return links.select_related("team", "created_by").order_by("-created_at")


def accept_invitation(
    *, invitation: Invitation, person: User, accepts_terms: bool = False
) -> Membership:
    """Gives the person the role of the invitation. Accepting twice changes nothing."""
    role, team = invitation.role, invitation.team
    with transaction.atomic():
        campaign = invitation.campaign  # with the terms that the person saw
        _refuse_archived(teams.lock_campaign(campaign))
        if (existing := membership_by(invitation, person)) is not None:
            return existing
        if team is not None:
            # Locked before the invitation, as in a merge.
            Team.objects.select_for_update().filter(pk=team.pk).first()
            _refuse_second_team(campaign, person)
        _refuse_conflict(campaign, person, role)
        if is_removed_since(invitation, person):
            raise CannotJoin(REMOVED)
        _use(invitation)
        if role in OUTSIDE_TEAMS:
            _without_team(campaign, person).delete()
        membership = _join(campaign, person, role, team, invitation)
        if accepts_terms:
            accept_terms(campaign=campaign, person=person)
        record(campaign, person, "joined", role, invitation=invitation.pk)
    return membership


def membership_by(invitation: Invitation, person: User) -> Membership | None:
    """The membership that the invitation gives, if this person has it already. A participant of the
    campaign may be in a team by now."""
    found = Membership.objects.filter(
        campaign=invitation.campaign_id, person=person, role=invitation.role
    )
    if invitation.team_id is not None:
        found = found.filter(team=invitation.team_id)
    return found.first()


def conflicting(campaign: Campaign, role: str) -> QuerySet[Membership]:
    """The memberships that exclude the role: of teams for an assessor or a reader, and the
    reverse."""
    if role in OUTSIDE_TEAMS:
        return campaign.memberships.filter(team__isnull=False)
    if role == Membership.Role.PARTICIPANT:
        return campaign.memberships.filter(role__in=OUTSIDE_TEAMS)
    return campaign.memberships.none()


def is_for(invitation: Invitation, person: User) -> bool:
    """False if the invitation was emailed to an address that this person's account does not have.
    They can use it nevertheless, because people have several addresses."""
    own = {email.lower() for email in person.own_emails()}
    return not invitation.email or invitation.email.lower() in own


def is_removed_since(invitation: Invitation, person: User) -> bool:
    """Whether an organiser has removed the person after the link was created or last emailed."""
    removed_at = teams.last_removal(invitation.campaign, person)
    invited_at = invitation.sent_at or invitation.created_at
    return removed_at is not None and invited_at <= removed_at


@transaction.atomic
def revoke(invitation: Invitation, *, actor: User | None = None) -> None:
    """Makes the link invalid. People who have used it stay. Raises `Archived`."""
    lifecycle.refuse_archived(invitation.campaign)
    revoked = Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(
        revoked_at=timezone.now()
    )
    if revoked:
        record(invitation.campaign, actor, "revoked invitation", invitation.role)


@transaction.atomic
def remove_role(*, membership: Membership, actor: User) -> None:
    """Removes a role, and revokes the links that its person created or used, and the tokens that
    they created for programs. A person who removes their own role leaves, and nothing is revoked.
    Raises `CannotRemoveMember`, for example for the only organiser, and `CannotChangeTeam`."""
    campaign = teams.lock_campaign(membership.campaign)
    if campaign.archived_at is not None:
        raise CannotRemoveMember("The campaign is archived. Unarchive it first.")
    membership = Membership.objects.filter(pk=membership.pk).first() or membership
    if membership.role == Membership.Role.ORGANISER:
        organisers = campaign.memberships.filter(role=Membership.Role.ORGANISER)
        if not organisers.exclude(pk=membership.pk).exists():
            raise CannotRemoveMember("This is the only organiser. Invite another organiser first.")
    is_leaving = membership.person_id == actor.pk
    verb = "left" if is_leaving else "removed"
    if membership.team is not None:
        teams.drop_member(membership, actor=actor, verb=verb)
    elif Membership.objects.filter(pk=membership.pk).delete()[0]:
        record(campaign, actor, verb, membership.role, person=membership.person_id)
    if not is_leaving:
        _revoke_links_of(campaign, membership.person, actor)
        _revoke_tokens_of(campaign, membership.person, actor)


@transaction.atomic
def add_to_team(*, membership: Membership, team: Team, actor: User) -> None:
    """Adds a participant without a team to an approved team, on behalf of an organiser. Raises
    `CannotChangeTeam`."""
    campaign = teams.lock_campaign(membership.campaign)
    team = teams.lock_team(team)
    waiting = campaign.memberships.filter(
        pk=membership.pk, role=Membership.Role.PARTICIPANT, team=None
    )
    if team.approved_at is None or not waiting.update(team=team):
        raise CannotChangeTeam("The person is in a team already, or has left the campaign.")
    record(team, actor, "added member", team=team.name, person=membership.person_id)


def terms_digest(campaign: Campaign) -> str:
    """Identifies the accepted terms. Changed terms have to be accepted again."""
    return _digest(campaign.terms)


@transaction.atomic
def accept_terms(*, campaign: Campaign, person: User) -> None:
    """Records that the person accepts the terms in `campaign`, for each of their roles. Raises
    `Archived`."""
    lifecycle.refuse_archived(campaign)
    accepted = Membership.objects.filter(campaign=campaign, person=person).update(
        terms_digest=terms_digest(campaign), terms_accepted_at=timezone.now()
    )
    if accepted:
        record(campaign, person, "accepted terms")


def has_accepted_terms(campaign: Campaign, person: User) -> bool:
    """Whether this person has accepted the current terms. True if there are none."""
    if not campaign.terms:
        return True
    mine = Membership.objects.filter(campaign=campaign, person=person)
    return mine.filter(terms_digest=terms_digest(campaign)).exists()


def _use(invitation: Invitation) -> None:
    """Counts one use, in one statement: of two people at the last use, only one joins."""
    valid = Invitation.objects.filter(
        pk=invitation.pk,
        revoked_at=None,
        expires_at__gt=timezone.now(),
        uses__lt=F("max_uses"),
    )
    if not valid.update(uses=F("uses") + 1):
        raise CannotJoin(
            "This link was revoked, has expired, or has reached its number of uses. Ask for a new "
            "one."
        )


def _revoke_links_of(campaign: Campaign, person: User, actor: User) -> None:
    """Revokes the links that the person created in this campaign, and those they joined by. A link
    for participants stays valid, because the rest of the class needs it."""
    joined = campaign.log.filter(verb="joined", actor=person)
    used = [pk for pk in joined.values_list("details__invitation", flat=True) if pk is not None]
    is_used = Q(pk__in=used) & ~Q(role=Membership.Role.PARTICIPANT, team=None, email="")
    for invitation in campaign.invitations.filter(
        Q(created_by=person) | is_used, revoked_at=None, expires_at__gt=timezone.now()
    ):
        revoke(invitation, actor=actor)


def _revoke_tokens_of(campaign: Campaign, person: User, actor: User) -> None:
    """Revokes the tokens of programs that the person created and thus knows."""
    created = campaign.log.filter(verb="created token of program").order_by("at", "pk")
    creators = dict(created.values_list("details__program", "actor"))  # the last of each program
    known = [program for program, creator in creators.items() if creator == person.pk]
    programs = campaign.programs.filter(pk__in=known).exclude(token_digest="")
    for program in programs:
        record(campaign, actor, "revoked token of program", program.name)
    programs.update(token_digest="", token_created_at=None)


def _token(salt: str) -> str:
    digest = salted_hmac("campaigns.people.invitations", salt, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _is_taken(campaign: Campaign, name: str, *, participates: bool) -> bool:
    """Whether an approved team has this name. Raises `CannotJoin` if a person who participates, or
    does not yet, can see that."""
    others = teams.approved_teams_named(campaign, name)
    if any(access.sees_team(other, participates=participates) for other in others):
        raise CannotJoin(teams.NAME_TAKEN)
    return bool(others)


def _refuse_archived(campaign: Campaign) -> None:
    if campaign.archived_at is not None:
        raise CannotJoin("This campaign is archived. Nobody can join it.")


def _refuse_second_team(campaign: Campaign, person: User) -> None:
    if campaign.memberships.filter(person=person, team__isnull=False).exists():
        raise CannotJoin("You are already in a team of this campaign.")


def _refuse_invitation_by_outsider(campaign: Campaign, by: User, team: Team | None) -> None:
    may_invite = Q(role=Membership.Role.ORGANISER)
    if team is not None:
        may_invite |= Q(team=team)
    if not campaign.memberships.filter(may_invite, person=by).exists():
        raise CannotInvite("You were removed in the meantime, so you cannot invite anyone.")


def _refuse_conflict(campaign: Campaign, person: User, role: str) -> None:
    """Raises `CannotJoin` for an assessor or a reader who would be in a team, and the reverse."""
    existing = conflicting(campaign, role).filter(person=person).select_related("team").first()
    if existing is None:
        return
    if existing.team is not None:
        raise CannotJoin(
            f"You are a member of the team {existing.team} of this campaign, so you cannot have "
            f"the role {role}. Leave the team first, or ask an organiser."
        )
    raise CannotJoin(
        f"You have the role {existing.role} in this campaign, so you cannot join a team. Ask an "
        "organiser to remove that role."
    )


def _without_team(campaign: Campaign, person: User) -> QuerySet[Membership]:
    """The membership of a participant who is in no team yet."""
    return campaign.memberships.filter(person=person, role=Membership.Role.PARTICIPANT, team=None)


def _join(
    campaign: Campaign,
    person: User,
    role: str,
    team: Team | None,
    invitation: Invitation | None = None,
) -> Membership:
    if team is not None and (member := _without_team(campaign, person).first()) is not None:
        member.team = team
        member.save(update_fields=["team"])
        return member
    try:
        with transaction.atomic():
            return Membership.objects.create(
                campaign=campaign, person=person, role=role, team=team, invitation=invitation
            )
    except IntegrityError as error:  # two requests at once
        raise CannotJoin("You have already joined.") from error
