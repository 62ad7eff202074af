"""No log has a link that somebody could follow."""

import logging
import os
import subprocess
import sys
import urllib.request
from contextlib import suppress
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
        ("/accounts/password/reset/key/1-ab-cd/", "/accounts/password/reset/key/…/"),
        ("/accounts/password/reset/key/1-ab-cd", "/accounts/password/reset/key/…"),
        ("/campaigns/invitations/", "/campaigns/invitations/"),
        ("/api/campaigns/demo/teams/ab/invitations/", "/api/campaigns/demo/teams/ab/invitations/"),
    ],
)  # fmt: skip
def test_a_secret_of_an_address_is_hidden(text: str, hidden: str) -> None:
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


def test_the_log_of_requests_has_no_token(tmp_path: Path) -> None:
    """gunicorn itself, with the site's configuration and an application that says hello."""
    (tmp_path / "hello.py").write_text(
        "def application(environ, start):\n    start('200 OK', [])\n    return [b'hello']\n"
    )
    port, log = free_port(), tmp_path / "access.log"
    command = [
        *(sys.executable, "-m", "gunicorn", "-c", str(ROOT / "gunicorn.conf.py"), "hello"),
        *("--pythonpath", str(tmp_path), "--bind", f"{HOST}:{port}", "--no-control-socket"),
        *("--access-logfile", str(log)),
    ]
    process = subprocess.Popen(command, cwd=ROOT, env=dict(os.environ))
    try:
        wait_for("gunicorn", lambda: listens(port))
        with suppress(OSError):
            urllib.request.urlopen(f"http://{HOST}:{port}/invitations/a-token/?next=x").read()
        wait_for("the line", lambda: log.exists() and "GET" in log.read_text())
    finally:
        process.terminate()
        process.wait(PATIENCE)
    assert " GET /invitations/…/ 200 " in log.read_text()
    assert "a-token" not in log.read_text()


def test_a_report_of_an_error_has_no_token() -> None:
    event = {
        "request": {
            "url": "http://site/invitations/abc/",
            "headers": {"Referer": "/invitations/abc/"},
        },
        "exception": {"values": []},
    }
    assert "abc" not in str(scrub_event(event, {}))
