"""What a team is told of a run before publication: decided once a run, and kept.

Off unless an organiser turns it on. A mean and nothing else: no counts, no scores by topic, two
decimals, few runs. Later qrels tell nothing more, and asking again tells the same.
"""

import math
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from django.db.models import Max, Min, QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Campaign, Run
from campaigns.models.showing import FEWEST_FEEDBACK_TOPICS
from scoring.core.measures.catalogue import family_of, is_lower_better, sign_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import BadMeasure, UnknownMeasure, parse_measure, with_default_rel
from scoring.core.statistics.rounding import FINEST, ladder
from scoring.evaluation.rules import ScoringRules
from scoring.models import Evaluation, FeedbackRelease

BEFORE_PUBLICATION = (Campaign.Stage.OPEN, Campaign.Stage.CLOSED, Campaign.Stage.JUDGING)
DECIMALS = 2


@dataclass(frozen=True)
class Feedback:
    """What a run's page says of it. Without a `value` nothing was told of this run: because it
    does not clearly rise above the team's `best`, or because enough was told already."""

    measure: str
    value: float | None
    best: float | None
    is_enough: bool


def feedback_measure(campaign: Campaign, rules: ScoringRules) -> Measure | None:
    """The measure that feedback is given by: the one chosen, or else the board's first. Never one
    that counts, or that says how much was judged: these are read back to single documents."""
    means = [measure for measure in rules.measures if _is_informative_mean(measure)]
    try:
        chosen = with_default_rel(parse_measure(campaign.feedback_measure), campaign.rel)
    except (UnknownMeasure, BadMeasure):
        chosen = None
    return chosen if chosen in means else next(iter(means), None)


def are_enough_topics(topics: NDArray[np.bool_]) -> bool:
    """Whether a mean of these topics may be told: of fewer it gives judgments away."""
    return int(np.count_nonzero(topics)) >= FEWEST_FEEDBACK_TOPICS


def release_feedback(
    evaluation: Evaluation, campaign: Campaign, measure: Measure, mean: float
) -> None:
    """Decides what the run's team is told of it, once. Call it in the transaction that stores the
    scores, the campaign held still: of two runs that are scored at once only one may be the last
    that is told of. A mean of no topic (NaN) decides nothing."""
    if math.isnan(mean) or not _gets_feedback(evaluation, campaign):
        return
    has_enough = _released_lately(evaluation.run, campaign).count() >= campaign.feedback_runs
    FeedbackRelease.objects.create(
        run=evaluation.run,
        qrels=evaluation.qrels,
        measure=str(measure),
        value=None if has_enough else mean,
        shown=None if has_enough else _shown(evaluation.run, campaign, measure, mean),
    )


def feedback_on(viewer: Viewer, run: Run) -> Feedback | None:
    """What its team (and the organisers) may read of it; None where feedback is off, or not
    decided yet."""
    if viewer.campaign.feedback == Campaign.Feedback.NONE or not viewer.can_follow(run):
        return None
    release = FeedbackRelease.objects.filter(run=run).first()
    if release is None:
        return None
    return Feedback(
        measure=release.measure,
        value=release.shown,
        best=_best(run, release.measure),
        is_enough=release.value is None,
    )


def _is_informative_mean(measure: Measure) -> bool:
    family = family_of(measure)
    return family.summary == "mean" and measure.family != "Judged" and family.facts.range[1] <= 1


def _gets_feedback(evaluation: Evaluation, campaign: Campaign) -> bool:
    return (
        campaign.feedback != Campaign.Feedback.NONE
        and campaign.stage in BEFORE_PUBLICATION
        and evaluation.qrels_id == campaign.active_qrels_id
        and campaign.runs.ranked().filter(pk=evaluation.run_id).exists()
        and not FeedbackRelease.objects.filter(run=evaluation.run_id).exists()
    )


def _released_lately(run: Run, campaign: Campaign) -> QuerySet[FeedbackRelease]:
    """What the team was told of within the window; "no rise" is told too. Withdrawing a run does
    not take back what was told."""
    since = timezone.now() - timedelta(days=campaign.feedback_days)
    return FeedbackRelease.objects.filter(
        run__team=run.team_id, value__isnull=False, created_at__gt=since
    )


def _shown(run: Run, campaign: Campaign, measure: Measure, mean: float) -> float | None:
    if campaign.feedback == Campaign.Feedback.ROUNDED:
        return round(mean, DECIMALS)
    best = _best(run, str(measure))
    step = max(campaign.feedback_step, FINEST)
    sign = sign_of(measure)
    risen = ladder(sign * mean, None if best is None else sign * best, step)
    return None if risen is None else sign * risen


def _best(run: Run, measure: str) -> float | None:
    """The best mean that the team was ever told of."""
    told = FeedbackRelease.objects.filter(run__team=run.team_id, measure=measure)
    is_lower = is_lower_better(parse_measure(measure))
    best: float | None = told.aggregate(best=Min("shown") if is_lower else Max("shown"))["best"]
    return best
