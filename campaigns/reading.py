"""Files that are read while a person waits: qrels, judgments, and texts of documents.

A small compressed file can take a minute to read, and hundreds of megabytes. A web process reads
one at a time, with lower limits than a worker. Beyond them documents and qrels are kept for a
worker (`uploads`), and other files are refused. A command has the limits of a worker.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final, NamedTuple

from django.conf import settings
from rest_framework.exceptions import Throttled

from campaigns.client_address import request_being_answered
from campaigns.trec.problems import refuse_large

AT_ONCE, WAITING = 1, 2  # requests of a web process; others are refused at once
PATIENCE: Final = 10.0  # seconds until a place must be free
MOST_LINES: Final = 5_000_000  # of qrels and judgments; blank lines count
_READING: Final = threading.BoundedSemaphore(AT_ONCE)
_PRESENT: Final = threading.BoundedSemaphore(AT_ONCE + WAITING)


class TooManyFiles(Throttled):
    """`wait`: seconds after which to try again."""

    default_code = "too_many_files"
    default_detail = "This site is reading other files. Nothing of this one was stored."


class ReadingLimits(NamedTuple):
    """`seconds` of processor time. `plain_bytes`: None outside of requests."""

    seconds: float
    plain_bytes: int | None = None

    def bytes_within(self, most: int) -> int:
        """The plain bytes that may be read of a file that may have `most` of them."""
        return most if self.plain_bytes is None else min(most, self.plain_bytes)

    def refuse_larger(self, file: BinaryIO) -> None:
        """Raises `LimitReached` without reading, if the file as it was sent is too large."""
        if self.plain_bytes is not None and file.seek(0, os.SEEK_END) > self.plain_bytes:
            refuse_large(self.plain_bytes)
        file.seek(0)


def limits_here() -> ReadingLimits:
    """Those of a request, of a worker or of a command."""
    if request_being_answered.get() is None:
        return ReadingLimits(settings.MAX_READING_SECONDS)
    return ReadingLimits(settings.MAX_REQUEST_READING_SECONDS, settings.MAX_REQUEST_READING_BYTES)


def whole_file(file: Any) -> bytes:
    """The bytes of an uploaded file. Raises `LimitReached` before a request holds more of them
    than it may read."""
    limits_here().refuse_larger(file)
    data: bytes = file.read()
    return data


@contextmanager
def reading_place(*, is_own: bool = False) -> Iterator[ReadingLimits]:
    """Waits until this process may read a file, and yields the limits. Raises `TooManyFiles`.

    `is_own`: the site has written the file itself, so it is read with the limits of a worker.
    """
    if request_being_answered.get() is None:
        yield limits_here()
        return
    # One request reads and two wait. Each further one would only hold a thread.
    if not _PRESENT.acquire(blocking=False):
        raise TooManyFiles(PATIENCE)
    try:
        if not _READING.acquire(timeout=PATIENCE):
            raise TooManyFiles(PATIENCE)
        try:
            yield ReadingLimits(settings.MAX_READING_SECONDS) if is_own else limits_here()
        finally:
            _READING.release()
    finally:
        _PRESENT.release()
