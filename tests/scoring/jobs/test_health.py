"""Health checks, metrics and log entries, for operators."""

import errno
import logging
import os
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.core.checks import Tags, run_checks
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from scoring.jobs import health, health_probes, queue, workers
from scoring.jobs.housekeeping import delete_unowned_files, sweep
from scoring.jobs.probes import Probe, State
from scoring.models import Backup, Job
from tests.making import make_run
from tests.patience import PATIENCE
from trackside import request_ids
from trackside.request_ids import HEADER, JsonLines, Named

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No result of an earlier test is reused."""
    monkeypatch.setattr(health_probes, "PROBES", health_probes.make_probes())


def waiting_job(*, since: timedelta) -> Job:
    run = make_run()
    job = queue.enqueue(Job.Kind.CHECK, subject=run.pk, campaign_id=run.campaign_id)
    Job.objects.filter(pk=job.pk).update(waiting_since=timezone.now() - since)
    return job


def test_a_site_whose_parts_all_work_is_healthy(client: Client) -> None:
    waiting_job(since=timedelta(seconds=5))
    answer = client.get("/healthz")
    names = ("database", "storage", "broker", "mail", "work_is_done")
    assert (answer.status_code, answer.json()) == (200, dict.fromkeys(names, True))


def test_jobs_that_no_worker_claims_fail_the_check_but_not_that_of_the_web(client: Client) -> None:
    waiting_job(since=timedelta(minutes=3))
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["work_is_done"]) == (503, False)
    assert client.get("/healthz?of=web").status_code == 200


def test_a_backlog_is_healthy_while_workers_process_it(client: Client) -> None:
    waiting_job(since=timedelta(minutes=3))
    assert queue.claim(waiting_job(since=timedelta(minutes=3)).pk) is not None
    assert client.get("/healthz").json()["work_is_done"] is True


def test_a_running_job_whose_worker_is_gone_is_reported(client: Client, settings: object) -> None:
    settings.METRICS_TOKEN = "sesame"
    workers.report("worker@host", 3)
    job = waiting_job(since=timedelta(seconds=5))
    assert queue.claim(job.pk) is not None
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(minutes=2))
    assert client.get("/healthz").json()["work_is_done"] is False
    text = client.get("/metrics", headers={"Authorization": "Bearer sesame"}).content.decode()
    assert "trackside_abandoned_jobs 1.0" in text
    assert "trackside_worker_slots 3.0" in text


def test_a_storage_that_cannot_be_written_is_reported(
    client: Client, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(name: str, content: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(default_storage, "save", full)
    answer = client.get("/healthz?of=web")
    assert (answer.status_code, answer.json()["storage"]) == (503, False)
    settings.METRICS_TOKEN = "sesame"
    text = client.get("/metrics", headers={"Authorization": "Bearer sesame"}).content.decode()
    assert 'trackside_part_up{part="storage"} 0.0' in text


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Broker and work answer while it is open. The other parts have answered, and no request waits
    for a part that does not."""
    opened = threading.Event()
    opened.set()

    def wait() -> health.Work:
        assert opened.wait(PATIENCE)
        return health.Work(is_done=True, last_backup=None)

    parts = {name: Probe(name, lambda: None, max_age=3600) for name in health_probes.PROBES}
    silent = {"max_age": 0.0, "trusted": 3600.0}
    parts["broker"] = Probe("broker", lambda: wait() and None, **silent)
    monkeypatch.setattr(health_probes, "PROBES", parts)
    monkeypatch.setattr(health, "WORK", Probe("job queue", wait, **silent), raising=False)
    assert Client().get("/healthz").status_code == 200
    monkeypatch.setattr(health_probes, "TIMEOUT", 0.01)
    opened.clear()
    yield opened
    opened.set()


def test_a_silent_part_is_busy_while_its_last_answer_is_recent(
    client: Client, settings: object, gate: threading.Event
) -> None:
    answer = client.get("/healthz")
    told = answer.json()
    assert (answer.status_code, told.pop("busy")) == (200, ["broker", "work_is_done"])
    assert all(told.values())
    assert "busy" not in client.get("/healthz?of=web").json()
    settings.METRICS_TOKEN = "sesame"
    text = client.get("/metrics", headers={"Authorization": "Bearer sesame"}).content.decode()
    assert 'trackside_part_up{part="broker"} 1.0' in text
    health_probes.PROBES["broker"]._trusted = health.WORK._trusted = 0.0  # it was long ago
    answer = client.get("/healthz")
    silent = [name for name, is_well in answer.json().items() if not is_well]
    assert (answer.status_code, silent) == (503, ["broker", "work_is_done"])
    assert "busy" not in answer.json()


