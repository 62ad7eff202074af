"""Failed work tried again, when an organiser says so."""

from functools import partial

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Run, User
from scoring.jobs import queue
from scoring.jobs.overview import failed_jobs
from scoring.models import Analysis, Evaluation, Job

ASKED_OF_ARCHIVES = {Job.Kind.ANALYSE}


def retry(job: Job, *, actor: User | None) -> bool:
    """Has a job that failed tried again, with all its attempts; whether it is.

    It is not where it has not failed, where somebody else has asked for the same meanwhile, or
    where its run has been overtaken: replaced a second time. Raises `Archived` for work that would
    change an archived campaign.
    """
    if job.kind not in ASKED_OF_ARCHIVES:
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
    """Has all failed work of a campaign tried again; how many jobs."""
    refuse_archived(campaign)
    return sum(retry(failed.job, actor=actor) for failed in failed_jobs(campaign))


def _run_of(job: Job) -> str:
    """The public id of the run that the work is about; empty where it is about none."""
    if job.kind == Job.Kind.CHECK:
        ids = Run.objects.filter(pk=job.subject).values_list("public_id", flat=True)
    elif job.kind == Job.Kind.EVALUATE:
        of_run = Evaluation.objects.filter(pk=job.subject)
        ids = of_run.values_list("run__public_id", flat=True)
    else:
        return ""
    return ids.first() or ""


def _revive_subject(job: Job) -> bool:
    """Whether what the job was about had failed with it, and waits again."""
    if job.kind == Job.Kind.CHECK:
        failed = Run.objects.filter(pk=job.subject, state=Run.State.FAILED)
        return bool(failed.update(state=Run.State.WAITING, state_changed_at=Now()))
    if job.kind == Job.Kind.EVALUATE:
        failures = Evaluation.objects.filter(pk=job.subject, state=Evaluation.State.FAILED)
        return bool(failures.update(state=Evaluation.State.WAITING))
    if job.kind == Job.Kind.ANALYSE:
        unanswered = Analysis.objects.filter(pk=job.subject, state=Analysis.State.FAILED)
        return bool(unanswered.update(state=Analysis.State.WAITING))
    return True
