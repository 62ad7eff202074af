"""The site's EMAIL_BACKEND: a request stores its emails, and workers send them.

Notices of campaigns have their own rows (`campaigns.mail.notices`). This backend takes all other
emails, mainly those of allauth, so that no request waits for the mail server.
"""

from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction

from campaigns import scoring_hooks
from campaigns.models import Mail


class StoredMail(BaseEmailBackend):
    """Creates one row per recipient, and a job that sends it, in the caller's transaction. The site
    sends plain text, and drops alternative bodies."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        with transaction.atomic():
            for message in email_messages:
                for recipient in message.recipients():
                    self._store(message, recipient)
        return len(email_messages)

    @staticmethod
    def _store(message: EmailMessage, recipient: str) -> None:
        mail = Mail.objects.create(
            recipient=recipient,
            sender=message.from_email,
            reply_to=", ".join(message.reply_to)[:320],
            # A line has at most 998 characters (RFC 5322, 2.1.1).
            subject=" ".join(message.subject.split())[:998],
            body=message.body,
        )
        scoring_hooks.enqueue_mail(mail)
