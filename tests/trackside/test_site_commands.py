"""`trackside migrate`, `serve` and the other commands of a site."""

import os
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import get_commands

from scoring.cli.main import COMMANDS
from trackside.__main__ import OF_SITE
from trackside.folders import unusable
from trackside.processes import shown
from trackside.site_commands import MANAGED

ROOT = Path(__file__).resolve().parents[2]


def trackside(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    return subprocess.run(
        [sys.executable, "-m", "trackside", *arguments],
        cwd=ROOT, env=kept | settings, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_the_help_lists_the_commands_of_both_kinds_and_imports_no_site() -> None:
    script = (
        "import sys; from trackside.__main__ import main; status = main(['--help'])\n"
        "assert not {'django', 'numpy', 'celery', 'trackside.processes'} & {*sys.modules}\n"
        "sys.exit(status)"
    )
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    for command in (*COMMANDS, *OF_SITE):
        assert f"\n  {command} " in found.stdout


def test_every_command_that_is_managed_is_one_of_django() -> None:
    assert set(MANAGED) < {*OF_SITE, "check"}
    assert set(MANAGED.values()) <= set(get_commands())


def test_an_unknown_command_is_told_what_there_is() -> None:
    found = trackside("server")
    assert found.returncode == 2
    assert "evaluate" in found.stderr
    assert "serve" in found.stderr


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_nothing_starts_without_a_site(tmp_path: Path, command: str) -> None:
    home = tmp_path / "home"
    found = trackside(command, TRACKSIDE_HOME=str(home))
    assert found.returncode == 2
    assert f"There is no site in {shown(home)}. Create it with `trackside migrate`" in found.stderr
    assert not home.exists()


def test_a_site_is_created_in_the_named_folder(tmp_path: Path) -> None:
    done = trackside("migrate", "contenttypes", "--verbosity", "0", TRACKSIDE_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "trackside.sqlite3").exists()
    assert "usage: gunicorn" in trackside("serve", "--help", TRACKSIDE_HOME=str(tmp_path)).stdout


def test_an_account_without_a_terminal_needs_its_password_in_the_environment(
    tmp_path: Path,
) -> None:
    refused = trackside("createuser", "--email", "a@b.org", TRACKSIDE_HOME=str(tmp_path))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "DJANGO_SUPERUSER_PASSWORD=... trackside createuser --noinput" in refused.stderr
    assert "manage.py" not in refused.stderr
    assert "--noinput" in trackside("createuser", "--help").stdout


@pytest.mark.parametrize(
    ("command", "introduction", "usage"),
    [
        ("serve", "Runs gunicorn with --no-control-socket ", "usage: gunicorn"),
        ("worker", "Runs a worker of Celery with --loglevel INFO ", "Usage: "),
        ("migrate", "Runs the command migrate of Django", "usage: "),
        ("createuser", "Runs the command createsuperuser of Django", "usage: "),
    ],
)
def test_the_help_of_another_program_is_introduced(
    tmp_path: Path, command: str, introduction: str, usage: str
) -> None:
    first, empty, second, *_ = trackside(
        command, "--help", TRACKSIDE_HOME=str(tmp_path)
    ).stdout.splitlines()
    assert first.startswith(introduction)
    assert (first.endswith(":"), empty) == (True, "")
    assert second.startswith(usage)


@pytest.mark.long
def test_an_account_is_created_without_a_terminal(tmp_path: Path) -> None:
    settings = {"TRACKSIDE_HOME": str(tmp_path), "DJANGO_SUPERUSER_PASSWORD": "correct horse"}
    assert trackside("migrate", "--verbosity", "0", **settings).returncode == 0
    done = trackside("createuser", "--noinput", "--email", "a@b.org", **settings)
    assert done.returncode == 0, done.stderr
    again = trackside("createuser", "--noinput", "--email", "a@b.org", **settings)
    assert again.returncode == 1
    assert "already taken" in again.stderr
    assert trackside("verify", **settings).stdout == "All files are intact.\n"
    deployed = trackside("check", "--deploy", **settings)
    assert "EMAIL_URL is not set" in deployed.stderr


def test_arguments_of_the_demo_are_checked() -> None:
    found = trackside("demo", "--port", "many")
    assert found.returncode == 2
    assert "PORT=many is not a port" in found.stderr


@pytest.mark.parametrize(
    "command",
    [["migrate"], ["restore", "x"], ["check", "--deploy"], ["demo"], ["createuser", "--help"]],
)
def test_a_folder_that_cannot_be_written_is_refused_in_one_sentence(
    tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "file").touch()
    found = trackside(*command, TRACKSIDE_HOME=str(tmp_path / "file" / "home"))
    assert (found.returncode, found.stdout) == (2, "")
    (line,) = found.stderr.strip().splitlines()
    assert line.startswith(f"The folder {tmp_path}/file/home")
    assert "cannot be created: Not a directory. Name another folder in TRACKSIDE_HOME" in line


@pytest.mark.parametrize("command", [["backup", "x.tar"], ["verify"], ["export", "a", "b"]])
def test_commands_about_a_site_create_none(tmp_path: Path, command: list[str]) -> None:
    home = tmp_path / "home"
    found = trackside(*command, TRACKSIDE_HOME=str(home))
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith(f"There is no site in {shown(home)}. Create it with")
    assert not home.exists()


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({"DATABASE_URL": "postgres://h/d"}, "psycopg"),
        ({"S3_BUCKET": "b"}, "storages"),
        ({"SENTRY_DSN": "https://k@sentry.example.org/1"}, "sentry_sdk"),
    ],
)
def test_a_site_on_servers_is_told_how_to_install_their_packages(
    settings: dict[str, str], missing: str
) -> None:
    script = (
        "from trackside import site_commands as site\n"
        "found = site.find_spec\n"
        f"site.find_spec = lambda name: name != '{missing}' and found(name)\n"
        "raise SystemExit(site.run('migrate', []))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=os.environ | settings,
        capture_output=True, text=True,
    )  # fmt: skip
    why = "PostgreSQL, S3 stores and Sentry need more: pip install 'trackside[web,production]'\n"
    assert (found.returncode, found.stderr) == (2, why)


