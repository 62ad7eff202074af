"""The jobs of a campaign that wait, run or have failed, for the page *Queue*."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import Count, Q

from campaigns.models import Campaign, Notice, Plan, Run
from scoring.models import Analysis, Evaluation, Job

SHOWN = 100  # running and waiting jobs; the others are counted
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

    @property
    def can_be_retried(self) -> bool:
        """Whether its subject exists and has failed."""
        if self.evaluation is not None:
            return self.evaluation.state == Evaluation.State.FAILED
        if self.analysis is not None:
            return self.analysis.state == Analysis.State.FAILED
        if self.run is not None:
            return self.run.state == Run.State.FAILED
        if self.plan is not None:
            return self.plan.state != Plan.State.ENDED and not self.plan.is_laid_out
        return self.notice is not None and self.notice.sent_at is None

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
    """Running and waiting jobs, oldest first, and failed ones, newest first. Nine queries."""
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
        newest.setdefault((job.kind, job.subject), job)
    return tuple(job for job in _with_subjects(newest.values()) if job.can_be_retried)


def _with_subjects(jobs: Iterable[Job]) -> Iterator[QueuedJob]:
    """Five queries, whatever the number of jobs."""
    jobs = list(jobs)

    def subjects(kind: Job.Kind) -> list[int]:
        return [job.subject for job in jobs if job.kind == kind]

    runs = Run.objects.select_related("team").in_bulk(subjects(Job.Kind.CHECK))
    evaluations = Evaluation.objects.select_related("run__team", "qrels").in_bulk(
        subjects(Job.Kind.EVALUATE)
    )
    notices = Notice.objects.select_related("recipient").in_bulk(subjects(Job.Kind.NOTIFY))
    analyses = Analysis.objects.defer("answer").in_bulk(subjects(Job.Kind.ANALYSE))
    plans = Plan.objects.in_bulk(subjects(Job.Kind.LAY_OUT))
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
            case _:
                yield QueuedJob(job, notice=notices.get(job.subject))
