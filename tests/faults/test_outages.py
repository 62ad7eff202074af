"""The storage or the database is away for a moment: no run is lost to it."""

import time

import pytest

from tests.faults.conftest import Settle
from tests.faults.site import Site, wait_for

pytestmark = [pytest.mark.faults, pytest.mark.timeout(180)]


def test_a_run_is_checked_though_the_storage_was_away_for_two_seconds(
    site: Site, settle: Settle
) -> None:
    assert site.worker.is_alive
    site.hold_at("after-claim")
    (number,) = site.submit()
    site.held_at("after-claim")
    storage, elsewhere = site.folder / "files", site.folder / "files-elsewhere"
    storage.rename(elsewhere)
    site.let_go()
    wait_for("the attempt to fail", lambda: site.look(number)["run"] == "waiting")
    time.sleep(2)
    elsewhere.rename(storage)
    back_at = time.monotonic()
    recovery = site.scoring_times([number], since=back_at)[number]
    assert site.look(number)["checks"] in {2, 3}
    settle(1, {"storage away for 2 s": [recovery]})


def test_a_run_is_scored_once_though_every_database_connection_was_cut(
    site: Site, settle: Settle
) -> None:
    if site.is_embedded:
        pytest.skip("SQLite has no connections to cut")
    assert site.worker.is_alive
    site.hold_at("before-commit")
    (number,) = site.submit()
    site.held_at("before-commit")
    time.sleep(1.5)  # the thread that renews the lease has a connection by now
    assert site.ask("cut_database") >= 2
    cut_at = time.monotonic()
    site.let_go()
    recovery = site.scoring_times([number], since=cut_at)[number]
    assert site.look(number)["scorings"] == 2
    assert site.worker.is_alive
    settle(1, {"database connections cut": [recovery]})