def test_a_number_that_is_no_port_is_refused(tmp_path: Path) -> None:
    (tmp_path / "trackside.sqlite3").touch()
    found = trackside("serve", "--bind", "127.0.0.1:99999", TRACKSIDE_HOME=str(tmp_path))
    assert found.returncode == 2
    assert found.stderr.startswith("127.0.0.1:99999 names no port")


def test_a_folder_without_write_permission_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests may run as root, who may write everywhere."""
    assert unusable(tmp_path / "new") == ""
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert unusable(tmp_path).startswith(f"The folder {tmp_path} cannot be written.")


def test_no_process_starts_with_a_database_that_is_older_than_the_program(tmp_path: Path) -> None:
    home = str(tmp_path)
    (tmp_path / "trackside.sqlite3").touch()
    empty = trackside("worker", TRACKSIDE_HOME=home)
    assert empty.returncode == 2
    assert empty.stderr.startswith("There is no site in the database. Create it with")
    trackside("migrate", "contenttypes", "--verbosity", "0", TRACKSIDE_HOME=home)
    for command in ("serve", "worker"):
        found = trackside(command, TRACKSIDE_HOME=home, GUNICORN_CMD_ARGS="--bind 127.0.0.1:0")
        assert found.returncode == 2
        (line,) = found.stderr.strip().splitlines()
        assert line.startswith("The database is older than this version of Trackside:")
        assert line.endswith("Then run `trackside migrate`.")


@pytest.mark.parametrize(
    "command", [["backup", "x.tar"], ["createuser", "--noinput", "--email", "a@b.org"]]
)
def test_no_command_about_a_site_works_without_its_tables(
    tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "trackside.sqlite3").touch()
    found = trackside(*command, TRACKSIDE_HOME=str(tmp_path))
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("There is no site in the database. Create it with")
    assert len(found.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", [["migrate"], ["verify"], ["worker"]])
def test_a_database_that_cannot_be_used_is_refused(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "trackside.sqlite3").write_bytes(b"something else" * 99)
    found = trackside(*command, TRACKSIDE_HOME=str(tmp_path))
    assert (found.returncode, found.stdout) == (2, "")
    reason = "The database cannot be used: file is not a database."
    assert found.stderr == f"{reason} See DATABASE_URL and TRACKSIDE_HOME.\n"


def test_a_database_that_does_not_respond_is_refused(tmp_path: Path) -> None:
    servers = {"DATABASE_URL": "postgres://u@127.0.0.1:1/d", "BROKER_URL": "redis://127.0.0.1:1"}
    found = trackside("migrate", TRACKSIDE_HOME=str(tmp_path), **servers)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("The database cannot be used: connection failed")
    assert len(found.stderr.splitlines()) == 1


def test_a_database_of_a_newer_version_is_mentioned(tmp_path: Path) -> None:
    """It works, because an upgrade leaves the tables that the version before it needs."""
    home = str(tmp_path)
    trackside("migrate", "contenttypes", "--verbosity", "0", TRACKSIDE_HOME=home)
    with closing(sqlite3.connect(tmp_path / "trackside.sqlite3")) as database, database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES "
            "('scoring', '9999_later', '2027-01-01'), ('scoring', '0001_squashed', '2026-01-01')"
        )
    warning = "The database is newer than this version of Trackside, which does not know 1 of its"
    served = trackside("worker", TRACKSIDE_HOME=home)
    assert served.stderr.startswith(f"Warning: {warning}")
    migrate = trackside("migrate", "contenttypes", TRACKSIDE_HOME=home)
    assert migrate.returncode == 0
    checked = trackside("check", "--deploy", TRACKSIDE_HOME=home)
    for each in (migrate, checked):
        assert each.stderr.count(warning) == 1


@pytest.mark.parametrize("where", ["option", "environment", "PORT"])
def test_a_port_that_is_taken_is_refused(tmp_path: Path, where: str) -> None:
    (tmp_path / "trackside.sqlite3").touch()
    with socket.socket() as other:
        other.bind(("0.0.0.0", 0))
        other.listen()
        port = other.getsockname()[1]
        arguments = ["--bind", f"127.0.0.1:{port}"] if where == "option" else []
        settings = {
            "option": {},
            "environment": {"GUNICORN_CMD_ARGS": f"--threads 2 -b 127.0.0.1:{port}"},
            "PORT": {"PORT": str(port)},
        }[where]
        found = trackside("serve", *arguments, TRACKSIDE_HOME=str(tmp_path), **settings)
    host = "0.0.0.0" if where == "PORT" else "127.0.0.1"
    way_out = f"Choose another: trackside serve --bind {host}:8765"
    assert (found.returncode, found.stderr) == (2, f"Port {port} is taken. {way_out}\n")


def test_a_site_without_its_packages_is_told_how_to_install_them() -> None:
    script = (
        "from trackside import site_commands\n"
        "site_commands.find_spec = lambda name: None\n"
        "raise SystemExit(site_commands.run('serve', []))"
    )
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (
        2,
        "trackside serve needs more: pip install 'trackside[web]'\n",
    )


def test_a_python_that_is_too_old_is_named() -> None:
    old = "import sys; sys.version_info = (3, 10, 13, 'final', 0); sys.version = '3.10.13 (main)'\n"
    why = "Trackside needs Python 3.11 or newer. This is Python 3.10.13."
    run, imported = (
        subprocess.run(
            [sys.executable, "-c", old + script], cwd=ROOT, capture_output=True, text=True
        )
        for script in ("sys.argv = ['-m']; import trackside", "import trackside")
    )
    assert (run.returncode, run.stderr) == (2, f"{why}\n")
    assert imported.stderr.endswith(f"ImportError: {why}\n")
