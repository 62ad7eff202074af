"""Letters: their words, whom they go to, one row a mail, and the sending of it.

When something is told is `campaigns.mail.notices`' business.
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
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.utils import timezone

from campaigns.models import Audience, Campaign, Mail, Membership, Notice, Run, Team, User
from campaigns.participation import participating_teams

# So that no machine answers, and no answer is answered.
HEADERS = {"Auto-Submitted": "auto-generated"}


_silent_until = 0.0  # by the monotonic clock


class MailRefused(Exception):
    """The mail server answered, and refused a mail for good."""


class MailDeferred(OSError):
    """The mail server answered, and may accept the mail later: tried again, as after an outage."""

    def __init__(self, reason: str) -> None:
        super().__init__(EIO, f"the mail server does not accept it yet: {reason}")


class MailServerAway(OSError):
    """The mail server did not answer within EMAIL_TIMEOUT: an outage, as one of the storage is."""

    def __init__(self, reason: str) -> None:
        super().__init__(EIO, f"the mail server is away: {reason}")


def compose(kind: str, campaign: Campaign, **facts: object) -> tuple[str, str]:
    """Subject and body by templates/mail/<kind>.txt, whose first line is the subject."""
    site = str(settings.SITE_URL).rstrip("/")
    facts = {"campaign": campaign, "site": site} | facts
    subject, _, body = render_to_string(f"mail/{kind}.txt", facts).lstrip().partition("\n")
    return subject, body.strip() + "\n"


def create_notices(
    *, campaign: Campaign, key: str, subject: str, body: str, to: Iterable[User]
) -> list[Notice]:
    """A letter to each who gets any and has not had this one; those that wait to be sent."""
    people = [person for person in to if person.is_active and person.gets_notices]
    told = Notice.objects.filter(campaign=campaign, key=key)
    before = set(told.values_list("recipient_id", flat=True))
    fresh = [person.pk for person in people if person.pk not in before]
    if not fresh:
        return []
    line = " ".join(subject.split())[:200]
    Notice.objects.bulk_create(
        (
            Notice(campaign=campaign, recipient_id=person, key=key, subject=line, body=body)
            for person in fresh
        ),
        ignore_conflicts=True,  # somebody tells the same at this moment
    )
    return list(told.filter(recipient__in=fresh, sent_at=None))


def create_failure_notices(campaign: Campaign, moment: datetime) -> list[Notice]:
    """To the organisers, that work on runs was given up: once a day, for what breaks for one
    breaks for many."""
    subject, body = compose("failed", campaign)
    key = f"failed/{moment.date().isoformat()}"
    return create_notices(
        campaign=campaign, key=key, subject=subject, body=body, to=organisers_of(campaign)
    )


def send_notice(notice_id: int) -> None:
    """Sends a letter that has not been sent, to somebody who still wants it."""
    notice = Notice.objects.select_related("recipient").get(pk=notice_id)
    person = notice.recipient
    if notice.sent_at is not None or not (person.is_active and person.gets_notices):
        return
    _send(notice.subject, notice.body, settings.DEFAULT_FROM_EMAIL, person.email)
    Notice.objects.filter(pk=notice_id).update(sent_at=timezone.now())


def send_stored(mail_id: int) -> None:
    """Sends a mail that belongs to no campaign, if it is still there to be sent."""
    mail = Mail.objects.filter(pk=mail_id).first()
    if mail is not None:
        _send(mail.subject, mail.body, mail.sender, mail.recipient)


def _send(subject: str, body: str, sender: str, recipient: str) -> None:
    """By the mail server itself. One address a mail: nobody learns who else was told. Raises
    `MailRefused`, `MailDeferred` and `MailServerAway`. A server that did not answer is left alone
    for a while, so that a worker does not spend its time on waiting."""
    global _silent_until
    if time.monotonic() < _silent_until:
        raise MailServerAway("it did not answer a moment ago")
    connection = get_connection(settings.MAIL_TRANSPORT)
    message = EmailMessage(
        subject, body, sender, [recipient], headers=HEADERS, connection=connection
    )
    try:
        message.send()
    except (SMTPServerDisconnected, SMTPConnectError) as error:
        fault = type(error).__name__
    except SMTPException as error:
        # What smtplib raises names the recipient, and a job keeps the words of its error.
        if _is_for_now(error):
            raise MailDeferred(type(error).__name__) from None
        raise MailRefused(f"The mail server refused it: {type(error).__name__}") from None
    except OSError as error:
        fault = type(error).__name__
    else:
        return
    _silent_until = time.monotonic() + settings.SWEEP_SECONDS
    raise MailServerAway(fault)


def _is_for_now(refusal: SMTPException) -> bool:
    """A reply of 400 to 499 is no final one, such as that of a server that puts unknown senders off
    for some minutes (RFC 5321, 4.2.1). A wrong password is the site's fault and not the mail's."""
    if isinstance(refusal, SMTPRecipientsRefused):
        return all(400 <= code < 500 for code, _ in refusal.recipients.values())
    is_temporary = isinstance(refusal, SMTPResponseException) and 400 <= refusal.smtp_code < 500
    return is_temporary or isinstance(refusal, SMTPAuthenticationError)


def members_of(team: Team) -> QuerySet[User]:
    return User.objects.filter(memberships__team=team)


def participants_of(campaign: Campaign) -> QuerySet[User]:
    """The members of all approved teams."""
    return User.objects.filter(
        memberships__campaign=campaign, memberships__team__approved_at__isnull=False
    )


def readers_of_board(campaign: Campaign, moment: datetime) -> QuerySet[User]:
    """Of the members of approved teams, those to whom the board may be shown."""
    members = participants_of(campaign)
    if campaign.board_audience == Audience.EVERYONE:
        return members
    return members.filter(memberships__team__in=participating_teams(campaign, moment))


def organisers_of(campaign: Campaign) -> QuerySet[User]:
    return User.objects.filter(
        memberships__campaign=campaign, memberships__role=Membership.Role.ORGANISER
    )


def about_run(run: Run, kind: str) -> tuple[str, str]:
    """What is said of a run to its own team, who call it by its tag."""
    return compose(kind, run.campaign, run=run, name=run.tag or run.original_name or run.public_id)
