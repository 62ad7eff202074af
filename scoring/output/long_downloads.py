"""A bulkhead for long downloads: large tables and packages. Each keeps a thread of a web process
busy for seconds and takes tens of megabytes, so a process prepares few of them at a time, and one
for a client. Its other threads serve pages.

A table is known to be long while it is written: its first `FREE_ROWS` rows are for everybody. If it
is known before to have more than `LONG_ROWS` rows, a worker writes it (`stored_tables.py`).
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, TypeVar

from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.exceptions import Throttled

from campaigns.client_address import client_of, request_being_answered

Item = TypeVar("Item")

AT_ONCE: Final = 2  # of the 8 threads of a web process; the store may keep 4 others
AT_ONCE_FOR_CLIENT: Final = 1
FREE_ROWS: Final = 10_000  # of a table, about 0.2 seconds
LONG_ROWS: Final = 100_000  # about 2 seconds
RETRY_SECONDS: Final = 5


class TooManyDownloads(Throttled):
    """`wait`: seconds after which to try again."""

    default_code = "too_many_downloads"
    default_detail = "This site is preparing other long downloads."


class TableTooLong(Exception):
    """A worker should write the table."""


class _Downloads:
    """The clients of the long downloads that this process is preparing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clients: list[str] = []

    def begin(self, client: str) -> None:
        with self._lock:
            own = self._clients.count(client)
            if len(self._clients) >= AT_ONCE or own >= AT_ONCE_FOR_CLIENT:
                raise TooManyDownloads(RETRY_SECONDS)
            self._clients.append(client)

    def end(self, client: str) -> None:
        with self._lock:
            self._clients.remove(client)


_DOWNLOADS: Final = _Downloads()


def begin_long_download() -> None:
    """The request that is being answered is a long download from now on, until
    `end_long_download`. Raises `TooManyDownloads`."""
    request = request_being_answered.get()
    # A request with several long parts counts once.
    if request is not None and not hasattr(request, "long_download_of"):
        client = client_of(request)
        _DOWNLOADS.begin(client)
        request.long_download_of = client


def end_long_download(request: HttpRequest) -> None:
    """Does nothing if the request is no long download, or ended before."""
    client = request.__dict__.pop("long_download_of", None)
    if client is not None:
        _DOWNLOADS.end(client)


def begin_if_long(rows: int) -> None:
    """The same for a download of this many rows, if that is long."""
    if rows > FREE_ROWS:
        begin_long_download()


def first_items(
    items: Iterable[Item], rows_each: int = 1
) -> tuple[Sequence[Item], Iterator[Item] | None]:
    """The first items of a download, up to FREE_ROWS rows; and all of them if there are more, since
    the download has begun to be a long one. Raises `TooManyDownloads`."""
    left = iter(items)
    count = max(FREE_ROWS // rows_each, 1)
    first = list(islice(left, count))
    if len(first) < count:
        return first, None
    begin_long_download()
    return first, chain(first, left)


def refuse_too_long(rows: int | None) -> None:
    """For a table whose number of rows is known before they are written. Raises `TableTooLong` if
    they are more than LONG_ROWS, and the table may be stored."""
    may_be_stored = getattr(request_being_answered.get(), "may_store_table", False)
    if may_be_stored and (rows or 0) > LONG_ROWS:
        raise TableTooLong


def hold_until_sent(request: HttpRequest, response: HttpResponseBase) -> None:
    """Ends the long download, if the request is one, when what is written while it is sent has been
    sent, or the client has gone."""
    is_written = response.streaming and not isinstance(response, FileResponse)
    if is_written and hasattr(request, "long_download_of"):
        response.streaming_content = _Blocks(request, response.streaming_content)
    else:
        end_long_download(request)


class _Blocks:
    """The server closes them after the last one, or when the client has gone."""

    def __init__(self, request: HttpRequest, blocks: Iterable[bytes]) -> None:
        self._request, self._blocks = request, blocks

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._blocks)

    def close(self) -> None:
        end_long_download(self._request)
