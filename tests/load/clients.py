"""Clients that ask, and what they measured. Loopback only, bounded in number and time."""

import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection

import psutil

from trackside.processes import HOST
from trackside.stack import Stack


@dataclass
class Answers:
    """Status and seconds of every request that was answered."""

    statuses: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    took: float = 0.0  # from the first request to the last answer

    @property
    def faults(self) -> int:
        """Answers of 500 and more, and requests without any."""
        return sum(status >= 500 or status == 0 for status in self.statuses)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def p95(self) -> float:
        return sorted(self.seconds)[max(0, int(len(self.seconds) * 0.95) - 1)]

    @property
    def per_second(self) -> float:
        return len(self.seconds) / self.took


def at_once(acts: Sequence[Callable[[], int]]) -> Answers:
    """Every act on a thread of its own, all let loose together."""
    answers, gate = Answers(), threading.Barrier(len(acts) + 1)

    def perform(act: Callable[[], int]) -> None:
        gate.wait()
        began = time.monotonic()
        try:
            status = act()
        except OSError:
            status = 0
        answers.statuses.append(status)
        answers.seconds.append(time.monotonic() - began)

    threads = [threading.Thread(target=perform, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    gate.wait()
    began = time.monotonic()
    for thread in threads:
        thread.join()
    answers.took = time.monotonic() - began
    return answers


def closed_loop(
    port: int, path: str, *, users: int, seconds: float, pause: float = 0.0, cookie: str = ""
) -> Answers:
    """So many users who ask for a page again as soon as they have it, or after a pause, each on one
    connection. Like browsers they accept a compressed page, and they store none."""
    headers = {"Accept-Encoding": "gzip"} | ({"Cookie": cookie} if cookie else {})
    until = time.monotonic() + seconds
    parts = [Answers() for _ in range(users)]

    def browse(answers: Answers, place: int) -> None:
        time.sleep(pause * place / users)  # not all in step
        connection = HTTPConnection(HOST, port, timeout=30)
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                connection.request("GET", path, headers=headers)
                answer = connection.getresponse()
                answer.read()
                answers.statuses.append(answer.status)
            except OSError:
                connection.close()
                answers.statuses.append(0)
            answers.seconds.append(time.monotonic() - began)
            time.sleep(pause)
        connection.close()

    threads = [
        threading.Thread(target=browse, args=(part, place)) for place, part in enumerate(parts)
    ]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Answers(
        statuses=[status for part in parts for status in part.statuses],
        seconds=[second for part in parts for second in part.seconds],
        took=time.monotonic() - began,
    )


def processes_of(stack: Stack, kind: str) -> list[int]:
    """Those whose names begin so."""
    return [process.pid for name, process in stack.processes.items() if name.startswith(kind)]


class Processor:
    """The processor time that processes and their children took while a block ran, in seconds."""

    def __init__(self, *processes: int) -> None:
        self._processes = [psutil.Process(process) for process in processes]
        self.seconds = 0.0

    def __enter__(self) -> "Processor":
        self.seconds = -self._taken()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds += self._taken()

    def _taken(self) -> float:
        family = [each for p in self._processes for each in (p, *p.children(recursive=True))]
        return sum(sum(each.cpu_times()[:2]) for each in family)


class Memory:
    """The most memory that processes and their children held while a block ran, in megabytes."""

    def __init__(self, *processes: int) -> None:
        self._processes = [psutil.Process(process) for process in processes]
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self.before = self._held()
        self.most = self.before

    def __enter__(self) -> "Memory":
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._watcher.join()

    def _watch(self) -> None:
        while not self._is_over.wait(0.2):
            self.most = max(self.most, self._held())

    def _held(self) -> float:
        """Of the largest single process."""
        largest = 0
        for process in self._processes:
            for each in (process, *process.children(recursive=True)):
                try:
                    largest = max(largest, each.memory_info().rss)
                except psutil.NoSuchProcess:
                    continue
        return largest / 1e6
