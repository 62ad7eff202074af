"""The sweep of a worker's main process: it waits for forks and they for it, and it reports."""

import os
import threading
from types import SimpleNamespace

import pytest
from django.db import connections

from scoring.jobs import workers
from tests.patience import PATIENCE
from trackside.celery import Sweeper, sweeping


def test_nobody_forks_while_the_sweep_may_hold_a_connection() -> None:
    forked: list[int] = []

    def fork() -> None:
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        forked.append(child)

    forker = threading.Thread(target=fork)
    with sweeping:
        forker.start()
        forker.join(0.3)
        assert forked == []
    forker.join(PATIENCE)
    assert len(forked) == 1


def test_a_child_may_fork_and_sweep_itself() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0 if sweeping.acquire(timeout=1) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.django_db
def test_each_sweep_reports_the_slots_of_its_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "close_all", lambda: None)  # the test's own is needed below
    pool = SimpleNamespace(num_processes=3)
    Sweeper.sweep(SimpleNamespace(hostname="worker@host", pool=pool))
    assert workers.slots() == 3
