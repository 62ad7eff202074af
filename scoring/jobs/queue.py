"""Background jobs: claimed under a lease, finished once, and requeued when their worker dies.

1. `enqueue` writes a row in the caller's transaction and sends a message when it commits.
2. A message wakes one worker and names no job: the worker claims the next job (`order.py`) by
   compare-and-swap, which sets a lease and a token and counts the attempt. One message leads to at
   most one claim, whatever it was sent for.
3. While the job runs, a thread renews the lease. `finish` is called inside the transaction that
   stores the results, and raises `LeaseLost` if the row has another token by now. So results are
   stored once, even if a message is delivered or a job is started twice. An attempt at scoring a
   run again claims further such runs of its campaign (`order.companions`), under the same token.
4. `housekeeping.sweep` sends another message for jobs that still wait, requeues those whose lease
   expired, and fails them after JOB_ATTEMPTS. A job whose attempt failed is due again after two
   sweeps, so that the attempts outlast a short outage of the disk or the database.
Only the database's clock is used. The state of the subject (Run, Evaluation, Analysis, StoredTable,
PendingUpload) changes in the same transaction as that of its job.
"""

import logging
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from celery import current_app
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from campaigns.clock import database_now
from campaigns.mail import messages
from campaigns.models import PendingUpload, Run
from campaigns.outages import is_outage
from scoring.jobs import test_hooks, tracing
from scoring.jobs.order import (
    BATCH_RUNS,
    SHARED_SLOTS,
    companions,
    due,
    free,
    is_batched,
    next_job,
)
from scoring.models import Analysis, Evaluation, Job, StoredTable

log = logging.getLogger(__name__)

TASK = "scoring.perform_next"
# Task names of the previous release. During an upgrade its web servers send them, and its workers
# accept no others. The next release removes them.
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
    Job.Kind.MAIL: Job.Priority.UPLOAD,  # a person waits for it to confirm an address or log in
    Job.Kind.ANALYSE: Job.Priority.ANALYSIS,
    Job.Kind.WRITE: Job.Priority.ANALYSIS,
}
# The state of the subject while the job runs; notices and plans have none.
SUBJECT_STATES = {
    Job.Kind.CHECK: Run.State.CHECKING,
    Job.Kind.EVALUATE: Evaluation.State.SCORING,
    Job.Kind.ANALYSE: Analysis.State.COMPUTING,
    Job.Kind.WRITE: StoredTable.State.COMPUTING,
    Job.Kind.READ: PendingUpload.State.READING,
}

OF_RUNS = {Job.Kind.CHECK, Job.Kind.EVALUATE}  # organisers are emailed when these fail

_silent_until = 0.0  # by the monotonic clock
_publishing = threading.Lock()
PUBLISH_SECONDS = 0.5  # publishing takes a millisecond; if it takes longer, a thread waits already


OUTAGE = timedelta(days=1)  # for this long, attempts that fail because of an outage do not count


class LeaseLost(Exception):
    """Another worker has claimed the job: store nothing."""


@dataclass(frozen=True)
class JobAttempt:
    """One attempt at one job, and at those that the same attempt performs with it."""

    job_id: int
    kind: str
    subject: int
    token: str
    number: int  # 1 for the first attempt
    request_id: str = ""
    priority: int = Job.Priority.NORMAL
    companions: "tuple[JobAttempt, ...]" = ()

    @property
    def all(self) -> "tuple[JobAttempt, ...]":
        return (self, *self.companions)

    @property
    def job_ids(self) -> list[int]:
        return [each.job_id for each in self.all]


def enqueue(
    kind: Job.Kind,
    *,
    subject: int,
    campaign_id: int | None,
    team_id: int | None = None,
    priority: int | None = None,
    is_long: bool = False,
) -> Job:
    """Creates a job, or returns the live one for this subject, and wakes a worker on commit.

    `team_id` is the team whose share of the workers it uses; the default of `priority` depends on
    the kind. Quick analyses do not wait for one that `is_long`.
    """
    (job,) = enqueue_all(
        kind, {subject: team_id}, campaign_id=campaign_id, priority=priority, is_long=is_long
    )
    return job


