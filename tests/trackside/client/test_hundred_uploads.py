"""A hundred uploads over a bad connection to a busy site: a hundred runs."""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from knox.models import AuthToken

import trackside as ts
from tests.flow_world import World, run_file, wake_ups, world
from tests.patience import PATIENCE

__all__ = ["wake_ups", "world"]  # fixtures

FAULTS = ("429", "503", "cut before", "cut after", "cut within")
RUNS = 100


@pytest.fixture
def faults() -> Counter[str]:
    return Counter()


@pytest.fixture
def flaky(live_server, faults: Counter[str]) -> Iterator[str]:
    """The site behind a proxy at which four requests in ten fail: it refuses, it hangs up before
    or after the site has the request, or within the response."""
    draw = random.Random(1)
    site = urlsplit(live_server.url).netloc

    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            fault = draw.choice(FAULTS) if draw.random() < 0.4 else ""
            faults[fault] += 1
            self.close_connection = True
            if fault in ("429", "503"):
                self.send_response(int(fault))
                self.send_header("Retry-After", "1")
                self.end_headers()
                return
            if fault == "cut before":
                return
            connection = HTTPConnection(site, timeout=PATIENCE)
            connection.request(self.command, self.path, body, dict(self.headers))
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            if fault == "cut after":
                return
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if fault else content)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.long
def test_each_upload_is_one_run(
    world: World, flaky: str, faults: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    world.change(run_quota=RUNS, attempt_quota=RUNS)
    _, token = AuthToken.objects.create(world.participant)
    site = ts.Site(flaky, token, attempts=12)
    names = [f"run-{number}" for number in range(RUNS)]
    submitted = [
        site.submit(world.campaign.slug, run_file(tag=name), name=name, wait=0) for name in names
    ]
    assert sorted(world.campaign.runs.values_list("name", flat=True)) == sorted(names)
    assert len({run.id for run in submitted}) == RUNS
    assert min(faults[fault] for fault in FAULTS) >= 5
