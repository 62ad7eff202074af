"""A bulkhead for the store. If the store does not respond, only some threads of a web process wait
for it, and the others serve pages that do not need it."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EIO

from boto3.exceptions import Boto3Error
from botocore.exceptions import BotoCoreError, ClientError

log = logging.getLogger(__name__)

AT_ONCE = 4  # threads of a process that use the store; a web process has 8
SILENT_SECONDS = 1.0  # without a byte; after that, new requests do not wait for a free place
PAUSE_SECONDS = 2.0  # after a failure, before the next request to the store
GRACE_SECONDS = 30.0  # of a transfer, before its rate is checked
LEAST_RATE = 128 * 1024  # bytes a second


class StoreAway(OSError):
    """The store does not respond, or responds with an error of its own. Nothing was stored."""

    def __init__(self, name: str, reason: object) -> None:
        super().__init__(EIO, f"the store failed for {name}: {reason}")


class StoreCrowded(StoreAway, TimeoutError):
    """Others wait for the store already. Of the store itself, this says only that it is silent."""


class Visit:
    """One request to the store, and how much of its file was transferred."""

    def __init__(self, bulkhead: "Bulkhead", name: str) -> None:
        self._bulkhead, self._name = bulkhead, name
        self._began = time.monotonic()
        self._bytes = 0

    def note(self, count: int) -> None:
        """Adds transferred bytes. Raises `StoreAway` if the transfer is too slow."""
        self._bulkhead.heard_at = time.monotonic()
        self._bytes += count
        took = self._bulkhead.heard_at - self._began
        if took > GRACE_SECONDS and self._bytes < LEAST_RATE * took:
            raise StoreAway(self._name, f"{self._bytes} bytes in {took:.0f} s")


class Bulkhead:
    """What a process knows of the state of its store."""

    def __init__(self) -> None:
        self._places = threading.BoundedSemaphore(AT_ONCE)
        self.heard_at = 0.0  # times are those of the monotonic clock
        # So long ago that the first request need not wait, though the clock may begin at 0.
        self._failed_at = -PAUSE_SECONDS

    @contextmanager
    def visit(self, name: str) -> Iterator[Visit]:
        """One request. Raises `StoreAway`, and FileNotFoundError if the file does not exist."""
        began = time.monotonic()
        # A response since the failure, to another request, shows that the store works again.
        if self.heard_at <= self._failed_at and began < self._failed_at + PAUSE_SECONDS:
            raise StoreAway(name, "it failed a moment ago")
        # In short steps, because others can hear from the store in the meantime: a request waits
        # for a place only while the store responds to those that have one.
        while not self._places.acquire(timeout=SILENT_SECONDS / 4):
            if time.monotonic() - max(self.heard_at, began) > SILENT_SECONDS:
                raise StoreCrowded(name, "it is silent, and others wait for it already")
        try:
            yield Visit(self, name)
        except (Boto3Error, BotoCoreError, ClientError) as error:
            facts = (
                error.response.get("ResponseMetadata", {}) if isinstance(error, ClientError) else {}
            )
            if int(facts.get("HTTPStatusCode", 0)) == 404:
                self.heard_at = time.monotonic()
                raise FileNotFoundError(f"{name} is not in the store") from error
            self._failed_at = time.monotonic()
            log.warning("The store failed for %s: %s", name, error)
            raise StoreAway(name, error) from error
        else:
            self.heard_at = time.monotonic()
        finally:
            self._places.release()