def test_a_health_check_starts_no_thread_while_parts_are_silent(
    client: Client, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise AssertionError(thread.name)

    client.get("/healthz")
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert client.get("/healthz").status_code == 200


def test_all_parts_have_one_deadline(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    deadlines: list[float] = []

    class Recorder(Probe):
        def begin(self) -> None:
            pass

        def state(self, until: float) -> State:
            deadlines.append(until)
            return State.FAILS

    parts = {name: Recorder(name, lambda: None) for name in health_probes.PROBES}
    monkeypatch.setattr(health_probes, "PROBES", parts)
    monkeypatch.setattr(health, "WORK", Recorder("job queue", health.read_work))
    assert client.get("/healthz").status_code == 503
    assert (len(deadlines), len(set(deadlines))) == (5, 1)


def test_the_thread_of_a_health_check_does_not_wait_for_the_database(
    client: Client, gate: threading.Event
) -> None:
    with CaptureQueriesContext(connection) as queries:
        client.get("/healthz")
    assert len(queries) == 0


@pytest.mark.django_db(transaction=True)
def test_the_thread_of_the_probe_reads_work_and_backup(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "WORK", Probe("job queue", health._check_work, max_age=0))
    assert client.get("/healthz").status_code == 200
    waiting_job(since=timedelta(minutes=3))
    Backup.objects.create(finished_at=timezone.now(), bytes=1000, files=3, faults=0)
    told = client.get("/healthz").json()
    assert (told["database"], told["work_is_done"]) == (True, False)
    assert "last_backup" in told


def test_the_last_backup_is_reported(client: Client, settings: object) -> None:
    settings.METRICS_TOKEN = "sesame"
    token = {"Authorization": "Bearer sesame"}
    assert "last_backup" not in client.get("/healthz").json()
    assert "last_backup" not in client.get("/metrics", headers=token).content.decode()
    last = datetime(2026, 11, 25, 3, 15, tzinfo=UTC)
    for days, faults in ((0, 2), (7, 0)):
        ended = last - timedelta(days=days)
        Backup.objects.create(finished_at=ended, bytes=1000, files=3, faults=faults)
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["last_backup"]) == (200, "2026-11-25T03:15:00Z")
    text = client.get("/metrics", headers=token).content.decode()
    (when,) = re.findall(r"^trackside_last_backup_timestamp_seconds (\S+)$", text, re.M)
    assert float(when) == last.timestamp()
    assert "trackside_last_backup_faults 2.0" in text


def test_a_store_that_does_not_answer_keeps_one_file_of_a_probe_and_later_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = default_storage.save

    def store_and_be_silent(name: str, content: ContentFile) -> str:
        store(name, content)
        raise OSError(errno.ETIMEDOUT, "Connection timed out")

    with monkeypatch.context() as silent:
        silent.setattr(default_storage, "save", store_and_be_silent)
        for _ in range(3):
            with pytest.raises(OSError, match="timed out"):
                health_probes._check_storage()
    assert len(default_storage.listdir("health/files")[1]) == 1
    health_probes._check_storage()
    assert default_storage.listdir("health/files")[1] == []


def test_what_a_dead_process_left_of_a_probe_is_tidied_up() -> None:
    key = default_storage.save("health/files/of-a-dead-process", ContentFile(b"probe"))
    assert delete_unowned_files() == 0
    os.utime(default_storage.path(key), (1, 1))
    assert delete_unowned_files() == 1
    assert not default_storage.exists(key)


def test_metrics_need_the_token(client: Client, settings: object) -> None:
    assert client.get("/metrics").status_code == 404
    settings.METRICS_TOKEN = "sesame"
    assert client.get("/metrics", headers={"Authorization": "Bearer other"}).status_code == 404
    job = waiting_job(since=timedelta(minutes=1))
    attempt = queue.claim(job.pk)
    assert attempt is not None
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    sweep()
    text = client.get("/metrics", headers={"Authorization": "Bearer sesame"}).content.decode()
    assert 'trackside_jobs{kind="check",state="waiting"} 1.0' in text
    assert 'trackside_job_attempts_total{kind="check"} 1.0' in text
    assert 'trackside_lost_leases_total{kind="check"} 1.0' in text


def test_a_request_keeps_the_proxys_id_and_gets_one_without(client: Client) -> None:
    given = client.get("/healthz", headers={HEADER: "0123456789abcdef"})
    assert given[HEADER] == "0123456789abcdef"
    made = client.get("/healthz", headers={HEADER: "no\tid"})[HEADER]
    assert len(made) == 32
    assert request_ids.current.get() == "-"


def test_a_line_of_the_log_names_the_request() -> None:
    record = logging.LogRecord("here", logging.INFO, "", 1, "took %s in", ("run",), None)
    known = request_ids.current.set("abc")
    Named().filter(record)
    request_ids.current.reset(known)
    line = JsonLines().format(record)
    assert '"request_id": "abc"' in line
    assert '"message": "took run in"' in line


def test_limits_out_of_order_stop_the_site(settings: object) -> None:
    settings.CELERY_TASK_SOFT_TIME_LIMIT = 900
    settings.RENEWAL_SECONDS = settings.LEASE_SECONDS
    found = [str(error.msg) for error in run_checks(tags=[Tags.async_support])]
    assert any("soft time limit" in message for message in found)
    assert any("two renewals" in message for message in found)


def test_the_arrival_header_counts_from_the_proxy_and_not_from_a_client(settings: object) -> None:
    from django.http import HttpResponse
    from django.test import RequestFactory

    from trackside.middleware import stamp_arrival

    request = RequestFactory().get("/", headers={"X-Arrived": "1000000000.5"})
    stamp_arrival(lambda request: HttpResponse())(request)
    assert request.arrived_at.year > 2001
    settings.ARRIVAL_HEADER = "X-Arrived"
    stamp_arrival(lambda request: HttpResponse())(request)
    assert request.arrived_at.timestamp() == 1000000000.5
