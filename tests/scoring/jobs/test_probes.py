"""Probes run on a separate thread, share their results, and have a timeout."""

import threading

import pytest

from scoring.jobs.probes import Probe
from tests.patience import PATIENCE


def test_a_part_that_does_not_respond_is_reported_until_it_responds() -> None:
    gate, calls = threading.Event(), []

    def check() -> None:
        calls.append(1)
        assert gate.wait(PATIENCE)

    probe = Probe("part", check, timeout=0.05, max_age=0)
    assert not probe.is_known_silent()  # no check has run
    assert not probe.answers()
    assert probe.is_known_silent()
    assert not probe.answers()
    assert calls == [1]  # one thread waits for it, and no more
    gate.set()
    probe._timeout = 60
    assert probe.answers()
    assert not probe.is_known_silent()


def test_a_part_that_fails_does_not_respond_until_it_is_repaired() -> None:
    faults: list[Exception] = [OSError("read-only")]

    def check() -> None:
        if faults:
            raise faults[0]

    probe = Probe("part", check, timeout=60, max_age=0)
    assert not probe.answers()
    assert probe.is_known_silent()
    faults.clear()
    assert probe.answers()


@pytest.mark.parametrize("max_age", [0, 60])
def test_a_result_is_shared_while_it_is_fresh(max_age: float) -> None:
    calls: list[int] = []
    probe = Probe("part", lambda: calls.append(1), timeout=60, max_age=max_age)
    assert probe.answers()
    assert probe.answers()
    assert len(calls) == (1 if max_age else 2)
