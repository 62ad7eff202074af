"""The examples of docs/examples that terminate TLS, nginx and Caddy, in front of the site's own
proxy. Only their addresses and the files of the certificate differ."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.patience import PATIENCE, wait_for
from tests.proxy.conftest import StartProxy
from trackside.processes import HOST, free_port, listens
from trackside.stack import Missing, program, write_http

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
SITE = "evaluation.example.org"
CLIENT, OTHER = "127.0.0.11", "127.0.0.66"
INNER = "127.0.0.1:8000"  # where the examples expect the site's proxy
PAGE = 100_000  # bytes, enough to be worth compressing
SENT = 1 << 20  # bytes of an upload, more than a proxy keeps in memory


class Told(BaseHTTPRequestHandler):
    """Tells the headers and the size of each request, in a long page."""

    def do_GET(self) -> None:
        size = len(self.rfile.read(int(self.headers["Content-Length"] or 0)))
        told = json.dumps(dict(self.headers) | {"size": size}).ljust(PAGE).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_POST = do_GET  # noqa: N815 - a name of http.server

    def log_message(self, *_: object) -> None:
        pass


@dataclass(frozen=True)
class Terminator:
    """The running example."""

    https: int  # its port, in place of 443
    http: int  # in place of 80
    authority: Path  # of the certificate

    def connect(self, client: str = CLIENT) -> HTTPSConnection:
        context = ssl.create_default_context(cafile=str(self.authority))
        connection = HTTPSConnection(SITE, self.https, timeout=PATIENCE, context=context)
        connection.sock = context.wrap_socket(
            socket.create_connection((HOST, self.https), PATIENCE, source_address=(client, 0)),
            server_hostname=SITE,
        )
        return connection

    def ask(self, path: str = "/", method: str = "GET", body: bytes | None = None,
            client: str = CLIENT, **headers: str) -> tuple[HTTPResponse, bytes]:  # fmt: skip
        connection = self.connect(client)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with suppress(OSError):  # a proxy may answer and close before it has the whole body
            connection.request(method, path, body, named)
        answer = connection.getresponse()
        page = answer.read()
        connection.close()
        return answer, page


StartTerminator = Callable[[int], Terminator]


@pytest.fixture(params=["nginx", "caddy"])
def start_terminator(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StartTerminator]:
    """Starts the example in front of a port."""
    name = request.param
    try:
        found = program("nginx") if name == "nginx" else shutil.which("caddy")
    except Missing as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))
    if found is None:
        pytest.skip("caddy is missing: on Debian, apt install caddy")
    processes: list[subprocess.Popen[bytes]] = []
    folder = tmp_path / "terminator"
    folder.mkdir()

    def start(inner: int) -> Terminator:
        tls = Terminator(free_port(), free_port(), _certificate(folder))
        write = _nginx if name == "nginx" else _caddy
        command = write(folder, tls, inner)
        homes = {"HOME": str(folder), "PATH": os.environ["PATH"]}
        processes.append(subprocess.Popen([found, *command], env=homes))
        wait_for(name, lambda: listens(tls.https) and listens(tls.http))
        return tls

    yield start
    for process in processes:
        process.terminate()
        process.wait(PATIENCE)


def _certificate(folder: Path) -> Path:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", f"/CN={SITE}", "-addext", f"subjectAltName=DNS:{SITE}",
         "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder / "fullchain.pem"


def _filled(name: str, *replacements: tuple[str, str]) -> str:
    text = (EXAMPLES / name).read_text()
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return text


def _nginx(folder: Path, tls: Terminator, inner: int) -> list[str]:
    text = _filled(
        "nginx-tls.conf",
        ("listen 80;", f"listen {HOST}:{tls.http};"),
        ("listen 443 ", f"listen {HOST}:{tls.https} "),
        (f"/etc/letsencrypt/live/{SITE}", str(folder)),
        (INNER, f"{HOST}:{inner}"),
        ("/var/www/html", str(folder)),
    )
    text = re.sub(r"^ *listen \[::\].*\n", "", text, flags=re.M)
    spool = f"client_body_temp_path {folder}/bodies;\nproxy_temp_path {folder}/answers;\n"
    path = write_http(folder, f"gzip on;\n{spool}{text}")  # as in Debian's nginx.conf
    return ["-c", str(path), "-p", str(folder)]


def _caddy(folder: Path, tls: Terminator, inner: int) -> list[str]:
    ports = f"http_port {tls.http}\n\thttps_port {tls.https}\n\tdefault_bind {HOST}"
    text = _filled(
        "Caddyfile",
        ("\n{\n", f"\n{{\n\tadmin off\n\t{ports}\n"),
        (f"{SITE} {{\n", f"{SITE} {{\n\ttls {folder}/fullchain.pem {folder}/privkey.pem\n"),
        (INNER, f"{HOST}:{inner}"),
    )
    (folder / "Caddyfile").write_text(text)
    return ["run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


@pytest.fixture
def tls(start_proxy: StartProxy, start_terminator: StartTerminator) -> Iterator[Terminator]:
    """The example, the site's proxy behind it, and a web server that tells what it receives."""
    web = ThreadingHTTPServer((HOST, 0), Told)
    Thread(target=web.serve_forever, daemon=True).start()
    yield start_terminator(start_proxy([f"{HOST}:{web.server_port}"], trusted_proxy=HOST))
    web.shutdown()
    web.server_close()


