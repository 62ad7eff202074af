"""The sweep: sends messages again for jobs that still wait, and requeues those of dead workers."""

from datetime import timedelta

from django.conf import settings
from django.db.models import DurationField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Now

from scoring.jobs import queue
from scoring.models import Job

MESSAGES_PER_SWEEP = 100  # a worker must consume them all before the next sweep


def sweep() -> None:
    """Requeues jobs whose lease expired and sends messages for jobs that nobody has claimed."""
    expired = Job.objects.filter(state=Job.State.RUNNING, lease_until__lt=Now())
    for job in expired:
        error = job.error or "The worker stopped without reporting an error."
        if queue.requeue_or_fail(job, error, has_lost_lease=True):
            queue.wake_worker(job.pk, job.kind)
    due = _due_for_message()
    for job in due.order_by("priority", "pk")[:MESSAGES_PER_SWEEP]:
        # By the condition and not by equality: SQLite stores fewer digits than are read.
        if due.filter(pk=job.pk).update(rung_at=Now()):
            queue.wake_worker(job.pk, job.kind)


def _due_for_message() -> QuerySet[Job]:
    """Jobs that need another message: after two sweeps, then after as long as they had waited at
    the last message, and at the latest after ten sweeps. So a long queue does not get a message for
    each job in each sweep."""
    sweep_seconds = settings.SWEEP_SECONDS
    since_last = ExpressionWrapper(Now() - F("rung_at"), output_field=DurationField())
    until_last = ExpressionWrapper(F("rung_at") - F("waiting_since"), output_field=DurationField())
    waiting = Job.objects.annotate(since_last=since_last, until_last=until_last).filter(
        state=Job.State.WAITING, rung_at__lt=Now() - timedelta(seconds=2 * sweep_seconds)
    )
    overdue = Q(rung_at__lt=Now() - timedelta(seconds=10 * sweep_seconds))
    return waiting.filter(overdue | Q(since_last__gt=F("until_last")))
