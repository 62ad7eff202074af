"""The health of the site: whether its parts respond, how long jobs wait, and how they ended."""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.db.models import Count, DurationField, ExpressionWrapper, F, Min, Q, Sum
from django.db.models.functions import Now

from scoring.jobs import health_probes
from scoring.jobs.probes import Probe, State
from scoring.models import Backup, Job

WORK_SECONDS = 30.0  # after the last successful look at the queue, it counts as busy


@dataclass(frozen=True)
class Health:
    """What a site needs to accept runs and score them. A busy part counts as one that works."""

    works: dict[str, bool]
    busy: list[str]
    last_backup: datetime | None


@dataclass(frozen=True)
class Work:
    """Whether workers process jobs, and when the last backup was completed."""

    is_done: bool
    last_backup: datetime | None


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
    """Takes `health_probes.TIMEOUT` at most, because only the threads of the probes wait for parts,
    and for queries of the database."""
    until = time.monotonic() + health_probes.TIMEOUT
    WORK.begin()
    states = health_probes.states(until)
    states["work_is_done"] = WORK.state(until)
    # A busy part worked a few seconds ago, so a slow moment does not count as a failure.
    works = {name: state is not State.FAILS for name, state in states.items()}
    # The value is that of the last check that succeeded, which may be out of date.
    work = WORK.value if works["database"] and works["work_is_done"] else None
    return Health(
        works=works | {"work_is_done": work is not None and work.is_done},
        busy=[name for name, state in states.items() if state is State.BUSY],
        last_backup=work.last_backup if work else None,
    )


def job_statistics() -> list[JobStatistics]:
    """One query. Every kind has its entry, even if it has no job."""
    lasted = ExpressionWrapper(F("finished_at") - F("claimed_at"), output_field=DurationField())
    states = {state.value: Count("pk", filter=Q(state=state)) for state in Job.State}
    # Not `attempts=` and `lost_leases=`, because an annotation may not be named like a field.
    rows = {
        row.pop("kind"): row
        for row in Job.objects.values("kind").annotate(
            **states,
            tries=Sum("attempts"),
            lost=Sum("lost_leases"),
            lasted=Sum(lasted, filter=Q(state=Job.State.DONE, claimed_at__isnull=False)),
        )
    }
    statistics = []
    for kind in Job.Kind.values:
        row = rows.get(kind, {})
        spent = row.get("lasted")
        statistics.append(
            JobStatistics(
                kind=kind,
                **{state: row.get(state, 0) for state in Job.State.values},
                attempts=row.get("tries") or 0,
                lost_leases=row.get("lost") or 0,
                seconds=spent.total_seconds() if spent else 0.0,
            )
        )
    return statistics


def oldest_waiting_seconds() -> float:
    """How long the oldest waiting job has waited; 0 if none waits."""
    waited = ExpressionWrapper(Now() - Min("waiting_since"), output_field=DurationField())
    row = Job.objects.filter(state=Job.State.WAITING).aggregate(waited=waited)
    return max(row["waited"].total_seconds(), 0.0) if row["waited"] else 0.0


def abandoned_count() -> int:
    """Running jobs whose worker is gone and that no sweep has requeued."""
    # The next sweep requeues a job whose lease has just expired.
    since = Now() - timedelta(seconds=2 * settings.SWEEP_SECONDS)
    return Job.objects.filter(state=Job.State.RUNNING, lease_until__lt=since).count()


def last_backup() -> Backup | None:
    """The last completed backup of the site."""
    return Backup.objects.order_by("finished_at").last()


def read_work() -> Work:
    """A few queries on the connection of this thread. Raises DatabaseError."""
    backup = last_backup()
    return Work(is_done=_work_is_done(), last_backup=backup.finished_at if backup else None)


def _work_is_done() -> bool:
    """Whether workers process jobs. A long queue is healthy while jobs are claimed or running."""
    if abandoned_count():
        return False
    if oldest_waiting_seconds() <= settings.LONGEST_WAIT_SECONDS:
        return True
    lately = Now() - timedelta(seconds=settings.LONGEST_WAIT_SECONDS)
    is_worked_on = Q(state=Job.State.RUNNING, lease_until__gte=Now())
    return Job.objects.filter(
        is_worked_on | Q(claimed_at__gt=lately) | Q(finished_at__gt=lately)
    ).exists()


def _check_work() -> Work:
    try:
        return read_work()
    finally:
        connection.close()  # this thread's own


# Of this process. It needs several queries, and what it tells changes within minutes.
WORK = Probe("job queue", _check_work, **health_probes.LIMITS | {"trusted": WORK_SECONDS})