def test_the_site_receives_the_client_s_address_whatever_the_client_sends(tls: Terminator) -> None:
    for forged in ({}, {"X_Forwarded_For": OTHER}, {"X_Forwarded_For": f"{OTHER}, {HOST}"},
                   {"X_Real_IP": OTHER, "Forwarded": f"for={OTHER}"}):  # fmt: skip
        told = json.loads(tls.ask(**forged)[1])
        assert told["X-Forwarded-For"] == CLIENT
        assert told["Host"] == f"{SITE}:{tls.https}"
        assert re.fullmatch(r"[0-9.]+ [0-9.]+", told["X-Arrived"])


def test_http_leads_to_https(tls: Terminator) -> None:
    connection = HTTPConnection(HOST, tls.http, timeout=PATIENCE)
    connection.request("GET", "/campaigns/?q=1", headers={"Host": SITE})
    answer = connection.getresponse()
    connection.close()
    assert answer.status in (301, 308)
    port = rf"(:{tls.https})?"
    assert re.fullmatch(rf"https://{SITE}{port}/campaigns/\?q=1", answer.headers["Location"])


def test_pages_are_not_compressed_and_uploads_are_complete(tls: Terminator) -> None:
    answer, page = tls.ask(Accept_Encoding="gzip, br")
    assert ("Content-Encoding" in answer.headers, len(page)) == (False, PAGE)
    assert json.loads(tls.ask(method="POST", body=bytes(20 << 20))[1])["size"] == 20 << 20


def test_what_is_too_large_or_too_long_is_refused_with_the_page_of_the_site(
    tls: Terminator,
) -> None:
    # Caddy passes the answer on when the next part of the body arrives.
    for path, body, headers, status in (
        ("/", bytes(8 << 20), {"Content_Length": str(1 << 40)}, 413),
        ("/?" + "x" * 8100, None, {}, 414),
        ("/?" + "x" * 12_000, None, {}, 414),
        ("/", None, {"Cookie": "x" * 12_000}, 431),
    ):
        answer, page = tls.ask(path, body=body, **headers)
        assert answer.status == status
        assert '<a href="/">All campaigns</a>' in page.decode()


def test_an_upload_reaches_the_site_while_it_arrives(start_terminator: StartTerminator) -> None:
    """The site's proxy notes when it begins. Otherwise a slow upload would begin when it ends."""
    with socket.create_server((HOST, 0)) as inner:
        inner.settimeout(PATIENCE)
        tls = start_terminator(inner.getsockname()[1])
        connection = tls.connect()
        connection.putrequest("POST", "/")
        connection.putheader("Content-Length", str(SENT))
        connection.endheaders(bytes(SENT // 2))
        passed, _ = inner.accept()
        with passed:
            passed.settimeout(PATIENCE)
            received = b""
            while b"\r\n\r\n" not in received:
                received += passed.recv(65_536)
            rest = SENT - len(received.split(b"\r\n\r\n", 1)[1])
            connection.send(bytes(SENT // 2))
            while rest:
                rest -= len(passed.recv(min(rest, 65_536)))
            passed.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
            assert connection.getresponse().status == 204
        connection.close()
