"""What the site knows of a person, given to that person; and the end of an account.

Whoever goes is forgotten: address, name, password, tokens, mails, memberships. What hangs on them
stays without them: runs belong to their team, judgments and the log keep an account without a name.

REST_KNOX limits the number and the lifetime of tokens. A new password revokes all (`User.save`).
"""

from typing import Any

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Count, F, QuerySet
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
    Run,
    User,
)

GONE = "gone-{pk}@invalid"  # a domain that no mail reaches (RFC 2606)


def account_export(person: User) -> dict[str, Any]:
    """Everything that is kept of a person, as JSON can say it."""
    return {
        "account": {
            "email": person.email,
            "name": person.name,
            "joined_at": person.joined_at.isoformat(),
            "last_login": person.last_login.isoformat() if person.last_login else None,
            "gets_notices": person.gets_notices,
            "may_make_campaigns": person.is_approved,
        },
        "roles": list(
            person.memberships.order_by("pk").values(
                "role", "terms_accepted_at", "created_at",
                in_campaign=F("campaign__slug"), of_team=F("team__name"),
            )
        ),
        "uploads": list(
            Run.objects.filter(uploaded_by=person).order_by("pk").values(
                "public_id", "tag", "original_name", "description", "submitted_at",
                in_campaign=F("campaign__slug"),
            )
        ),
        "judgments": list(
            Judgment.objects.filter(assessor=person).order_by("pk").values(
                "topic__code", "doc_id", "grade", "is_unsure", "note", "at",
                in_campaign=F("campaign__slug"),
            )
        ),
        "acts": list(
            LogEntry.objects.filter(actor=person).order_by("pk").values(
                "at", "verb", "subject", in_campaign=F("campaign__slug")
            )
        ),
        "mails": list(
            Notice.objects.filter(recipient=person).order_by("pk").values(
                "subject", "body", "created_at", "sent_at"
            )
        ),
        # Without its body: a link that resets a password is for the mailbox alone.
        "mails_to_be_sent": list(
            Mail.objects.filter(recipient__in=_addresses(person)).order_by("pk").values(
                "subject", "created_at"
            )
        ),
        "login_addresses": list(  # of the addresses themselves only a digest is stored
            person.login_addresses.order_by("pk").values("last_used_at")
        ),
        "tokens": list(
            AuthToken.objects.filter(user=person).order_by("created").values("created", "expiry")
        ),
    }  # fmt: skip


@transaction.atomic
def close_account(*, person: User) -> None:
    """Forgets a person. Raises `CannotCloseAccount` for the last organiser of a campaign, without
    whom nobody could look after it."""
    _refuse_last_organiser(person)
    for membership in person.memberships.select_related("campaign"):
        record(membership.campaign, person, "closed their account", role=membership.role)
    person.memberships.all().delete()
    person.topics_to_judge.all().delete()
    Notice.objects.filter(recipient=person).delete()
    Mail.objects.filter(recipient__in=_addresses(person)).delete()
    Invitation.objects.filter(created_by=person, revoked_at=None).update(revoked_at=timezone.now())
    AuthToken.objects.filter(user=person).delete()
    person.login_addresses.all().delete()
    EmailAddress.objects.filter(user=person).delete()
    person.email = GONE.format(pk=person.pk)
    person.name = ""
    person.is_active = person.is_staff = person.is_superuser = person.is_approved = False
    person.gets_notices = False
    person.last_login = None
    person.set_unusable_password()
    person.save()


def _addresses(person: User) -> set[str]:
    """Addresses that are this person's. One that is only added may be somebody else's."""
    verified = EmailAddress.objects.filter(user=person, verified=True)
    return {person.email, *verified.values_list("email", flat=True)}


def _refuse_last_organiser(person: User) -> None:
    organised = person.memberships.filter(role=Membership.Role.ORGANISER).values("campaign")
    # Two who go at once wait for each other here.
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
            f"You are the only organiser of {', '.join(names)}: invite another one, or delete it."
        )


def tokens_of(person: User) -> QuerySet[AuthToken]:
    """Those that work, the newest first."""
    return AuthToken.objects.filter(user=person, expiry__gt=timezone.now()).order_by("-created")


@transaction.atomic
def make_token(person: User) -> str:
    """A new token; only its digest is stored. Raises `TooManyTokens`."""
    User.objects.select_for_update().get(pk=person.pk)  # two requests at once count one another
    AuthToken.objects.filter(user=person, expiry__lte=timezone.now()).delete()
    limit = knox_settings.TOKEN_LIMIT_PER_USER
    if tokens_of(person).count() >= limit:
        raise TooManyTokens(f"You have {limit} tokens, which is the limit. Revoke one first.")
    _, token = AuthToken.objects.create(user=person)
    return str(token)
