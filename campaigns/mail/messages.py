"""Emails: their texts and recipients, one row per email, and sending.

`campaigns.mail.notices` decides when an email is sent.
"""

import time
from collections.abc import Iterable
from datetime import datetime
from errno import EIO
from smtplib import (
    SMTPAuthenticationError,
    SMTPConnectError,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
)

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.utils import timezone

from campaigns.models import Audience, Campaign, Mail, Membership, Notice, Run, Team, User
from campaigns.participation import participating_teams

# So that no automatic reply is sent (RFC 3834).
HEADERS = {"Auto-Submitted": "auto-generated"}


_silent_until = 0.0  # on the monotonic clock


class MailRefused(Exception):
    """The mail server permanently refused an email."""


class MailDeferred(OSError):
    """The mail server may accept the email later. It is sent again, as after an outage."""

    def __init__(self, reason: str) -> None:
        super().__init__(EIO, f"the mail server does not accept it yet: {reason}")


class MailServerAway(OSError):
    """The mail server did not respond within EMAIL_TIMEOUT, which counts as an outage."""

    def __init__(self, reason: str) -> None:
        super().__init__(EIO, f"the mail server is not available: {reason}")


def compose(kind: str, campaign: Campaign | None, **facts: object) -> tuple[str, str]:
    """Subject and body from templates/mail/<kind>.txt, whose first line is the subject. Emails of
    the operators belong to no campaign."""
    site = str(settings.SITE_URL).rstrip("/")
    facts = {"campaign": campaign, "site": site} | facts
    subject, _, body = render_to_string(f"mail/{kind}.txt", facts).lstrip().partition("\n")
    return subject, body.strip() + "\n"


def create_notices(
    *, campaign: Campaign, key: str, subject: str, body: str, to: Iterable[User]
) -> list[Notice]:
    """Creates a notice for each recipient who receives emails and has none with this key. Returns
    those that are to be sent."""
    people = [person for person in to if person.is_active and person.gets_notices]
    existing = Notice.objects.filter(campaign=campaign, key=key)
    notified = set(existing.values_list("recipient_id", flat=True))
    new = [person.pk for person in people if person.pk not in notified]
    if not new:
        return []
    # A line break would end the header.
    line = " ".join(subject.split())[:200]
    Notice.objects.bulk_create(
        (
            Notice(campaign=campaign, recipient_id=person, key=key, subject=line, body=body)
            for person in new
        ),
        ignore_conflicts=True,  # another process may create the same ones
    )
    # Read back, because `ignore_conflicts` sets no keys.
    return list(existing.filter(recipient__in=new, sent_at=None))


def create_failure_notices(campaign: Campaign, moment: datetime) -> list[Notice]:
    """Tells organisers that processing a run has failed permanently. At most once a day, because
    one cause often affects many runs."""
    subject, body = compose("failed", campaign)
    key = f"failed/{moment.date().isoformat()}"
    return create_notices(
        campaign=campaign, key=key, subject=subject, body=body, to=organisers_of(campaign)
    )


def send_notice(notice_id: int) -> None:
    """Sends a notice, unless it is sent already or the recipient no longer receives emails."""
    notice = Notice.objects.select_related("recipient", "campaign").get(pk=notice_id)
    person = notice.recipient
    if notice.sent_at is not None or not (person.is_active and person.gets_notices):
        return
    sender, reply_to = settings.DEFAULT_FROM_EMAIL, notice.campaign.reply_address
    _send(notice.subject, notice.body, sender, person.email, reply_to)
    Notice.objects.filter(pk=notice_id).update(sent_at=timezone.now())


def send_stored(mail_id: int) -> None:
    """Sends an email that belongs to no campaign, unless it has been deleted."""
    mail = Mail.objects.filter(pk=mail_id).first()
    if mail is not None:
        _send(mail.subject, mail.body, mail.sender, mail.recipient, mail.reply_to)


def _send(subject: str, body: str, sender: str, recipient: str, reply_to: str) -> None:
    """Sends one email to one address, so that recipients do not see each other. Raises
    `MailRefused`, `MailDeferred` and `MailServerAway`. After a timeout, no email is sent for a
    while, so that workers do not spend their time waiting."""
    global _silent_until
    if time.monotonic() < _silent_until:
        raise MailServerAway("it did not respond a moment ago")
    connection = get_connection(settings.MAIL_TRANSPORT)
    message = EmailMessage(
        subject,
        body,
        sender,
        [recipient],
        reply_to=[reply_to] if reply_to else None,
        headers=HEADERS,
        connection=connection,
    )
    try:
        message.send()
    # The fault is the server's, so every other email would fail too.
    except (SMTPServerDisconnected, SMTPConnectError) as error:
        fault = type(error).__name__
    except SMTPException as error:
        # smtplib's errors contain the recipient's address, and jobs store their error messages.
        if _is_temporary(error):
            raise MailDeferred(type(error).__name__) from None
        raise MailRefused(f"The mail server refused it: {type(error).__name__}") from None
    except OSError as error:
        fault = type(error).__name__
    else:
        return
    _silent_until = time.monotonic() + settings.SWEEP_SECONDS
    raise MailServerAway(fault)


def _is_temporary(refusal: SMTPException) -> bool:
    """Replies from 400 to 499 are temporary, for example with greylisting (RFC 5321, 4.2.1). A
    wrong password is an error of the site and not of the email."""
    if isinstance(refusal, SMTPRecipientsRefused):
        return all(400 <= code < 500 for code, _ in refusal.recipients.values())
    is_reply = isinstance(refusal, SMTPResponseException) and 400 <= refusal.smtp_code < 500
    return is_reply or isinstance(refusal, SMTPAuthenticationError)


def members_of(team: Team) -> QuerySet[User]:
    return User.objects.filter(memberships__team=team)


def participants_of(campaign: Campaign) -> QuerySet[User]:
    """The members of all approved teams, and the participants who are in no team yet."""
    in_team = Q(team__approved_at__isnull=False)
    without_team = Q(role=Membership.Role.PARTICIPANT, team=None)
    return User.objects.filter(memberships__in=campaign.memberships.filter(in_team | without_team))


def readers_of_results(campaign: Campaign, moment: datetime) -> QuerySet[User]:
    """The participants who may see the leaderboard, or at least the scores of their own runs."""
    participants = participants_of(campaign)
    if campaign.board_audience == Audience.EVERYONE:
        return participants
    if campaign.board_audience == Audience.PARTICIPANTS or campaign.shows_own_scores:
        return participants.filter(memberships__team__in=participating_teams(campaign, moment))
    return participants.none()


def organisers_of(campaign: Campaign) -> QuerySet[User]:
    return User.objects.filter(
        memberships__campaign=campaign, memberships__role=Membership.Role.ORGANISER
    )


def about_run(run: Run, kind: str) -> tuple[str, str]:
    """Subject and body of an email about a run to its own team."""
    name = run.display_name or run.original_name or run.public_id
    return compose(kind, run.campaign, run=run, name=name)
