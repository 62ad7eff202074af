"""Whether a part of the site responds, checked on a separate thread with a timeout."""

import logging
import threading
import time
from collections.abc import Callable
from enum import Enum
from typing import Generic, TypeVar

log = logging.getLogger(__name__)

ASKED_SECONDS = 60.0  # after the last request for a result, checks are not repeated any more
NEVER = float("-inf")

T = TypeVar("T")


class State(Enum):
    """What is known of a part when its result is needed."""

    WORKS = "works"
    BUSY = "busy"  # it has not responded in time, but it worked a few seconds ago
    FAILS = "fails"


class Probe(Generic[T]):
    """Runs at most one check at a time and shares its result for `max_age` seconds. `check` returns
    a value if the part works. It raises TimeoutError if the part does not respond, and any other
    exception if the part fails.

    A part that does not respond counts as busy if a check that began within the last `trusted`
    seconds succeeded. For this, checks are repeated `repeat` seconds after a successful one while
    results are requested: one of several web processes is asked too seldom."""

    def __init__(
        self, name: str, check: Callable[[], T], *,
        timeout: float = 1.0, max_age: float = 1.0,
        trusted: float = 0.0, repeat: float | None = None,
    ) -> None:  # fmt: skip
        self._name, self._check = name, check
        self._timeout, self._max_age = timeout, max_age
        self._trusted, self._repeat = trusted, repeat
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None  # one for all checks, which reuse its clients
        self._requested = threading.Event()
        self._done = threading.Event()
        self._asked_at = NEVER  # times are those of the monotonic clock
        self._began_at = self._done_at = 0.0
        self._is_ok = True
        self._worked_at = NEVER  # when the last successful check began; NEVER after a failure
        self.value: T | None = None  # of the last successful check

    def begin(self) -> None:
        """Requests a check, unless one is running or the last result is fresh. Does not wait."""
        with self._lock:
            self._asked_at = time.monotonic()
            # In this order: a check that ends in between is fresh, and no other one begins.
            if not self._is_running() and not self._is_fresh():
                self._begin()

    def state(self, until: float) -> State:
        """Waits until the check is done, or until this time of the monotonic clock."""
        if self._done.wait(max(until - time.monotonic(), 0.0)) and self._is_ok:
            return State.WORKS
        is_trusted = time.monotonic() < self._worked_at + self._trusted
        return State.BUSY if is_trusted else State.FAILS

    def answers(self) -> bool:
        """Waits until a check is done or has taken longer than `timeout`."""
        self.begin()
        return self.state(self._began_at + self._timeout) is State.WORKS

    def is_known_silent(self) -> bool:
        """Whether the last check failed or is overdue; does not wait."""
        if self._is_running():
            return time.monotonic() > self._began_at + self._timeout
        return not self._is_ok

    def _is_running(self) -> bool:
        is_alive = self._thread is not None and self._thread.is_alive()
        return is_alive and not self._done.is_set()

    def _is_fresh(self) -> bool:
        return self._done.is_set() and time.monotonic() < self._done_at + self._max_age

    def _begin(self) -> None:
        if self._thread is None or not self._thread.is_alive():  # threads do not survive a fork
            # New events: the lost thread may have left the old ones in any state.
            self._requested, self._done = threading.Event(), threading.Event()
            self._thread = threading.Thread(
                target=self._serve, name=f"probe-{self._name}", daemon=True
            )
            self._thread.start()
        self._note_beginning()
        self._requested.set()

    def _note_beginning(self) -> None:
        self._began_at = time.monotonic()
        self._done.clear()

    def _serve(self) -> None:
        while True:
            # After the pause the check is repeated by itself, so that a recent result is at hand.
            if not self._requested.wait(self._pause()):
                with self._lock:
                    self._note_beginning()
            self._requested.clear()
            self._run()

    def _pause(self) -> float | None:
        """Seconds until the check is repeated; None if the next one has to be requested."""
        is_asked = time.monotonic() < self._asked_at + ASKED_SECONDS
        return self._repeat if is_asked and self._worked_at != NEVER else None

    def _run(self) -> None:
        try:
            self.value = self._check()
        except Exception as error:  # whatever a client library raises, the result is the same
            # A part that does not respond may be busy; with any other error, it fails.
            if not isinstance(error, TimeoutError):
                self._worked_at = NEVER
            self._is_ok = False
            log.warning("The %s does not respond: %s", self._name, error)
        else:
            self._worked_at = self._began_at
            self._is_ok = True
        self._done_at = time.monotonic()
        self._done.set()
