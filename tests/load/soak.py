"""python -m tests.load.soak: the production stack under a steady light load for SOAK_MINUTES (75).

One upload a second and ten readers; after the first hundred each run replaces the oldest, so that
the campaign stays as large as it is and what grows is a leak. Writes what it has seen to
var/soak.json, and from this the table and the chart of docs/reliability.md (soak_page.py). Fails
where a limit is passed.
"""

import json
import os
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.load import PUBLISHED, soak_page
from tests.stack.submissions import Track, prepare, run_bytes
from trackside.stack import Stack, running

MINUTES = float(os.environ.get("SOAK_MINUTES", "75"))
READERS, READ_EVERY = 10, 5.0  # seconds between a reader's pages
UPLOAD_EVERY = 1.0
KEPT_RUNS = 100
LOOK_EVERY = 10.0
PATIENCE = 120.0
SEEN = Path("var/soak.json")

COUNT = """
from campaigns.models import Run
from scoring.models import Evaluation, Job
done = Evaluation.objects.filter(state="scored").values("run").distinct().count()
print(Run.objects.count(), done, Job.objects.exclude(state="done").count())
"""


@dataclass
class Watched:
    """One process of the stack with its children, looked at again and again."""

    name: str
    process: psutil.Process
    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)

    def look(self, moment: float) -> None:
        held = [_held(each) for each in (self.process, *self.process.children(recursive=True))]
        self.seconds.append(moment)
        self.megabytes.append(sum(bytes_held for bytes_held, _ in held) / 1e6)
        self.descriptors.append(sum(count for _, count in held))


@dataclass
class Traffic:
    """What the clients were answered."""

    uploads: list[int] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)

    @property
    def faults(self) -> int:
        return sum(status >= 500 or status == 0 for status in self.uploads + self.reads)


def main() -> int:
    with (
        tempfile.TemporaryDirectory(prefix="trackside-soak-") as folder,
        running(Path(folder) / "site") as stack,
    ):
        track = prepare(stack, facts="run_quota=None, " + PUBLISHED)
        watched = [
            Watched(name, psutil.Process(process.pid))
            for name, process in stack.processes.items()
            if name.startswith(("web", "worker", "redis"))
        ]
        traffic = _soak(track, watched)
        runs, scored, undone = _settled(stack)
    note(traffic, watched, runs=runs, scored=scored, undone=undone)
    return soak_page.write(SEEN)


def note(traffic: Traffic, watched: list[Watched], *, runs: int, scored: int, undone: int) -> None:
    """Writes what was seen to SEEN."""
    taken = traffic.uploads.count(202)
    seen = {
        "day": time.strftime("%Y-%m-%d", time.gmtime()),
        "minutes": MINUTES,
        "cores": os.cpu_count(),
        "uploads": len(traffic.uploads),
        "pages": len(traffic.reads),
        "faults": traffic.faults,
        "unfinished": abs(taken - runs) + taken - scored + undone,
        "processes": {
            each.name: {
                "seconds": each.seconds,
                "megabytes": each.megabytes,
                "descriptors": each.descriptors,
            }
            for each in watched
        },
    }
    SEEN.parent.mkdir(exist_ok=True)
    SEEN.write_text(json.dumps(seen))


def _soak(track: Track, watched: list[Watched]) -> Traffic:
    traffic, is_over = Traffic(), threading.Event()
    clients = [threading.Thread(target=_upload, args=(track, traffic, is_over))]
    clients += [
        threading.Thread(target=_read, args=(track, traffic, is_over)) for _ in range(READERS)
    ]
    for client in clients:
        client.start()
    began = time.monotonic()
    try:
        while (elapsed := time.monotonic() - began) < MINUTES * 60:
            for each in watched:
                each.look(elapsed)
            time.sleep(LOOK_EVERY)
    finally:
        is_over.set()
        for client in clients:
            client.join()
    return traffic


def _upload(track: Track, traffic: Traffic, is_over: threading.Event) -> None:
    standing: list[str] = []
    number = 0
    while not is_over.wait(UPLOAD_EVERY):
        replaces = standing.pop(0) if len(standing) >= KEPT_RUNS else ""
        status, answer = _answered(track, run_bytes(f"soak{number}"), replaces)
        traffic.uploads.append(status)
        if status == 202:
            standing.append(answer["id"])
        number += 1


def _answered(track: Track, data: bytes, replaces: str) -> tuple[int, dict]:
    try:
        return track.submit(data, replaces=replaces)
    except OSError:
        return 0, {}


def _read(track: Track, traffic: Traffic, is_over: threading.Event) -> None:
    pages = ("", "leaderboard/", "topics/", "agreement/")
    turn = 0
    while not is_over.wait(READ_EVERY):
        try:
            status, _ = track.get(f"/campaigns/{track.slug}/{pages[turn % len(pages)]}")
        except OSError:
            status = 0
        traffic.reads.append(status)
        turn += 1


def _settled(stack: Stack) -> tuple[int, int, int]:
    """Runs, scored runs, and jobs that are not done: once none is, or when patience ends."""
    until = time.monotonic() + PATIENCE
    while True:
        runs, scored, undone = map(int, stack.manage("shell", "-v", "0", "-c", COUNT).split())
        if not undone or time.monotonic() > until:
            return runs, scored, undone
        time.sleep(5)


def _held(process: psutil.Process) -> tuple[int, int]:
    """Bytes and descriptors; none of a child that has just ended."""
    try:
        return process.memory_info().rss, process.num_fds()
    except psutil.NoSuchProcess:
        return 0, 0


if __name__ == "__main__":
    sys.exit(main())
