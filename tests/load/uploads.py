"""Many simultaneous uploads, large uploads, and slow uploads."""

import json
import socket
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from tests.load.clients import Answers, Memory, Processor, at_once, closed_loop, processes_of
from tests.load.figures import Figure, Figures, at_most, none_of
from tests.stack.submissions import Track, envelope, run_bytes
from trackside.processes import HOST
from trackside.stack import Stack

PATIENCE = 900
BURST, LARGE, LARGE_LINES = 200, 10, 9_600_000
SLOW, PIECE, PAUSE = 100, 1000, 0.1  # ten kilobytes a second
READERS = 4


def burst(stack: Stack, track: Track) -> Figures:
    """Everybody at once, a minute before the deadline."""
    known = track.scored()
    files = [run_bytes(f"burst{n}", topics=50, documents=1000, packed=False) for n in range(BURST)]
    yield Figure("uploads at once, of MB each", f"{BURST} x {len(files[0]) / 1e6:.1f}")
    webs, workers = processes_of(stack, "web"), processes_of(stack, "worker")
    with Memory(*webs) as web, Memory(*workers) as worker, Processor(*webs) as spent:
        began = time.monotonic()
        taken = at_once([lambda data=data: track.submit(data)[0] for data in files])
        answered = time.monotonic() - began
        yield from _taken(taken, BURST)
        yield Figure("answer, median", f"{taken.median:.1f} s")
        yield at_most("answer, p95", taken.p95, 3, "s", 1)
        yield Figure("all answered after", f"{answered:.1f} s")
        _settle(track, known + BURST)
        yield at_most("all scored after", time.monotonic() - began, 120, "s")
    yield Figure("web processor time an upload", f"{1000 * spent.seconds / BURST:.0f} ms")
    yield from _memory(web, worker)


def large(stack: Stack, track: Track) -> Figures:
    """Files of 300 MB, which must pass through without filling anybody's memory."""
    known = track.scored()
    data = run_bytes("large", topics=50, documents=LARGE_LINES // 50, packed=False)
    yield Figure("files, of MB each", f"{LARGE} x {len(data) / 1e6:.0f}")
    webs, workers = processes_of(stack, "web"), processes_of(stack, "worker")

    def submit(number: int) -> int:
        name = b" hug%02d\n" % number  # as long as the one it replaces
        pieces = (piece.replace(b" large\n", name) for piece in _pieces(data, 1 << 20))
        return track.submit_parts(pieces, len(data))[0]

    closed_loop(stack.port, track.board, users=READERS, seconds=2)  # as web processes mostly are
    with Memory(*webs) as web, Memory(*workers) as worker:
        began = time.monotonic()
        taken = at_once([lambda number=number: submit(number) for number in range(LARGE)])
        yield from _taken(taken, LARGE)
        yield Figure("answer, median / p95", f"{taken.median:.1f} / {taken.p95:.1f} s")
        meanwhile = Answers()
        while track.scored() < known + LARGE:
            read = closed_loop(stack.port, track.board, users=READERS, seconds=5, pause=0.5)
            meanwhile.seconds += read.seconds
            meanwhile.statuses += read.statuses
            if time.monotonic() - began > PATIENCE:
                raise TimeoutError(f"Not all large runs were scored within {PATIENCE} s.")
        yield Figure("all scored after", f"{time.monotonic() - began:.0f} s")
    yield at_most("each checked and scored in, at most", _longest(stack), 60, "s", 1)
    if meanwhile.seconds:
        yield at_most("board meanwhile, p95", 1000 * meanwhile.p95, 500, "ms")
    yield at_most("largest web process, more than before", web.most - web.before, 30, "MB")
    yield at_most("largest worker process", worker.most, 1000, "MB")


def slow(stack: Stack, track: Track) -> Figures:
    """People on bad lines, half of whom give up; others read meanwhile."""
    before, known = _taken_in(track), track.scored()
    data = run_bytes("slow", topics=50, documents=100, packed=False)[:100_000]
    data = data[: data.rindex(b"\n") + 1]
    yield Figure("uploads at 10 kB/s, of kB each", f"{SLOW} x {len(data) / 1e3:.0f}")
    acts = [
        lambda number=number: _send_slowly(
            track, data.replace(b" slow\n", b" slow%d\n" % number), is_cut=number % 2 == 1
        )
        for number in range(SLOW)
    ]
    with ThreadPoolExecutor(1) as beside:
        reading = beside.submit(
            closed_loop, stack.port, track.board, users=1, seconds=10, pause=0.1
        )
        sent = at_once(acts)
    read = reading.result()
    time.sleep(1)
    yield none_of("whole ones not answered 202", SLOW // 2 - sent.statuses.count(202))
    yield none_of("rows of uploads that were cut", _taken_in(track) - before - SLOW // 2)
    left = [path for path in (stack.folder / "proxy" / "bodies").rglob("*") if path.is_file()]
    yield none_of("files left by the proxy", len(left))
    yield at_most("a reader meanwhile, p95", 1000 * read.p95, 1000, "ms")
    yield none_of("5xx or nothing", read.faults)
    _settle(track, known + SLOW // 2)  # what is measured next begins with nothing waiting


def _send_slowly(track: Track, data: bytes, *, is_cut: bool) -> int:
    key = uuid.uuid4().hex
    head, tail = envelope(key)
    body = head + data + tail
    lines = (
        f"POST {track.door} HTTP/1.1", f"Host: {HOST}:{track.port}",
        f"Authorization: Token {track.team_token}", f"Content-Length: {len(body)}",
        f"Content-Type: multipart/form-data; boundary={key}", "Connection: close",
    )  # fmt: skip
    with socket.create_connection((HOST, track.port), timeout=120) as connection:
        connection.sendall("\r\n".join((*lines, "", "")).encode())
        for start in range(0, len(body) // 2 if is_cut else len(body), PIECE):
            connection.sendall(body[start : start + PIECE])
            time.sleep(PAUSE)
        return 499 if is_cut else int(connection.recv(4096).split(b" ", 2)[1])


def _pieces(data: bytes, size: int) -> Iterator[bytes]:
    """Whole lines, of about this size together."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + size) + 1 or len(data)
        yield data[start:end]
        start = end


def _taken(taken: Answers, count: int) -> Figures:
    yield none_of("not answered 202", count - taken.statuses.count(202))
    yield none_of("5xx or nothing", taken.faults)


def _memory(web: Memory, worker: Memory) -> Figures:
    for name, memory in (("web", web), ("worker", worker)):
        what = f"largest {name} process, before / at most"
        yield Figure(what, f"{memory.before:.0f} / {memory.most:.0f} MB")


def _taken_in(track: Track) -> int:
    """Uploads that have a row, whatever became of them."""
    status, answer = track.get(track.door)
    assert status == 200, answer
    return len(json.loads(answer))


LONGEST = """
from scoring.models import Job
ended = Job.objects.filter(state="done", kind__in=["check", "evaluate"])
print(max((j.finished_at - j.claimed_at).total_seconds() for j in ended))
"""


def _longest(stack: Stack) -> float:
    return float(stack.manage("shell", "--verbosity", "0", "-c", LONGEST).split()[-1])


def _settle(track: Track, count: int) -> None:
    until = time.monotonic() + PATIENCE
    while (found := track.scored()) < count:
        if time.monotonic() > until:
            raise TimeoutError(f"{found} of {count} runs were scored within {PATIENCE} s.")
        time.sleep(0.5)
