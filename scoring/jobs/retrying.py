"""Retries of failed jobs, requested by an organiser."""

from functools import partial

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Run, User
from scoring.jobs import queue
from scoring.jobs.overview import failed_jobs
from scoring.models import Analysis, Evaluation, Job

ALLOWED_IN_ARCHIVES = {Job.Kind.ANALYSE}


def retry(job: Job, *, actor: User | None) -> bool:
    """Requeues a failed job with all its attempts; returns whether it did.

    It does not if the job has not failed, if another job for the same subject is live, or if its
    run has been replaced in the meantime. Raises `Archived` for a job that would change an archived
    campaign.
    """
    if job.kind not in ALLOWED_IN_ARCHIVES:
        refuse_archived(job.campaign)
    try:
        with transaction.atomic():
            has_moved = Job.objects.filter(pk=job.pk, state=Job.State.FAILED).update(
                state=Job.State.WAITING,
                attempts=0,
                owner="",
                waiting_since=Now(),
                due_at=None,
                rung_at=Now(),
                finished_at=None,
            )
            if not has_moved or not _revive_subject(job):
                transaction.set_rollback(True)
                return False
            record(
                job.campaign,
                actor,
                "tried again",
                _run_of(job) or f"{job.kind} {job.subject}",
                work=job.kind,
                error=job.error[:500],
            )
    except IntegrityError:
        return False
    transaction.on_commit(partial(queue.wake_worker, job.pk, job.kind))
    return True


def retry_all(campaign: Campaign, *, actor: User | None) -> int:
    """Requeues all failed jobs of a campaign; returns how many."""
    refuse_archived(campaign)
    return sum(retry(failed.job, actor=actor) for failed in failed_jobs(campaign))


def _run_of(job: Job) -> str:
    """The public id of the job's run; empty if it has none."""
    if job.kind == Job.Kind.CHECK:
        ids = Run.objects.filter(pk=job.subject).values_list("public_id", flat=True)
    elif job.kind == Job.Kind.EVALUATE:
        of_run = Evaluation.objects.filter(pk=job.subject)
        ids = of_run.values_list("run__public_id", flat=True)
    else:
        return ""
    return ids.first() or ""


def _revive_subject(job: Job) -> bool:
    """Sets a failed subject to waiting; returns False if the subject has not failed."""
    if job.kind == Job.Kind.CHECK:
        run = Run.objects.filter(pk=job.subject, state=Run.State.FAILED)
        return bool(run.update(state=Run.State.WAITING, state_changed_at=Now()))
    if job.kind == Job.Kind.EVALUATE:
        evaluation = Evaluation.objects.filter(pk=job.subject, state=Evaluation.State.FAILED)
        return bool(evaluation.update(state=Evaluation.State.WAITING))
    if job.kind == Job.Kind.ANALYSE:
        analysis = Analysis.objects.filter(pk=job.subject, state=Analysis.State.FAILED)
        return bool(analysis.update(state=Analysis.State.WAITING))
    return True
