"""Invitations that the site sends to email addresses: one link for each address."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from campaigns import lifecycle
from campaigns.errors import CannotInvite
from campaigns.mail import notices
from campaigns.models import Campaign, Invitation, Membership, User
from campaigns.people import membership

MOST_ADDRESSES = 500
MOST_NAMED = 25  # lines with words that are no addresses
# Nobody can use the site to send spam: emails of one campaign in 24 hours, and the time before an
# address gets the next one.
MOST_PER_DAY = 1000
PAUSE = timedelta(hours=1)


@dataclass(frozen=True)
class Sent:
    """The number of emails, the addresses of people who have the role already, and those that got
    an email a moment ago."""

    count: int
    members: list[str]
    recent: list[str]


@dataclass(frozen=True)
class Invited:
    """A row of the list of invited people. `member` is the one who came, unless they left."""

    invitation: Invitation
    member: Membership | None
    is_expired: bool


def read_addresses(text: str) -> list[str]:
    """The addresses in a pasted list, each once. They are separated by spaces, commas, semicolons
    or new lines. Names are skipped if the addresses are in angle brackets, as mail programs copy
    them. Raises `ValidationError` with each line that has a word that is no address."""
    found: dict[str, None] = {}
    wrong: dict[int, str] = {}  # the first word of each line
    for number, line in enumerate(text.splitlines(), start=1):
        for word in _words(line):
            try:
                validate_email(word)
            except ValidationError:
                wrong.setdefault(number, word[:100])
            else:
                found[word.lower()] = None
    if wrong:
        problems = [f"Line {n}: “{word}” is not an email address." for n, word in wrong.items()]
        if len(problems) > MOST_NAMED:
            problems[MOST_NAMED:] = [f"And {len(problems) - MOST_NAMED} more lines."]
        raise ValidationError(problems)
    if len(found) > MOST_ADDRESSES:
        raise ValidationError(
            f"These are {len(found)} addresses. Invite at most {MOST_ADDRESSES} at a time."
        )
    return list(found)


def invite_by_email(
    *,
    campaign: Campaign,
    by: User,
    role: str,
    addresses: Sequence[str],
    link_of: Callable[[str], str],
) -> Sent:
    """Sends a link for this role to each address, in one transaction. An address that was invited
    before gets the same link again, which then expires later. Raises `Archived` and
    `CannotInvite`."""
    if not settings.EMAIL_URL:
        raise CannotInvite("This site sends no email. Create a link, and send it to the people.")
    with transaction.atomic():
        campaign = lifecycle.lock_unarchived(campaign)  # so a double click sends one email
        now = timezone.now()
        sent = campaign.invitations.filter(sent_at__gt=now - timedelta(days=1))
        recent = _among(addresses, sent.filter(role=role, sent_at__gt=now - PAUSE), "email")
        members = _among(addresses, campaign.memberships.filter(role=role), "person__email")
        invited = [each for each in addresses if each not in {*members, *recent}]
        if (count := sent.count()) + len(invited) > MOST_PER_DAY:
            raise CannotInvite(
                f"The site sends at most {MOST_PER_DAY} invitations of a campaign in 24 hours, and "
                f"has sent {count}. Create a link, and send it to the people."
            )
        for address in invited:
            invitation, token = _link_for(campaign, by, role, address)
            notices.invite(invitation, link_of(token))
    return Sent(len(invited), members, [each for each in recent if each not in members])


def invited_by_email(campaign: Campaign, memberships: Iterable[Membership]) -> list[Invited]:
    """Everybody who was invited by email, newest first, and which of these memberships followed."""
    invitations = campaign.invitations.exclude(email="").filter(revoked_at=None)
    came = {each.invitation_id: each for each in memberships}
    now = timezone.now()
    return [
        Invited(each, came.get(each.pk), each.expires_at <= now)
        for each in invitations.order_by("-created_at", "pk")
    ]


def _among(addresses: Sequence[str], rows: QuerySet[Any], field: str) -> list[str]:
    return sorted(set(rows.filter(**{f"{field}__in": addresses}).values_list(field, flat=True)))


def _words(line: str) -> list[str]:
    if "<" not in line:
        return [word for word in re.split(r"[\s,;]+", line) if word]
    others = re.split(r"[\s,;]+", re.sub(r"<[^<>]*>", " ", line))
    in_brackets = [word.strip() for word in re.findall(r"<([^<>]*)>", line)]
    return [*in_brackets, *(word for word in others if "@" in word)]


def _link_for(campaign: Campaign, by: User, role: str, address: str) -> tuple[Invitation, str]:
    """The valid link of this address if there is one, with a new expiry date, or a new link."""
    now = timezone.now()
    sent = campaign.invitations.filter(
        email=address, role=role, team=None, revoked_at=None, uses__lt=F("max_uses")
    ).first()
    token = membership.token_of(sent) if sent is not None else None
    if sent is None or token is None:
        sent, token = membership.invite(
            campaign=campaign, by=by, role=role, email=address, max_uses=1
        )
    sent.sent_at, sent.expires_at = now, now + timedelta(days=membership.INVITATION_DAYS)
    sent.save(update_fields=["sent_at", "expires_at"])
    return sent, token
