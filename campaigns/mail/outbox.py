"""The site's EMAIL_BACKEND: a request stores its mails, and workers send them.

Notices of campaigns have rows of their own (`campaigns.mail.notices`); this takes all other mails,
above all those that allauth sends. So no request waits for the mail server.
"""

from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction

from campaigns import scoring_hooks
from campaigns.models import Mail


class StoredMail(BaseEmailBackend):
    """One row for each recipient, and a job that sends it, in the caller's transaction. The site
    sends text alone: other forms of the same mail are left out."""

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
            subject=" ".join(message.subject.split())[:998],
            body=message.body,
        )
        scoring_hooks.enqueue_mail(mail)
