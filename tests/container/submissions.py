"""A team that submits runs with a script, one after the other, through the proxy."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection

from tests.container.people import TOPICS, run_file
from tests.container.site import HOST, PORT, Site
from tests.patience import PATIENCE
from tests.stack.submissions import PREPARE, SLUG, envelope

SMALL = 50  # documents a topic


class Submitter:
    """`digests`: the SHA-256 digest of each run that the site confirmed, by its id."""

    def __init__(self, site: Site) -> None:
        prepare = PREPARE.format(slug=SLUG, topics=TOPICS, facts="")
        printed = site.manage("shell", "-v", "0", "-c", prepare)
        self.token, self.proxy = printed.split()[0], site.proxy
        self.digests: dict[str, str] = {}

    def submit(self) -> None:
        data = run_file(f"run{len(self.digests)}", SMALL)
        head, tail = envelope("part")
        status, answer = self.ask(
            "POST", f"/api/campaigns/{SLUG}/runs/", head + data + tail,
            **{"Content-Type": "multipart/form-data; boundary=part"},
        )  # fmt: skip
        assert status == 202, answer
        self.digests[json.loads(answer)["id"]] = hashlib.sha256(data).hexdigest()

    def downloaded(self, run: str) -> str:
        """The digest of what the site has of a run."""
        status, answer = self.ask("GET", f"/api/campaigns/{SLUG}/runs/{run}/file/")
        assert status == 200, answer
        return hashlib.sha256(answer).hexdigest()

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
        connection = HTTPConnection(*self.proxy, timeout=PATIENCE)
        named = {"Host": f"{HOST}:{PORT}", "Authorization": f"Token {self.token}"}
        connection.request(method, path, body, named | headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    @contextmanager
    def submitting(self, pause: float = 0.5) -> Iterator[None]:
        """One run after the other in the meantime. Raises what a submission raised."""
        end, failures = threading.Event(), []

        def go() -> None:
            try:
                while not end.wait(pause):
                    self.submit()
            except Exception as failure:
                failures.append(failure)

        thread = threading.Thread(target=go)
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()
        if failures:
            raise failures[0]
