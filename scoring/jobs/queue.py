"""Background work: claimed, kept, finished once, and taken back when its worker dies.

1. `enqueue` writes a row in the caller's transaction and sends a message when it commits.
2. A message wakes one worker and names no work: the worker claims the job that comes next
   (`job_order`) by compare-and-swap: a lease, a token, one attempt more. One message leads to at
   most one claim, whatever it was sent for.
3. While the work is done a thread renews the lease. `finish` is called inside the transaction that
   stores the results, and raises `LeaseLost` if the token is no longer the row's: so results are
   stored once, whatever was delivered or started twice.
4. `sweeping.sweep` sends a message again for rows that still wait, takes back those whose lease ran
   out, and gives up after JOB_ATTEMPTS. A job whose attempt failed is due again after two sweeps,
   so that the attempts outlast a disk or a database that is away for a moment.
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
from django.db.models import F
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from campaigns.clock import database_now
from campaigns.mail import messages
from campaigns.models import Run
from campaigns.outages import is_outage
from scoring.jobs import test_hooks, tracing
from scoring.jobs.order import due, free, next_job
from scoring.models import Analysis, Evaluation, Job

log = logging.getLogger(__name__)

TASK = "scoring.perform_next"
# The names that the previous release knows: while a site is upgraded its web servers send them, and
# its workers understand no others. They go in the next release.
PREVIOUS_TASKS = {
    Job.Kind.CHECK: "scoring.check_run",
    Job.Kind.EVALUATE: "scoring.evaluate_run",
    Job.Kind.NOTIFY: "scoring.deliver_notice",
    Job.Kind.ANALYSE: "scoring.answer",
    Job.Kind.LAY_OUT: "scoring.lay_out",
}
PRIORITIES = {
    Job.Kind.CHECK: Job.Priority.UPLOAD,
    Job.Kind.EVALUATE: Job.Priority.UPLOAD,
    Job.Kind.MAIL: Job.Priority.UPLOAD,  # somebody waits for it, to confirm an address or log in
    Job.Kind.ANALYSE: Job.Priority.ANALYSIS,
}
# What the subject is called while the job runs; notices and plans have no state.
RUNNING = {
    Job.Kind.CHECK: Run.State.CHECKING,
    Job.Kind.EVALUATE: Evaluation.State.SCORING,
    Job.Kind.ANALYSE: Analysis.State.COMPUTING,
}

OF_RUNS = {Job.Kind.CHECK, Job.Kind.EVALUATE}  # organisers are told of those that failed

_silent_until = 0.0  # by the monotonic clock
_publishing = threading.Lock()
PUBLISH_SECONDS = 0.5  # publishing takes a millisecond; longer, and another thread waits already


OUTAGE = timedelta(days=1)  # at most so long are attempts repeated that fail because of one


class LeaseLost(Exception):
    """Somebody else holds the job by now: store nothing."""


@dataclass(frozen=True)
class JobAttempt:
    """One attempt at one job."""

    job_id: int
    kind: str
    subject: int
    token: str
    attempt: int
    request_id: str = ""


def enqueue(
    kind: Job.Kind,
    *,
    subject: int,
    campaign_id: int | None,
    team_id: int | None = None,
    priority: Job.Priority | None = None,
) -> Job:
    """Adds a job to do, or returns the live one for this subject, and wakes a worker on commit.

    `team_id` says whose share of the workers it takes; `priority` is that of its kind by default.
    """
    job, _ = Job.objects.get_or_create(
        kind=kind,
        subject=subject,
        state__in=[Job.State.WAITING, Job.State.RUNNING],
        defaults={
            "campaign_id": campaign_id,
            "team_id": team_id,
            "state": Job.State.WAITING,
            "priority": PRIORITIES.get(kind, Job.Priority.NORMAL) if priority is None else priority,
            "request_id": tracing.request_id.get().strip("-"),
            "created_at": Now(),
            "waiting_since": Now(),
            "rung_at": Now(),
        },
    )
    transaction.on_commit(partial(wake_worker, job.pk, job.kind))
    return job


def wake_worker(job_id: int, kind: str = "") -> None:
    """Wakes a worker, because of this job of this kind. A broker that does not respond is not an
    error, for the sweeper sends the message again. It is left alone for a while, so that whoever
    adds a hundred jobs waits for it once and not a hundred times. One thread at a time publishes:
    of a web process whose broker is silent, one waits."""
    global _silent_until
    test_hooks.point("before-ring", job_id)
    if time.monotonic() < _silent_until or not _publishing.acquire(timeout=PUBLISH_SECONDS):
        return
    try:
        if time.monotonic() >= _silent_until:
            current_app.send_task(PREVIOUS_TASKS.get(kind, TASK), args=[job_id])
    except Exception:  # the row is committed: whatever went wrong here, the caller's act is done
        _silent_until = time.monotonic() + settings.SWEEP_SECONDS
        log.warning("No broker to tell of job %s; the sweeper will.", job_id, exc_info=True)
    finally:
        _publishing.release()


def claim(job_id: int) -> JobAttempt | None:
    """Takes this job if it is free, or if the lease of whoever took it ran out."""
    token = secrets.token_hex(16)
    with transaction.atomic():
        taken = Job.objects.filter(free(), pk=job_id).update(
            state=Job.State.RUNNING,
            owner=token,
            attempts=F("attempts") + 1,
            lease_until=_lease_end(),
            claimed_at=Now(),
            due_at=None,
        )
        if not taken:
            return None
        job = Job.objects.get(pk=job_id)
        _move_subject(job, RUNNING.get(Job.Kind(job.kind), ""))
    test_hooks.point("after-claim", job_id)
    return JobAttempt(job.pk, job.kind, job.subject, token, job.attempts, job.request_id)


def claim_next() -> JobAttempt | None:
    """Takes the job that comes next. Where another worker took it meanwhile, chooses again: every
    round that fails is one in which somebody else got a job."""
    while (job_id := next_job()) is not None:
        held = claim(job_id)
        if held is not None:
            return held
    return None


@contextmanager
def attempt(job_id: int | None = None) -> Iterator[JobAttempt | None]:
    """One attempt at this job, or at the one that comes next: claims, keeps the lease while the
    block works, and hands the job back if the block fails. Yields None where there is nothing to
    do. What is logged meanwhile has the id of the request that asked for the job."""
    held = claim_next() if job_id is None else claim(job_id)
    if held is None:
        yield None
        return
    with tracing.about(held.request_id):
        try:
            started = time.monotonic()
            with _kept(held):
                yield held
            spent = time.monotonic() - started
            log.info("Job %s (%s %s) took %.1f s.", held.job_id, held.kind, held.subject, spent)
        except LeaseLost:
            log.warning("Job %s was taken over; this attempt stored nothing.", held.job_id)
        except Exception as error:
            log.exception("Job %s failed in attempt %s.", held.job_id, held.attempt)
            _hand_back(held, error)
    if held.kind == Job.Kind.ANALYSE:
        _wake_for_next_analysis()


def finish(held: JobAttempt) -> None:
    """Ends the job. Call it inside the transaction that stores the results."""
    finished = Job.objects.filter(pk=held.job_id, owner=held.token, state=Job.State.RUNNING).update(
        state=Job.State.DONE, finished_at=Now(), lease_until=None
    )
    if not finished:
        raise LeaseLost(held.job_id)


def take_back(job: Job, error: str, *, has_lost_lease: bool = False, counts: bool = True) -> bool:
    """Frees a job whose owner is gone, or gives up; only if it is still that owner's. Whether it
    waits again."""
    is_last = counts and job.attempts >= settings.JOB_ATTEMPTS
    sweep_seconds = settings.SWEEP_SECONDS
    with transaction.atomic():
        moved = Job.objects.filter(pk=job.pk, owner=job.owner, state=Job.State.RUNNING).update(
            state=Job.State.FAILED if is_last else Job.State.WAITING,
            owner="",
            attempts=F("attempts") - int(not counts),
            lease_until=None,
            waiting_since=Now(),
            rung_at=Now(),
            due_at=None if has_lost_lease else Now() + timedelta(seconds=2 * sweep_seconds),
            finished_at=Now() if is_last else None,
            lost_leases=F("lost_leases") + int(has_lost_lease),
            error=error[:4000],
        )
        if moved:
            _move_subject(job, "failed" if is_last else "waiting")
            if is_last and job.kind in OF_RUNS:
                _notify_organisers(job)
    return bool(moved) and not is_last


def _notify_organisers(job: Job) -> None:
    for notice in messages.create_failure_notices(job.campaign, database_now()):
        enqueue(Job.Kind.NOTIFY, subject=notice.pk, campaign_id=job.campaign_id)


def _wake_for_next_analysis() -> None:
    """Messages that came while ANALYSES_AT_ONCE were running are gone: send one for those that
    wait."""
    waiting = Job.objects.filter(due(), kind=Job.Kind.ANALYSE).order_by("pk").first()
    if waiting is not None:
        wake_worker(waiting.pk, waiting.kind)


def _hand_back(held: JobAttempt, error: Exception) -> None:
    """An attempt that fails because database or storage are away does not count, for a day: else
    every run of an evening is given up within minutes, and has to be retried by hand."""
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()  # its loss may be what the attempt failed of
    job = Job.objects.get(pk=held.job_id)
    is_new = job.created_at > database_now() - OUTAGE
    if job.owner == held.token:
        take_back(job, repr(error), counts=not (is_new and is_outage(error)))


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
def _kept(held: JobAttempt) -> Iterator[None]:
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
