"""What the proxy does where a web process is away or dies: only a request that no process has seen
goes to another one."""

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.proxy.conftest import StartProxy, ask
from trackside.processes import HOST, free_port

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nOK"


class Web:
    """A web process that keeps the requests it got, and answers or dies."""

    def __init__(self, *, dies: bool) -> None:
        self.dies = dies
        self.seen: list[bytes] = []
        self.listener = socket.create_server((HOST, 0))
        self.address = f"{HOST}:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:  # closed: the test is over
                return
            with connection:
                self.seen.append(_read(connection))
                if not self.dies:
                    connection.sendall(ANSWER)


def _read(connection: socket.socket) -> bytes:
    """A whole request: a connection that is closed with unread bytes is reset."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.I)
    left = int(length[1]) - len(body) if length else 0
    while left > 0:
        left -= len(connection.recv(65_536))
    return data


@contextmanager
def serving(*, dies: bool) -> Iterator[Web]:
    web = Web(dies=dies)
    try:
        yield web
    finally:
        web.listener.close()


@pytest.fixture
def sound() -> Iterator[Web]:
    with serving(dies=False) as web:
        yield web


@pytest.fixture
def dying() -> Iterator[Web]:
    with serving(dies=True) as web:
        yield web


def refusing() -> str:
    return f"{HOST}:{free_port()}"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_refused_connection_is_tried_elsewhere(
    start_proxy: StartProxy, sound: Web, method: str
) -> None:
    port = start_proxy([refusing(), sound.address])
    body = b"x" * 300_000 if method == "POST" else None  # more than nginx keeps in memory
    for _ in range(4):
        answer, page = ask(port, "/", method=method, body=body)
        assert (answer.status, page) == (200, b"OK")
    assert len(sound.seen) == 4
    assert {each.split(b" ")[0].decode() for each in sound.seen} == {method}


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_during_which_a_process_died_is_sent_to_no_other(
    start_proxy: StartProxy, sound: Web, dying: Web, method: str
) -> None:
    port = start_proxy([dying.address, sound.address])
    answers = [ask(port, "/", method=method)[0].status for _ in range(2)]
    assert sorted(answers) == [200, 503]
    assert (len(dying.seen), len(sound.seen)) == (1, 1)


def test_where_no_process_is_left_a_person_gets_a_page_and_a_script_the_api_s_shape(
    start_proxy: StartProxy, dying: Web
) -> None:
    for webs in ([refusing(), refusing()], [dying.address]):
        port = start_proxy(webs)
        answer, page = ask(port, "/")
        assert (answer.status, answer.headers["Retry-After"]) == (503, "10")
        assert b"The site is temporarily unavailable" in page
        answer, page = ask(port, "/api/campaigns/")
        assert (answer.status, answer.headers["Retry-After"]) == (503, "10")
        assert json.loads(page)["code"] == "away"
