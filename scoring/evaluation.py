"""Scoring a run under a qrels version: which evaluations are wanted, and the act itself."""

from collections.abc import Iterator

import numpy as np
from django.db import transaction
from django.db.models.functions import Now

from campaigns.models import Campaign, LogEntry, Run
from scoring import faults, jobs
from scoring.core.artefacts import pack_vector
from scoring.core.means import mask_excluded, mean_scores, topics_of_mean
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import GradedTopics, Scores, evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import rel_of
from scoring.definitions import Rules, rules_of, version_of
from scoring.loading import grades_of, load_table
from scoring.models import Evaluation, Job, Score
from scoring.stopwatch import lap


def request_evaluation(run: Run) -> None:
    """Asks for the run's scores under what is in force, unless they are there."""
    with transaction.atomic():
        campaign = _held_still(run.campaign_id)
        _request(run, campaign, rules_of(campaign))


def request_evaluations(campaign: Campaign) -> None:
    """The same for every accepted run of the campaign."""
    with transaction.atomic():
        campaign = _held_still(campaign.pk)
        rules = rules_of(campaign)
        _drop_superseded(campaign, rules)
        for run in campaign.runs.filter(state=Run.State.ACCEPTED, withdrawn_at=None):
            _request(run, campaign, rules)


def evaluate_run(held: jobs.Claim) -> None:
    """Computes every measure of one evaluation and stores them with the job's end, all or none."""
    evaluation = Evaluation.objects.select_related("run__campaign", "run__ranking", "qrels").get(
        pk=held.subject
    )
    campaign = evaluation.run.campaign
    rules = rules_of(campaign)
    rows = None  # none are made where the rules have changed since these scores were asked for
    if evaluation.definitions == rules.digest:
        with lap("measures"):
            rows = list(_score_rows(evaluation, campaign, rules))
    faults.point("before-commit")
    with transaction.atomic():
        campaign = _held_still(campaign.pk)
        jobs.finish(held)
        if rows is None:
            _put_away(evaluation)
        else:
            _store(evaluation, rows)
        _request(evaluation.run, campaign, rules_of(campaign))  # what came up meanwhile
    faults.point("after-commit")


def _held_still(campaign_id: int) -> Campaign:
    """The campaign as it is until this transaction ends. Whoever changes rules or activates qrels
    writes this row too: they and whoever asks for scores or stores them cannot miss each other."""
    return Campaign.objects.select_for_update(of=("self",), no_key=True).get(pk=campaign_id)


def _request(run: Run, campaign: Campaign, rules: Rules) -> None:
    if campaign.active_qrels_id is None:
        return
    evaluation, _ = Evaluation.objects.get_or_create(
        run=run, qrels_id=campaign.active_qrels_id, definitions=rules.digest
    )
    if evaluation.state == Evaluation.State.SCORED and rules.versions <= set(
        evaluation.scores.values_list("measure", "definition")
    ):
        return
    job = jobs.enqueue(Job.Kind.EVALUATE, subject=evaluation.pk, campaign_id=campaign.pk)
    if job.state == Job.State.WAITING:  # one that runs asks again when it stores what it has
        Evaluation.objects.filter(pk=evaluation.pk).update(state=Evaluation.State.WAITING)


def _drop_superseded(campaign: Campaign, rules: Rules) -> None:
    """What still waits to be scored under rules that hold no more, and has no scores, is not
    waited for."""
    superseded = Evaluation.objects.filter(
        run__campaign=campaign, state=Evaluation.State.WAITING, scores=None
    ).exclude(definitions=rules.digest)
    keys = list(superseded.values_list("pk", flat=True))
    waiting = Job.objects.filter(kind=Job.Kind.EVALUATE, subject__in=keys, state=Job.State.WAITING)
    # Locked first: a job that a worker claims meanwhile is not waiting, and keeps its evaluation.
    freed = list(waiting.select_for_update().values_list("pk", "subject"))
    Job.objects.filter(pk__in=[job for job, _ in freed]).delete()
    Evaluation.objects.filter(pk__in=[subject for _, subject in freed]).delete()


def _store(evaluation: Evaluation, rows: list[Score]) -> None:
    evaluation.scores.all().delete()
    Score.objects.bulk_create(rows)
    Evaluation.objects.filter(pk=evaluation.pk).update(
        state=Evaluation.State.SCORED, scored_at=Now()
    )
    LogEntry.objects.create(
        campaign_id=evaluation.run.campaign_id,
        verb="scored",
        subject=evaluation.run.public_id,
        details={"qrels": evaluation.qrels.version, "definitions": evaluation.definitions},
    )


def _put_away(evaluation: Evaluation) -> None:
    """The rules have changed: scores it has stay, and without any it goes."""
    if evaluation.scores.exists():
        Evaluation.objects.filter(pk=evaluation.pk).update(state=Evaluation.State.SCORED)
    else:
        evaluation.delete()


def _score_rows(evaluation: Evaluation, campaign: Campaign, rules: Rules) -> Iterator[Score]:
    table = load_table(evaluation.qrels, campaign)
    graded = GradedTopics(
        grades=grades_of(evaluation.run, evaluation.qrels, table),
        grade_counts=table.grade_counts,
        gain_map=rules.gain_map,
    )
    for measure, scores in evaluate(rules.measures, graded).items():
        # A measure stricter than the campaign treats its own topics without relevant documents.
        rel = max(rules.rel, rel_of(measure) or 1)
        included = topics_of_mean(table, rel=rel, no_relevant=rules.no_relevant)
        yield _score_row(evaluation, measure, mask_excluded(scores, included), included)


def _score_row(
    evaluation: Evaluation, measure: Measure, scores: Scores, included: np.ndarray
) -> Score:
    mean = mean_scores(scores, included, family_of(measure).summary)
    return Score(
        evaluation=evaluation,
        measure=str(measure),
        definition=version_of(measure),
        mean_base=None if np.isnan(mean.base) else mean.base,
        mean_residual=mean.residual,
        topic_count=mean.topics,
        bases=pack_vector(scores.base),
        residuals=None if scores.residual is None else pack_vector(scores.residual),
    )
