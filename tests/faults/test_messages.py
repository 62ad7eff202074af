"""Messages come five times, or not at all: the rows do not mind."""

import signal
import subprocess
import sys
import time

import pytest

from tests.faults.conftest import Settle
from tests.faults.site import ROOT, Site, wait_for

pytestmark = [pytest.mark.faults, pytest.mark.timeout(180)]

DELIVERIES = 5


def test_runs_are_scored_once_though_every_message_comes_five_times_to_four_children(
    site: Site, settle: Settle
) -> None:
    assert site.worker.is_alive
    second = site.start_worker(node="second")
    numbers = site.new_runs(20)
    site.ask("submit", numbers)
    sent = site.ask("deliver_often", numbers, DELIVERIES - 1, 60)
    assert sent >= 2 * len(numbers) * (DELIVERIES - 1)
    site.wait_until_scored(numbers)
    site.wait_until_quiet()
    second.kill()
    for number in numbers:
        seen = site.look(number)
        assert (seen["checks"], seen["scorings"]) == (1, 1)
    settle(len(numbers), {"every message five times": []})


def hand_in_by_another_web_process(
    site: Site, **environment: str
) -> tuple[int, float, subprocess.Popen[bytes]]:
    """The number of a run, when its row was there, and the process that took it in."""
    (number,) = site.new_runs(1)
    web = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.inside", "submit", str(number)],
        cwd=ROOT,
        env=site.environment | environment,
    )
    wait_for("its row", lambda: site.ask("look", [number]))
    return number, time.monotonic(), web


def test_the_sweeper_rings_where_the_web_process_died_between_commit_and_bell(
    site: Site, settle: Settle
) -> None:
    assert site.worker.is_alive
    number, committed_at, web = hand_in_by_another_web_process(
        site, TRACKSIDE_FAULTS="before-ring=kill"
    )
    assert web.wait(timeout=30) == -signal.SIGKILL
    recovery = site.scoring_times([number], since=committed_at)[number]
    settle(1, {"web died before the bell": [recovery]})


def test_the_sweeper_rings_where_the_web_process_found_no_broker(
    site: Site, settle: Settle
) -> None:
    if site.is_embedded:
        pytest.skip("its broker is a folder, there as long as the database is")
    assert site.worker.is_alive
    number, committed_at, web = hand_in_by_another_web_process(
        site, BROKER_URL="redis://127.0.0.1:1/0"
    )
    recovery = site.scoring_times([number], since=committed_at)[number]
    assert web.wait(timeout=30) == 0  # the upload was answered as any other
    settle(1, {"web found no broker": [recovery]})


def test_runs_are_scored_though_the_broker_forgets_every_message(
    site: Site, settle: Settle
) -> None:
    assert site.worker.is_alive
    held = []
    for point in ("before-commit", "after-parse"):
        site.hold_at(point)
        held += site.submit()
        site.held_at(point)
    waiting = site.submit(3)
    site.lose_messages()
    lost_at = time.monotonic()
    site.let_go()
    times = site.scoring_times([*held, *waiting], since=lost_at)
    settle(1, {"broker forgot all, 5 runs": list(times.values())})


def test_half_a_message_does_not_stop_the_worker(site: Site, settle: Settle) -> None:
    if not site.is_embedded:
        pytest.skip("Redis has no half messages")
    worker = site.worker
    site.wait_until_scored(site.submit())
    (site.folder / "broker" / "messages" / "1_half.celery.msg").write_bytes(b"")
    site.wait_until_quiet()
    numbers = site.submit(3)
    site.wait_until_scored(numbers)
    assert worker.is_alive
    settle(1, {"half a message in the folder": []})


def test_no_more_runs_are_taken_at_once_than_the_quota_allows(site: Site, settle: Settle) -> None:
    assert site.worker.is_alive
    first = len(site.submitted)
    numbers = list(range(first, first + 20))
    taken = site.ask("submit_at_once", numbers, 5)
    assert len(taken) == 5
    site.submitted += numbers  # keeps the numbers in step
    site.refused += [number for number in numbers if number not in taken]
    site.wait_until_scored(taken)
    settle(1, {"20 uploads at once, quota 5": []})
