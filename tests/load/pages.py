"""Every page of one campaign: how long it takes, how many bytes it has, and how far the memory of a
web process rises for it."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import psutil

from tests.load.clients import processes_of
from trackside.processes import HOST
from trackside.stack import Stack

KILLED_ABOVE = 5e9  # bytes: one request must not take the machine with it
ENOUGH = 100_000_000  # bytes of a download: what follows is of the same kind
PATIENCE = 120  # seconds until a worker has answered what a page asks for


@dataclass(frozen=True)
class Page:
    who: str
    path: str
    status: int  # 0: no answer
    seconds: float  # of the slowest request
    waited: float  # until the page was whole: analyses are computed by workers
    bytes: int
    kind: str
    peak: float  # megabytes, of the largest web process

    @property
    def is_page(self) -> bool:
        return self.kind.startswith("text/html")


class WebProcesses:
    """The web processes of a stack, and the most memory that one of them held since `reset`."""

    def __init__(self, stack: Stack) -> None:
        self._masters = [psutil.Process(number) for number in processes_of(stack, "web")]
        self.killed = 0
        self._is_over = threading.Event()

    def reset(self) -> None:
        for process in self._processes():
            Path(f"/proc/{process}/clear_refs").write_text("5")

    @property
    def peak(self) -> float:
        return max(map(_high_water_mark, self._processes()), default=0) / 1e6

    def __enter__(self) -> "WebProcesses":
        threading.Thread(target=self._guard, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()

    def _processes(self) -> Iterator[int]:
        return (child.pid for master in self._masters for child in master.children())

    def _guard(self) -> None:
        while not self._is_over.wait(0.1):
            for process in self._processes():
                if _high_water_mark(process) > KILLED_ABOVE:
                    psutil.Process(process).kill()
                    self.killed += 1


def walk(
    stack: Stack,
    who: str,
    cookie: str,
    paths: Iterator[str],
    told: Callable[[Page], None],
) -> None:
    """Asks for each path, again while the page says that it is being computed."""
    with WebProcesses(stack) as web:
        for path in paths:
            web.reset()
            began, slowest = time.monotonic(), 0.0
            while True:
                asked = time.monotonic()
                status, headers, size = get(stack.port, path, cookie)
                slowest = max(slowest, time.monotonic() - asked)
                is_computed = "refresh" not in headers and status != 202
                if is_computed or time.monotonic() - began > PATIENCE:
                    break
                time.sleep(0.5)
            waited = time.monotonic() - began
            kind = headers.get("content-type", "")
            told(Page(who, path, status, slowest, waited, size, kind, web.peak))


def get(port: int, path: str, cookie: str) -> tuple[int, dict[str, str], int]:
    """Status, headers and length of the answer."""
    connection = HTTPConnection(HOST, port, timeout=300)
    try:
        connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
        answer = connection.getresponse()
        size = 0
        while size < ENOUGH and (block := answer.read(1 << 16)):
            size += len(block)
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, size
    except (OSError, HTTPException):
        return 0, {}, 0
    finally:
        connection.close()


def _high_water_mark(process: int) -> int:
    """Bytes."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")] or ["VmHWM: 0"]
    return int(line.split()[1]) * 1024


def paths_of(slug: str, values: dict[str, list[object]], choices: list[str]) -> Iterator[str]:
    """Every URL of a campaign that these values complete, and these choices of its pages."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trackside.settings")
    import django

    django.setup()
    from django.urls import reverse

    from tests.access.crawler import urls

    for name, pattern in urls():
        parts = list(pattern.pattern.converters)
        if "slug" in parts and set(parts) <= set(values):
            yield reverse(name, kwargs={part: values[part][0] for part in parts})
    for choice in choices:
        yield f"/campaigns/{slug}/{choice}"
