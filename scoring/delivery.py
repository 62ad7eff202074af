"""Mails that a worker sends, one job a notice; and the one that only this wing knows to write."""

from django.db import transaction

from campaigns import letters, notices
from campaigns.access import Viewer
from campaigns.models import Campaign, Membership, Run
from scoring import jobs
from scoring.models import FeedbackRelease


def deliver_notice(held: jobs.Claim) -> None:
    """Sends the mail outside any transaction; a worker that dies in between sends it twice."""
    letters.mail(held.subject)
    with transaction.atomic():
        jobs.finish(held)


def tell_scored(run: Run, campaign: Campaign) -> None:
    """Tells a run's team, once, that it has scores, where they may see any: to a blind team
    the mail alone would say that there are qrels. Call it in the transaction that stores them,
    with the campaign as it is held there."""
    if _may_know(run, campaign):
        notices.tell_team(run, "scored")


def _may_know(run: Run, campaign: Campaign) -> bool:
    member = Viewer(campaign, None, frozenset({Membership.Role.PARTICIPANT}), run.team)
    if member.can_see_scores_of(run):
        return True
    has_feedback = campaign.feedback != Campaign.Feedback.NONE
    return has_feedback and FeedbackRelease.objects.filter(run=run, shown__isnull=False).exists()
