"""Background work: claimed, kept, finished once, and swept up when its worker dies.

1. `enqueue` writes a row in the caller's transaction and rings a bell when it commits.
2. Whoever hears the bell `claim`s the row by compare-and-swap: a lease, a token, one attempt more.
3. While the work is done a thread renews the lease. `finish` is called inside the transaction that
   stores the results, and raises `LeaseLost` if the token is no longer the row's: so results are
   stored once, whatever was delivered or started twice.
4. `sweep` rings again for rows nobody came for, takes back those whose lease ran out, and gives up
   after JOB_ATTEMPTS. An attempt that failed is rung for by the sweeper too and not at once, so
   that the attempts outlast a disk or a database that is away for a moment.
The database's clock is the only one asked. The subject's own state (Run, Evaluation) moves with
its job, in the same transaction.
"""

import logging
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import DurationField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now
from django.utils import timezone

from campaigns import letters
from campaigns.models import Run
from scoring import faults
from scoring.models import Analysis, Evaluation, Job

log = logging.getLogger(__name__)

TASKS = {
    Job.Kind.CHECK: "scoring.check_run",
    Job.Kind.EVALUATE: "scoring.evaluate_run",
    Job.Kind.NOTIFY: "scoring.deliver_notice",
    Job.Kind.ANALYSE: "scoring.answer",
    Job.Kind.LAY_OUT: "scoring.lay_out",
}
# What the subject is called while the job runs; notices and plans have no state.
RUNNING = {
    Job.Kind.CHECK: Run.State.CHECKING,
    Job.Kind.EVALUATE: Evaluation.State.SCORING,
    Job.Kind.ANALYSE: Analysis.State.COMPUTING,
}

OF_RUNS = {Job.Kind.CHECK, Job.Kind.EVALUATE}  # organisers are told of those that failed

BELLS_PER_SWEEP = 100  # a worker must hear them all before the next ones come

_silent_until = 0.0  # by the monotonic clock
_publishing = threading.Lock()
PUBLISH_SECONDS = 0.5  # publishing takes a millisecond; longer, and another thread waits already


class LeaseLost(Exception):
    """Somebody else holds the job by now: store nothing."""


@dataclass(frozen=True)
class Claim:
    """One attempt at one job."""

    job_id: int
    kind: str
    subject: int
    token: str
    attempt: int


def enqueue(kind: Job.Kind, *, subject: int, campaign_id: int) -> Job:
    """Adds a job to do, or returns the live one for this subject, and rings on commit."""
    job, _ = Job.objects.get_or_create(
        kind=kind,
        subject=subject,
        state__in=[Job.State.WAITING, Job.State.RUNNING],
        defaults={
            "campaign_id": campaign_id,
            "state": Job.State.WAITING,
            "waiting_since": timezone.now(),
            "rung_at": timezone.now(),
        },
    )
    transaction.on_commit(partial(ring, job.pk, kind))
    return job


def ring(job_id: int, kind: str) -> None:
    """Tells the workers. A silent broker is no error, for the sweeper rings again; it is left
    alone for a while, so that who asks for a hundred jobs waits for it once and not a hundred
    times. One thread at a time publishes: of a web process whose broker is silent, one waits."""
    global _silent_until
    faults.point("before-ring", job_id)
    if time.monotonic() < _silent_until or not _publishing.acquire(timeout=PUBLISH_SECONDS):
        return
    try:
        if time.monotonic() >= _silent_until:
            current_app.send_task(TASKS[Job.Kind(kind)], args=[job_id])
    except Exception:  # the row is committed: whatever went wrong here, the caller's act is done
        _silent_until = time.monotonic() + settings.SWEEP_SECONDS
        log.warning("No broker to tell of job %s; the sweeper will.", job_id, exc_info=True)
    finally:
        _publishing.release()


def claim(job_id: int) -> Claim | None:
    """Takes the job if it is free, or if the lease of whoever took it ran out."""
    token = secrets.token_hex(16)
    free = Q(state=Job.State.WAITING) | Q(state=Job.State.RUNNING, lease_until__lt=Now())
    with transaction.atomic():
        taken = Job.objects.filter(free, pk=job_id, attempts__lt=settings.JOB_ATTEMPTS).update(
            state=Job.State.RUNNING,
            owner=token,
            attempts=F("attempts") + 1,
            lease_until=_lease_end(),
            claimed_at=Now(),
        )
        if not taken:
            return None
        job = Job.objects.get(pk=job_id)
        _move_subject(job, RUNNING.get(Job.Kind(job.kind), ""))
    faults.point("after-claim", job_id)
    return Claim(job.pk, job.kind, job.subject, token, job.attempts)


