"""Workers are killed with -9 at the worst moments: every run is still scored, and once."""

import os
import random
import signal
import time

import psutil
import pytest

from tests.faults.conftest import Settle, repetitions
from tests.faults.site import Site, is_dead
from tests.patience import wait_for

AT_POINTS = repetitions(1, 10)
AGAIN = repetitions(2, 10)  # at either of two points
AT_WORST = repetitions(1, 50)  # of the main process, or of a child
AT_RANDOM = repetitions(1, 50)
RUNS_PER_KILL = 10

pytestmark = [pytest.mark.long, pytest.mark.faults]


def hold_a_run_at(site: Site, point: str) -> tuple[int, int]:
    """A new run that waits at this point, and the process it waits in."""
    site.hold_at(point)
    (number,) = site.submit()
    return number, site.held_at(point)


def hold_a_run_after_its_commit(site: Site) -> int:
    """By way of the point before it, and again where an earlier run on its way out took the gate:
    SQLite may write for long after others see what was committed."""
    while True:
        number, child = hold_a_run_at(site, "before-commit")
        site.hold_at("after-commit")
        site.let_go("before-commit")
        if site.held_at("after-commit") == child:
            return number
        site.let_go("after-commit")


def wait_until_dead(processes: list[psutil.Process]) -> None:
    wait_for("the orphans to die", lambda: all(map(is_dead, processes)))


def test_a_run_is_scored_once_though_its_worker_was_killed_while_scoring_or_checking(
    site: Site, settle: Settle
) -> None:
    scoring, checking, waiting = [], [], []
    for _ in range(AT_POINTS):
        assert site.worker.is_alive
        scored, _ = hold_a_run_at(site, "before-commit")
        assert site.look(scored)["evaluation"] == "scoring"
        checked, _ = hold_a_run_at(site, "after-parse")
        assert site.look(checked)["run"] == "checking"
        (queued,) = site.submit()  # both children are busy

        killed_at = site.worker.kill()
        site.let_go()
        site.start_worker()

        times = site.scoring_times([scored, checked, queued], since=killed_at)
        assert site.look(scored)["scorings"] == 2
        assert site.look(checked)["checks"] == 2
        scoring.append(times[scored])
        checking.append(times[checked])
        waiting.append(times[queued])
    settle(
        AT_POINTS,
        {
            "whole worker killed before it stores scores": scoring,
            "whole worker killed after it read a file": checking,
            "whole worker killed, a run still queued": waiting,
        },
    )


def test_a_run_is_scored_once_though_its_worker_was_killed_after_a_claim_or_after_a_commit(
    site: Site, settle: Settle
) -> None:
    claiming = []
    for _ in range(AT_POINTS):
        assert site.worker.is_alive
        scored = hold_a_run_after_its_commit(site)
        assert site.look(scored)["evaluation"] == "scored"  # and its message not acknowledged
        site.wait_until_idle()  # whichever job is claimed first is the one held
        claimed, _ = hold_a_run_at(site, "after-claim")

        killed_at = site.worker.kill()
        site.let_go()
        site.start_worker()

        times = site.scoring_times([claimed], since=killed_at)
        assert site.look(claimed)["checks"] == 2
        assert site.look(scored)["scorings"] == 1
        claiming.append(times[claimed])
    settle(
        AT_POINTS,
        {
            "whole worker killed after its claim": claiming,
            "whole worker killed after it stored scores, message not acknowledged": [],
        },
    )


def test_runs_that_are_scored_again_together_are_scored_once_though_their_worker_was_killed(
    site: Site, settle: Settle
) -> None:
    recoveries = []
    for number in range(AGAIN):
        assert site.worker.is_alive
        numbers = site.submit(RUNS_PER_KILL)
        site.wait_until_scored(numbers)
        site.wait_until_idle()
        point = ("before-commit", "in-transaction")[number % 2]
        site.hold_at(point)
        site.ask("score_again", numbers)
        site.held_at(point)

        killed_at = site.worker.kill()
        site.let_go()
        site.start_worker()

        recoveries.append(max(site.scoring_times(numbers, since=killed_at).values()))
        attempts = [site.look(number)["scorings"] for number in numbers]
        assert set(attempts) <= {1, 2}
        assert attempts.count(2) > 1  # they were held together
    settle(
        AGAIN,
        {f"whole worker killed while it scores {RUNS_PER_KILL} runs again": recoveries},
    )


