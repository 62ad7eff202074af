"""Debian's nginx with the proxy's own template, in front of whatever a test puts behind it."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE, wait_for
from trackside.processes import HOST, free_port, listens
from trackside.stack import NOBODY, Missing, program, write_configuration, write_http

# Linux answers for all of 127.0.0.0/8, so one machine has as many clients as a test needs.
TERMINATOR = "127.0.0.2"
StartProxy = Callable[..., int]


@pytest.fixture
def start_proxy(tmp_path: Path) -> Iterator[StartProxy]:
    """Starts the site's proxy and returns its port; with `terminator` another nginx is in front of
    it, as a proxy that ends TLS is, and the port is that one's."""
    try:
        nginx = program("nginx")
    except Missing as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))
    processes: list[subprocess.Popen[bytes]] = []

    def run(path: Path, port: int) -> int:
        processes.append(subprocess.Popen([nginx, "-c", str(path), "-p", str(path.parent)]))
        wait_for("nginx", lambda: listens(port))
        return port

    def start(webs: Sequence[str], *, terminator: bool = False, **settings: Any) -> int:
        port = free_port()
        folder = tmp_path / f"proxy{len(processes)}"
        settings = {"trusted_proxy": TERMINATOR if terminator else NOBODY} | settings
        run(
            write_configuration(folder, listen=f"{HOST}:{port}", webs=webs, **settings),
            port,
        )
        if not terminator:
            return port
        return run(*_terminator_before(tmp_path / "terminator", port))

    yield start
    for process in reversed(processes):
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


def _terminator_before(folder: Path, port: int) -> tuple[Path, int]:
    """One that appends the address of its client to X-Forwarded-For, as most do."""
    own = free_port()
    site = f"""
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    server {{
        listen {HOST}:{own};
        location / {{
            proxy_pass http://{HOST}:{port};
            proxy_bind {TERMINATOR};
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }}
    }}
    """
    return write_http(folder, site), own


def ask(
    port: int,
    path: str,
    *,
    method: str = "GET",
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
    client: str = HOST,
    version: str = "HTTP/1.1",
) -> tuple[HTTPResponse, bytes]:
    """One request from the address `client`; the answer and its body."""
    connection = HTTPConnection(HOST, port, timeout=PATIENCE, source_address=(client, 0))
    connection._http_vsn_str = version
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()
