"""Database, store, mail server and Redis that accept and say nothing: every wait has its end."""

import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from django.core.files.base import ContentFile
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler
from django.test import Client

from campaigns import stored_files
from campaigns.models import Run
from scoring import verifying
from scoring.backups import archive
from scoring.jobs import health_probes, queue
from scoring.jobs.probes import Probe
from tests.faults.servers import Postgres, Redis
from tests.faults.unresponsive import accepting_and_saying_nothing, stopped
from tests.patience import PATIENCE, wait_for
from trackside import bulkhead, s3
from trackside.processes import HOST
from trackside.s3 import PlainS3Storage
from trackside.stack import Missing

pytestmark = pytest.mark.long


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    try:
        server = Postgres()
    except Missing as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))
    server.start()
    yield server
    server.throw_away()


@pytest.fixture
def silent_port() -> Iterator[int]:
    with accepting_and_saying_nothing() as port:
        yield port


def connection_to(server: Postgres, *, silent_seconds: float = 6) -> BaseDatabaseWrapper:
    """One that does not take a server for silent that is not scheduled for five seconds."""
    site = {"ENGINE": "trackside.postgres", "NAME": "postgres", "USER": "postgres", "HOST": HOST}
    options = {"PORT": server.port, "OPTIONS": {"silent_seconds": silent_seconds}}
    return ConnectionHandler({"default": site | options})["default"]


def ask(connection: BaseDatabaseWrapper, statement: str = "SELECT 1") -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def options_of(port: int) -> dict[str, object]:
    return {
        "bucket_name": "trackside",
        "endpoint_url": f"http://{HOST}:{port}",
        "region_name": "us-east-1",
        "access_key": "key",
        "secret_key": "secret",
        "file_overwrite": True,
    }


PARENT_OF_TWO = """
import signal, subprocess, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # a child that ends is gone at once
print(*[subprocess.Popen(["sleep", "60"]).pid for _ in range(2)], flush=True)
time.sleep(60)
"""


def test_a_child_that_ended_leaves_no_other_stopped() -> None:
    """A connection of PostgreSQL may close while all its processes are being stopped."""
    command = [sys.executable, "-c", PARENT_OF_TWO]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        ending, staying = (psutil.Process(int(pid)) for pid in parent.stdout.readline().split())
        try:
            with stopped(parent.pid):
                ending.kill()
                ending.wait(PATIENCE)
            wait_for("the other to go on", lambda: staying.status() != psutil.STATUS_STOPPED)
        finally:
            staying.kill()
            parent.kill()


@pytest.mark.django_db  # lets tests connect at all
def test_a_stopped_postgresql_ends_statements_and_is_tried_again(postgres: Postgres) -> None:
    connection, other = connection_to(postgres), connection_to(postgres)
    ask(connection)
    with stopped(postgres.process):
        for each in (connection, other):  # one that is open, and one that is to be opened
            with pytest.raises(OperationalError, match="silent"):
                ask(each)
            each.close()
    wait_for("PostgreSQL to answer", lambda: _is_answering(other))
    other.close()


@pytest.mark.django_db
def test_a_long_statement_of_a_living_postgresql_is_waited_for(postgres: Postgres) -> None:
    connection = connection_to(postgres, silent_seconds=15)  # looks after a third of them
    ask(connection, "SELECT pg_sleep(6)")
    connection.close()


def silent_seconds_of_web_processes() -> float:
    show = (
        "import trackside.wsgi\n"
        "from django.conf import settings\n"
        "print(settings.DATABASES['default']['OPTIONS']['silent_seconds'])"
    )
    of_postgres = {"DATABASE_URL": "postgres://x@localhost/x", "BROKER_URL": "redis://localhost/0"}
    environment = {"PATH": os.environ["PATH"], "SECRET_KEY": "x" * 50, **of_postgres}
    shown = subprocess.check_output([sys.executable, "-c", show], env=environment, text=True)
    return float(shown)


@pytest.mark.django_db
def test_a_page_waits_for_a_database_that_is_busy_for_three_seconds(postgres: Postgres) -> None:
    seconds = silent_seconds_of_web_processes()
    for is_open in (True, False):  # a connection that is open, and one that is to be opened
        connection = connection_to(postgres, silent_seconds=seconds)
        if is_open:
            ask(connection)
        with ExitStack() as until_resumed:
            until_resumed.enter_context(stopped(postgres.process))
            threading.Timer(3, until_resumed.close).start()
            ask(connection)
        connection.close()


@pytest.fixture
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    retries = {"total_max_attempts": 1}
    limits = {"connect_timeout": 8, "read_timeout": 8, "retries": retries}
    monkeypatch.setattr(s3, "TIMEOUTS", limits)
    monkeypatch.setattr(bulkhead, "SILENT_SECONDS", 0.2)
    monkeypatch.setattr(bulkhead, "PAUSE_SECONDS", PATIENCE)


