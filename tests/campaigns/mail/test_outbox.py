"""Mails about accounts: stored by the request, sent by a worker, forgotten once they are sent."""

import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.mail import messages as letters
from campaigns.models import Mail, User
from campaigns.people.accounts import account_export, close_account
from scoring.jobs import mail as delivery
from scoring.models import Job
from scoring.worker import perform
from tests.faults.unresponsive import accepting_and_saying_nothing
from tests.flow_world import perform_jobs, wake_ups
from tests.making import make_user
from trackside.processes import HOST

__all__ = ["wake_ups"]

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "ada@example.org"


@pytest.fixture(autouse=True)
def stored(settings: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on the site; a worker sends into `mail.outbox`."""
    monkeypatch.setattr(letters, "_silent_until", 0.0)
    settings.EMAIL_BACKEND = "campaigns.mail.outbox.StoredMail"


@pytest.fixture
def person() -> User:
    return make_user(ADDRESS)


def ask_to_reset() -> HttpResponse:
    return Client().post(reverse("account_reset_password"), {"email": ADDRESS})


def by_smtp(settings: object, port: int) -> None:
    settings.MAIL_TRANSPORT = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = HOST, port, 0.2


def test_a_worker_sends_an_email_and_deletes_it(person: User) -> None:
    assert ask_to_reset().status_code == 302
    assert mail.outbox == []
    assert Mail.objects.get().recipient == ADDRESS
    assert perform_jobs(Job.Kind.MAIL) == 1
    (sent,) = mail.outbox
    assert sent.to == [ADDRESS]
    assert "/accounts/password/reset/key/" in sent.body
    assert not Mail.objects.exists()
    assert Job.objects.get(kind=Job.Kind.MAIL).state == Job.State.DONE


def test_a_request_contacts_no_mail_server_and_a_worker_retries(
    person: User, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SWEEP_SECONDS = 600  # so long nobody else asks a silent server
    with accepting_and_saying_nothing() as port:
        by_smtp(settings, port)
        assert ask_to_reset().status_code == 302
        job = Job.objects.get(kind=Job.Kind.MAIL)
        for _ in range(settings.JOB_ATTEMPTS + 1):  # the first asks, the others let it be
            perform(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.WAITING
    assert "did not respond a moment ago" in job.error
    monkeypatch.setattr(letters, "_silent_until", 0.0)
    settings.MAIL_TRANSPORT = "django.core.mail.backends.locmem.EmailBackend"
    perform(job.pk)
    assert len(mail.outbox) == 1
    assert not Mail.objects.exists()


def test_an_email_that_is_too_old_is_deleted_unsent(person: User) -> None:
    ask_to_reset()
    Mail.objects.update(created_at=timezone.now() - timedelta(hours=25))
    delivery.enqueue_unsent_mails()
    perform_jobs(Job.Kind.MAIL)
    assert (mail.outbox, Mail.objects.count()) == ([], 0)


def test_a_refused_email_is_retried_later_and_its_job_names_nobody(
    person: User, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(backend: object, messages: list[object]) -> int:
        raise smtplib.SMTPRecipientsRefused({ADDRESS: (550, b"no such mailbox")})

    ask_to_reset()
    with monkeypatch.context() as patch:
        patch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
        perform_jobs(Job.Kind.MAIL)
    error = Job.objects.get(kind=Job.Kind.MAIL).error
    assert "SMTPRecipientsRefused" in error
    assert ADDRESS not in error
    delivery.enqueue_unsent_mails()
    perform_jobs(Job.Kind.MAIL)
    assert len(mail.outbox) == 1


@pytest.mark.parametrize(
    "reply",
    [
        smtplib.SMTPRecipientsRefused({ADDRESS: (451, b"greylisted")}),
        smtplib.SMTPDataError(452, b"no room"),
        smtplib.SMTPAuthenticationError(535, b"wrong password"),
    ],
    ids=lambda reply: type(reply).__name__,
)
def test_a_deferred_email_is_retried_until_it_is_accepted(
    reply: Exception, person: User, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(backend: object, messages: list[object]) -> int:
        raise reply

    ask_to_reset()
    job = Job.objects.get(kind=Job.Kind.MAIL)
    with monkeypatch.context() as patch:
        patch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
        for _ in range(settings.JOB_ATTEMPTS + 1):
            perform(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.WAITING
    assert type(reply).__name__ in job.error
    assert ADDRESS not in job.error
    perform(job.pk)
    assert len(mail.outbox) == 1


def test_stored_emails_are_exported_and_deleted_with_the_account(person: User) -> None:
    ask_to_reset()
    (told,) = account_export(person)["unsent_emails"]
    assert "reset" in told["subject"].lower()
    assert "body" not in told  # its link is for the mailbox alone
    close_account(person=person)
    assert not Mail.objects.exists()
