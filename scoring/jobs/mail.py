"""Mails that a worker sends, one job a notice; and the one that only this wing knows to write."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from campaigns.access import Viewer
from campaigns.mail import messages, notices
from campaigns.models import Campaign, Mail, Membership, Run
from scoring.jobs import queue
from scoring.models import FeedbackRelease, Job


def deliver_notice(held: queue.JobAttempt) -> None:
    """Sends the mail outside any transaction; a worker that dies in between sends it twice."""
    messages.send_notice(held.subject)
    with transaction.atomic():
        queue.finish(held)


def deliver_mail(held: queue.JobAttempt) -> None:
    """The same for a mail that belongs to no campaign. It is forgotten once it is sent: it holds an
    address, and often a link that opens an account."""
    messages.send_stored(held.subject)
    with transaction.atomic():
        queue.finish(held)
        Mail.objects.filter(pk=held.subject).delete()


def enqueue_unsent_mails() -> None:
    """Has mails tried again whose job was given up, because the mail server was away for longer
    than its attempts took; deletes those that are too old to be of use."""
    too_old = Now() - timedelta(hours=settings.MAIL_HOURS)
    Mail.objects.filter(created_at__lt=too_old).delete()
    for mail in Mail.objects.order_by("pk"):
        queue.enqueue(Job.Kind.MAIL, subject=mail.pk, campaign_id=None)


def notify_of_scores(run: Run, campaign: Campaign) -> None:
    """Tells a run's team, once, that it has scores, where they may see any: to a blind team
    the mail alone would say that there are qrels. Call it in the transaction that stores them,
    with the campaign as it is held there."""
    if _may_know(run, campaign):
        notices.notify_team(run, "scored")


def _may_know(run: Run, campaign: Campaign) -> bool:
    member = Viewer(campaign, None, frozenset({Membership.Role.PARTICIPANT}), run.team)
    if member.can_see_scores_of(run):
        return True
    has_feedback = campaign.feedback != Campaign.Feedback.NONE
    return has_feedback and FeedbackRelease.objects.filter(run=run, shown__isnull=False).exists()
