"""How many runs of a campaign are scored under the active qrels and rules."""

from dataclasses import dataclass

from django.db.models import Count, Q

from campaigns.models import Campaign, Qrels
from campaigns.models.runs import LIVE
from scoring.evaluation.rules import rules_of
from scoring.models import Evaluation, TieRule


@dataclass(frozen=True)
class Rescoring:
    """Of `total` runs, how many are scored under the version, and for how many scoring failed."""

    qrels: Qrels
    total: int
    scored: int
    failed: int

    @property
    def settled(self) -> int:
        return self.scored + self.failed

    @property
    def is_over(self) -> bool:
        return self.settled >= self.total


def rescoring(campaign: Campaign) -> Rescoring | None:
    """Of the active version; None if there is none. One query."""
    qrels = campaign.active_qrels
    if qrels is None:
        return None
    under = Q(
        evaluations__qrels=qrels,
        evaluations__definitions=rules_of(campaign).digest,
        evaluations__tie_rule=TieRule.DOCNO,
    )
    state = Evaluation.State
    # Distinct, because the join gives a run one row for each of its evaluations.
    counts = campaign.runs.filter(LIVE).aggregate(
        total=Count("pk", distinct=True),
        scored=Count("pk", filter=under & Q(evaluations__state=state.SCORED), distinct=True),
        failed=Count("pk", filter=under & Q(evaluations__state=state.FAILED), distinct=True),
    )
    return Rescoring(qrels=qrels, **counts)
