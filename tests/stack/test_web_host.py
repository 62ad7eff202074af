"""A second web server on a host of its own, behind the proxy of the first host: it is killed during
requests and uploads, started again, and loses the network."""

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from http.client import IncompleteRead
from pathlib import Path
from threading import Event

import pytest

from tests.patience import wait_for
from tests.stack.hosts import INSIDE, SECOND, Hosts, two_hosts
from tests.stack.submissions import Track, prepare, run_bytes
from trackside.processes import WEB, listens
from trackside.stack import Missing, Stack, running

FAR = f"{SECOND}:8000"
READERS = 4
ROUNDS = 40  # requests, enough that both hosts answer some

pytestmark = [
    pytest.mark.long,
    pytest.mark.faults,
    pytest.mark.xdist_group("stack"),
]


@dataclass
class Site:
    stack: Stack
    hosts: Hosts
    track: Track
    uploaded: int = 0

    def start_far(self) -> None:
        """The web server of the second host, with the settings of docker-compose.web.yml."""
        static = self.stack.folder / "web0" / "static"
        self.stack.start(
            "far", *self.hosts.on_second(), *WEB, "--bind", FAR,
            "--worker-class", "trackside.web_worker.WebWorker", "--access-logfile", "-",
            STATIC_ROOT=str(static),
        )  # fmt: skip
        before = self.answered_by_far()
        wait_for("it to answer", lambda: self.read() == 200 and self.answered_by_far() > before)

    def kill_far(self) -> None:
        """The whole process group, as a host that loses power."""
        os.killpg(self.stack.processes.pop("far").pid, 9)
        # Until all of them have ended, a connection can still be accepted.
        wait_for("its port to be closed", lambda: not listens(8000, SECOND))

    def answered_by_far(self) -> int:
        return self.stack.log_of("far").read_bytes().count(b" GET ")

    def read(self) -> int:
        return self.track.get(self.track.board)[0]

    def submit(self) -> int:
        status, _ = self.track.submit(run_bytes(f"run{self.uploaded}"))
        self.uploaded += status == 202
        return status


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("hosts")
    try:
        with two_hosts() as hosts, _stack(folder) as stack:
            site = Site(stack, hosts, prepare(stack))
            site.start_far()
            yield site
    except Missing as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))


def _stack(folder: Path) -> AbstractContextManager[Stack]:
    return running(folder / "site", webs=1, workers=1, inside=INSIDE, others=[FAR])


def test_both_hosts_answer(site: Site) -> None:
    before = site.answered_by_far()
    assert {site.read() for _ in range(ROUNDS)} == {200}
    assert 0 < site.answered_by_far() - before < ROUNDS
    assert {site.submit() for _ in range(4)} == {202}


def test_a_host_that_dies_during_requests_costs_only_these(site: Site) -> None:
    is_over = Event()

    def read() -> Counter[int]:
        seen: Counter[int] = Counter()
        while not is_over.is_set():
            try:
                seen[site.read()] += 1
            except IncompleteRead:  # it died after the headers of its answer
                seen[503] += 1
        return seen

    with ThreadPoolExecutor(READERS) as pool:
        readers = [pool.submit(read) for _ in range(READERS)]
        assert site.submit() in (202, 503)
        site.kill_far()
        afterwards = Counter(site.submit() for _ in range(6))
        is_over.set()
        seen = sum((reader.result() for reader in readers), Counter())
    assert set(seen) <= {200, 503}
    assert seen[503] <= READERS  # those in progress when it died
    assert set(afterwards) == {202}
    assert {site.read() for _ in range(ROUNDS)} == {200}
    site.start_far()
    wait_for("the runs to be scored", lambda: site.track.scored() == site.uploaded)


def test_a_host_without_network_delays_requests_and_refuses_none_that_begins(site: Site) -> None:
    site.hosts.cut()
    assert {site.read() for _ in range(ROUNDS)} == {200}
    assert site.submit() == 202
    site.hosts.mend()
    before = site.answered_by_far()
    wait_for("it to answer", lambda: site.read() == 200 and site.answered_by_far() > before)
    wait_for("the runs to be scored", lambda: site.track.scored() == site.uploaded)
