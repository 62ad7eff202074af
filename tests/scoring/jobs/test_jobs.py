"""A job is claimed by one worker, finished once, and requeued when its worker is gone."""

import errno
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.db import OperationalError
from django.utils import timezone

from campaigns.models import Run
from scoring import worker
from scoring.jobs import queue
from scoring.jobs.housekeeping import sweep
from scoring.models import Job
from tests.making import make_run

pytestmark = pytest.mark.django_db

# A failed attempt drops a connection that is no good any more, which inside a transaction it is.
outside_a_transaction = pytest.mark.django_db(transaction=True)


@pytest.fixture
def job() -> Job:
    run = make_run(state=Run.State.WAITING)
    return queue.enqueue(Job.Kind.CHECK, subject=run.pk, campaign_id=run.campaign_id)


def expire(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_second_claim_gets_nothing(job: Job) -> None:
    assert queue.claim(job.pk) is not None
    assert queue.claim(job.pk) is None


def test_the_state_of_the_run_follows_its_job(job: Job) -> None:
    queue.claim(job.pk)
    assert Run.objects.get(pk=job.subject).state == Run.State.CHECKING


def test_one_live_job_per_subject(job: Job) -> None:
    again = queue.enqueue(Job.Kind.CHECK, subject=job.subject, campaign_id=job.campaign_id)
    assert again.pk == job.pk


def test_an_expired_lease_may_be_claimed_by_another_and_the_first_may_not_finish(job: Job) -> None:
    first = queue.claim(job.pk)
    assert first is not None
    expire(job)
    second = queue.claim(job.pk)
    assert second is not None
    assert second.number == 2
    with pytest.raises(queue.LeaseLost):
        queue.finish(first)
    queue.finish(second)
    assert Job.objects.get(pk=job.pk).state == Job.State.DONE


def test_a_finished_job_is_not_claimed_again(job: Job) -> None:
    attempt = queue.claim(job.pk)
    assert attempt is not None
    queue.finish(attempt)
    assert queue.claim(job.pk) is None
    with pytest.raises(queue.LeaseLost):
        queue.finish(attempt)


@outside_a_transaction
def test_a_failing_attempt_requeues_the_job_with_its_error(job: Job) -> None:
    with queue.job_attempt(job.pk) as attempt:
        assert attempt is not None
        raise OSError("the disk is gone")
    job.refresh_from_db()
    assert job.state == Job.State.WAITING
    assert "the disk is gone" in job.error
    assert Run.objects.get(pk=job.subject).state == Run.State.WAITING


@outside_a_transaction
def test_the_third_failure_is_the_last(job: Job) -> None:
    for _ in range(3):
        with queue.job_attempt(job.pk) as attempt:
            assert attempt is not None
            raise ValueError("poison")
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert Run.objects.get(pk=job.subject).state == Run.State.FAILED
    assert queue.claim(job.pk) is None


def test_the_sweep_requeues_jobs_whose_lease_expired(job: Job) -> None:
    queue.claim(job.pk)
    sweep()
    assert Job.objects.get(pk=job.pk).state == Job.State.RUNNING  # the lease still holds
    expire(job)
    sweep()
    assert Job.objects.get(pk=job.pk).state == Job.State.WAITING


def test_a_worker_killed_three_times_ends_the_job(job: Job) -> None:
    for _ in range(3):
        queue.claim(job.pk)
        expire(job)
        sweep()
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert Run.objects.get(pk=job.subject).state == Run.State.FAILED


def test_the_sweep_sends_another_message_for_a_job_that_nobody_claimed(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    wake_ups: list[int] = []
    monkeypatch.setattr(queue, "wake_worker", lambda job_id, kind: wake_ups.append(job_id))
    sweep()
    assert wake_ups == []  # its message has only just been sent
    Job.objects.filter(pk=job.pk).update(rung_at=timezone.now() - timedelta(minutes=5))
    sweep()
    sweep()
    assert wake_ups == [job.pk]


def test_the_time_between_messages_doubles(
    job: Job, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    wake_ups: list[int] = []
    monkeypatch.setattr(queue, "wake_worker", lambda job_id, kind: wake_ups.append(job_id))
    settings.SWEEP_SECONDS = 10

    def waited(since: float, at_last_message: float) -> None:
        sent = timezone.now() - timedelta(seconds=since)
        facts = {"rung_at": sent, "waiting_since": sent - timedelta(seconds=at_last_message)}
        Job.objects.filter(pk=job.pk).update(**facts)
        sweep()

    waited(since=30, at_last_message=40)
    assert wake_ups == []
    waited(since=41, at_last_message=40)
    assert len(wake_ups) == 1
    waited(since=101, at_last_message=3600)  # an hour without a broker costs no second hour
    assert len(wake_ups) == 2


def test_a_broker_that_refuses_leaves_the_job_waiting(
    job: Job, monkeypatch: pytest.MonkeyPatch, settings: object
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError("connection refused")

    monkeypatch.setattr(queue.current_app, "send_task", refuse)
    queue.wake_worker(job.pk)
    assert Job.objects.get(pk=job.pk).state == Job.State.WAITING


@outside_a_transaction
@pytest.mark.parametrize(
    ("error", "days", "state"),
    [
        (OSError(errno.EIO, "the store is silent"), 0, Job.State.WAITING),
        (OperationalError("the database server is silent"), 0, Job.State.WAITING),
        (OSError(errno.EIO, "the store is silent"), 2, Job.State.FAILED),
        (ValueError("the file is at fault"), 0, Job.State.FAILED),
    ],
)
def test_attempts_of_an_outage_do_not_count_for_a_day(
    error: Exception, days: int, state: str, job: Job, settings: LazySettings
) -> None:
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(days=days))
    for _ in range(settings.JOB_ATTEMPTS + 1):
        with queue.job_attempt(job.pk) as attempt:
            if attempt is not None:
                raise error
    job.refresh_from_db()
    assert job.state == state


@outside_a_transaction
def test_performing_in_this_process_ends_although_the_storage_is_down(
    job: Job, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(attempt: queue.JobAttempt) -> None:
        raise OSError(errno.EIO, "the store is silent")

    monkeypatch.setitem(worker.HANDLERS, Job.Kind.CHECK, fail)
    assert worker.perform_waiting_jobs(job.campaign) == settings.JOB_ATTEMPTS
    job.refresh_from_db()
    assert job.state == Job.State.WAITING
