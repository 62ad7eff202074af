"""Requests evaluations of every accepted run under the active qrels and rules."""

from collections import defaultdict
from collections.abc import Sequence

from django.db import transaction

from campaigns.models import Campaign, Run
from campaigns.models.runs import LIVE
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.jobs import queue
from scoring.models import (
    Evaluation,
    FeedbackRelease,
    Job,
    Score,
    Snapshot,
    StoredGrades,
    StoredRanking,
    TieRule,
)


def request_evaluation(run: Run, priority: int = Job.Priority.UPLOAD) -> None:
    """Requests the run's scores under the active qrels and rules, unless they exist."""
    with transaction.atomic():
        campaign = lock_campaign(run.campaign_id)
        request([run], campaign, rules_of(campaign), priority=priority)


def request_evaluations(campaign: Campaign) -> None:
    """The same for every live run of the campaign."""
    with transaction.atomic():
        campaign = lock_campaign(campaign.pk)
        rules = rules_of(campaign)
        _drop_superseded(campaign, rules)
        request(list(campaign.runs.filter(LIVE).order_by("pk")), campaign, rules)


def lock_campaign(campaign_id: int) -> Campaign:
    """The campaign, locked until this transaction ends. Changes of rules and of the active qrels
    write this row too, so they are serialised with requests for scores and their storing."""
    return Campaign.objects.select_for_update(of=("self",), no_key=True).get(pk=campaign_id)


def request(
    runs: Sequence[Run],
    campaign: Campaign,
    rules: ScoringRules,
    *,
    priority: int = Job.Priority.NORMAL,
) -> None:
    """Requests the runs' scores under these rules, unless they exist; the campaign must be locked.
    Uploads come before runs that are scored again. At most six statements for any number of
    runs."""
    if campaign.active_qrels_id is None or not runs:
        return
    qrels_id = campaign.active_qrels_id
    terms = {"qrels_id": qrels_id, "definitions": rules.digest, "tie_rule": TieRule.DOCNO}
    found = list(Evaluation.objects.filter(run__in=runs, **terms).order_by("pk"))
    has_one = {each.run_id for each in found}
    new = [Evaluation(run=run, **terms) for run in runs if run.pk not in has_one]
    evaluations = found + Evaluation.objects.bulk_create(new)
    scored = [each.pk for each in evaluations if each.state == Evaluation.State.SCORED]
    stored: defaultdict[int, set[tuple[str, int]]] = defaultdict(set)
    scores = Score.objects.filter(evaluation__in=scored) if scored else Score.objects.none()
    for evaluation, measure, version in scores.values_list("evaluation", "measure", "definition"):
        stored[evaluation].add((measure, version))
    # An evaluation that has scores may lack some, of a measure that was added or that has changed.
    missing = [each for each in evaluations if not rules.versions <= stored[each.pk]]
    if not missing:
        return
    teams = {run.pk: run.team_id for run in runs}
    jobs = queue.enqueue_all(
        Job.Kind.EVALUATE,
        {each.pk: teams[each.run_id] for each in missing},
        campaign_id=campaign.pk,
        priority=priority,
    )
    # A running one requests again when it stores its scores.
    waiting = [job.subject for job in jobs if job.state == Job.State.WAITING]
    to_move = {each.pk for each in missing if each.state != Evaluation.State.WAITING}
    if to_move := to_move.intersection(waiting):
        Evaluation.objects.filter(pk__in=to_move).update(state=Evaluation.State.WAITING)


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
