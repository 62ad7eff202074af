"""One client's slow uploads do not take the proxy's connections from everybody else."""

import json
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.patience import PATIENCE, wait_for
from tests.proxy.conftest import StartProxy, ask
from trackside.processes import HOST

SLOW, OTHER = "127.0.0.70", "127.0.0.71"
MOST = 5
BEGIN = b"POST / HTTP/1.1\r\nHost: site\r\nContent-Length: 1000000\r\n\r\n"


@contextmanager
def slow_uploads(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Bodies of which one byte comes."""
    with ExitStack() as stack:
        uploads = [
            stack.enter_context(socket.create_connection((HOST, port), PATIENCE, (SLOW, 0)))
            for _ in range(count)
        ]
        for upload in uploads:
            upload.sendall(BEGIN + b"a")
        yield uploads


def test_a_client_has_so_many_requests_under_way_and_others_are_served(
    start_proxy: StartProxy,
) -> None:
    port = start_proxy(["127.0.0.1:9"], connections_per_client=MOST)
    with slow_uploads(port, MOST + 3) as uploads:
        refused = wait_for("three answers", lambda: answered(uploads, 3))
        assert len(refused) == 3
        assert all(b" 429 " in upload.recv(200) for upload in refused)
        assert all(is_closed(upload) for upload in refused)
        answer, page = ask(port, "/", client=SLOW)
        assert (answer.status, answer.headers["Retry-After"]) == (429, "10")
        assert "<h1>Too many requests at once</h1>" in page.decode()
        answer, page = ask(port, "/api/campaigns/", client=SLOW)
        assert (answer.status, json.loads(page)["code"]) == (429, "throttled")
        assert ask(port, "/", client=OTHER)[0].status == 503  # no web process is behind this one
        assert answered(uploads, 3) == refused  # and no other one meanwhile
    wait_for("the uploads to end", lambda: ask(port, "/", client=SLOW)[0].status == 503)


def test_the_files_of_pages_do_not_count_and_take_no_uploads(start_proxy: StartProxy) -> None:
    """A class of thirty loads a page at once: thirty requests, and five more for each."""
    port = start_proxy(["127.0.0.1:9"], connections_per_client=MOST)
    with slow_uploads(port, MOST):
        wait_for("the limit", lambda: ask(port, "/", client=SLOW)[0].status == 429)
        assert ask(port, "/static/trackside.css", client=SLOW)[0].status == 503  # no web process
    with socket.create_connection((HOST, port), PATIENCE, (SLOW, 0)) as upload:
        upload.sendall(BEGIN.replace(b" / ", b" /static/a ") + b"a")
        assert upload.recv(200).startswith(b"HTTP/1.1 405 ")


def answered(uploads: list[socket.socket], count: int) -> list[socket.socket]:
    """Those with an answer, once there are this many; none before."""
    ready = select.select(uploads, [], [], 0)[0]
    return ready if len(ready) >= count else []


def is_closed(upload: socket.socket) -> bool:
    """Whether the proxy has closed it, although most of the body has not come."""
    try:
        while upload.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True