def enqueue_all(
    kind: Job.Kind,
    teams: Mapping[int, int | None],
    *,
    campaign_id: int | None,
    priority: int | None = None,
    is_long: bool = False,
) -> list[Job]:
    """The same for many subjects of a campaign, in two statements. `teams` is by subject."""
    chosen = PRIORITIES.get(kind, Job.Priority.NORMAL) if priority is None else priority
    Job.objects.bulk_create(
        [
            Job(
                kind=kind,
                subject=subject,
                campaign_id=campaign_id,
                team_id=team_id,
                priority=chosen,
                is_long=is_long,
                # Outside of a request it is "-".
                request_id=tracing.request_id.get().strip("-"),
                created_at=Now(),
                waiting_since=Now(),
                rung_at=Now(),
            )
            for subject, team_id in teams.items()
        ],
        ignore_conflicts=True,  # with live jobs
    )
    # Read back, because a job that conflicts with a live one was not created.
    live = Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
    jobs = list(live.filter(kind=kind, subject__in=teams).order_by("pk"))
    # Where an attempt performs many jobs and then wakes the next worker, few messages will do.
    for job in jobs[:: BATCH_RUNS if is_batched(kind, chosen) else 1]:
        transaction.on_commit(partial(wake_worker, job.pk, job.kind))
    return jobs


def wake_worker(job_id: int, kind: str = "") -> None:
    """Sends a message for this job. A broker that does not respond is not an error, because the
    sweeper sends the message again. After a failure no message is sent for a while, so that adding
    a hundred jobs waits for the broker once. One thread publishes at a time: while the broker does
    not respond, only one thread of a web process waits."""
    global _silent_until
    test_hooks.point("before-wake", job_id)
    if time.monotonic() < _silent_until or not _publishing.acquire(timeout=PUBLISH_SECONDS):
        return
    try:
        # Again, because the thread that published before may have failed.
        if time.monotonic() >= _silent_until:
            current_app.send_task(PREVIOUS_TASKS.get(kind, TASK), args=[job_id])
    except Exception:  # the row is committed: the caller has succeeded, whatever fails here
        _silent_until = time.monotonic() + settings.SWEEP_SECONDS
        log.warning(
            "The broker did not accept the message for job %s. The sweeper will send it again.",
            job_id,
            exc_info=True,
        )
    finally:
        _publishing.release()


def claim(job_id: int) -> JobAttempt | None:
    """Claims this job if it waits, or if the lease of its worker expired, and its companions."""
    token = secrets.token_hex(16)
    with transaction.atomic():
        if not _take(Job.objects.filter(free(), pk=job_id), token):
            return None
        job = Job.objects.get(pk=job_id)
        others = companions(job)
        if others:
            _take(Job.objects.filter(pk__in=[other.pk for other in others]), token)
        _move_subjects([job, *others], SUBJECT_STATES.get(Job.Kind(job.kind), ""))
    test_hooks.point("after-claim", job_id)
    # Companions were never attempted before.
    attempts = tuple(_attempt(other, token, number=1) for other in others)
    return replace(_attempt(job, token, number=job.attempts), companions=attempts)


def _take(jobs: QuerySet[Job], token: str) -> int:
    # Compare-and-swap: of two workers that claim a job at the same time, one changes a row.
    return jobs.update(
        state=Job.State.RUNNING,
        owner=token,
        attempts=F("attempts") + 1,
        lease_until=_lease_end(),
        claimed_at=Now(),
        due_at=None,
    )


def _attempt(job: Job, token: str, *, number: int) -> JobAttempt:
    return JobAttempt(job.pk, job.kind, job.subject, token, number, job.request_id, job.priority)


def claim_next() -> JobAttempt | None:
    """Claims the next job. If another worker claims it first, chooses again: whenever a round
    fails, another worker has got a job."""
    while (job_id := next_job()) is not None:
        attempt = claim(job_id)
        if attempt is not None:
            return attempt
    return None


@contextmanager
def job_attempt(job_id: int | None = None) -> Iterator[JobAttempt | None]:
    """One attempt at this job, or at the next one: claims it, renews the lease while the block
    runs, and requeues or fails the job if the block raises. Yields None if there is no job to do.
    Log entries of the block have the id of the request that caused the job."""
    attempt = claim_next() if job_id is None else claim(job_id)
    if attempt is None:
        yield None
        return
    with tracing.within_request(attempt.request_id):
        try:
            started = time.monotonic()
            with _lease_renewed(attempt):
                yield attempt
            spent = time.monotonic() - started
            log.info(
                "Job %s (%s %s) took %.1f s.", attempt.job_id, attempt.kind, attempt.subject, spent
            )
            if attempt.companions:
                log.info("It took along the jobs %s.", attempt.job_ids[1:])
        except LeaseLost:
            log.warning(
                "Job %s was claimed by another worker; this attempt stored nothing.", attempt.job_id
            )
        except Exception as error:
            for each in attempt.all:
                fail(each, error)
    if attempt.kind in SHARED_SLOTS:
        _wake_for_next(*SHARED_SLOTS)
    elif is_batched(attempt.kind, attempt.priority):
        _wake_for_next(attempt.kind)


