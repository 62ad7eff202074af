"""A site of one page. If its query names a folder, the page is answered once it has a file `go`."""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path


def application(environ: dict[str, str], start_response: Callable[..., object]) -> Iterable[bytes]:
    if folder := environ["QUERY_STRING"]:
        Path(folder, str(os.getpid())).touch()
        while not Path(folder, "go").exists():
            time.sleep(0.02)
    start_response("200 OK", [("Content-Length", "2")])
    return [b"OK"]
