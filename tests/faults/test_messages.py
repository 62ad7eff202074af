"""Messages come five times, or not at all: the rows do not mind."""

import signal
import subprocess
import sys
import time

import pytest

from tests.faults.conftest import Settle, hold_two_and_queue_three, repetitions
from tests.faults.servers import PASSWORD
from tests.faults.site import ROOT, Site
from tests.patience import PATIENCE, wait_for

DELIVERIES = 5
BATCHES = repetitions(1, 25)  # of 20 runs
WITHOUT_BELL = repetitions(1, 50)
FORGOTTEN = repetitions(1, 5)
QUOTAS = repetitions(1, 20)

pytestmark = [pytest.mark.long, pytest.mark.faults]


def test_runs_are_scored_once_though_every_message_comes_five_times_to_four_children(
    site: Site, settle: Settle
) -> None:
    assert site.worker.is_alive
    second = site.start_worker(node="second")
    for _ in range(BATCHES):
        numbers = site.new_runs(20)
        site.ask("submit", numbers)
        sent = site.ask("deliver_often", numbers, DELIVERIES - 1, PATIENCE)
        assert sent >= 2 * len(numbers) * (DELIVERIES - 1)
        site.wait_until_scored(numbers)
        site.wait_until_quiet()
        for seen in site.ask("look", numbers).values():
            assert (seen["checks"], seen["scorings"]) == (1, 1)
    second.kill()
    settle(BATCHES, {f"every message delivered {DELIVERIES} times or more, 20 runs": []})


def submit_by_another_web_process(
    site: Site, **environment: str
) -> tuple[int, float, subprocess.Popen[bytes]]:
    """The number of a run, when its row was there, and the process that took it in."""
    (number,) = site.new_runs(1)
    web = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.database_helper", "submit", str(number)],
        cwd=ROOT,
        env=site.environment | environment,
    )
    wait_for("its row", lambda: site.ask("look", [number]))
    return number, time.monotonic(), web


def test_the_sweeper_sends_the_message_if_the_web_process_died_after_the_commit(
    site: Site, settle: Settle
) -> None:
    assert site.worker.is_alive
    recoveries = []
    for _ in range(WITHOUT_BELL):
        (number,) = site.new_runs(1)
        assert site.ask("die_between_commit_and_bell", number) == -signal.SIGKILL
        committed_at = time.monotonic()
        recoveries.append(site.scoring_times([number], since=committed_at)[number])
    settle(WITHOUT_BELL, {"web process killed between commit and message": recoveries})


@pytest.mark.parametrize(
    "fault",
    ["no broker responds to the web process", "the broker refuses the web process's password"],
)
def test_the_sweeper_sends_the_message_that_the_web_process_could_not(
    site: Site, settle: Settle, fault: str
) -> None:
    if site.redis is None:
        pytest.skip("its broker is a folder, there as long as the database is")
    assert site.worker.is_alive
    wrong = {
        "no broker responds to the web process": "redis://127.0.0.1:1/0",
        "the broker refuses the web process's password": site.redis.url.replace(
            PASSWORD, "another"
        ),
    }
    number, committed_at, web = submit_by_another_web_process(site, BROKER_URL=wrong[fault])
    recovery = site.scoring_times([number], since=committed_at)[number]
    assert web.wait(PATIENCE) == 0  # the upload was answered as any other
    settle(1, {fault: [recovery]})


def test_runs_are_scored_though_the_broker_forgets_every_message(
    site: Site, settle: Settle
) -> None:
    assert site.worker.is_alive
    recoveries = []
    for _ in range(FORGOTTEN):
        runs = hold_two_and_queue_three(site)
        site.lose_messages()
        lost_at = time.monotonic()
        site.let_go()
        recoveries += site.scoring_times(runs, since=lost_at).values()
    settle(
        FORGOTTEN, {"FLUSHALL, or the folder emptied, 2 runs in progress and 3 waiting": recoveries}
    )


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
    for _ in range(QUOTAS):
        first = len(site.submitted)
        numbers = list(range(first, first + 50))
        taken = site.ask("submit_at_once", numbers, 5)
        assert len(taken) == 5
        site.submitted += numbers  # keeps the numbers in step
        site.refused += [number for number in numbers if number not in taken]
        site.wait_until_scored(taken)
    settle(QUOTAS, {"50 simultaneous uploads with a quota of 5": []})
