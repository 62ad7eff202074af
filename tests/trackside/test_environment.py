"""A setting that cannot be read is refused in one sentence, which does not contain its value."""

import subprocess
import sys
from operator import methodcaller
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from trackside.environment import Environment

ROOT = Path(__file__).resolve().parents[2]

BOOLEAN = methodcaller("boolean", "X", default=False)
INTEGER = methodcaller("integer", "X", default=7, least=1)
NUMBER = methodcaller("number", "X", default=7)
SHARE = methodcaller("number", "X", default=0.5, most=1)
CHOICE = methodcaller("choice", "X", ["off", "optional", "all"], default="off")
RATE = methodcaller("rate", "X", default="60/hour")
HTTP = methodcaller("http_url", "X")
SITE = methodcaller("site_url", "X")
SENTRY = methodcaller("sentry_dsn", "X")
BROKER = methodcaller("broker_url", "X", default="filesystem://localhost")
DATABASE = methodcaller("database_url", "X", default={"NAME": "default"})
EMAIL = methodcaller("email_url", "X", default="consolemail://")

GOOD: list[tuple[methodcaller, str, object]] = [
    *((BOOLEAN, word, True) for word in ("on", "true", "yes", "1", "True", "ON")),
    *((BOOLEAN, word, False) for word in ("off", "false", "no", "0", "False", "")),
    (INTEGER, "12", 12), (INTEGER, "1_000", 1000), (INTEGER, "", 7),
    (NUMBER, "0", 0), (NUMBER, "0.5", 0.5), (NUMBER, "1e5", 100_000), (SHARE, "1", 1),
    (CHOICE, "optional", "optional"), (CHOICE, "", "off"),
    (RATE, "5/min", "5/min"), (RATE, "5/s", "5/s"), (RATE, "5/day", "5/day"),
    (HTTP, "http://10.0.0.1:9000", "http://10.0.0.1:9000"), (HTTP, "", ""),
    (SITE, "https://x.example.org/", "https://x.example.org"),
    (SITE, "http://127.0.0.1:8000", "http://127.0.0.1:8000"),
    (SENTRY, "https://key@o1.sentry.example.org/4", "https://key@o1.sentry.example.org/4"),
    *((BROKER, url, url) for url in (
        "filesystem://localhost", "redis://127.0.0.1:6379/0", "redis://:a%2Fb@redis:6379",
        "rediss://:word@10.0.0.1:6379/0?ssl_cert_reqs=required",
    )),
    (BROKER, "", "filesystem://localhost"), (DATABASE, "", {"NAME": "default"}),
]  # fmt: skip

BAD: list[tuple[methodcaller, str]] = [
    *((BOOLEAN, word) for word in ("enabled", "ok", "y", "2", "tru")),
    *((INTEGER, word) for word in ("0", "-1", "1.5", "1e5", "400MB", "many")),
    *((NUMBER, word) for word in ("90s", "1,5", "nan", "inf", "-1", "1.2.3")),
    (SHARE, "50"), (CHOICE, "none"), (CHOICE, "offoptional"),
    *((RATE, word) for word in ("60", "60/", "many/min", "60/week", "/min")),
    *((HTTP, url) for url in ("s3.example.org", "ftp://secret.org", "https://", "http://secret:x",
                              "https://secret name.org")),
    *((SITE, url) for url in ("secret.example.org", "https://secret.example.org/trackside",
                              "https://secret.example.org?x=1", "https://me@secret.example.org",
                              "https://secret.example.org:port", "redis://secret.example.org")),
    *((SENTRY, url) for url in ("secret", "https://sentry.example.org/1", "https://k@secret.org/x",
                                "https://k@secret.org")),
    *((BROKER, url) for url in ("secret", "http://secret", "amqp://secret", "redis://:a/secret@h/0",
                                "redis://:1/secret@h/0", "redis://h:6379/secret", "redis://:[secret@h",
                                "redis://h:0/0")),
    *((DATABASE, url) for url in (
        "secret", "postgres", "mysql://u:secret@h/d", "postgres:/secret", "postgres://u:secret@h:port/d",
        "postgres://u:a/secret@h/d", "postgres://u:1/secret@h:5432/d", "postgres://u:secret@h",
        "postgres://u:1?secret@h/d", "postgres://u:secret@h:99999/d", "sqlite://secret/site.sqlite3",
        "sqlite:/secret",
    )),
    *((EMAIL, url) for url in (
        "secret", "http://secret", "smtp:", "smtp://", "smtp://u:secret@h:port", "smtp://h:25/secret",
        "smtp+tls://u:a/secret@h:587", "smtp+tls://u:1/secret@h:587", "smtp://u:1#secret@h:25",
        "smtp://u:1?secret@h:25", "smtp://u:[secret@h", "filemail://",
    )),
]  # fmt: skip


