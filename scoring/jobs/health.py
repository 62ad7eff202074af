"""The health of the site: whether its parts respond, how long jobs wait, and how they ended."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, DurationField, ExpressionWrapper, F, Min, Q, Sum
from django.db.models.functions import Now

from scoring.jobs import health_probes
from scoring.models import Backup, Job


@dataclass(frozen=True)
class Health:
    """What a site needs to accept runs and score them."""

    database: bool
    storage: bool
    broker: bool
    mail: bool
    work_is_done: bool


@dataclass(frozen=True)
class JobStatistics:
    """The jobs of one kind. `seconds` are those of the last attempt of jobs that are done."""

    kind: str
    waiting: int
    running: int
    failed: int
    done: int
    attempts: int
    lost_leases: int
    seconds: float


def check_health() -> Health:
    """Takes at most two seconds, even if a part does not respond."""
    answers = health_probes.answers()
    return Health(**answers, work_is_done=answers["database"] and _work_is_done())


def job_statistics() -> list[JobStatistics]:
    """One query. Every kind has its entry, even if it has no job."""
    lasted = ExpressionWrapper(F("finished_at") - F("claimed_at"), output_field=DurationField())
    states = {state.value: Count("pk", filter=Q(state=state)) for state in Job.State}
    rows = {
        row.pop("kind"): row
        for row in Job.objects.values("kind").annotate(
            **states,
            tries=Sum("attempts"),
            lost=Sum("lost_leases"),
            lasted=Sum(lasted, filter=Q(state=Job.State.DONE, claimed_at__isnull=False)),
        )
    }
    return [_statistics(kind, rows.get(kind, {})) for kind in Job.Kind.values]


def oldest_waiting_seconds() -> float:
    """How long the oldest waiting job has waited; 0 if none waits."""
    waited = ExpressionWrapper(Now() - Min("waiting_since"), output_field=DurationField())
    row = Job.objects.filter(state=Job.State.WAITING).aggregate(waited=waited)
    return max(row["waited"].total_seconds(), 0.0) if row["waited"] else 0.0


def abandoned_count() -> int:
    """Running jobs whose worker is gone and that no sweep has requeued."""
    since = Now() - timedelta(seconds=2 * settings.SWEEP_SECONDS)
    return Job.objects.filter(state=Job.State.RUNNING, lease_until__lt=since).count()


def last_backup() -> Backup | None:
    """The last completed backup of the site; None also if the database fails."""
    try:
        return Backup.objects.order_by("finished_at").last()
    except DatabaseError:  # it failed after it had responded
        return None


def _work_is_done() -> bool:
    """Whether workers process jobs. A long queue is healthy while jobs are claimed or running."""
    try:
        return not abandoned_count() and (
            oldest_waiting_seconds() <= settings.LONGEST_WAIT_SECONDS or _makes_progress()
        )
    except DatabaseError:  # it failed after it had responded
        return False


def _makes_progress() -> bool:
    lately = Now() - timedelta(seconds=settings.LONGEST_WAIT_SECONDS)
    is_worked_on = Q(state=Job.State.RUNNING, lease_until__gte=Now())
    return Job.objects.filter(
        is_worked_on | Q(claimed_at__gt=lately) | Q(finished_at__gt=lately)
    ).exists()


def _statistics(kind: str, row: dict) -> JobStatistics:
    counts = {state: row.get(state, 0) for state in Job.State.values}
    lasted = row.get("lasted")
    return JobStatistics(
        kind=kind,
        **counts,
        attempts=row.get("tries") or 0,
        lost_leases=row.get("lost") or 0,
        seconds=lasted.total_seconds() if lasted else 0.0,
    )
