"""The sweep: sends messages again for jobs that still wait, and frees those of dead workers."""

from datetime import timedelta

from django.conf import settings
from django.db.models import DurationField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Now

from scoring.jobs import queue
from scoring.models import Job

MESSAGES_PER_SWEEP = 100  # a worker must take them all before the next ones come


def sweep() -> None:
    """Sends messages for what nobody came for and takes back what nobody works on any more."""
    expired = Job.objects.filter(state=Job.State.RUNNING, lease_until__lt=Now())
    for job in expired:
        error = job.error or "The worker stopped without a word."
        if queue.take_back(job, error, has_lost_lease=True):
            queue.wake_worker(job.pk, job.kind)
    silent = _silent()
    for job in silent.order_by("priority", "pk")[:MESSAGES_PER_SWEEP]:
        # By the condition and not by equality: SQLite's clock writes fewer digits than are read.
        if silent.filter(pk=job.pk).update(rung_at=Now()):
            queue.wake_worker(job.pk, job.kind)


def _silent() -> QuerySet[Job]:
    """Jobs whose message is due again: after two sweeps, then after as long as they had waited at
    the last message, and at the latest after ten; so that a long queue does not get a message for
    each job over and over."""
    sweep_seconds = settings.SWEEP_SECONDS
    since_last = ExpressionWrapper(Now() - F("rung_at"), output_field=DurationField())
    until_last = ExpressionWrapper(F("rung_at") - F("waiting_since"), output_field=DurationField())
    waiting = Job.objects.annotate(since_last=since_last, until_last=until_last).filter(
        state=Job.State.WAITING, rung_at__lt=Now() - timedelta(seconds=2 * sweep_seconds)
    )
    overdue = Q(rung_at__lt=Now() - timedelta(seconds=10 * sweep_seconds))
    return waiting.filter(overdue | Q(since_last__gt=F("until_last")))
