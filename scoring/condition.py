"""How the site is: whether its parts answer, how long work waits, and what became of it."""

import logging
from dataclasses import dataclass

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.db.models import Count, DurationField, ExpressionWrapper, F, Min, Q, Sum
from django.db.models.functions import Now

from scoring.models import Job

log = logging.getLogger(__name__)

NO_FILE = "condition/never-written"  # asked for by name, to hear that it is not there


@dataclass(frozen=True)
class Condition:
    """What a site needs to take runs in and score them."""

    database: bool
    storage: bool
    oldest_waiting: float  # seconds that the oldest waiting job has waited; 0 without one

    @property
    def work_is_done(self) -> bool:
        """Nothing waits for longer than a sweep or two would leave it."""
        return self.oldest_waiting <= settings.LONGEST_WAIT_SECONDS


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


def condition() -> Condition:
    database = _database_answers()
    waited = _oldest_waiting() if database else 0.0
    return Condition(database=database, storage=_storage_answers(), oldest_waiting=waited)


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
    return _oldest_waiting()


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


def _oldest_waiting() -> float:
    waited = ExpressionWrapper(Now() - Min("waiting_since"), output_field=DurationField())
    row = Job.objects.filter(state=Job.State.WAITING).aggregate(waited=waited)
    return max(row["waited"].total_seconds(), 0.0) if row["waited"] else 0.0


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        log.exception("The database does not answer.")
        return False
    return True


def _storage_answers() -> bool:
    try:
        default_storage.exists(NO_FILE)
    except Exception:  # whatever the storage's library raises, the answer is the same
        log.exception("The storage does not answer.")
        return False
    return True
