"""Files that are read while a person waits: qrels, judgments, and texts of documents.

A small compressed file can take a minute to read, and hundreds of megabytes. A web process reads
one at a time, with less patience than a worker; a command has the time of a worker.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.conf import settings
from rest_framework.exceptions import Throttled

from campaigns.client_address import request_being_answered

AT_ONCE, WAITING = 1, 2  # requests of a web process; others are refused at once
PATIENCE: Final = 10.0  # seconds until a place must be free
MOST_LINES: Final = 5_000_000  # of qrels and judgments; blank lines count
_READING: Final = threading.BoundedSemaphore(AT_ONCE)
_PRESENT: Final = threading.BoundedSemaphore(AT_ONCE + WAITING)


class TooManyFiles(Throttled):
    """`wait`: seconds after which to try again."""

    default_code = "too_many_files"
    default_detail = "This site is reading other files. Nothing of this one was stored."


@contextmanager
def reading_place() -> Iterator[float]:
    """Waits until this process may read a file, and yields the seconds of processor time that
    reading it may take. Raises `TooManyFiles`."""
    if request_being_answered.get() is None:
        yield settings.MAX_READING_SECONDS
        return
    if not _PRESENT.acquire(blocking=False):
        raise TooManyFiles(PATIENCE)
    try:
        if not _READING.acquire(timeout=PATIENCE):
            raise TooManyFiles(PATIENCE)
        try:
            yield settings.MAX_REQUEST_READING_SECONDS
        finally:
            _READING.release()
    finally:
        _PRESENT.release()
