"""Workers are killed with -9 at the worst moments: every run is still scored, and once."""

import os
import signal
import time

import psutil
import pytest

from tests.faults.conftest import REPETITIONS, Settle
from tests.faults.site import Site, is_dead, wait_for

pytestmark = [pytest.mark.faults, pytest.mark.timeout(120 + 15 * REPETITIONS)]


def hold_a_run_at(site: Site, point: str) -> tuple[int, int]:
    """A new run that waits at this point, and the process it waits in."""
    site.hold_at(point)
    (number,) = site.submit()
    return number, site.held_at(point)


def hold_a_run_after_its_commit(site: Site) -> int:
    """By way of the point before it: the gate must not catch an earlier run on its way out."""
    number, _ = hold_a_run_at(site, "before-commit")
    site.hold_at("after-commit")
    site.let_go("before-commit")
    site.held_at("after-commit")
    return number


def wait_until_dead(processes: list[psutil.Process]) -> None:
    wait_for("the orphans to die", lambda: all(map(is_dead, processes)))


def test_a_run_is_scored_once_though_its_worker_was_killed_while_scoring_or_checking(
    site: Site, settle: Settle
) -> None:
    scoring, checking, waiting = [], [], []
    for _ in range(REPETITIONS):
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
        REPETITIONS,
        {
            "worker killed before-commit": scoring,
            "worker killed after-parse": checking,
            "worker killed, run still queued": waiting,
        },
    )


def test_a_run_is_scored_once_though_its_worker_was_killed_after_a_claim_or_after_a_commit(
    site: Site, settle: Settle
) -> None:
    claiming = []
    for _ in range(REPETITIONS):
        assert site.worker.is_alive
        scored = hold_a_run_after_its_commit(site)
        assert site.look(scored)["evaluation"] == "scored"  # and its message not acknowledged
        claimed, _ = hold_a_run_at(site, "after-claim")

        killed_at = site.worker.kill()
        site.let_go()
        site.start_worker()

        times = site.scoring_times([claimed], since=killed_at)
        assert site.look(claimed)["checks"] == 2
        assert site.look(scored)["scorings"] == 1
        claiming.append(times[claimed])
    settle(
        REPETITIONS,
        {"worker killed after-claim": claiming, "worker killed after-commit": []},
    )


def test_a_run_is_scored_once_though_only_the_main_process_was_killed(
    site: Site, settle: Settle
) -> None:
    recoveries = []
    for _ in range(max(REPETITIONS // 4, 1)):
        assert site.worker.is_alive
        number, orphan = hold_a_run_at(site, "before-commit")

        killed_at, children = site.worker.kill_main()
        assert orphan in {child.pid for child in children}
        site.start_worker()
        site.let_go()  # an orphan that still lives goes on now

        recoveries.append(site.scoring_times([number], since=killed_at)[number])
        wait_until_dead(children)
    settle(len(recoveries), {"main process killed": recoveries})


def test_a_run_is_scored_once_though_the_child_that_scored_it_was_killed(
    site: Site, settle: Settle
) -> None:
    recoveries = []
    for _ in range(max(REPETITIONS // 4, 1)):
        worker = site.worker
        number, child = hold_a_run_at(site, "before-commit")

        os.kill(child, signal.SIGKILL)
        killed_at = time.monotonic()
        site.let_go()

        recoveries.append(site.scoring_times([number], since=killed_at)[number])
        assert site.look(number)["scorings"] == 2
        assert worker.is_alive
    settle(len(recoveries), {"child killed": recoveries})


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
    wait_for("the sleeper to give up", lambda: "was taken over" in site.log_tail())
    sleeper.kill()
    assert site.look(number)["scorings"] == 2
    settle(1, {"worker frozen past its lease": [recovery]})


def test_a_run_that_kills_its_worker_fails_after_three_attempts_and_the_others_are_scored(
    site: Site, settle: Settle
) -> None:
    site.worker.kill()
    poison, *good = site.submit(5)
    site.poisoned.append(poison)
    job = site.ask("check_job_of", poison)
    started_at = time.monotonic()
    worker = site.start_worker(f"after-claim/{job}=kill")

    site.wait_until_scored(good)
    wait_for("the poisoned run to fail", lambda: site.look(poison)["run"] == "failed")
    failed_after = time.monotonic() - started_at
    assert site.look(poison)["checks"] == 3
    assert worker.is_alive
    worker.kill()
    settle(1, {"poisoned run (until failed)": [failed_after]})
