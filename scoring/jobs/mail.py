"""Emails that a worker sends, one job each, and the notice that a run has scores."""

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from campaigns.access import Viewer
from campaigns.mail import messages, notices
from campaigns.models import Campaign, Mail, Membership, Run
from scoring.jobs import queue
from scoring.models import FeedbackRelease, Job


def deliver_notice(attempt: queue.JobAttempt) -> None:
    """Sends the email outside any transaction; if the worker dies in between, it is sent twice."""
    messages.send_notice(attempt.subject)
    with transaction.atomic():
        queue.finish(attempt)


def deliver_mail(attempt: queue.JobAttempt) -> None:
    """The same for an email that belongs to no campaign. It is deleted once it is sent, because it
    contains an address and often a link that opens an account."""
    messages.send_stored(attempt.subject)
    with transaction.atomic():
        queue.finish(attempt)
        Mail.objects.filter(pk=attempt.subject).delete()


def enqueue_unsent_mails() -> None:
    """Enqueues emails again whose job failed because the mail server was down for longer than its
    attempts lasted; deletes those that are too old to be of use."""
    too_old = Now() - timedelta(hours=settings.MAIL_HOURS)
    Mail.objects.filter(created_at__lt=too_old).delete()
    for mail in Mail.objects.order_by("pk"):
        # Where a job still waits or runs for it, this creates no second one.
        queue.enqueue(Job.Kind.MAIL, subject=mail.pk, campaign_id=None)


def notify_of_scores(runs: Iterable[Run], campaign: Campaign) -> None:
    """Notifies the teams once that these runs have scores, if a team may see any: to a blind team
    the email alone would reveal that there are qrels. Call it in the transaction that stores the
    scores, with the campaign locked there."""
    members: dict[int, Viewer] = {}
    for run in runs:
        if run.team_id not in members:
            # A viewer without a person sees what every member of the team sees.
            roles = frozenset({Membership.Role.PARTICIPANT})
            members[run.team_id] = Viewer(campaign, None, roles, run.team)
        gives_feedback = campaign.feedback != Campaign.Feedback.NONE
        shown = FeedbackRelease.objects.filter(run=run, shown__isnull=False)
        if members[run.team_id].can_see_scores_of(run) or (gives_feedback and shown.exists()):
            notices.notify_team(run, "scored")
