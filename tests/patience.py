"""How long tests wait for another process, thread, port, browser or job.

They wait until what they wait for is there, so only a test that fails waits to the end of its
patience. TEST_PATIENCE of the environment multiplies the patience and the time limits of tests:
`.ci/run` sets 3, as its machine may do other work.
"""

import os
import time
from collections.abc import Callable
from typing import TypeVar

FACTOR = float(os.environ.get("TEST_PATIENCE", "1"))
PATIENCE = 60 * FACTOR  # seconds
MILLISECONDS = 1000 * PATIENCE  # the same, for Playwright

T = TypeVar("T")

_no_wait_after = float("inf")  # by the monotonic clock, in the test that runs


def begin_test(limit: float) -> None:
    """No wait of this test ends after its time limit (in seconds): the wait says what is missing,
    the limit would not."""
    global _no_wait_after
    _no_wait_after = time.monotonic() + 0.9 * limit


def wait_for(
    what: str,
    look: Callable[[], T | None],
    *,
    explain: Callable[[], str] = str,
    patience: float = PATIENCE,
) -> T:
    """The first answer that is true. If there is none for this many seconds, an AssertionError says
    what was missing, and explains it."""
    began = time.monotonic()
    until = min(began + patience, _no_wait_after)
    while not (found := look()):
        if time.monotonic() > until:
            raise AssertionError(f"Waited {time.monotonic() - began:.0f} s for {what}. {explain()}")
        time.sleep(0.02)
    return found
