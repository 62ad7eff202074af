"""The one place where this wing calls the other: work is to be done on what was handed in.

All calls write their rows inside the caller's transaction and ring when it commits.
"""

from collections.abc import Sequence

from campaigns.models import Campaign, Mail, Notice, Plan, Run
from scoring import asked_measures, erasing, next_batch
from scoring.jobs import enqueue
from scoring.models import Job
from scoring.wanted import request_evaluation, request_evaluations


def ring_for_check(run: Run) -> None:
    """A run waits for its file to be checked."""
    enqueue(Job.Kind.CHECK, subject=run.pk, campaign_id=run.campaign_id, team_id=run.team_id)


def ring_for_scores(campaign: Campaign) -> None:
    """Qrels or rules changed: every accepted run needs scores under the ones in force."""
    request_evaluations(campaign)


def ring_for_scores_of(run: Run) -> None:
    """A run counts from now on."""
    request_evaluation(run)


def ring_for_notice(notice: Notice) -> None:
    """A mail is to be sent."""
    enqueue(Job.Kind.NOTIFY, subject=notice.pk, campaign_id=notice.campaign_id)


def enqueue_mail(mail: Mail) -> None:
    """A mail that belongs to no campaign is to be sent."""
    enqueue(Job.Kind.MAIL, subject=mail.pk, campaign_id=None)


def ring_for_next_documents(plan: Plan) -> None:
    """A plan has room for more tasks."""
    enqueue(Job.Kind.LAY_OUT, subject=plan.pk, campaign_id=plan.campaign_id)


def ring_if_documents_are_due(plan: Plan) -> None:
    """Assessors have nothing left to judge, or have judged all there is: more is to be laid out,
    unless a plan has no more, or has been asked and nothing was judged since."""
    if next_batch.is_due(plan):
        ring_for_next_documents(plan)


def erase_scores(campaign: Campaign) -> None:
    """Everything the other wing holds of a campaign that is being deleted."""
    erasing.erase_scores(campaign)


def offered_measures() -> dict[str, tuple[str, ...]]:
    """The measures that a form offers to tick, by what is asked."""
    return asked_measures.OFFERED


def measures_named(names: Sequence[str], *, rel: int) -> list[str]:
    """The measures of these names, as a campaign keeps them. Raises `ValidationError`."""
    return asked_measures.measures_named(names, rel=rel)
