"""Wall time of named steps; measuring costs nothing unless a caller collects the timings."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_collected: ContextVar[dict[str, float] | None] = ContextVar("timings", default=None)


@contextmanager
def collect_timings() -> Iterator[dict[str, float]]:
    """Seconds by name of the step, of everything that this thread does inside the block."""
    timings: dict[str, float] = {}
    token = _collected.set(timings)
    try:
        yield timings
    finally:
        _collected.reset(token)


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Adds the block's wall time to the step of that name, if timings are collected."""
    timings = _collected.get()
    if timings is None:
        yield
        return
    start = time.perf_counter()
    try:
        yield
    finally:
        timings[name] = timings.get(name, 0.0) + time.perf_counter() - start
