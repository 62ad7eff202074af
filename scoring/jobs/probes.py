"""Whether a part of the site answers: asked on a thread of its own, and waited for only so long."""

import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)


class Probe:
    """Asks at most once at a time, however many want to know, and shares the answer while it is
    fresh. `check` returns where the part answers and raises where it does not."""

    def __init__(
        self, name: str, check: Callable[[], None], *, patience: float = 1.0, fresh: float = 1.0
    ) -> None:
        self._name, self._check = name, check
        self._patience, self._fresh = patience, fresh
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None  # one for all checks: clients are kept by it
        self._asked = threading.Event()
        self._done = threading.Event()
        self._began_at = 0.0  # by the monotonic clock, as all here
        self._done_at = 0.0
        self._is_well = True

    def answers(self) -> bool:
        """Waits until a check is done, or has taken longer than `patience`."""
        with self._lock:
            if not self._is_running() and not self._is_fresh():
                self._begin()
            left = self._began_at + self._patience - time.monotonic()
        return self._done.wait(max(left, 0.0)) and self._is_well

    def is_known_silent(self) -> bool:
        """Whether the last check failed, or is overdue; without waiting for anything."""
        if self._is_running():
            return time.monotonic() > self._began_at + self._patience
        return not self._is_well

    def _is_running(self) -> bool:
        is_alive = self._thread is not None and self._thread.is_alive()
        return is_alive and not self._done.is_set()

    def _is_fresh(self) -> bool:
        return self._done.is_set() and time.monotonic() < self._done_at + self._fresh

    def _begin(self) -> None:
        self._began_at = time.monotonic()
        if self._thread is None or not self._thread.is_alive():  # a fork leaves threads behind
            self._asked, self._done = threading.Event(), threading.Event()
            self._thread = threading.Thread(
                target=self._serve, name=f"probe-{self._name}", daemon=True
            )
            self._thread.start()
        self._done.clear()
        self._asked.set()

    def _serve(self) -> None:
        while self._asked.wait():
            self._asked.clear()
            self._run()

    def _run(self) -> None:
        try:
            self._check()
        except Exception as error:  # whatever a part's library raises, the answer is the same
            self._is_well = False
            log.warning("The %s does not answer: %s", self._name, error)
        else:
            self._is_well = True
        self._done_at = time.monotonic()
        self._done.set()
