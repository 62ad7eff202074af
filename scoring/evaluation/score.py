"""Scoring a run under a qrels version."""

from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models.functions import Now
from numpy.typing import NDArray

from campaigns.log import record
from campaigns.models import Campaign
from scoring.core.data.artefacts import pack_vector
from scoring.core.data.judgments import JudgmentTable
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import GradedTopics, Scores, evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import rel_of
from scoring.core.statistics.means import mask_excluded, mean_scores, topics_of_mean
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
    """What an evaluation found: the rows to store, and the mean that feedback may be made of."""

    rows: list[Score]
    told: tuple[Measure, float] | None


def evaluate_run(attempt: queue.JobAttempt) -> None:
    """Computes every measure of one evaluation and stores them with the job's end, all or none."""
    evaluation = Evaluation.objects.select_related("run__campaign", "run__ranking", "qrels").get(
        pk=attempt.subject
    )
    campaign = evaluation.run.campaign
    rules = rules_of(campaign)
    worth = None  # not found out where the rules have changed since these scores were asked for
    if evaluation.definitions == rules.digest:
        with timed("measures"):
            worth = _evaluated(evaluation, campaign, rules)
    test_hooks.point("before-commit")
    with transaction.atomic():
        campaign = lock_campaign(campaign.pk)
        queue.finish(attempt)
        test_hooks.point("in-transaction")
        if worth is None:
            _put_away(evaluation)
        else:
            _store(evaluation, worth.rows)
            _send_feedback(evaluation, campaign, worth)
        request(evaluation.run, campaign, rules_of(campaign))  # what came up meanwhile
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


def _send_feedback(evaluation: Evaluation, campaign: Campaign, worth: EvaluatedRun) -> None:
    """Feedback, and a mail about the run's first scores; not about those under every new qrels."""
    run = evaluation.run
    if worth.told is not None:
        measure, mean = worth.told
        feedback.release_feedback(evaluation, campaign, measure, mean)
    if run.evaluations.filter(scored_at__isnull=False).count() == 1 and not evaluation.scored_at:
        mail.notify_of_scores(run, campaign)


def _put_away(evaluation: Evaluation) -> None:
    """The rules have changed: scores it has stay, and without any it goes."""
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
    held_out = np.array([code in rules.held_out for code in table.topics], dtype=bool)
    measure_told = feedback.feedback_measure(campaign, rules)
    rows, told = [], None
    for measure, scores in evaluate(rules.measures, graded).items():
        topics = _topics_of(measure, table, rules)
        if measure == measure_told:
            public = topics & held_out if held_out.any() else topics
            if feedback.are_enough_topics(public):
                told = (measure, mean_scores(scores, public).base)
        ranked_by = topics & ~held_out
        rows.append(_score_row(evaluation, measure, mask_excluded(scores, ranked_by), ranked_by))
    return EvaluatedRun(rows, told)


def _topics_of(measure: Measure, table: JudgmentTable, rules: ScoringRules) -> NDArray[np.bool_]:
    # A measure stricter than the campaign treats its own topics without relevant documents.
    rel = max(rules.rel, rel_of(measure) or 1)
    return topics_of_mean(table, rel=rel, no_relevant=rules.no_relevant)


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
