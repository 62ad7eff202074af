"""A site of one page that takes its time."""

import time
from collections.abc import Callable, Iterable


def application(environ: dict[str, str], start_response: Callable[..., object]) -> Iterable[bytes]:
    time.sleep(float(environ["QUERY_STRING"] or 0))
    start_response("200 OK", [("Content-Length", "2")])
    return [b"OK"]
