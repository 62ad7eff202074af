"""What nobody may loosen: settings, headers, sources; and what strangers try at the door."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core import mail
from django.test import Client
from django.urls import reverse

from tests.making import make_campaign, make_organiser, make_user
from trackside.checks import check_deployment

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    path for app in ("campaigns", "scoring", "trackside") for path in (ROOT / app).rglob("*.py")
]
STARTERS = {
    "trackside/demo.py",
    "trackside/processes.py",
    "trackside/stack.py",
}  # ask what they started on this machine how it is
CLIENT = "trackside/client/"  # asks a site for its user; tests/test_imports.py: no site imports it

LOOSENED = {
    "MIDDLEWARE": ["django.middleware.gzip.GZipMiddleware"],
    "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
    "AUTH_PASSWORD_VALIDATORS": [],
    "SESSION_COOKIE_HTTPONLY": False,
    "SESSION_COOKIE_SAMESITE": "None",
    "SESSION_SAVE_EVERY_REQUEST": True,
    "FILE_UPLOAD_MAX_MEMORY_SIZE": 1 << 30,
    "DATA_UPLOAD_MAX_MEMORY_SIZE": None,
    "DATA_UPLOAD_MAX_NUMBER_FIELDS": None,
    "DATA_UPLOAD_MAX_NUMBER_FILES": 100,
    "TIME_ZONE": "Europe/Rome",
    "USE_TZ": False,
    "CELERY_ACCEPT_CONTENT": ["json", "pickle"],
    "REST_FRAMEWORK": {
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.BrowsableAPIRenderer"]
    },
    "CONTENT_SECURITY_POLICY": {
        "DIRECTIVES": {"default-src": ["'none'"], "script-src": ["'self'", "'unsafe-inline'"]}
    },
}  # fmt: skip


def said_of_deployment() -> str:
    return "\n".join(str(message.msg) for message in check_deployment())


@pytest.mark.parametrize("name", LOOSENED)
def test_a_setting_that_was_loosened_is_said(name: str, settings: LazySettings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    assert name not in said_of_deployment()
    setattr(settings, name, LOOSENED[name])
    assert f"{name} must stay" in said_of_deployment()


def test_pages_kept_for_everybody_are_said(settings: LazySettings) -> None:
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "django.middleware.cache.UpdateCacheMiddleware"]
    assert "MIDDLEWARE must stay" in said_of_deployment()


# --- the database --------------------------------------------------------------------------------

ASK = """
{door}
import django
django.setup()
from django.conf import settings
print(settings.DATABASES["default"].get("OPTIONS", {{}}).get("options", "without limit"))
"""


@pytest.mark.parametrize(
    ("door", "has_limit"),
    [("import trackside.wsgi", True), ("import trackside.celery", False)],
)
def test_a_page_may_not_ask_postgresql_for_longer_than_a_worker_may(
    door: str, has_limit: bool, tmp_path: Path
) -> None:
    asked = subprocess.run(
        [sys.executable, "-c", ASK.format(door=door)],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "VAR_DIR": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "trackside.settings",
            "DATABASE_URL": "postgres://somebody@127.0.0.1:1/none",
            "BROKER_URL": "redis://127.0.0.1:1/0",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert "tcp_user_timeout" in asked.stdout
    assert ("statement_timeout=30s" in asked.stdout) is has_limit
    assert ("statement_timeout" in asked.stdout) is has_limit


POOLED = """
import django
django.setup()
from django.conf import settings
database = settings.DATABASES["default"]
print(database["CONN_MAX_AGE"], database["DISABLE_SERVER_SIDE_CURSORS"], database["OPTIONS"])
"""


@pytest.mark.parametrize("is_pooled", [False, True])
def test_a_pooler_of_transactions_can_be_used(is_pooled: bool, tmp_path: Path) -> None:
    given = {"CONN_MAX_AGE": "0", "DISABLE_SERVER_SIDE_CURSORS": "true"}
    given |= {"DATABASE_KEEPALIVE_SECONDS": "0", "STATEMENT_SECONDS": "0"}
    asked = subprocess.run(
        [sys.executable, "-c", POOLED],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "VAR_DIR": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "trackside.settings",
            "DATABASE_URL": "postgres://somebody@127.0.0.1:1/none",
            "BROKER_URL": "redis://127.0.0.1:1/0",
        }
        | (given if is_pooled else {}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stdout.startswith("0 True" if is_pooled else "60 False")
    assert ("'options'" in asked.stdout) is not is_pooled  # parameters of a session


def test_an_unavailable_database_is_reported(client: Client, monkeypatch) -> None:
    from django.db import OperationalError

    def fail(*_: object, **__: object) -> None:
        raise OperationalError("the server closed the connection unexpectedly")

    monkeypatch.setattr("campaigns.access.visible_campaigns", fail, raising=False)
    client.raise_request_exception = False
    for path, kind in (("/", "text/html; charset=utf-8"), ("/api/campaigns/", "application/json")):
        monkeypatch.setattr("django.db.models.query.QuerySet._fetch_all", fail)
        answer = client.get(path)
        assert (answer.status_code, answer["Retry-After"]) == (503, "10")
        assert answer["Content-Type"] == kind
        assert "temporarily unavailable" in answer.content.decode()


# --- the door ------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_every_answer_carries_the_headers_that_bind_a_browser(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_organiser(campaign))
    pages = (
        "/", f"/campaigns/{campaign.slug}/", "/measures/", "/accounts/login/", "/no-such-page/",
        f"/api/campaigns/{campaign.slug}/", "/api/docs/", "/api/no-such-thing/",
    )  # fmt: skip
    for page in pages:
        answer = client.get(page)
        policy = answer["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy + ";"
        assert "frame-ancestors 'none'" in policy
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["X-Frame-Options"] == "DENY"
        assert answer["Referrer-Policy"] == "same-origin"
        assert {"private", "no-store"} <= set(answer["Cache-Control"].split(", "))


@pytest.mark.django_db
def test_a_password_reset_is_the_same_for_known_and_unknown_addresses() -> None:
    known = make_user("known@example.org")
    url = reverse("account_reset_password")
    answers = [
        Client().post(url, {"email": address}, follow=True)
        for address in (known.email, "unknown@example.org")
    ]
    assert answers[0].redirect_chain == answers[1].redirect_chain
    without_tokens = [
        re.sub(rb'(csrfmiddlewaretoken" value=")[^"]*', rb"\1", each.content) for each in answers
    ]
    assert without_tokens[0] == without_tokens[1]
    assert {letter.to[0] for letter in mail.outbox} == {known.email, "unknown@example.org"}


@pytest.mark.django_db
def test_another_address_of_the_client_does_not_reset_the_count_of_failures(
    settings: LazySettings,
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "10/m/ip,5/5m/key"}
    make_user("alice@example.org")

    def log_in(number: int, password: str) -> str:
        sent = {"login": "alice@example.org", "password": password}
        client = Client(headers={"X-Forwarded-For": f"10.0.0.{number}"})
        return client.post(reverse("account_login"), sent).content.decode()

    for number in range(5):
        log_in(number, "a wrong password")
    assert "Too many failed login attempts" in log_in(200, "a long password")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "there", ["//evil.example", "https:evil.example", r"\\evil.example", "javascript:x"]
)
def test_who_logs_in_stays_on_this_site(there: str) -> None:
    make_user("alice@example.org")
    url = f"{reverse('account_login')}?next={there}"
    sent = {"login": "alice@example.org", "password": "a long password", "next": there}
    answer = Client().post(url, sent)
    assert answer.status_code == 302
    assert answer["Location"] == "/"


@pytest.mark.django_db
def test_a_session_is_another_after_login_and_ends_with_the_account() -> None:
    alice = make_user("alice@example.org")
    client = Client()
    client.session.save()
    before = client.session.session_key
    client.cookies["sessionid"] = before
    client.post(reverse("account_login"), {"login": alice.email, "password": "a long password"})
    assert client.session.session_key != before
    account = reverse("campaigns:account")
    assert client.get(account).status_code == 200
    alice.is_active = False
    alice.save(update_fields=["is_active"])
    assert client.get(account).status_code == 302


def test_an_unknown_host_is_refused(settings: LazySettings) -> None:
    settings.ALLOWED_HOSTS = ["evaluation.example.org"]
    assert Client(headers={"Host": "evil.example"}).get("/").status_code == 400


# --- sources -------------------------------------------------------------------------------------


def test_no_source_fetches_urls_delays_messages_or_reads_code_as_data() -> None:
    """A message with a date comes back in a loop; a URL that a user gave may be anybody's."""
    banned = {"requests", "httpx", "urllib.request", "http.client", "pickle", "marshal", "yaml"}
    found = []
    for path in SOURCES:
        name = path.relative_to(ROOT).as_posix()
        may_not_fetch = name not in STARTERS and not name.startswith(CLIENT)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom) and may_not_fetch:
                names = (
                    [each.name for each in node.names]
                    if isinstance(node, ast.Import)
                    else [node.module or ""]
                )
                found += [
                    f"{name}:{node.lineno} imports {each}" for each in names if each in banned
                ]
            if isinstance(node, ast.keyword) and node.arg in {"eta", "countdown", "autoretry_for"}:
                found.append(f"{name}:{node.value.lineno} has {node.arg}")
            if isinstance(node, ast.Name | ast.Attribute):
                called = node.id if isinstance(node, ast.Name) else node.attr
                if called in {"csrf_exempt", "cache_page", "to_html"}:
                    found.append(f"{name}:{node.lineno} uses {called}")
    assert found == []


def test_no_template_lets_markup_through() -> None:
    pages = (ROOT / "templates").rglob("*.html")
    found = [
        page.name for page in pages if re.search(r"\|\s*safe\b|autoescape\s+off", page.read_text())
    ]
    assert found == []
