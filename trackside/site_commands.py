"""The commands of `trackside` that run a site."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from scoring.cli.exit_status import BAD_INPUT, FAILED
from trackside.demo import run_demo
from trackside.folders import data_folder
from trackside.processes import SERVE, WORKER, shown, supervise

# What Django calls them.
MANAGED: Final = {
    "migrate": "migrate",
    "createuser": "createsuperuser",
    "import": "import_campaign",
    "export": "export_campaign",
    "backup": "backup",
    "restore": "restore",
}

_ASKS_NOTHING: Final = {"--noinput", "--no-input", "-h", "--help", "--version"}
_NO_TERMINAL: Final = """\
There is no terminal to ask for the email address and the password of the account. Give the address
as an option and the password in the environment, and add --noinput:

  DJANGO_SUPERUSER_PASSWORD=... trackside createuser --noinput --email you@example.org

Without a password, nobody can log in until one is set:

  trackside manage changepassword you@example.org
"""


def run(command: str, arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    if not all(find_spec(package) for package in ("django", "celery", "gunicorn")):
        sys.stderr.write(f"trackside {command} needs more: pip install 'trackside[web]'\n")
        return FAILED
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trackside.settings")
    if command == "createuser" and not (os.isatty(0) or _ASKS_NOTHING & {*arguments}):
        sys.stderr.write(_NO_TERMINAL)
        return BAD_INPUT
    if command in MANAGED:
        return _manage([MANAGED[command], *arguments])
    return _OTHERS[command](arguments)


def _manage(arguments: Sequence[str]) -> int:
    import_module("django.core.management").execute_from_command_line(
        ["trackside manage", *arguments]
    )
    return 0


def _demo(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="trackside demo",
        description="Starts a site with simulated campaigns, until Ctrl-C. Its data are in the "
        "folder demo of TRACKSIDE_HOME, or of ./trackside-data.",
    )
    environment = os.environ
    parser.add_argument("--port", default=environment.get("PORT") or "8000", help="default: 8000")
    parser.add_argument(
        "--size",
        choices=["full", "small"],
        default=environment.get("DEMO_SIZE") or "full",
        help="small is for tests",
    )
    options = parser.parse_args(arguments)
    environment |= {"PORT": options.port, "DEMO_SIZE": options.size}
    return supervise(run_demo)


def _serve(arguments: Sequence[str]) -> int:
    return _replaced_by(SERVE, arguments)


def _worker(arguments: Sequence[str]) -> int:
    return _replaced_by(WORKER, arguments)


def _replaced_by(command: Sequence[str], arguments: Sequence[str]) -> int:
    """Becomes this program, so that signals reach it. Its options may follow."""
    folder = Path(os.environ.get("VAR_DIR") or data_folder())
    is_there = "DATABASE_URL" in os.environ or (folder / "trackside.sqlite3").exists()
    if not (is_there or {"-h", "--help"} & {*arguments}):
        sys.stderr.write(
            f"There is no site in {shown(folder)}. Create it with `trackside migrate`, or name the "
            "folder of a site in TRACKSIDE_HOME.\n"
        )
        return BAD_INPUT
    sys.stdout.flush()
    os.execv(command[0], [*command, *arguments])  # noqa: S606 - our own programs


_OTHERS: Final[dict[str, Callable[[Sequence[str]], int]]] = {
    "demo": _demo,
    "serve": _serve,
    "worker": _worker,
    "manage": _manage,
}
