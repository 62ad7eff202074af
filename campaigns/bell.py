"""The one place where this wing calls the other: work is to be done on what was handed in.

Both calls write their rows inside the caller's transaction and ring when it commits.
"""

from campaigns.models import Campaign, Run
from scoring.evaluation import request_evaluations
from scoring.jobs import enqueue
from scoring.models import Job


def ring_for_check(run: Run) -> None:
    """A run waits for its file to be checked."""
    enqueue(Job.Kind.CHECK, subject=run.pk, campaign_id=run.campaign_id)


def ring_for_scores(campaign: Campaign) -> None:
    """Qrels or rules changed: every accepted run needs scores under the ones in force."""
    request_evaluations(campaign)
