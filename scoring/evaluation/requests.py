"""Requests evaluations of every accepted run under the active qrels and rules."""

from django.db import transaction

from campaigns.models import Campaign, Run
from campaigns.models.runs import LIVE
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.jobs import queue
from scoring.models import Evaluation, FeedbackRelease, Job, Snapshot, StoredGrades, StoredRanking


def request_evaluation(run: Run) -> None:
    """Requests the run's scores under the active qrels and rules, unless they exist."""
    with transaction.atomic():
        campaign = lock_campaign(run.campaign_id)
        request(run, campaign, rules_of(campaign), priority=Job.Priority.UPLOAD)


def request_evaluations(campaign: Campaign) -> None:
    """The same for every live run of the campaign."""
    with transaction.atomic():
        campaign = lock_campaign(campaign.pk)
        rules = rules_of(campaign)
        _drop_superseded(campaign, rules)
        for run in campaign.runs.filter(LIVE):
            request(run, campaign, rules)


def lock_campaign(campaign_id: int) -> Campaign:
    """The campaign, locked until this transaction ends. Changes of rules and of the active qrels
    write this row too, so they are serialised with requests for scores and their storing."""
    return Campaign.objects.select_for_update(of=("self",), no_key=True).get(pk=campaign_id)


def request(
    run: Run,
    campaign: Campaign,
    rules: ScoringRules,
    *,
    priority: Job.Priority = Job.Priority.NORMAL,
) -> None:
    """Requests the run's scores under these rules, unless they exist; the campaign must be locked.
    Uploads come before runs that are scored again."""
    if campaign.active_qrels_id is None:
        return
    evaluation, _ = Evaluation.objects.get_or_create(
        run=run, qrels_id=campaign.active_qrels_id, definitions=rules.digest
    )
    if evaluation.state == Evaluation.State.SCORED and rules.versions <= set(
        evaluation.scores.values_list("measure", "definition")
    ):
        return
    job = queue.enqueue(
        Job.Kind.EVALUATE,
        subject=evaluation.pk,
        campaign_id=campaign.pk,
        team_id=run.team_id,
        priority=priority,
    )
    if job.state == Job.State.WAITING:  # a running one requests again when it stores its scores
        Evaluation.objects.filter(pk=evaluation.pk).update(state=Evaluation.State.WAITING)


def _drop_superseded(campaign: Campaign, rules: ScoringRules) -> None:
    """Deletes evaluations that still wait, have no scores, and are under superseded rules."""
    superseded = Evaluation.objects.filter(
        run__campaign=campaign, state=Evaluation.State.WAITING, scores=None
    ).exclude(definitions=rules.digest)
    keys = list(superseded.values_list("pk", flat=True))
    waiting = Job.objects.filter(kind=Job.Kind.EVALUATE, subject__in=keys, state=Job.State.WAITING)
    # Locked first: a job that a worker has claimed no longer waits, and keeps its evaluation.
    dropped = list(waiting.select_for_update().values_list("pk", "subject"))
    Job.objects.filter(pk__in=[job for job, _ in dropped]).delete()
    Evaluation.objects.filter(pk__in=[subject for _, subject in dropped]).delete()


def erase_scores(campaign: Campaign) -> None:
    """Deletes scores, rankings, snapshots and jobs; housekeeping deletes their files. Call it
    inside the transaction that deletes the campaign."""
    campaign.jobs.all().delete()
    Snapshot.objects.filter(campaign=campaign).delete()
    FeedbackRelease.objects.filter(run__campaign=campaign).delete()
    Evaluation.objects.filter(run__campaign=campaign).delete()
    StoredGrades.objects.filter(run__campaign=campaign).delete()
    StoredRanking.objects.filter(run__campaign=campaign).delete()
