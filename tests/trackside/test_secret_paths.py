"""No log has a link that somebody could follow."""

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from tests.patience import PATIENCE, wait_for
from trackside.processes import HOST, free_port, listens
from trackside.secret_paths import WithoutSecrets, hide_secrets, scrub_event

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("GET /invitations/abc-DEF_1/ 200", "GET /invitations/…/ 200"),
        ("/accounts/confirm-email/MQ:1x:yz/?next=/invitations/abc/",
         "/accounts/confirm-email/…/?next=/invitations/…/"),
        ("/login/?next=%2Finvitations%2Fabc%2F", "/login/?next=%2Finvitations%2F…%2F"),
        ("/accounts/confirm-email/MQ%3A1abc%3Asig/", "/accounts/confirm-email/…/"),
        ("/login/?next=%2finvitations%2fa%20b%2f", "/login/?next=%2finvitations%2f…%2f"),
        ("/accounts/password/reset/key/1-ab-cd/", "/accounts/password/reset/key/…/"),
        ("/accounts/password/reset/key/1-ab-cd", "/accounts/password/reset/key/…"),
        ("/campaigns/invitations/", "/campaigns/invitations/"),
        ("/api/campaigns/demo/teams/ab/invitations/", "/api/campaigns/demo/teams/ab/invitations/"),
    ],
)  # fmt: skip
def test_a_secret_of_a_url_is_hidden(text: str, hidden: str) -> None:
    assert hide_secrets(text) == hidden
    assert hide_secrets({"a": [text, 1], "b": (text,)}) == {"a": [hidden, 1], "b": (hidden,)}


@pytest.mark.django_db
def test_the_line_about_a_missing_page_has_no_token(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.handler.addFilter(WithoutSecrets())
    with caplog.at_level(logging.WARNING, "django.request"):
        client.get("/invitations/a-token/")
    assert caplog.messages == ["Not Found: /invitations/…/"]


def test_the_settings_filter_every_line() -> None:
    assert "without_secrets" in settings.LOGGING["handlers"]["stderr"]["filters"]


@pytest.fixture
def lines_about(tmp_path: Path) -> Iterator[Callable[..., list[str]]]:
    """The lines of gunicorn's log about requests for paths. It is gunicorn itself, with the site's
    configuration and an application that says hello. It replaces the path, as Django does."""
    (tmp_path / "hello.py").write_text(
        "def application(environ, start):\n"
        "    path = environ['PATH_INFO'].encode('latin-1').decode('utf-8', 'replace')\n"
        "    environ['PATH_INFO'] = path\n"
        "    start('200 OK', [])\n"
        "    return [b'hello']\n"
    )
    port, log = free_port(), tmp_path / "access.log"
    command = [
        *(sys.executable, "-m", "gunicorn", "-c", str(ROOT / "gunicorn.conf.py"), "hello"),
        *("--pythonpath", str(tmp_path), "--bind", f"{HOST}:{port}", "--no-control-socket"),
        *("--access-logfile", str(log)),
    ]
    process = subprocess.Popen(command, cwd=ROOT, env=dict(os.environ))

    def lines_about(*paths: bytes, headers: bytes = b"") -> list[str]:
        wait_for("gunicorn", lambda: listens(port))
        for path in paths:
            with socket.create_connection((HOST, port), PATIENCE) as connection:
                connection.sendall(b"GET " + path + b" HTTP/1.0\r\n" + headers + b"\r\n")
                while connection.recv(4096):
                    pass
        return wait_for(
            "the lines", lambda: log.exists() and _lines_if(log.read_bytes(), len(paths))
        )

    try:
        yield lines_about
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _lines_if(written: bytes, count: int) -> list[str]:
    """The lines, once this many requests have one."""
    lines = written.decode().splitlines()
    return lines if len(lines) >= count and written.endswith(b"\n") else []


def test_the_log_of_requests_has_no_token(lines_about: Callable[..., list[str]]) -> None:
    (line,) = lines_about(b"/invitations/a-token/?next=x")
    assert " GET /invitations/…/ 200 " in line
    assert "a-token" not in line


def test_a_request_writes_one_line_whatever_its_path(
    lines_about: Callable[..., list[str]],
) -> None:
    lines = lines_about(
        b"/x%0a[25/Nov/2026:00:00:00]%20127.0.0.1%20GET%20/FORGED%20200/",
        b"/x%0D%1b%5B2J%00",
        b"/caf%C3%A9%E2%80%A8%E2%80%AE",
        b"/%C2%85%ff",
        b"/invitations/a-tok%0aen/",
        b"/x%E2%98%83",
        b"/%69nvitations/a-token/",
    )
    paths = [line.split(" ")[4] for line in lines]
    assert paths == [
        "/x%0A%5B25/Nov/2026:00:00:00%5D%20127.0.0.1%20GET%20/FORGED%20200/",
        "/x%0D%1B%5B2J%00",
        "/caf%C3%A9%E2%80%A8%E2%80%AE",
        "/%C2%85%FF",
        "/invitations/…/",
        "/x%E2%98%83",
        "/invitations/…/",
    ]
    assert {len(line.split(" ")) for line in lines} == {len(lines[0].split(" "))}


def test_a_report_of_an_error_has_no_token() -> None:
    event = {
        "request": {
            "url": "http://site/invitations/abc/",
            "headers": {"Referer": "/invitations/abc/"},
        },
        "exception": {"values": []},
    }
    assert "abc" not in str(scrub_event(event, {}))
