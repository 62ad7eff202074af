"""The two sites the fault suite runs on, and the table it ends with."""

import os
import statistics
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.faults.site import ServiceMissing, Site

REPETITIONS = int(os.environ.get("FAULT_REPETITIONS", "5"))
SITES = ("sqlite and folder", "postgres and redis")


@dataclass
class Tally:
    """One line of the table."""

    scenario: str
    site: str
    repetitions: int
    lost: int
    doubled: int
    recoveries: list[float] = field(default_factory=list)  # seconds


Settle = Callable[[int, dict[str, list[float]]], None]


@pytest.fixture(scope="session", params=SITES, ids=lambda name: name.replace(" ", "-"))
def running_site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    site = Site(request.param, tmp_path_factory.mktemp("site"))
    try:
        site.make_databases()
    except ServiceMissing as error:
        reason = f"{request.param} needs a service that does not answer: {error}"
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
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
def settle(site: Site, record_property: Callable[[str, object], None]) -> Settle:
    """Reads the ledger after a scenario, notes its lines for the table (seconds of recovery by
    scenario), and asserts that all is well."""

    def settle(repetitions: int, recoveries: dict[str, list[float]]) -> None:
        ledger = site.ledger()
        lost, doubled = ledger["lost"], ledger["doubled"]
        for scenario, times in recoveries.items():
            tally = Tally(scenario, site.name, repetitions, lost, doubled, times)
            record_property("faults", asdict(tally))
        assert ledger["violations"] == []
        assert (lost, doubled) == (0, 0)

    return settle


def pytest_terminal_summary(terminalreporter: Any) -> None:
    lines = list(_table(terminalreporter))
    if len(lines) == 1:
        return
    terminalreporter.section("faults")
    for line in lines:
        terminalreporter.write_line(line)
    if path := os.environ.get("FAULT_REPORT"):
        Path(path).write_text("\n".join(lines) + "\n")


def _table(terminalreporter: Any) -> Iterator[str]:
    row = "{:<44} {:<19} {:>4} {:>5} {:>8} {:>8} {:>8}"
    yield row.format("scenario", "site", "reps", "lost", "doubled", "median", "max")
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, value in report.user_properties:
                if name == "faults" and report.when == "call":
                    yield row.format(*_cells(Tally(**value)))


def _cells(tally: Tally) -> list[object]:
    times = tally.recoveries
    median = f"{statistics.median(times):.1f} s" if times else "-"
    longest = f"{max(times):.1f} s" if times else "-"
    facts = [tally.scenario, tally.site, tally.repetitions, tally.lost, tally.doubled]
    return [*facts, median, longest]
