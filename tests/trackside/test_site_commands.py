"""`trackside migrate`, `serve` and the other commands of a site."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

from scoring.cli.main import COMMANDS
from trackside.__main__ import OF_SITE
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
    assert set(MANAGED) < set(OF_SITE)
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


@pytest.mark.long
def test_an_account_is_created_without_a_terminal(tmp_path: Path) -> None:
    settings = {"TRACKSIDE_HOME": str(tmp_path), "DJANGO_SUPERUSER_PASSWORD": "correct horse"}
    assert trackside("migrate", "--verbosity", "0", **settings).returncode == 0
    done = trackside("createuser", "--noinput", "--email", "a@b.org", **settings)
    assert done.returncode == 0, done.stderr
    again = trackside("createuser", "--noinput", "--email", "a@b.org", **settings)
    assert again.returncode == 1
    assert "already taken" in again.stderr


def test_arguments_of_the_demo_are_checked() -> None:
    found = trackside("demo", "--port", "many")
    assert found.returncode == 1
    assert "PORT=many is not a port" in found.stderr
