"""The cost of one run on a site without other work. `docs/scale.md` extrapolates from it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from redis import Redis

from tests.load import PUBLISHED
from tests.load.clients import Processor, processes_of
from tests.load.figures import Figure, Figures, none_of
from tests.stack.submissions import prepare, run_bytes
from trackside.stack import Stack

RUNS = 50
PATIENCE = 300

STORED = """
from django.core.files.storage import default_storage
print(sum(kept.size for kept in default_storage.bucket.objects.all()))
"""
OTHER_QRELS = """
from campaigns.qrels import versions
from campaigns.models import Campaign
campaign = Campaign.objects.get(slug="{slug}")
qrels = "".join(f"{{t}} 0 d{{d}} {{d % 3 == 0:d}}\\n" for t in range(50) for d in range(40))
added, _ = versions.add_qrels(campaign=campaign, data=qrels.encode(), note="", actor=None)
versions.activate_qrels(campaign=campaign, qrels=added, actor=None)
"""


@dataclass
class Spent:
    """Seconds of processors, bytes, and messages to workers."""

    web: float = 0.0
    worker: float = 0.0
    database: int = 0
    stored: int = 0
    messages: int = 0

    def of_each(self, what: str) -> Figures:
        web, worker = (f"{1000 * seconds / RUNS:.0f}" for seconds in (self.web, self.worker))
        yield Figure(f"{what}: processor of web and worker", f"{web}, {worker} ms")
        yield Figure(f"{what}: bytes in the database", f"{self.database / RUNS / 1e3:.1f} kB")
        yield Figure(f"{what}: bytes in the store", f"{self.stored / RUNS / 1e3:.0f} kB")
        yield Figure(f"{what}: messages to workers", f"{self.messages / RUNS:.1f}")


def costs(stack: Stack) -> Figures:
    """Runs of 50 topics and 1000 documents, one after the other, then all of them scored anew."""
    files = [run_bytes(f"cost{n}", topics=50, documents=1000) for n in range(RUNS)]
    track = prepare(stack, topics=50, facts="run_quota=None, " + PUBLISHED, slug="costs")
    with _spent(stack) as on_runs:
        for data in files:
            status, answer = track.submit(data)
            assert status == 202, answer
    yield Figure("a run as it comes, gzipped", f"{len(files[0]) / 1e3:.0f} kB")
    yield from on_runs.of_each("a run")
    assert track.scored() == RUNS
    with _spent(stack) as anew:
        stack.manage("shell", "--verbosity", "0", "-c", OTHER_QRELS.format(slug=track.slug))
    yield from anew.of_each("a run under other qrels")
    yield none_of("jobs that failed", failed(stack))


@contextmanager
def _spent(stack: Stack) -> Iterator[Spent]:
    """What the block and all the work that it left behind took."""
    spent, before = Spent(), _held(stack)
    with (
        Processor(*processes_of(stack, "web")) as web,
        Processor(*processes_of(stack, "worker")) as worker,
    ):
        yield spent
        settle(stack)
    after = _held(stack)
    spent.web, spent.worker = web.seconds, worker.seconds
    spent.database, spent.stored, spent.messages = (
        b - a for a, b in zip(before, after, strict=True)
    )


def _held(stack: Stack) -> tuple[int, int, int]:
    (database,) = _asked(stack, "SELECT pg_database_size(current_database())")
    stored = int(stack.manage("shell", "--verbosity", "0", "-c", STORED).split()[-1])
    pushed = Redis.from_url(stack.environment["BROKER_URL"]).info("commandstats")
    return database, stored, int(pushed.get("cmdstat_lpush", {}).get("calls", 0))


def work_left(stack: Stack) -> int:
    """Jobs that have not ended."""
    left = "SELECT count(*) FROM scoring_job WHERE state IN ('waiting', 'running')"
    return _asked(stack, left)[0]


def failed(stack: Stack) -> int:
    """Jobs that were given up."""
    return _asked(stack, "SELECT count(*) FROM scoring_job WHERE state = 'failed'")[0]


def settle(stack: Stack, patience: float = PATIENCE) -> None:
    """Waits until there are none."""
    until = time.monotonic() + patience
    while work_left(stack):
        if time.monotonic() > until:
            raise TimeoutError(f"Work was left after {patience} s: {_described_work(stack)}")
        time.sleep(0.5)


def _described_work(stack: Stack) -> str:
    """The jobs that have not ended, by kind and state, each with the latest error."""
    left = """SELECT concat_ws(' ', count(*), kind, state, max(error)) FROM scoring_job
              WHERE state IN ('waiting', 'running') GROUP BY kind, state"""
    with connected(stack) as database:
        return "; ".join(text for (text,) in database.execute(left).fetchall())


def _asked(stack: Stack, statement: str) -> tuple[int, ...]:
    with connected(stack) as database:
        return database.execute(statement).fetchone() or (0,)


def connected(stack: Stack) -> psycopg.Connection[tuple[Any, ...]]:
    url = stack.environment["DATABASE_URL"].replace("postgres://", "postgresql://")
    return psycopg.connect(url, autocommit=True)
