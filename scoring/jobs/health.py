"""How the site is: whether its parts answer, how long work waits, and what became of it."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, DurationField, ExpressionWrapper, F, Min, Q, Sum
from django.db.models.functions import Now

from scoring.jobs import health_probes
from scoring.models import Job


@dataclass(frozen=True)
class Health:
    """What a site needs to take runs in and score them."""

    database: bool
    storage: bool
    broker: bool
    mail: bool
    work_is_done: bool


@dataclass(frozen=True)
class Work:
    """The jobs of one kind. Seconds are those of the last attempt of jobs that are done."""

    kind: str
    waiting: int
    running: int
    failed: int
    done: int
    attempts: int
    lost_leases: int
    seconds: float


def check_health() -> Health:
    """Takes two seconds at most, whatever is silent."""
    answers = health_probes.answers()
    return Health(**answers, work_is_done=answers["database"] and _work_is_done())


def work_by_kind() -> list[Work]:
    """One query; every kind has its line, also one that was never asked for."""
    lasted = ExpressionWrapper(F("finished_at") - F("claimed_at"), output_field=DurationField())
    states = {state.value: Count("pk", filter=Q(state=state)) for state in Job.State}
    found = {
        row.pop("kind"): row
        for row in Job.objects.values("kind").annotate(
            **states,
            tries=Sum("attempts"),
            lost=Sum("lost_leases"),
            lasted=Sum(lasted, filter=Q(state=Job.State.DONE, claimed_at__isnull=False)),
        )
    }
    return [_work(kind, found.get(kind, {})) for kind in Job.Kind.values]


def oldest_waiting() -> float:
    """Seconds that the oldest waiting job has waited; 0 without one."""
    waited = ExpressionWrapper(Now() - Min("waiting_since"), output_field=DurationField())
    row = Job.objects.filter(state=Job.State.WAITING).aggregate(waited=waited)
    return max(row["waited"].total_seconds(), 0.0) if row["waited"] else 0.0


def abandoned() -> int:
    """Running jobs whose worker is gone, and which no other worker's sweep has taken back."""
    since = Now() - timedelta(seconds=2 * settings.SWEEP_SECONDS)
    return Job.objects.filter(state=Job.State.RUNNING, lease_until__lt=since).count()


def _work_is_done() -> bool:
    """Whether workers work. Many waiting jobs are no fault while one is taken now and then, or is
    being worked on."""
    try:
        return not abandoned() and (
            oldest_waiting() <= settings.LONGEST_WAIT_SECONDS or _makes_progress()
        )
    except DatabaseError:  # it went silent after it had answered
        return False


def _makes_progress() -> bool:
    lately = Now() - timedelta(seconds=settings.LONGEST_WAIT_SECONDS)
    is_worked_on = Q(state=Job.State.RUNNING, lease_until__gte=Now())
    return Job.objects.filter(
        is_worked_on | Q(claimed_at__gt=lately) | Q(finished_at__gt=lately)
    ).exists()


def _work(kind: str, row: dict) -> Work:
    counts = {state: row.get(state, 0) for state in Job.State.values}
    lasted = row.get("lasted")
    return Work(
        kind=kind,
        **counts,
        attempts=row.get("tries") or 0,
        lost_leases=row.get("lost") or 0,
        seconds=lasted.total_seconds() if lasted else 0.0,
    )
