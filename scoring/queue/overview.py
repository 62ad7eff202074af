"""The jobs of a campaign that wait, run or have failed, for the page *Queue*; and their
retries, requested by an organiser."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from django.db import IntegrityError, transaction
from django.db.models import Count, Q
from django.db.models.functions import Now

from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Notice, PendingUpload, Plan, Run, User
from scoring.analyses.studies import study_of
from scoring.jobs import queue
from scoring.models import Analysis, Evaluation, Job, StoredTable

SHOWN = 100  # running and waiting jobs; the others are counted
ALLOWED_IN_ARCHIVES = {Job.Kind.ANALYSE, Job.Kind.WRITE}
LIVE = (Job.State.RUNNING, Job.State.WAITING)


@dataclass(frozen=True)
class QueuedJob:
    """A job and its subject, which may have been deleted."""

    job: Job
    run: Run | None = None
    evaluation: Evaluation | None = None
    notice: Notice | None = None
    analysis: Analysis | None = None
    plan: Plan | None = None
    table: StoredTable | None = None
    upload: PendingUpload | None = None

    @property
    def can_be_retried(self) -> bool:
        """Whether its subject exists and has failed."""
        if self.evaluation is not None:
            return self.evaluation.state == Evaluation.State.FAILED
        if self.analysis is not None:
            return self.analysis.state == Analysis.State.FAILED
        if self.table is not None:
            return self.table.state == StoredTable.State.FAILED
        if self.run is not None:
            return self.run.state == Run.State.FAILED
        if self.upload is not None:
            return self.upload.state == PendingUpload.State.FAILED
        if self.plan is not None:
            return self.plan.state != Plan.State.ENDED and not self.plan.is_laid_out
        return self.notice is not None and self.notice.sent_at is None

    @property
    def analysis_name(self) -> str:
        return study_of(self.analysis.kind).title if self.analysis else ""

    @property
    def reason(self) -> str:
        """The first line of the error."""
        return self.job.error.strip().partition("\n")[0]


@dataclass(frozen=True)
class Queue:
    """The jobs that are shown, and how many there are."""

    live: tuple[QueuedJob, ...]
    failed: tuple[QueuedJob, ...]
    running_count: int
    waiting_count: int
    done_count: int

    @property
    def live_count(self) -> int:
        return self.running_count + self.waiting_count


def queue_of(campaign: Campaign) -> Queue:
    """Running and waiting jobs, oldest first, and failed ones, newest first. Eleven queries."""
    counts = campaign.jobs.aggregate(
        running=Count("pk", filter=Q(state=Job.State.RUNNING)),
        waiting=Count("pk", filter=Q(state=Job.State.WAITING)),
        done=Count("pk", filter=Q(state=Job.State.DONE)),
    )
    # "running" precedes "waiting" in alphabetical order.
    live = campaign.jobs.filter(state__in=LIVE).order_by("state", "pk")[:SHOWN]
    return Queue(
        live=tuple(_with_subjects(live)),
        failed=failed_jobs(campaign),
        running_count=counts["running"],
        waiting_count=counts["waiting"],
        done_count=counts["done"],
    )


def failed_jobs(campaign: Campaign) -> tuple[QueuedJob, ...]:
    """The last failed job of each subject that has failed, newest first."""
    newest: dict[tuple[str, int], Job] = {}
    for job in campaign.jobs.filter(state=Job.State.FAILED).order_by("-pk"):
        # The newest comes first, so older ones of its subject are ignored.
        newest.setdefault((job.kind, job.subject), job)
    return tuple(job for job in _with_subjects(newest.values()) if job.can_be_retried)


def _with_subjects(jobs: Iterable[Job]) -> Iterator[QueuedJob]:
    """Six queries, whatever the number of jobs."""
    jobs = list(jobs)

    def subjects(kind: Job.Kind) -> list[int]:
        return [job.subject for job in jobs if job.kind == kind]

    runs = Run.objects.select_related("team").in_bulk(subjects(Job.Kind.CHECK))
    evaluations = Evaluation.objects.select_related("run__team", "qrels").in_bulk(
        subjects(Job.Kind.EVALUATE)
    )
    notices = Notice.objects.select_related("recipient").in_bulk(subjects(Job.Kind.NOTIFY))
    # Answers can be large, and the page does not show them.
    analyses = Analysis.objects.defer("answer").in_bulk(subjects(Job.Kind.ANALYSE))
    plans = Plan.objects.in_bulk(subjects(Job.Kind.LAY_OUT))
    tables = StoredTable.objects.in_bulk(subjects(Job.Kind.WRITE))
    uploads = PendingUpload.objects.in_bulk(subjects(Job.Kind.READ))
    for job in jobs:
        match job.kind:
            case Job.Kind.CHECK:
                yield QueuedJob(job, run=runs.get(job.subject))
            case Job.Kind.EVALUATE:
                evaluation = evaluations.get(job.subject)
                run = evaluation.run if evaluation else None
                yield QueuedJob(job, run=run, evaluation=evaluation)
            case Job.Kind.ANALYSE:
                yield QueuedJob(job, analysis=analyses.get(job.subject))
            case Job.Kind.LAY_OUT:
                yield QueuedJob(job, plan=plans.get(job.subject))
            case Job.Kind.WRITE:
                yield QueuedJob(job, table=tables.get(job.subject))
            case Job.Kind.READ:
                yield QueuedJob(job, upload=uploads.get(job.subject))
            case _:
                yield QueuedJob(job, notice=notices.get(job.subject))


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
                # The job stays failed too, since there is nothing left to do for its subject.
                transaction.set_rollback(True)
                return False
            record(
                job.campaign,
                actor,
                "retried",
                _run_of(job) or f"{job.kind} {job.subject}",
                work=job.kind,
                error=job.error[:500],
            )
    # Of one subject, only one job may be live.
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
        return bool(analysis.update(state=Analysis.State.WAITING, failure=""))
    if job.kind == Job.Kind.WRITE:
        table = StoredTable.objects.filter(pk=job.subject, state=StoredTable.State.FAILED)
        return bool(table.update(state=StoredTable.State.WAITING))
    if job.kind == Job.Kind.READ:
        upload = PendingUpload.objects.filter(pk=job.subject, state=PendingUpload.State.FAILED)
        return bool(upload.update(state=PendingUpload.State.WAITING, state_changed_at=Now()))
    return True
