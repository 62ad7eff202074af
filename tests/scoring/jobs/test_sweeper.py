"""The sweep and the forks of a worker's main process keep out of each other's way."""

import os
import threading

from tests.patience import PATIENCE
from trackside.celery import sweeping


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
