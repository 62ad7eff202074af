"""Exporting the data of an account, closing it, and its API tokens.

Closing deletes email address, name, password, tokens, emails and memberships. Runs belong to their
team and stay. Judgments and log entries refer to an account without a name.

REST_KNOX limits the number and the lifetime of tokens. A new password revokes all (`User.save`).
"""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone
from knox.models import AuthToken
from knox.settings import knox_settings

from campaigns.errors import CannotCloseAccount, TooManyTokens
from campaigns.log import record
from campaigns.models import (
    Campaign,
    Invitation,
    Judgment,
    LogEntry,
    Mail,
    Membership,
    Notice,
    OrganiserRequest,
    Run,
    User,
)

CLOSED_EMAIL = "gone-{pk}@invalid"  # a domain that no email reaches (RFC 2606)


def account_export(person: User) -> dict[str, Any]:
    """Everything that the site stores about a person, as values for JSON."""
    return {
        "account": {
            "email": person.email,
            "name": person.name,
            "joined_at": person.joined_at.isoformat(),
            "last_login": person.last_login.isoformat() if person.last_login else None,
            "gets_notices": person.gets_notices,
            "may_create_campaigns": person.is_approved,
        },
        "roles": list(
            person.memberships.order_by("pk").values(
                "role", "terms_accepted_at", "created_at",
                in_campaign=F("campaign__slug"), of_team=F("team__name"),
            )
        ),
        "uploads": list(
            Run.objects.filter(uploaded_by=person).order_by("pk").values(
                "public_id", "name", "tag", "original_name", "description", "submitted_at",
                in_campaign=F("campaign__slug"),
            )
        ),
        "judgments": list(
            Judgment.objects.filter(assessor=person).order_by("pk").values(
                "topic__code", "doc_id", "grade", "is_unsure", "note", "at",
                in_campaign=F("campaign__slug"),
            )
        ),
        "log_entries": list(
            LogEntry.objects.filter(actor=person).order_by("pk").values(
                "at", "verb", "subject", in_campaign=F("campaign__slug")
            )
        ),
        "emails": list(
            Notice.objects.filter(recipient=person).order_by("pk").values(
                "subject", "body", "created_at", "sent_at"
            )
        ),
        # Without the body: only the mailbox may have a link that resets the password.
        "unsent_emails": list(
            Mail.objects.filter(recipient__in=person.own_emails()).order_by("pk").values(
                "subject", "created_at"
            )
        ),
        "invitations": list(
            Invitation.objects.filter(email__in=person.own_emails()).order_by("pk").values(
                "email", "role", "sent_at", in_campaign=F("campaign__slug")
            )
        ),
        "organiser_requests": list(
            OrganiserRequest.objects.filter(person=person).order_by("pk").values(
                "purpose", "created_at", "decided_at", "is_approved", "answer"
            )
        ),
        "connected_accounts": list(
            SocialAccount.objects.filter(user=person).order_by("pk").values(
                "provider", "uid", "date_joined", "last_login", "extra_data"
            )
        ),
        "second_factors": list(
            Authenticator.objects.filter(user=person).order_by("pk").values(
                "type", "created_at", "last_used_at"
            )
        ),
        "login_addresses": list(  # only digests of the addresses are stored
            person.login_addresses.order_by("pk").values("last_used_at")
        ),
        "tokens": list(
            AuthToken.objects.filter(user=person).order_by("created").values("created", "expiry")
        ),
    }  # fmt: skip


@transaction.atomic
def close_account(*, person: User) -> None:
    """Deletes the personal data of the account. Raises `CannotCloseAccount` for the only organiser
    of a campaign."""
    _refuse_last_organiser(person)
    for membership in person.memberships.select_related("campaign"):
        record(membership.campaign, person, "closed their account", role=membership.role)
    person.memberships.all().delete()
    person.topics_to_judge.all().delete()
    Notice.objects.filter(recipient=person).delete()
    Mail.objects.filter(recipient__in=person.own_emails()).delete()
    Invitation.objects.filter(created_by=person, revoked_at=None).update(revoked_at=timezone.now())
    Invitation.objects.filter(email__in=person.own_emails()).delete()
    AuthToken.objects.filter(user=person).delete()
    person.login_addresses.all().delete()
    person.organiser_requests.all().delete()
    EmailAddress.objects.filter(user=person).delete()
    SocialAccount.objects.filter(user=person).delete()
    Authenticator.objects.filter(user=person).delete()
    person.email = CLOSED_EMAIL.format(pk=person.pk)
    person.name = ""
    person.is_active = person.is_staff = person.is_superuser = person.is_approved = False
    person.gets_notices = False
    person.last_login = None
    person.set_unusable_password()
    person.save()


def why_not_primary(email: str, person: User) -> str:
    """Why this address of the person cannot be their primary one; "" if it can."""
    own = EmailAddress.objects.filter(user=person, email__iexact=email, verified=True)
    if settings.EMAIL_URL and not own.exists():
        return "Confirm this email address first."
    verified = Q(emailaddress__email__iexact=email, emailaddress__verified=True)
    others = User.objects.exclude(pk=person.pk).filter(Q(email__iexact=email) | verified)
    return "Another account has this email address. Choose another one." if others.exists() else ""


def _refuse_last_organiser(person: User) -> None:
    organised = person.memberships.filter(role=Membership.Role.ORGANISER).values("campaign")
    # Locked, so that two organisers who leave at the same time see each other.
    list(Campaign.objects.select_for_update(no_key=True).filter(pk__in=organised).order_by("pk"))
    alone = (
        Membership.objects.filter(role=Membership.Role.ORGANISER, campaign__in=organised)
        .values("campaign__name")
        .annotate(organisers=Count("pk"))
        .filter(organisers=1)
        .order_by("campaign__name")
    )
    names = [row["campaign__name"] for row in alone]
    if names:
        raise CannotCloseAccount(
            f"You are the only organiser of {', '.join(names)}. Invite another organiser, or "
            "delete the campaign."
        )


def tokens_of(person: User) -> QuerySet[AuthToken]:
    """The valid tokens, newest first."""
    return AuthToken.objects.filter(user=person, expiry__gt=timezone.now()).order_by("-created")


@transaction.atomic
def create_token(person: User) -> str:
    """Creates a token and returns it. Only its digest is stored. Raises `TooManyTokens`."""
    User.objects.select_for_update().get(pk=person.pk)  # two requests at once see each other
    AuthToken.objects.filter(user=person, expiry__lte=timezone.now()).delete()
    limit = knox_settings.TOKEN_LIMIT_PER_USER
    if tokens_of(person).count() >= limit:
        raise TooManyTokens(f"You have {limit} tokens, which is the limit. Revoke one first.")
    _, token = AuthToken.objects.create(user=person)
    return str(token)
