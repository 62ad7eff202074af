"""The two sites the fault suite runs on, and the lines it notes for docs/reliability.md."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from tests.faults.page import Line
from tests.faults.site import Site
from trackside.stack import Missing

SITES = ("sqlite and folder", "postgres and redis")


def repetitions(short: int, long: int) -> int:
    """How often a scenario is repeated: in the short set, which every `make test-long` runs, or by
    `make faults`, which names the most of any."""
    most = os.environ.get("FAULT_REPETITIONS", "")
    return min(long, int(most)) if most else short


def hold_two_and_queue_three(site: Site) -> list[int]:
    """A run that is scored, one that is checked, and three that nobody has come for."""
    held = []
    for point in ("before-commit", "after-parse"):
        site.hold_at(point)
        held += site.submit()
        site.held_at(point)
    return held + site.submit(3)


Settle = Callable[[int, dict[str, list[float]]], None]


@pytest.fixture(scope="session", params=SITES, ids=lambda name: name.replace(" ", "-"))
def running_site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    try:
        site = Site(request.param, tmp_path_factory.mktemp("site"))
    except Missing as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))
    try:
        site.open()
        yield site
    finally:
        site.close()


@pytest.fixture
def site(running_site: Site) -> Iterator[Site]:
    """Migrated once, and used by every scenario; none leaves anybody held."""
    yield running_site
    running_site.let_go()


@pytest.fixture
def settle(site: Site) -> Settle:
    """Reads the ledger after a scenario, notes its lines for the table (seconds of recovery by
    scenario), and asserts that all is well."""

    def settle(repetitions: int, recoveries: dict[str, list[float]]) -> None:
        site.wait_until_idle()  # mails about the scores may be on their way still
        ledger = site.ledger()
        lost, doubled = ledger["lost"], ledger["doubled"]
        for scenario, times in recoveries.items():
            note(scenario, site.name, repetitions, lost=lost, doubled=doubled, recoveries=times)
        assert ledger["violations"] == []
        assert (lost, doubled) == (0, 0)

    return settle


def note(
    scenario: str,
    site: str,
    repetitions: int,
    *,
    lost: int = 0,
    doubled: int = 0,
    recoveries: list[float] | None = None,
) -> None:
    """One line more for docs/reliability.md, where the environment names a file for them."""
    line: Line = {
        "on": timezone.now().date().isoformat(),
        "cores": os.cpu_count() or 1,
        "scenario": scenario,
        "site": site,
        "repetitions": repetitions,
        "lost": lost,
        "doubled": doubled,
        "recoveries": [round(seconds, 2) for seconds in recoveries or []],
    }
    _append({**line})


def pytest_runtest_logreport(report: Any) -> None:
    """A scenario that failed is part of the table too."""
    if report.failed and "faults" in report.keywords:
        _append({"failed": report.nodeid.rpartition("::")[2]})


def _append(line: dict[str, Any]) -> None:
    if path := os.environ.get("FAULT_LINES"):
        with Path(path).open("a") as file:
            print(json.dumps(line, ensure_ascii=False), file=file)
