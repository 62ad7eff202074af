"""The id of the request that is being answered, or that asked for the work being done."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="-")


@contextmanager
def about(known: str) -> Iterator[None]:
    """Within the block, what is logged and asked for belongs to this request."""
    token = request_id.set(known or "-")
    try:
        yield
    finally:
        request_id.reset(token)
