"""Hostile files, damaged files and decompression bombs, one after the other from many clients,
while one person reads."""

import gzip
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from itertools import islice

from tests.campaigns.trec.hostile import RUNS
from tests.load import PUBLISHED
from tests.load.clients import closed_loop
from tests.load.costs import settle
from tests.load.figures import Figure, Figures, at_most, none_of
from tests.stack.submissions import Track, prepare, run_bytes
from trackside.stack import Stack

FILES, SENDERS = 2_000, 8
SIZE = 4_000  # bytes of a file that was made to hurt
BOMBS, BOMB_BYTES = 10, 1 << 30
READ_SECONDS = 20

ENDED = """
from campaigns.models import Run
from scoring.models import Job
runs = Run.objects.filter(campaign__slug="{slug}")
jobs = Job.objects.filter(campaign__slug="{slug}")
print(runs.count(), runs.exclude(state__in=["accepted", "refused"]).count(),
    jobs.exclude(state="done").count(), jobs.filter(attempts__gt=1).count(),
    max([(job.finished_at - job.claimed_at).total_seconds() for job in jobs.filter(state="done")],
        default=0))
"""


def fuzz(stack: Stack) -> Figures:
    """A file may be refused, at the door or by a worker; nothing may break of it."""
    track = prepare(stack, topics=50, facts="run_quota=None, " + PUBLISHED, slug="fuzz")

    def submit(data: bytes) -> int:
        try:
            return track.submit(data)[0]
        except (OSError, HTTPException):
            return 0

    with ThreadPoolExecutor(SENDERS + 1) as senders:
        reading = senders.submit(
            closed_loop, stack.port, track.board, users=2, seconds=READ_SECONDS, pause=0.5
        )
        statuses = list(senders.map(submit, files(FILES)))
    settle(stack)
    runs, unended, undone, again, longest = _ended(stack, track)
    taken = sum(200 <= status < 300 for status in statuses)
    yield Figure("files handed in, of them taken to be checked", f"{len(statuses)}, {taken}")
    yield none_of("5xx or nothing", sum(status >= 500 or status == 0 for status in statuses))
    yield none_of("taken and without a row", int(taken - runs))
    yield none_of("neither accepted nor refused", int(unended))
    yield none_of("jobs that failed, or took a worker with them", int(undone + again))
    yield at_most("each checked in, at most", longest, 5, "s", 1)
    yield none_of("readers meanwhile: 5xx or nothing", reading.result().faults)


def files(count: int) -> Iterator[bytes]:
    """The same ones every time: hostile, spoiled, and among them bombs."""
    draw = random.Random(22)
    hostile = [make(SIZE) for make in RUNS.values()]
    good = [run_bytes(f"fuzz{number}", packed=bool(number % 2)) for number in range(20)]
    bomb = gzip.compress(bytes(BOMB_BYTES), 1)
    bombs = set(draw.sample(range(count), min(BOMBS, count)))

    def made() -> Iterator[bytes]:
        number = 0
        while True:
            yield bomb if number in bombs else _spoiled(draw.choice(hostile + good), draw)
            number += 1

    return islice(made(), count)


def _spoiled(data: bytes, draw: random.Random) -> bytes:
    """As it is, cut, with bytes of chance in it, or with a piece of it twice."""
    begin, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    what = draw.choice(("whole", "cut", "noise", "twice"))
    if what == "cut":
        return data[:end]
    if what == "noise":
        return data[:begin] + draw.randbytes(8) + data[begin:]
    return data[:end] + data[begin:] if what == "twice" else data


def _ended(stack: Stack, track: Track) -> tuple[float, ...]:
    script = ENDED.format(slug=track.slug)
    found = stack.manage("shell", "--verbosity", "0", "-c", script).split()
    return tuple(map(float, found[-5:]))