def finish(*attempts: JobAttempt) -> None:
    """Ends these jobs of one attempt. Call it inside the transaction that stores the results."""
    finished = Job.objects.filter(
        pk__in=[attempt.job_id for attempt in attempts],
        owner=attempts[0].token,
        state=Job.State.RUNNING,
    ).update(state=Job.State.DONE, finished_at=Now(), lease_until=None)
    if finished != len(attempts):
        raise LeaseLost(*(attempt.job_id for attempt in attempts))


def fail(attempt: JobAttempt, error: Exception) -> None:
    """Requeues or fails a job after an error, which is being handled. For a day, attempts that fail
    because the database or the storage is down do not count. Otherwise every run of an evening
    would fail within minutes and need a retry by hand."""
    log.exception("Job %s failed in attempt %s.", attempt.job_id, attempt.number)
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()  # a lost connection may have been the cause
    job = Job.objects.get(pk=attempt.job_id)
    # Another worker has claimed it by now, and its attempt decides.
    if job.owner != attempt.token:
        return
    if job.kind in SHARED_SLOTS and isinstance(error, SoftTimeLimitExceeded):
        # It would reach the time limit again, and block the others.
        reason = (
            f"It took longer than {settings.CELERY_TASK_SOFT_TIME_LIMIT} s, the limit for one job."
        )
        with transaction.atomic():
            requeue_or_fail(job, reason, is_final=True)
            if job.kind == Job.Kind.ANALYSE:
                failed = Analysis.objects.filter(pk=job.subject, state=Analysis.State.FAILED)
                failed.update(failure=reason)
    else:
        is_new = job.created_at > database_now() - OUTAGE
        requeue_or_fail(job, repr(error), counts=not (is_new and is_outage(error)))


def requeue_or_fail(
    job: Job,
    error: str,
    *,
    has_lost_lease: bool = False,
    counts: bool = True,
    is_final: bool = False,
) -> bool:
    """Requeues a job whose owner is gone or has failed; the last attempt, or a final error, fails
    the job. Changes nothing if another worker owns it by now. Returns whether the job waits
    again."""
    is_last = is_final or (counts and job.attempts >= settings.JOB_ATTEMPTS)
    sweep_seconds = settings.SWEEP_SECONDS
    with transaction.atomic():
        # Due at once after a lost lease, because the worker failed and not the job; after an error
        # later, when its cause may have ended.
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
            _move_subjects([job], "failed" if is_last else "waiting")
            if is_last and job.kind in OF_RUNS:
                for notice in messages.create_failure_notices(job.campaign, database_now()):
                    enqueue(Job.Kind.NOTIFY, subject=notice.pk, campaign_id=job.campaign_id)
    return bool(moved) and not is_last


def _wake_for_next(*kinds: str) -> None:
    """Sends another message if a job of these kinds waits: messages that arrived while as many
    analyses were running as may are consumed, and runs that are scored again have one message for
    many."""
    waiting = Job.objects.filter(due(), kind__in=kinds).order_by("pk").first()
    if waiting is not None:
        wake_worker(waiting.pk, waiting.kind)


def _move_subjects(jobs: Sequence[Job], state: str) -> None:
    """The jobs are of one kind. The states "waiting" and "failed" have the same names in Run,
    Evaluation, Analysis, StoredTable and PendingUpload."""
    subjects = [job.subject for job in jobs]
    if jobs[0].kind == Job.Kind.CHECK:
        Run.objects.filter(pk__in=subjects).update(state=state, state_changed_at=Now())
    elif jobs[0].kind == Job.Kind.EVALUATE:
        Evaluation.objects.filter(pk__in=subjects).update(state=state)
    elif jobs[0].kind == Job.Kind.ANALYSE:
        Analysis.objects.filter(pk__in=subjects).update(state=state)
    elif jobs[0].kind == Job.Kind.WRITE:
        StoredTable.objects.filter(pk__in=subjects).update(state=state)
    elif jobs[0].kind == Job.Kind.READ:
        PendingUpload.objects.filter(pk__in=subjects).update(state=state, state_changed_at=Now())


def _lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


@contextmanager
def _lease_renewed(attempt: JobAttempt) -> Iterator[None]:
    """Renews the lease from a thread of its own until the block ends."""
    is_over = threading.Event()

    def renew() -> None:
        mine = Job.objects.filter(
            pk__in=attempt.job_ids, owner=attempt.token, state=Job.State.RUNNING
        )
        while not is_over.wait(settings.RENEWAL_SECONDS):
            try:
                # Another worker has claimed the job: `finish` will raise LeaseLost.
                if not mine.update(lease_until=_lease_end()):
                    break
            except DatabaseError:
                log.warning("Could not renew the lease of job %s.", attempt.job_id, exc_info=True)
                connection.close()  # the next renewal opens a new one
        connection.close()

    keeper = threading.Thread(target=renew, name=f"lease-{attempt.job_id}", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        is_over.set()
        keeper.join()