def test_a_silent_store_holds_few_threads_and_for_a_while(
    silent_port: int, short_limits: None
) -> None:
    store = PlainS3Storage(**options_of(silent_port))
    heard: list[Exception] = []

    def save() -> None:
        try:
            store.save("a", ContentFile(b"a"))
        except OSError as error:
            heard.append(error)

    threads = [threading.Thread(target=save) for _ in range(bulkhead.AT_ONCE)]
    for thread in threads:
        thread.start()
    wait_for("all places to be taken", lambda: not store.bulkhead._places._value or None)
    with pytest.raises(TimeoutError, match="others wait"):
        store.exists("a")
    assert heard == []  # the others still wait
    for thread in threads:
        thread.join()
    assert len(heard) == bulkhead.AT_ONCE
    with pytest.raises(OSError, match="a moment ago"):
        store.open("a")


class SlowStore:
    """Behind a bulkhead, and slower to its first byte than others wait for a place."""

    def __init__(self) -> None:
        self.bulkhead = bulkhead.Bulkhead()

    def open(self, name: str) -> io.BytesIO:
        with self.bulkhead.visit(name):
            time.sleep(0.5)
        return io.BytesIO(b"")


def test_a_backup_and_a_verification_do_not_crowd_a_slow_store(
    short_limits: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(archive, "default_storage", SlowStore())
    names = [str(number) for number in range(10)]
    assert [key for key, copy in archive._copies(names, tmp_path) if copy] == names
    monkeypatch.setattr(stored_files, "default_storage", store := SlowStore())
    rows = [Run(storage_key=name, digest="") for name in names]
    for row, fault in verifying._faults(rows):
        store.open(row.storage_key)  # to mend it, while others are read
        assert fault == "damaged"


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["storage", "broker", "mail"])
def test_healthz_names_the_part_that_is_silent(
    part: str, silent_port: int, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health_probes, "TIMEOUT", 5)
    monkeypatch.setattr(health_probes, "PROBES", health_probes.make_probes())
    if part == "storage":
        store = {"BACKEND": "trackside.s3.PlainS3Storage", "OPTIONS": options_of(silent_port)}
        settings.STORAGES = settings.STORAGES | {"default": store}
    elif part == "broker":
        settings.USES_FOLDER_BROKER = False
        settings.BROKER_URL = f"redis://{HOST}:{silent_port}/0"
    else:
        settings.MAIL_TRANSPORT = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = HOST, silent_port
    answer = Client().get("/healthz")
    assert answer.status_code == 503
    assert [name for name, is_well in answer.json().items() if not is_well] == [part]


def test_one_thread_waits_for_a_silent_broker_and_then_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, gate = [], threading.Event()

    def send_task(task: str, args: list[int]) -> None:
        asked.append(args[0])
        assert gate.wait(PATIENCE)
        raise TimeoutError

    monkeypatch.setattr(queue.current_app, "send_task", send_task)
    monkeypatch.setattr(queue, "_silent_until", 0.0)
    first = threading.Thread(target=queue.wake_worker, args=(1,))
    first.start()
    wait_for("the first to ask", lambda: asked)
    queue.wake_worker(2)  # goes on, though the first still waits
    gate.set()
    first.join()
    queue.wake_worker(3)
    assert asked == [1]
    monkeypatch.setattr(queue, "_silent_until", 0.0)


def _is_answering(connection: BaseDatabaseWrapper) -> bool:
    try:
        ask(connection)
    except OperationalError:
        connection.close()
        time.sleep(0.2)
        return False
    return True


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Redis]:
    try:
        server = Redis(tmp_path)
    except Missing as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))
    server.start()
    yield server
    server.stop(gently=False)


@pytest.mark.django_db
def test_healthz_names_a_redis_that_is_full_or_a_replica(
    broker: Redis, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.USES_FOLDER_BROKER, settings.BROKER_URL = False, broker.url

    def is_well() -> bool:
        monkeypatch.setattr(health_probes, "PROBES", health_probes.make_probes())
        return Client().get("/healthz").json()["broker"]

    assert is_well()
    broker.client().config_set("maxmemory", 1)
    assert not is_well()
    broker.client().config_set("maxmemory", 0)
    assert is_well()
    broker.client().replicaof(HOST, broker.port)
    assert not is_well()


@pytest.mark.django_db
def test_healthz_calls_a_stopped_redis_busy_and_then_dead_until_it_goes_on(
    broker: Redis, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.USES_FOLDER_BROKER, settings.BROKER_URL = False, broker.url
    probe = Probe("broker", health_probes._check_broker, max_age=0, trusted=3600)
    others = {name: Probe(name, lambda: None, max_age=3600) for name in health_probes.PROBES}
    monkeypatch.setattr(health_probes, "PROBES", others | {"broker": probe})
    assert Client().get("/healthz").status_code == 200
    with stopped(broker.process), monkeypatch.context() as impatient:
        impatient.setattr(health_probes, "TIMEOUT", 0.01)
        told = Client().get("/healthz").json()
        assert (told["broker"], told["busy"]) == (True, ["broker"])
        probe._trusted = 0  # the last answer is no longer recent
        answer = Client().get("/healthz")
        assert (answer.status_code, answer.json()["broker"]) == (503, False)
    wait_for("Redis to answer", lambda: Client().get("/healthz").json()["broker"])