@contextmanager
def attempt(job_id: int) -> Iterator[Claim | None]:
    """One attempt: claims, keeps the lease while the block works, and hands the job back if the
    block fails. Yields None where there is nothing to do."""
    held = claim(job_id)
    if held is None:
        yield None
        return
    try:
        with _kept(held):
            yield held
    except LeaseLost:
        log.warning("Job %s was taken over; this attempt stored nothing.", job_id)
    except Exception as error:
        log.exception("Job %s failed in attempt %s.", job_id, held.attempt)
        _hand_back(held, repr(error))


def finish(held: Claim) -> None:
    """Ends the job. Call it inside the transaction that stores the results."""
    finished = Job.objects.filter(pk=held.job_id, owner=held.token, state=Job.State.RUNNING).update(
        state=Job.State.DONE, finished_at=Now(), lease_until=None
    )
    if not finished:
        raise LeaseLost(held.job_id)


def sweep() -> None:
    """Rings again for what nobody came for and takes back what nobody works on any more."""
    expired = Job.objects.filter(state=Job.State.RUNNING, lease_until__lt=Now())
    for job in expired:
        if _take_back(job, job.error or "The worker stopped without a word.", has_lost_lease=True):
            ring(job.pk, job.kind)
    silent = _silent()
    for job in silent.order_by("pk")[:BELLS_PER_SWEEP]:
        # By the condition and not by equality: SQLite's clock writes fewer digits than are read.
        if silent.filter(pk=job.pk).update(rung_at=Now()):
            ring(job.pk, job.kind)


def _silent() -> QuerySet[Job]:
    """Jobs whose bell is due again: after two sweeps, then after as long as they had waited at the
    last bell, and at the latest after ten; so that a long queue is not rung for over and over."""
    sweep_seconds = settings.SWEEP_SECONDS
    since_bell = ExpressionWrapper(Now() - F("rung_at"), output_field=DurationField())
    until_bell = ExpressionWrapper(F("rung_at") - F("waiting_since"), output_field=DurationField())
    waiting = Job.objects.annotate(since_bell=since_bell, until_bell=until_bell).filter(
        state=Job.State.WAITING, rung_at__lt=Now() - timedelta(seconds=2 * sweep_seconds)
    )
    overdue = Q(rung_at__lt=Now() - timedelta(seconds=10 * sweep_seconds))
    return waiting.filter(overdue | Q(since_bell__gt=F("until_bell")))


def _take_back(job: Job, error: str, *, has_lost_lease: bool = False) -> bool:
    """Frees a job whose owner is gone, or gives up; only if it is still that owner's. Whether it
    waits again."""
    is_last = job.attempts >= settings.JOB_ATTEMPTS
    with transaction.atomic():
        moved = Job.objects.filter(pk=job.pk, owner=job.owner, state=Job.State.RUNNING).update(
            state=Job.State.FAILED if is_last else Job.State.WAITING,
            owner="",
            lease_until=None,
            waiting_since=Now(),
            rung_at=Now(),
            finished_at=Now() if is_last else None,
            lost_leases=F("lost_leases") + int(has_lost_lease),
            error=error[:4000],
        )
        if moved:
            _move_subject(job, "failed" if is_last else "waiting")
            if is_last and job.kind in OF_RUNS:
                _tell_organisers(job)
    return bool(moved) and not is_last


def _tell_organisers(job: Job) -> None:
    for notice in letters.write_of_failure(job.campaign, timezone.now()):
        enqueue(Job.Kind.NOTIFY, subject=notice.pk, campaign_id=job.campaign_id)


def _hand_back(held: Claim, error: str) -> None:
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()  # its loss may be what the attempt failed of
    job = Job.objects.get(pk=held.job_id)
    if job.owner == held.token:
        _take_back(job, error)


def _move_subject(job: Job, state: str) -> None:
    """Run, Evaluation and Analysis call waiting and failed by the same names."""
    if job.kind == Job.Kind.CHECK:
        Run.objects.filter(pk=job.subject).update(state=state, state_changed_at=Now())
    elif job.kind == Job.Kind.EVALUATE:
        Evaluation.objects.filter(pk=job.subject).update(state=state)
    elif job.kind == Job.Kind.ANALYSE:
        Analysis.objects.filter(pk=job.subject).update(state=state)


def _lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


@contextmanager
def _kept(held: Claim) -> Iterator[None]:
    """Renews the lease from a thread of its own until the block ends."""
    is_over = threading.Event()

    def renew() -> None:
        mine = Job.objects.filter(pk=held.job_id, owner=held.token, state=Job.State.RUNNING)
        while not is_over.wait(settings.RENEWAL_SECONDS):
            try:
                if not mine.update(lease_until=_lease_end()):
                    break
            except DatabaseError:
                log.warning("Could not renew the lease of job %s.", held.job_id, exc_info=True)
                connection.close()  # the next renewal opens a new one
        connection.close()

    keeper = threading.Thread(target=renew, name=f"lease-{held.job_id}", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        is_over.set()
        keeper.join()