def test_a_run_is_scored_once_though_only_the_main_process_was_killed(
    site: Site, settle: Settle
) -> None:
    recoveries = []
    for _ in range(AT_WORST):
        assert site.worker.is_alive
        number, orphan = hold_a_run_at(site, "before-commit")

        killed_at, children = site.worker.kill_main()
        assert orphan in {child.pid for child in children}
        site.start_worker()
        site.let_go()  # an orphan that still lives goes on now

        recoveries.append(site.scoring_times([number], since=killed_at)[number])
        wait_until_dead(children)
    settle(AT_WORST, {"worker's main process killed": recoveries})


def test_a_run_is_scored_once_though_the_child_that_scored_it_was_killed(
    site: Site, settle: Settle
) -> None:
    recoveries = []
    for _ in range(AT_WORST):
        worker = site.worker
        number, child = hold_a_run_at(site, "before-commit")

        os.kill(child, signal.SIGKILL)
        killed_at = time.monotonic()
        site.let_go()

        recoveries.append(site.scoring_times([number], since=killed_at)[number])
        assert site.look(number)["scorings"] == 2
        assert worker.is_alive
    settle(AT_WORST, {"worker's child process killed": recoveries})


def test_runs_are_scored_once_though_a_worker_is_killed_at_any_moment(
    site: Site, settle: Settle
) -> None:
    draw = random.Random(7)
    recoveries = []
    for _ in range(AT_RANDOM):
        first, second = site.worker, site.start_worker(node="second")
        numbers = site.submit(RUNS_PER_KILL)
        time.sleep(draw.uniform(0, 1.2))

        first.kill_main()
        killed_at = time.monotonic()
        site.start_worker()
        recoveries.append(max(site.scoring_times(numbers, since=killed_at).values()))
        second.stop()
    settle(
        AT_RANDOM, {f"one of two workers killed at a random time, {RUNS_PER_KILL} runs": recoveries}
    )


def test_a_worker_that_wakes_after_its_lease_stores_nothing(site: Site, settle: Settle) -> None:
    sleeper = site.worker
    number, _ = hold_a_run_at(site, "before-commit")
    sleeper.freeze()
    frozen_at = time.monotonic()
    site.start_worker(node="second")

    recovery = site.scoring_times([number], since=frozen_at)[number]
    site.let_go()
    sleeper.thaw()

    site.wait_until_quiet()
    wait_for("the sleeper to give up", lambda: "was claimed by another worker" in site.log_tail())
    sleeper.kill()
    assert site.look(number)["scorings"] == 2
    settle(1, {"worker suspended until after its lease, resumed when another is done": [recovery]})


def test_a_run_that_kills_its_worker_fails_after_three_attempts_and_the_others_are_scored(
    site: Site, settle: Settle
) -> None:
    site.worker.kill()
    before = site.ask("quota_used")
    poison, *good = site.submit(5)
    site.poisoned.append(poison)
    job = site.ask("check_job_of", poison)
    started_at = time.monotonic()
    worker = site.start_worker(f"after-claim/{job}=kill")

    site.wait_until_scored(good)
    wait_for("the poisoned run to fail", lambda: site.look(poison)["run"] == "failed")
    failed_after = time.monotonic() - started_at
    assert site.look(poison)["checks"] == 3
    assert site.ask("quota_used") == {name: used + len(good) for name, used in before.items()}
    wait_for("the organisers to be told", lambda: site.ask("letters_to_organisers"))
    assert worker.is_alive
    site.wait_until_idle()  # without a worker, the other mails would never be sent
    worker.kill()
    settle(1, {"run that kills its worker, until it has failed": [failed_after]})
