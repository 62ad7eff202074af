"""Whether a part of the site responds, checked on a separate thread with a timeout."""

import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)


class Probe:
    """Runs at most one check at a time and shares its result for `max_age` seconds. `check` returns
    if the part responds and raises if it does not."""

    def __init__(
        self, name: str, check: Callable[[], None], *, timeout: float = 1.0, max_age: float = 1.0
    ) -> None:
        self._name, self._check = name, check
        self._timeout, self._max_age = timeout, max_age
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None  # one for all checks, which reuse its clients
        self._requested = threading.Event()
        self._done = threading.Event()
        self._began_at = 0.0  # by the monotonic clock
        self._done_at = 0.0
        self._is_ok = True

    def answers(self) -> bool:
        """Waits until a check is done or has taken longer than `timeout`."""
        with self._lock:
            if not self._is_running() and not self._is_fresh():
                self._begin()
            left = self._began_at + self._timeout - time.monotonic()
        return self._done.wait(max(left, 0.0)) and self._is_ok

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
        self._began_at = time.monotonic()
        if self._thread is None or not self._thread.is_alive():  # threads do not survive a fork
            self._requested, self._done = threading.Event(), threading.Event()
            self._thread = threading.Thread(
                target=self._serve, name=f"probe-{self._name}", daemon=True
            )
            self._thread.start()
        self._done.clear()
        self._requested.set()

    def _serve(self) -> None:
        while self._requested.wait():
            self._requested.clear()
            self._run()

    def _run(self) -> None:
        try:
            self._check()
        except Exception as error:  # whatever a client library raises, the result is the same
            self._is_ok = False
            log.warning("The %s does not respond: %s", self._name, error)
        else:
            self._is_ok = True
        self._done_at = time.monotonic()
        self._done.set()
