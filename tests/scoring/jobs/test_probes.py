"""Probes run on a separate thread, share their results, have a timeout, and distinguish a busy part
from one that fails."""

import threading
import time

import pytest

from scoring.jobs import probes
from scoring.jobs.probes import Probe, State
from tests.patience import PATIENCE, wait_for


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
    wait_for("the check", lambda: calls)
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


class Part:
    """Answers while its gate is open; `faults` are raised instead."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.faults: list[Exception] = []
        self.checks = 0

    def check(self) -> int:
        self.checks += 1
        assert self.gate.wait(PATIENCE)
        if self.faults:
            raise self.faults[0]
        return self.checks


class Clock:
    """A monotonic clock that the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moved = Clock()
    monkeypatch.setattr(probes, "time", moved)
    return moved


def state_after_a_check(probe: Probe[int], clock: Clock) -> State:
    probe.begin()
    return probe.state(clock.now + PATIENCE)


def state_without_waiting(probe: Probe[int], clock: Clock) -> State:
    probe.begin()
    return probe.state(clock.now)


def test_a_silent_part_is_busy_for_ten_seconds_after_it_worked(clock: Clock) -> None:
    part = Part()
    probe = Probe("part", part.check, max_age=0, trusted=10)
    assert state_after_a_check(probe, clock) is State.WORKS
    part.gate.clear()
    clock.now += 9.9
    assert state_without_waiting(probe, clock) is State.BUSY
    assert probe.value == 1  # what it said last
    clock.now += 0.2
    assert state_without_waiting(probe, clock) is State.FAILS
    part.gate.set()
    assert state_after_a_check(probe, clock) is State.WORKS


def test_a_silent_part_of_which_nothing_is_known_fails(clock: Clock) -> None:
    part = Part()
    part.gate.clear()
    probe = Probe("part", part.check, trusted=10)
    assert state_without_waiting(probe, clock) is State.FAILS
    part.gate.set()


def test_the_seconds_count_from_the_beginning_of_the_check_that_succeeded(clock: Clock) -> None:
    part = Part()
    part.gate.clear()
    probe = Probe("part", part.check, max_age=0, trusted=10)
    probe.begin()
    clock.now += 9
    part.gate.set()
    assert probe.state(clock.now + PATIENCE) is State.WORKS
    part.gate.clear()
    assert state_without_waiting(probe, clock) is State.BUSY
    clock.now += 1
    assert state_without_waiting(probe, clock) is State.FAILS
    part.gate.set()


def test_a_part_that_fails_is_not_busy_though_it_worked_a_moment_ago(clock: Clock) -> None:
    part = Part()
    probe = Probe("part", part.check, max_age=0, trusted=10)
    assert state_after_a_check(probe, clock) is State.WORKS
    part.faults.append(ConnectionRefusedError())
    assert state_after_a_check(probe, clock) is State.FAILS
    part.gate.clear()
    assert state_without_waiting(probe, clock) is State.FAILS
    part.gate.set()


def test_a_check_that_ends_by_its_own_time_limit_found_the_part_silent(clock: Clock) -> None:
    part = Part()
    probe = Probe("part", part.check, max_age=0, trusted=10)
    assert state_after_a_check(probe, clock) is State.WORKS
    part.faults.append(TimeoutError("timed out"))
    assert state_after_a_check(probe, clock) is State.BUSY
    assert not probe.answers()
    clock.now += 10
    assert state_after_a_check(probe, clock) is State.FAILS


def test_simultaneous_requests_share_one_check_on_one_thread() -> None:
    part = Part()
    part.gate.clear()
    probe = Probe("shared part", part.check, max_age=60)
    states: list[State] = []

    def ask() -> None:
        probe.begin()
        states.append(probe.state(time.monotonic() + PATIENCE))

    askers = [threading.Thread(target=ask) for _ in range(20)]
    for asker in askers:
        asker.start()
    wait_for("the check", lambda: part.checks)
    names = [thread.name for thread in threading.enumerate()]
    part.gate.set()
    for asker in askers:
        asker.join()
    assert names.count("probe-shared part") == 1
    assert (part.checks, states) == (1, [State.WORKS] * 20)


def test_checks_are_repeated_while_results_are_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "ASKED_SECONDS", float("inf"))
    part = Part()
    probe = Probe("part", part.check, timeout=PATIENCE, max_age=0, repeat=0.001)
    probe.begin()
    wait_for("two more checks", lambda: part.checks >= 3)
    part.faults.append(OSError("read-only"))
    wait_for("the check that fails", lambda: not probe._is_ok)
    assert probe._pause() is None  # what fails is checked when somebody asks
    part.faults.clear()
    monkeypatch.setattr(probes, "ASKED_SECONDS", 0)
    assert probe.answers()
    assert probe._pause() is None
