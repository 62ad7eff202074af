"""Invitations that the site sends to email addresses: one link for each address."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
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
MOST_NAMED = 25  # in a message
LONGEST_ADDRESS = 254  # characters, as the database stores; validate_email allows 320
LONGEST_LOCAL_PART = 64  # before the @ (RFC 5321, 4.5.3.1.1)
QUOTED_NAME = re.compile(r"""("[^"]*"|'[^']*')(?=\s*<)""")
# A word that is not part of a name, but a mistyped address: bob@uni, bob(at)uni, uni.example.
LIKE_AN_ADDRESS = re.compile(r"@|[(\[]at[)\]]|\w\w\.\w\w", re.IGNORECASE)
# Nobody can use the site to send spam: emails of one campaign in 24 hours, and the time before an
# address gets the next one.
MOST_PER_DAY = 1000
PAUSE = timedelta(hours=1)


@dataclass(frozen=True)
class Sent:
    """The number of emails, the addresses of people who have the role already, those that got an
    email a moment ago, and those of people who cannot have the role."""

    count: int
    members: list[str]
    recent: list[str]
    conflicting: list[str]


@dataclass(frozen=True)
class Invited:
    """A row of the list of invited people. `member` is the one who came, unless they left."""

    invitation: Invitation
    member: Membership | None
    is_expired: bool


def read_addresses(text: str) -> list[str]:
    """The addresses in a pasted list, each once. They are separated by spaces, commas, semicolons
    or new lines. A name before an address in angle brackets is skipped, as mail programs copy
    it, and so are invisible characters. Raises `ValidationError` with everything that is no
    address, and its line."""
    found: dict[str, None] = {}
    problems: list[str] = []
    text = "".join(each for each in text if unicodedata.category(each) != "Cf")
    for number, line in enumerate(text.splitlines(), start=1):
        for part in _parts(line):
            if _is_address(part):
                found[part.lower()] = None
            else:
                problems.append(f"Line {number}: “{part[:100]}” is not an email address.")
    if problems:
        if len(problems) > MOST_NAMED:
            problems[MOST_NAMED:] = [f"And {len(problems) - MOST_NAMED} more."]
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
        conflicting = _among(addresses, membership.conflicting(campaign, role), "person__email")
        invited = [each for each in addresses if each not in {*members, *recent, *conflicting}]
        if (count := sent.count()) + len(invited) > MOST_PER_DAY:
            raise CannotInvite(
                f"The site sends at most {MOST_PER_DAY} invitations of a campaign in 24 hours, and "
                f"has sent {count}. Create a link, and send it to the people."
            )
        for address in invited:
            invitation, token = _link_for(campaign, by, role, address)
            notices.invite(invitation, link_of(token))
    recent = [each for each in recent if each not in {*members, *conflicting}]
    return Sent(len(invited), members, recent, conflicting)


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


def _parts(line: str) -> Iterator[str]:
    """The addresses of a line, and all else except names before an address in brackets."""
    for entry in QUOTED_NAME.sub(" ", line).split(";"):
        *named, rest = re.split(r"<([^<>]*)>", entry)
        for name, address in zip(named[::2], named[1::2], strict=True):
            yield from filter(LIKE_AN_ADDRESS.search, _pieces(name))
            yield address.strip()
        yield from _pieces(rest)


def _pieces(text: str) -> Iterator[str]:
    """The addresses, and the words between them."""
    for piece in text.split(","):
        for are_addresses, group in groupby(piece.split(), _is_address):
            words = list(group)
            yield from words if are_addresses else [" ".join(words)]


def _is_address(word: str) -> bool:
    try:
        validate_email(word)
    except ValidationError:
        return False
    return len(word) <= LONGEST_ADDRESS and len(word.rpartition("@")[0]) <= LONGEST_LOCAL_PART


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
