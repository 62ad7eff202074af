"""The storage or the database is away for a moment: no run is lost to it."""

import time

import pytest

from tests.faults.conftest import Settle, hold_two_and_queue_three, repetitions
from tests.faults.site import Site
from tests.faults.unresponsive import stopped
from tests.patience import wait_for

REDIS_RESTARTS = repetitions(1, 20)
POSTGRES_RESTARTS = repetitions(2, 10)  # smoothly, and immediately
CUTS = repetitions(1, 10)
LONG_OUTAGES = repetitions(1, 2)
LONG_SECONDS = 5 if LONG_OUTAGES == 1 else 60

pytestmark = [pytest.mark.long, pytest.mark.faults]


def test_a_run_is_checked_though_the_storage_was_away_for_two_seconds(
    site: Site, settle: Settle
) -> None:
    assert site.worker.is_alive
    site.wait_until_idle()  # whichever job is claimed first is the one held
    site.hold_at("after-claim")
    (number,) = site.submit()
    first = site.held_at("after-claim")
    storage, elsewhere = site.folder / "files", site.folder / "files-elsewhere"
    storage.rename(elsewhere)
    site.hold_at("after-claim")  # the second attempt
    site.let_go(f"after-claim.{first}")
    wait_for("the attempt to fail", lambda: site.look(number)["run"] == "waiting")
    time.sleep(2)
    elsewhere.rename(storage)
    back_at = time.monotonic()
    site.let_go()
    recovery = site.scoring_times([number], since=back_at)[number]
    assert site.look(number)["checks"] == 2
    settle(1, {"storage unavailable for 2 s": [recovery]})


def test_a_run_is_scored_once_though_every_database_connection_was_cut(
    site: Site, settle: Settle
) -> None:
    if site.is_embedded:
        pytest.skip("SQLite has no connections to cut")
    assert site.worker.is_alive
    recoveries = []
    for _ in range(CUTS):
        site.hold_at("before-commit")
        (number,) = site.submit()
        site.held_at("before-commit")
        lease = site.ask("lease_of", number)
        renewed = lambda number=number, lease=lease: site.ask("lease_of", number) > lease  # noqa: E731
        wait_for("a renewal of the lease, by a connection of its own", renewed)
        assert site.ask("cut_database") >= 2
        cut_at = time.monotonic()
        site.let_go()
        recoveries.append(site.scoring_times([number], since=cut_at)[number])
        # The attempt that was cut does not count, unless its lease ran out meanwhile.
        assert site.look(number)["scorings"] in {1, 2}
        assert site.worker.is_alive
    settle(CUTS, {"every database connection closed while a run is scored": recoveries})


@pytest.mark.parametrize(
    ("times", "seconds", "name"),
    [
        (REDIS_RESTARTS, 0, "Redis restarted"),
        (LONG_OUTAGES, LONG_SECONDS, f"Redis unavailable for {LONG_SECONDS} s"),
    ],
    ids=["restarts", "is long away"],
)
def test_runs_are_scored_once_though_redis(
    times: int, seconds: float, name: str, site: Site, settle: Settle
) -> None:
    """Killed and stopped as asked by turns; one run is handed in while it is away."""
    if site.redis is None:
        pytest.skip("its broker is a folder")
    worker = site.worker
    recoveries = []
    for turn in range(times):
        runs = hold_two_and_queue_three(site)
        site.redis.stop(gently=turn % 2 == 1)
        site.let_go()
        runs += site.submit()
        time.sleep(seconds)
        site.redis.start()
        back_at = time.monotonic()
        recoveries += site.scoring_times(runs, since=back_at).values()
        assert worker.is_alive
    settle(times, {f"{name}, 6 runs in progress": recoveries})


def test_runs_are_scored_once_though_postgresql_restarts(site: Site, settle: Settle) -> None:
    """Stopped fast and at once by turns. Who hands in while it is away is told to come again, and
    nothing of it is stored."""
    if site.postgres is None:
        pytest.skip("SQLite does not restart")
    worker, web = site.worker, site.web
    recoveries = []
    for turn in range(POSTGRES_RESTARTS):
        runs = hold_two_and_queue_three(site)
        site.postgres.stop("immediate" if turn % 2 else "fast")
        site.let_go()
        away = web.submit(number=-1)
        assert (away.status, away.retry_after) == (503, "10")
        site.postgres.start()
        back_at = time.monotonic()
        (late,) = site.new_runs(1)
        assert web.submit(late).status == 202
        recoveries += site.scoring_times([*runs, late], since=back_at).values()
        assert worker.is_alive
    settle(POSTGRES_RESTARTS, {"PostgreSQL restarted, 5 runs in progress": recoveries})


def test_an_unresponsive_postgresql_is_reported_and_no_run_is_lost(
    site: Site, settle: Settle
) -> None:
    """Stopped, so that its kernel still takes connections: pages and uploads are answered all the
    same, and when it goes on so does all else."""
    if site.postgres is None:
        pytest.skip("SQLite is no server")
    assert site.worker.is_alive
    web = site.web
    runs = hold_two_and_queue_three(site)
    (late,) = site.new_runs(1)
    with stopped(site.postgres.process):
        site.let_go()
        assert web.submit(late, key="silent-postgresql").status == 503
        # It counts as busy until its last answer is ten seconds old.
        facts = wait_for("the database to be reported", lambda: _if_unavailable(web.health()))
        assert (facts["database"], facts["storage"]) == (False, True)
        assert web.board()[0] == 503
    back_at = time.monotonic()
    again = lambda: web.submit(late, key="silent-postgresql").status in {200, 202}  # noqa: E731
    wait_for("the upload to be accepted", again)
    recoveries = site.scoring_times([*runs, late], since=back_at)
    settle(1, {"PostgreSQL stopped, 5 runs in progress": list(recoveries.values())})


def test_an_unresponsive_redis_is_reported_and_uploads_continue(site: Site, settle: Settle) -> None:
    if site.redis is None:
        pytest.skip("its broker is a folder")
    assert site.worker.is_alive
    web = site.web
    runs = site.new_runs(3)
    with stopped(site.redis.process):
        assert {web.submit(number).status for number in runs} == {202}
        # It counts as busy until its last answer is ten seconds old.
        facts = wait_for("the broker to be reported", lambda: _if_unavailable(web.health()))
        assert (facts["broker"], facts["database"]) == (False, True)
    recoveries = site.scoring_times(runs, since=time.monotonic())
    settle(1, {"Redis stopped, 3 uploads": list(recoveries.values())})


def _if_unavailable(health: tuple[int, dict[str, bool]]) -> dict[str, bool] | None:
    status, facts = health
    return facts if status == 503 else None
