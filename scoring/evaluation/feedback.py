"""Feedback on a run before publication: decided once for each run, and stored.

It is off unless an organiser turns it on. It is a mean and nothing else: no counts, no scores by
topic, two decimals, few runs. Later qrels reveal nothing more, and repeated requests return the
same.
"""

import math
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from django.db.models import Max, Min
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
    """The feedback on a run's page. `value` is None if the run is not clearly better than the
    team's `best`, or if the team has used up its feedback (`is_enough`)."""

    measure: str
    value: float | None
    best: float | None
    is_enough: bool


def feedback_measure(campaign: Campaign, rules: ScoringRules) -> Measure | None:
    """The measure of the feedback: the chosen one, or else the leaderboard's first. Never a count
    or the share of judged documents, from which judgments of single documents can be derived."""
    families = {measure: family_of(measure) for measure in rules.measures}
    means = [
        measure
        for measure, family in families.items()
        # Without counts and sums, whose range goes beyond 1.
        if family.summary == "mean" and measure.family != "Judged" and family.facts.range[1] <= 1
    ]
    try:
        chosen = with_default_rel(parse_measure(campaign.feedback_measure), campaign.rel)
    except (UnknownMeasure, BadMeasure):
        chosen = None
    return chosen if chosen in means else next(iter(means), None)


def are_enough_topics(topics: NDArray[np.bool_]) -> bool:
    """Whether a mean over these topics may be shown: with fewer topics it reveals judgments."""
    return int(np.count_nonzero(topics)) >= FEWEST_FEEDBACK_TOPICS


def release_feedback(
    evaluation: Evaluation, campaign: Campaign, measure: Measure, mean: float
) -> None:
    """Decides the feedback on a run, once. Call it in the transaction that stores the scores, with
    the campaign locked: of two runs that are scored at the same time, only one may get the last
    feedback of the team. A mean over no topics (NaN) decides nothing."""
    if math.isnan(mean) or not _gets_feedback(evaluation, campaign):
        return
    # "Not clearly better" counts as feedback, and so does feedback on a run withdrawn since then.
    since = timezone.now() - timedelta(days=campaign.feedback_days)
    lately = FeedbackRelease.objects.filter(
        run__team=evaluation.run.team_id, value__isnull=False, created_at__gt=since
    )
    has_enough = lately.count() >= campaign.feedback_runs
    # A row even without feedback: a higher limit or later qrels must not decide it again.
    FeedbackRelease.objects.create(
        run=evaluation.run,
        qrels=evaluation.qrels,
        measure=str(measure),
        value=None if has_enough else mean,
        shown=None if has_enough else _shown(evaluation.run, campaign, measure, mean),
    )


def feedback_on(viewer: Viewer, run: Run) -> Feedback | None:
    """The feedback that the run's team and the organisers may read; None if feedback is off or not
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


def _gets_feedback(evaluation: Evaluation, campaign: Campaign) -> bool:
    return (
        campaign.feedback != Campaign.Feedback.NONE
        and campaign.stage in BEFORE_PUBLICATION
        and evaluation.qrels_id == campaign.active_qrels_id
        and campaign.runs.ranked().filter(pk=evaluation.run_id).exists()
        and not FeedbackRelease.objects.filter(run=evaluation.run_id).exists()
    )


def _shown(run: Run, campaign: Campaign, measure: Measure, mean: float) -> float | None:
    if campaign.feedback == Campaign.Feedback.ROUNDED:
        return round(mean, DECIMALS)
    best = _best(run, str(measure))
    step = max(campaign.feedback_step, FINEST)
    # The ladder knows only "higher is better".
    sign = sign_of(measure)
    shown = ladder(sign * mean, None if best is None else sign * best, step)
    return None if shown is None else sign * shown


def _best(run: Run, measure: str) -> float | None:
    """The best mean that was ever shown to the team."""
    # Of withdrawn runs too: what the team was shown once, it knows.
    releases = FeedbackRelease.objects.filter(run__team=run.team_id, measure=measure)
    is_lower = is_lower_better(parse_measure(measure))
    best: float | None = releases.aggregate(best=Min("shown") if is_lower else Max("shown"))["best"]
    return best
