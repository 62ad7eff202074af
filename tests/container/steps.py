"""The seconds of each step, which the test run prints at its end."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

STEPS: list[str] = []


@contextmanager
def step(name: str) -> Iterator[None]:
    began = time.monotonic()
    try:
        yield
    finally:
        STEPS.append(f"{time.monotonic() - began:7.1f} s  {name}")


def note(fact: str) -> None:
    STEPS.append(f"           {fact}")
