"""Whether a part answers: asked on the side, shared, and never waited for without end."""

import threading

import pytest

from scoring.jobs.probes import Probe


def test_a_part_that_hangs_is_silent_and_known_so_until_it_answers() -> None:
    gate, calls = threading.Event(), []

    def check() -> None:
        calls.append(1)
        assert gate.wait(60)

    probe = Probe("part", check, patience=0.05, fresh=0)
    assert not probe.is_known_silent()  # nobody has asked
    assert not probe.answers()
    assert probe.is_known_silent()
    assert not probe.answers()
    assert calls == [1]  # one thread waits for it, and no more
    gate.set()
    probe._patience = 60
    assert probe.answers()
    assert not probe.is_known_silent()


def test_a_part_that_fails_does_not_answer_until_it_is_mended() -> None:
    faults: list[Exception] = [OSError("read-only")]

    def check() -> None:
        if faults:
            raise faults[0]

    probe = Probe("part", check, patience=60, fresh=0)
    assert not probe.answers()
    assert probe.is_known_silent()
    faults.clear()
    assert probe.answers()


@pytest.mark.parametrize("fresh", [0, 60])
def test_an_answer_is_shared_while_it_is_fresh(fresh: float) -> None:
    calls: list[int] = []
    probe = Probe("part", lambda: calls.append(1), patience=60, fresh=fresh)
    assert probe.answers()
    assert probe.answers()
    assert len(calls) == (1 if fresh else 2)
