"""Scores a run under a qrels version."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models.functions import Now
from numpy.typing import NDArray

from campaigns.log import new_entry, record_all
from campaigns.models import Campaign, Qrels, Run
from scoring.core.data.alignment import align
from scoring.core.data.artefacts import pack_vector
from scoring.core.data.judgments import JudgmentTable
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import GradedTopics, Scores, evaluate, has_residual
from scoring.core.measures.measure import Measure
from scoring.core.statistics.means import known_by_people, mask_excluded, mean_scores
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation import feedback
from scoring.evaluation.requests import (
    lock_campaign,
    request,
    request_evaluation,
    request_evaluations,
)
from scoring.evaluation.rules import ScoringRules, rules_of, version_of
from scoring.evaluation.storage import (
    keep_grades,
    load_people_table,
    load_ranking,
    load_table,
    stored_or_new_grades,
)
from scoring.jobs import mail, queue, test_hooks
from scoring.jobs.timing import timed
from scoring.models import Evaluation, Score, StoredGrades

__all__ = ["evaluate_run", "request_evaluation", "request_evaluations"]


class EvaluatedRun(NamedTuple):
    """What is to be stored, and the measure and mean that the feedback may be based on."""

    evaluation: Evaluation
    rows: list[Score]
    new_grades: StoredGrades | None
    feedback_mean: tuple[Measure, float] | None


@dataclass(frozen=True)
class _Terms:
    """What all runs share that are scored under one qrels version."""

    table: JudgmentTable
    people_table: JudgmentTable | None  # None: no program judged
    rules: ScoringRules
    topics: dict[Measure, NDArray[np.bool_]]  # those of its mean, held out or not
    held_out: NDArray[np.bool_]
    feedback_measure: Measure | None

    @classmethod
    def of(cls, qrels: Qrels, campaign: Campaign, rules: ScoringRules) -> "_Terms":
        table = load_table(qrels, campaign)
        return cls(
            table=table,
            people_table=load_people_table(qrels, campaign),
            rules=rules,
            topics={
                measure: rules.topics_of_mean(measure, table.grade_counts)
                for measure in rules.measures
            },
            held_out=rules.is_held_out(table.topics),
            feedback_measure=feedback.feedback_measure(campaign, rules),
        )


def evaluate_run(attempt: queue.JobAttempt) -> None:
    """Computes every measure of one evaluation, and of those that the attempt performs with it, and
    stores all of them as it finishes the jobs. If one cannot be computed, only its job fails."""
    subjects = [each.subject for each in attempt.all]
    related = ("run__campaign", "run__team", "run__ranking", "qrels")
    evaluations = Evaluation.objects.select_related(*related).in_bulk(subjects)
    campaign = evaluations[attempt.subject].run.campaign
    rules = rules_of(campaign)
    # Not computed if the rules have changed since the request.
    current = [each for each in evaluations.values() if each.definitions == rules.digest]
    outdated = [each for each in evaluations.values() if each.definitions != rules.digest]
    evaluated, failed = _evaluated(attempt, current, campaign, rules)
    finished = [each for each in attempt.all if each not in failed]
    test_hooks.point("before-commit")
    if finished:
        with transaction.atomic():
            # Read again under the lock, because rules and active qrels may have changed meanwhile.
            campaign = lock_campaign(campaign.pk)
            queue.finish(*finished)
            test_hooks.point("in-transaction")
            _discard(outdated)
            _store(evaluated)
            _send_feedback(evaluated, campaign)
            runs = [each.run for each in (*outdated, *(each.evaluation for each in evaluated))]
            # In case the rules have changed.
            request(runs, campaign, rules_of(campaign), priority=attempt.priority)
    test_hooks.point("after-commit")


def _evaluated(
    attempt: queue.JobAttempt,
    evaluations: Sequence[Evaluation],
    campaign: Campaign,
    rules: ScoringRules,
) -> tuple[list[EvaluatedRun], list[queue.JobAttempt]]:
    """The evaluations with their scores, and the attempts that failed."""
    versions = {each.qrels_id: each.qrels for each in evaluations}
    terms = {pk: _Terms.of(qrels, campaign, rules) for pk, qrels in versions.items()}
    grades = StoredGrades.objects.filter(
        run__in=[each.run_id for each in evaluations], qrels__in=versions
    )
    stored = {(each.run_id, each.qrels_id): each for each in grades}
    attempts = {each.subject: each for each in attempt.all}
    evaluated, failed = [], []
    for each in evaluations:
        try:
            with timed("measures"):
                graded = stored.get((each.run_id, each.qrels_id))
                evaluated.append(_evaluated_run(each, terms[each.qrels_id], graded))
        except Exception as error:  # as if the run were the only one of the attempt
            queue.fail(attempts[each.pk], error)
            failed.append(attempts[each.pk])
    return evaluated, failed


def _evaluated_run(
    evaluation: Evaluation, terms: _Terms, stored: StoredGrades | None
) -> EvaluatedRun:
    grades, new_grades = stored_or_new_grades(evaluation.run, evaluation.qrels, terms.table, stored)
    graded = GradedTopics(
        grades=grades, grade_counts=terms.table.grade_counts, gain_map=terms.rules.gain_map
    )
    people = _bases_of_people(evaluation.run, terms, grades.shape[1])
    rows, feedback_mean = [], None
    for measure, scores in evaluate(terms.rules.measures, graded).items():
        topics, held_out = terms.topics[measure], terms.held_out
        if measure == terms.feedback_measure:
            # No leaderboard shows the held-out topics, so feedback on them tells nothing about it.
            public = topics & held_out if held_out.any() else topics
            if feedback.are_enough_topics(public):
                feedback_mean = (measure, mean_scores(scores, public).base)
        ranked_by = topics & ~held_out
        row = _score_row(evaluation, measure, mask_excluded(scores, ranked_by), ranked_by)
        if measure in people and scores.residual is not None:
            by_people = Scores(known_by_people(scores.base, people[measure].base), None)
            by_people = mask_excluded(by_people, ranked_by)
            row.people = pack_vector(by_people.base)
            summary = family_of(measure).summary
            row.mean_people = none_if_nan(mean_scores(by_people, ranked_by, summary).base)
        rows.append(row)
    return EvaluatedRun(evaluation, rows, new_grades, feedback_mean)


def _bases_of_people(run: Run, terms: _Terms, depth: int) -> dict[Measure, Scores]:
    """The scores under the judgments of people alone. Empty if no program judged."""
    if terms.people_table is None:
        return {}
    grades = align(load_ranking(run.ranking), terms.people_table, depth=depth)
    counts = terms.people_table.grade_counts
    graded = GradedTopics(grades=grades, grade_counts=counts, gain_map=terms.rules.gain_map)
    return evaluate([each for each in terms.rules.measures if has_residual(each)], graded)


def _store(evaluated: Sequence[EvaluatedRun]) -> None:
    """Few statements for any number of runs."""
    if not evaluated:
        return
    evaluations = [each.evaluation for each in evaluated]
    keys = [each.pk for each in evaluations]
    # All are replaced, so that none stays of a measure that the campaign has dropped.
    Score.objects.filter(evaluation__in=keys).delete()
    Score.objects.bulk_create([row for each in evaluated for row in each.rows])
    keep_grades([each.new_grades for each in evaluated if each.new_grades is not None])
    Evaluation.objects.filter(pk__in=keys).update(state=Evaluation.State.SCORED, scored_at=Now())
    record_all(
        new_entry(
            each.run, None, "scored", qrels=each.qrels.version, definitions=each.definitions
        )
        for each in evaluations
    )  # fmt: skip


def _send_feedback(evaluated: Sequence[EvaluatedRun], campaign: Campaign) -> None:
    """Feedback, and an email about a run's first scores, not about those under later qrels."""
    for each in evaluated:
        if each.feedback_mean is not None:
            measure, mean = each.feedback_mean
            feedback.release_feedback(each.evaluation, campaign, measure, mean)
    # `scored_at` is still as it was loaded, because `_store` has set it by a query.
    new = [each.evaluation for each in evaluated if not each.evaluation.scored_at]
    runs = {each.run_id: each.run for each in new}
    earlier = Evaluation.objects.filter(run__in=runs, scored_at__isnull=False)
    known = set(earlier.exclude(pk__in=[each.pk for each in new]).values_list("run", flat=True))
    mail.notify_of_scores([run for key, run in runs.items() if key not in known], campaign)


def _discard(outdated: Sequence[Evaluation]) -> None:
    """Deletes evaluations under superseded rules, unless they have scores already."""
    if not outdated:
        return
    keys = {each.pk for each in outdated}
    scores = Score.objects.filter(evaluation__in=keys)
    scored = set(scores.values_list("evaluation", flat=True))
    Evaluation.objects.filter(pk__in=scored).update(state=Evaluation.State.SCORED)
    Evaluation.objects.filter(pk__in=keys - scored).delete()


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
