"""A worker on a host of its own loses the network for a while: nothing is lost, nothing doubled.

CUT_SECONDS says for how long: 15 by default, 120 for the figures of docs/operations.md.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.patience import wait_for
from tests.stack.hosts import INSIDE, Hosts, two_hosts
from tests.stack.submissions import Track, prepare, run_bytes
from trackside.stack import Missing, Stack, running

CUT_SECONDS = float(os.environ.get("CUT_SECONDS", "15"))
UPLOADS = 6  # while the cable is pulled

pytestmark = [
    pytest.mark.long,
    pytest.mark.faults,
    pytest.mark.xdist_group("stack"),
]

# By the lease, or because the database has closed the connection meanwhile.
STORED_NOTHING = ("stored nothing", "failed in attempt")
# Run by manage.py shell: how often each run was scored, and what each job came to.
COUNT = """
import json
from collections import Counter
from scoring.models import Evaluation, Job, Score
print(json.dumps({
    "jobs": Counter(f"{job.kind} {job.state}" for job in Job.objects.exclude(kind="notify")),
    "evaluations": Counter(evaluation.state for evaluation in Evaluation.objects.all()),
    "scores": Counter(Counter(Score.objects.values_list("evaluation__run", flat=True)).values()),
    "attempts": Counter(Job.objects.filter(kind="evaluate").values_list("attempts", flat=True)),
}))
"""


@dataclass
class Site:
    """The site on the first host, and the worker `far` on the second."""

    stack: Stack
    hosts: Hosts
    track: Track
    gates: Path
    uploaded: int = 0

    def upload(self, count: int) -> None:
        for _ in range(count):
            status, answer = self.track.submit(run_bytes(f"run{self.uploaded}"))
            assert status == 202, answer
            self.uploaded += 1

    def start_worker(self, name: str, *prefix: str) -> None:
        self.stack.start(
            name, *prefix, sys.executable, "-m", "celery", "-A", "trackside.celery", "worker",
            "-c", "1", "-n", f"{name}@%h", "--loglevel", "INFO", "--without-gossip",
            "--without-mingle",
            LOG_LEVEL="INFO",
            TRACKSIDE_FAULTS=f"in-transaction=meet:{self.gates},before-commit=meet:{self.gates}",
        )  # fmt: skip
        wait_for(name, lambda: " ready." in self.log(name))

    def log(self, name: str) -> str:
        return (self.stack.folder / f"{name}.log").read_text()

    def hold_at(self, point: str) -> Path:
        """Uploads one run; the sign of the process that waits at this point with it."""
        (self.gates / point).touch()
        self.upload(1)
        signs = wait_for(f"a worker at {point}", lambda: list(self.gates.glob(f"{point}.*")))
        return signs[0]

    def settle(self) -> dict[str, dict[str, int]]:
        """Waits until every run is scored; then every job is done and every score is there once."""
        workers = [name for name in self.stack.processes if "worker" in name]
        wait_for(
            f"{self.uploaded} runs to be scored",
            lambda: self.track.scored() == self.uploaded,
            explain=lambda: "\n".join([
                f"{self.track.scored()} are.", *(self.log(name)[-3000:] for name in workers)
            ]),
        )  # fmt: skip
        found = json.loads(self.stack.manage("shell", "--verbosity", "0", "-c", COUNT))
        runs = self.uploaded
        assert found["jobs"] == {"check done": runs, "evaluate done": runs}
        assert found["evaluations"] == {"scored": runs}
        assert list(found["scores"].values()) == [runs]  # as many scores of each
        return found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("hosts")
    (folder / "gates").mkdir()
    times = {
        "LEASE_SECONDS": "10",
        "RENEWAL_SECONDS": "2",
        "SWEEP_SECONDS": "1",
        "DATABASE_KEEPALIVE_SECONDS": "6",
    }
    try:
        with (
            two_hosts() as hosts,
            running(folder / "site", webs=1, workers=0, inside=INSIDE, **times) as stack,
        ):
            site = Site(stack, hosts, prepare(stack), folder / "gates")
            site.start_worker("far-worker", *hosts.on_second())
            yield site
    except Missing as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def mended(site: Site) -> Iterator[None]:
    yield
    site.hosts.mend()
    for sign in site.gates.iterdir():
        sign.unlink()


def test_runs_that_come_while_the_worker_host_is_cut_off_are_scored_when_it_is_back(
    site: Site,
) -> None:
    """It takes most of a minute, half of it to start the stack for all tests of this file."""
    site.upload(2)
    site.settle()
    site.hosts.cut()
    for _ in range(UPLOADS):
        site.upload(1)
        time.sleep(CUT_SECONDS / UPLOADS)
        assert site.track.get(site.track.board)[0] in (200, 302, 404)
    assert site.track.scored() == 2
    site.hosts.mend()
    site.settle()


def test_a_worker_that_is_cut_off_with_a_run_leaves_it_to_another_and_stores_nothing_late(
    site: Site,
) -> None:
    sign = site.hold_at("before-commit")
    site.hosts.cut()
    site.start_worker("near-worker")
    before = site.settle()
    site.stack.stop("near-worker")
    time.sleep(CUT_SECONDS / 2)
    site.hosts.mend()
    sign.unlink()
    gave_up = ("was claimed by another worker", "failed in attempt")
    wait_for(
        "the late worker to give up", lambda: any(s in site.log("far-worker") for s in gave_up)
    )
    assert site.settle() == before
    site.upload(2)  # and the same worker goes on
    site.settle()


def test_a_worker_that_is_cut_off_within_its_transaction_keeps_nothing_locked(site: Site) -> None:
    """It holds the campaign's row; the database must find out that nobody is there any more."""
    sign = site.hold_at("in-transaction")
    site.hosts.cut()
    site.start_worker("near-worker")
    site.upload(2)
    site.settle()
    site.stack.stop("near-worker")
    site.hosts.mend()
    sign.unlink()
    site.upload(2)
    site.settle()
