"""The id of the current request, or of the request that caused the current job."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="-")


@contextmanager
def within_request(id_: str) -> Iterator[None]:
    """Within the block, log entries and new jobs have this request id."""
    token = request_id.set(id_ or "-")
    try:
        yield
    finally:
        request_id.reset(token)