@pytest.mark.parametrize(("read", "value", "result"), GOOD)
def test_what_is_accepted(read: methodcaller, value: str, result: object) -> None:
    assert read(Environment({"X": value})) == result


@pytest.mark.filterwarnings("error")  # django-environ prints passwords in them
@pytest.mark.parametrize(("read", "value"), BAD)
def test_what_is_refused(read: methodcaller, value: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        read(Environment({"X": value}))
    said = str(refused.value)
    assert said.startswith("The setting X cannot be read: write ")
    assert "secret" not in said
    assert refused.value.__suppress_context__


@pytest.mark.parametrize(
    ("url", "facts"),
    [
        ("postgres://u:p%2Fw@h:5433/d?sslmode=require",
         {"HOST": "h", "PORT": 5433, "NAME": "d", "PASSWORD": "p/w",
          "OPTIONS": {"sslmode": "require"}}),
        ("postgresql:///d", {"HOST": "", "NAME": "d"}),
        ("postgres://u:p[w@h/d", {"HOST": "h", "NAME": "d"}),
        ("postgres://?service=site", {"NAME": "", "OPTIONS": {"service": "site"}}),
        ("sqlite:////srv/site@2/x.sqlite3", {"NAME": "/srv/site@2/x.sqlite3"}),
        ("sqlite://:memory:", {"NAME": ":memory:"}),
    ],
)  # fmt: skip
def test_databases(url: str, facts: dict[str, object]) -> None:
    found = DATABASE(Environment({"X": url}))
    assert {name: found[name] for name in facts} == facts


@pytest.mark.parametrize(
    ("url", "facts"),
    [
        ("smtp+tls://u:p%40w@h:587",
         {"EMAIL_HOST": "h", "EMAIL_PORT": 587, "EMAIL_HOST_PASSWORD": "p@w",
          "EMAIL_USE_TLS": True}),
        ("smtp://127.0.0.1:25/", {"EMAIL_HOST": "127.0.0.1", "EMAIL_HOST_USER": None}),
        ("filemail:////srv/mail@x", {"EMAIL_FILE_PATH": "/srv/mail@x"}),
        ("", {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}),
    ],
)  # fmt: skip
def test_mail_servers(url: str, facts: dict[str, object]) -> None:
    found = EMAIL(Environment({"X": url}))
    assert {name: found[name] for name in facts} == facts


PROGRAMS = {
    "trackside serve": (["-m", "trackside", "serve", "--bind", "127.0.0.1:0"], 2),
    "trackside migrate": (["-m", "trackside", "migrate"], 2),
    "manage.py": (["manage.py", "verify"], 2),
    "celery": (["-m", "celery", "-A", "trackside.celery", "worker"], 2),
    "gunicorn": (["-m", "gunicorn", "trackside.wsgi", "--bind", "127.0.0.1:0"], 3),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_end_with_the_sentence(program: str, tmp_path: Path) -> None:
    (tmp_path / "trackside.sqlite3").touch()
    arguments, status = PROGRAMS[program]
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT, env={"VAR_DIR": str(tmp_path), "EMAIL_URL": "smtp://u:a/secret@h"},
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    sentence = "The setting EMAIL_URL cannot be read: write smtp+tls://USER:PASSWORD@HOST:587 or "
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stdout + done.stderr
    if status == 2:
        assert len(done.stderr.splitlines()) == 1
