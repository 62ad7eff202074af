"""Scores a run under a qrels version."""

from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models.functions import Now

from campaigns.log import record
from campaigns.models import Campaign
from scoring.core.data.artefacts import pack_vector
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import GradedTopics, Scores, evaluate
from scoring.core.measures.measure import Measure
from scoring.core.statistics.means import mask_excluded, mean_scores
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation import feedback
from scoring.evaluation.requests import (
    lock_campaign,
    request,
    request_evaluation,
    request_evaluations,
)
from scoring.evaluation.rules import ScoringRules, rules_of, version_of
from scoring.evaluation.storage import grades_of, load_table
from scoring.jobs import mail, queue, test_hooks
from scoring.jobs.timing import timed
from scoring.models import Evaluation, Score

__all__ = ["evaluate_run", "request_evaluation", "request_evaluations"]


class EvaluatedRun(NamedTuple):
    """The rows to store, and the measure and mean that the feedback may be based on."""

    rows: list[Score]
    feedback_mean: tuple[Measure, float] | None


def evaluate_run(attempt: queue.JobAttempt) -> None:
    """Computes every measure of one evaluation, and stores all of them as it finishes the job."""
    evaluation = Evaluation.objects.select_related("run__campaign", "run__ranking", "qrels").get(
        pk=attempt.subject
    )
    campaign = evaluation.run.campaign
    rules = rules_of(campaign)
    evaluated = None  # not computed if the rules have changed since the request
    if evaluation.definitions == rules.digest:
        with timed("measures"):
            evaluated = _evaluated(evaluation, campaign, rules)
    test_hooks.point("before-commit")
    with transaction.atomic():
        campaign = lock_campaign(campaign.pk)
        queue.finish(attempt)
        test_hooks.point("in-transaction")
        if evaluated is None:
            _discard(evaluation)
        else:
            _store(evaluation, evaluated.rows)
            _send_feedback(evaluation, campaign, evaluated)
        request(evaluation.run, campaign, rules_of(campaign))  # in case the rules have changed
    test_hooks.point("after-commit")


def _store(evaluation: Evaluation, rows: list[Score]) -> None:
    evaluation.scores.all().delete()
    Score.objects.bulk_create(rows)
    Evaluation.objects.filter(pk=evaluation.pk).update(
        state=Evaluation.State.SCORED, scored_at=Now()
    )
    record(
        evaluation.run,
        None,
        "scored",
        qrels=evaluation.qrels.version,
        definitions=evaluation.definitions,
    )


def _send_feedback(evaluation: Evaluation, campaign: Campaign, evaluated: EvaluatedRun) -> None:
    """Feedback, and an email about the run's first scores, not about those under later qrels."""
    run = evaluation.run
    if evaluated.feedback_mean is not None:
        measure, mean = evaluated.feedback_mean
        feedback.release_feedback(evaluation, campaign, measure, mean)
    if run.evaluations.filter(scored_at__isnull=False).count() == 1 and not evaluation.scored_at:
        mail.notify_of_scores(run, campaign)


def _discard(evaluation: Evaluation) -> None:
    """Deletes an evaluation under superseded rules, unless it has scores already."""
    if evaluation.scores.exists():
        Evaluation.objects.filter(pk=evaluation.pk).update(state=Evaluation.State.SCORED)
    else:
        evaluation.delete()


def _evaluated(evaluation: Evaluation, campaign: Campaign, rules: ScoringRules) -> EvaluatedRun:
    table = load_table(evaluation.qrels, campaign)
    graded = GradedTopics(
        grades=grades_of(evaluation.run, evaluation.qrels, table),
        grade_counts=table.grade_counts,
        gain_map=rules.gain_map,
    )
    held_out = rules.is_held_out(table.topics)
    feedback_measure = feedback.feedback_measure(campaign, rules)
    rows, feedback_mean = [], None
    for measure, scores in evaluate(rules.measures, graded).items():
        topics = rules.topics_of_mean(measure, table.grade_counts)
        if measure == feedback_measure:
            public = topics & held_out if held_out.any() else topics
            if feedback.are_enough_topics(public):
                feedback_mean = (measure, mean_scores(scores, public).base)
        ranked_by = topics & ~held_out
        rows.append(_score_row(evaluation, measure, mask_excluded(scores, ranked_by), ranked_by))
    return EvaluatedRun(rows, feedback_mean)


def _score_row(
    evaluation: Evaluation, measure: Measure, scores: Scores, included: np.ndarray
) -> Score:
    mean = mean_scores(scores, included, family_of(measure).summary)
    return Score(
        evaluation=evaluation,
        measure=str(measure),
        definition=version_of(measure),
        mean_base=none_if_nan(mean.base),
        mean_residual=mean.residual,
        topic_count=mean.topics,
        bases=pack_vector(scores.base),
        residuals=None if scores.residual is None else pack_vector(scores.residual),
    )
