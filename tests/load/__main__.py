"""python -m tests.load [burst] [large] [board]: scenarios of load on the production stack."""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from config.stack import Stack, answers, free_port, running, wait_for
from tests.load import PUBLISHED
from tests.load.clients import Memory, at_once, closed_loop
from tests.stack.handing_in import Track, prepare, run_bytes

PATIENCE = 600
BURST, LARGE, LARGE_LINES = 200, 10, 6_600_000
USERS, SECONDS = 16, 20


def main() -> int:
    wanted = sys.argv[1:] or ["burst", "board", "large"]
    scenarios = {"burst": burst, "board": board, "large": large}
    print(f"{'scenario':<34} {'measured':<46} figure", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="trackside-load-") as folder,
        running(Path(folder) / "site") as stack,
    ):
        track = prepare(stack, topics=50, facts="run_quota=None, " + PUBLISHED)
        for name in wanted:
            for measured, figure in scenarios[name](stack, track):
                print(f"{name:<34} {measured:<46} {figure}", flush=True)
    return 0


def burst(stack: Stack, track: Track) -> Iterator[tuple[str, str]]:
    """C1: everybody at once, a minute before the deadline."""
    files = [run_bytes(f"burst{n}", topics=50, documents=1000, packed=False) for n in range(BURST)]
    yield "uploads at once, of MB each", f"{BURST} x {len(files[0]) / 1e6:.1f}"
    with Memory(*_of(stack, "web")) as web, Memory(*_of(stack, "worker")) as worker:
        began = time.monotonic()
        taken = at_once([lambda data=data: track.hand_in(data)[0] for data in files])
        yield "answered 202 / 5xx or nothing", f"{taken.statuses.count(202)} / {taken.faults}"
        yield "answer, median / p95", f"{taken.median:.1f} s / {taken.p95:.1f} s"
        _settle(track, BURST)
        yield "all scored after", f"{time.monotonic() - began:.0f} s"
    yield "largest web process, before / at most", f"{web.before:.0f} / {web.most:.0f} MB"
    yield "largest worker, before / at most", f"{worker.before:.0f} / {worker.most:.0f} MB"


def board(stack: Stack, track: Track) -> Iterator[tuple[str, str]]:
    """C20: readers of the board, beside a site that only says hello."""
    runs = track.scored()
    path = f"/campaigns/{track.slug}/leaderboard/?measure=AP"
    port = free_port()
    stack.start("hello", sys.executable, "-m", "gunicorn", "tests.load.hello:application",
                "--bind", f"127.0.0.1:{port}", "--worker-class", "gthread", "--workers", "2",
                "--threads", "8", "--no-control-socket", "--keep-alive", "30")  # fmt: skip
    wait_for("the site that says hello", lambda: answers(port, "/"))
    closed_loop(stack.port, path, users=USERS, seconds=3)  # warm
    read = closed_loop(stack.port, path, users=USERS, seconds=SECONDS)
    said = closed_loop(port, "/", users=USERS, seconds=SECONDS)
    stack.stop("hello")
    yield f"board of {runs} runs, {USERS} users, requests/s", f"{read.per_second:.0f}"
    yield "answer, median / p95", f"{read.median * 1000:.0f} / {read.p95 * 1000:.0f} ms"
    yield "5xx or nothing", f"{read.faults}"
    yield "a bare hello, requests/s", f"{said.per_second:.0f}"
    yield "board / hello", f"{read.per_second / said.per_second:.2f}"


def large(stack: Stack, track: Track) -> Iterator[tuple[str, str]]:
    """C3: files of 300 MB, which must pass through without filling anybody's memory."""
    documents = LARGE_LINES // 50
    known = track.scored()
    data = run_bytes("large", topics=50, documents=documents, packed=False)
    yield "files, of MB each", f"{LARGE} x {len(data) / 1e6:.0f}"
    with Memory(*_of(stack, "web")) as web, Memory(*_of(stack, "worker")) as worker:
        began = time.monotonic()
        files = [data.replace(b" large\n", b" huge%d\n" % n) for n in range(LARGE)]
        taken = at_once([lambda data=data: track.hand_in(data)[0] for data in files])
        yield "answered 202 / 5xx or nothing", f"{taken.statuses.count(202)} / {taken.faults}"
        _settle(track, known + LARGE)
        yield "all scored after", f"{time.monotonic() - began:.0f} s"
    yield "largest web process, before / at most", f"{web.before:.0f} / {web.most:.0f} MB"
    yield "largest worker, before / at most", f"{worker.before:.0f} / {worker.most:.0f} MB"


def _of(stack: Stack, kind: str) -> list[int]:
    return [process.pid for name, process in stack.processes.items() if name.startswith(kind)]


def _settle(track: Track, count: int) -> None:
    until = time.monotonic() + PATIENCE
    while (found := track.scored()) < count:
        if time.monotonic() > until:
            raise TimeoutError(f"{found} of {count} runs were scored within {PATIENCE} s.")
        time.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())
