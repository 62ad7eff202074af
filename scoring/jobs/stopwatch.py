"""Where the time goes: laps that cost nothing unless somebody is timing."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_laps: ContextVar[dict[str, float] | None] = ContextVar("laps", default=None)


@contextmanager
def timing() -> Iterator[dict[str, float]]:
    """Seconds by lap name, of everything this thread does inside the block."""
    laps: dict[str, float] = {}
    token = _laps.set(laps)
    try:
        yield laps
    finally:
        _laps.reset(token)


@contextmanager
def lap(name: str) -> Iterator[None]:
    """Adds the block's wall time to the lap of that name, where somebody is timing."""
    laps = _laps.get()
    if laps is None:
        yield
        return
    start = time.perf_counter()
    try:
        yield
    finally:
        laps[name] = laps.get(name, 0.0) + time.perf_counter() - start
