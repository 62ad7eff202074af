"""The commands of `trackside` that run a site."""

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from scoring.cli.exit_status import BAD_INPUT
from trackside.demo import run_demo
from trackside.folders import data_folder, unusable
from trackside.processes import SERVE, WORKER, shown, supervise, unusable_port

# What Django calls them.
MANAGED: Final = {
    "migrate": "migrate",
    "createuser": "createsuperuser",
    "import": "import_campaign",
    "export": "export_campaign",
    "backup": "backup",
    "restore": "restore",
    "verify": "verify",
    "check": "check",  # with --deploy; without it, `trackside check` checks a run
}

_WITHOUT_SITE: Final = {"migrate", "restore", "check", "manage"}  # commands that need none
_RUNNING: Final = {"serve", "worker"}
_HELP: Final = {"-h", "--help"}
_ASKS_NOTHING: Final = {"--noinput", "--no-input", "--version", *_HELP}
_FOLLOWING: Final = "Your options follow these:"
_INTRODUCTIONS: Final = {  # to the help of other programs
    "serve": f"Runs gunicorn with {' '.join(SERVE[4:])}. {_FOLLOWING}",
    "worker": f"Runs a worker of Celery with {' '.join(WORKER[6:])}. {_FOLLOWING}",
    "migrate": "Runs the command migrate of Django, which has these options. Trackside sets none:",
    "createuser": "Runs the command createsuperuser of Django, which has these options. Trackside "
    "sets none:",
}
_NO_SITE: Final = (
    "There is no site {}. Create it with `trackside migrate`, or name the folder of a site in "
    "TRACKSIDE_HOME."
)
_NO_TERMINAL: Final = """\
There is no terminal to ask for the email address and the password of the account. Give the address
as an option and the password in the environment, and add --noinput:

  DJANGO_SUPERUSER_PASSWORD=... trackside createuser --noinput --email you@example.org

Without a password, nobody can log in until one is set:

  trackside manage changepassword you@example.org"""


def run(command: str, arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    if not all(find_spec(package) for package in ("django", "celery", "gunicorn")):
        sys.stderr.write(f"trackside {command} needs more: pip install 'trackside[web]'\n")
        return BAD_INPUT
    optional = {
        "psycopg": os.environ.get("DATABASE_URL", "").startswith("postgres"),
        "storages": os.environ.get("S3_BUCKET"),
        "sentry_sdk": os.environ.get("SENTRY_DSN"),
    }
    # The demo ignores these settings.
    if command != "demo" and any(
        is_used and not find_spec(package) for package, is_used in optional.items()
    ):
        extras = "'trackside[web,production]'"
        sys.stderr.write(f"PostgreSQL, S3 stores and Sentry need more: pip install {extras}\n")
        return BAD_INPUT
    if why := _refusal(command, arguments):
        sys.stderr.write(f"{why}\n")
        return BAD_INPUT
    if command in _INTRODUCTIONS and _HELP & {*arguments}:
        print(f"{_INTRODUCTIONS[command]}\n")
    if command in MANAGED:
        return _manage([MANAGED[command], *arguments])
    return _OTHERS[command](arguments)


def _refusal(command: str, arguments: Sequence[str]) -> str:
    """Why the command cannot do what it is asked for, with the way out, or ""."""
    if command == "createuser" and not (os.isatty(0) or _ASKS_NOTHING & {*arguments}):
        return _NO_TERMINAL
    if command == "demo":
        return ""  # it has a folder of its own
    folder = Path(os.environ.get("VAR_DIR") or data_folder())
    database = folder / "trackside.sqlite3"
    is_help = bool(_HELP & {*arguments})
    if command in _RUNNING and is_help:
        return ""
    is_there = bool(os.environ.get("DATABASE_URL")) or database.exists()
    if not (is_there or is_help or command in _WITHOUT_SITE):
        return _NO_SITE.format(f"in {shown(folder)}")
    if why := unusable(folder):
        return why
    if database.exists() and not os.access(database, os.W_OK):
        return f"The database {database} cannot be written. Change its owner or its permissions."
    if is_help or command in {"check", "manage"}:
        return ""
    if command == "serve" and (why := _unusable_address(arguments)):
        return why
    return _unusable_database(command)


def _unusable_address(arguments: Sequence[str]) -> str:
    """Of those that gunicorn will be bound to, which is given as it expects."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-b", "--bind", action="append")
    in_environment = shlex.split(os.environ.get("GUNICORN_CMD_ARGS", ""))
    named = (parser.parse_known_args(each)[0].bind for each in (arguments, in_environment))
    port = os.environ.get("PORT")  # read by gunicorn
    usual = [f"0.0.0.0:{port}" if port else "127.0.0.1:8000"]
    for name in next(filter(None, named), usual):
        address = import_module("gunicorn.util").parse_address(name, "8000")
        if isinstance(address, tuple) and not 0 <= address[1] < 65536:
            return f"{name} names no port: choose a number from 1024 to 65535."
        if isinstance(address, tuple) and (why := unusable_port(*address)):  # no socket of a file
            return f"{why} Choose another: trackside serve --bind {address[0]}:8765"
    return ""


def _unusable_database(command: str) -> str:
    """Why the command cannot work with the database, or "". Warns if it is newer than the program.
    A server that does not answer yet is left to a process that runs the site, which waits."""
    import_module("trackside.environment").exit_if_unreadable()
    import_module("django").setup()
    db = import_module("django.db")
    executor_of = import_module("django.db.migrations.executor").MigrationExecutor
    try:
        if command in _WITHOUT_SITE:
            db.connection.ensure_connection()
            return ""
        executor = executor_of(db.connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except db.DatabaseError as error:
        if command in _RUNNING and isinstance(error, db.OperationalError):
            return ""
        reason = str(error).partition("\n")[0].rstrip(".")
        return f"The database cannot be used: {reason}. See DATABASE_URL and TRACKSIDE_HOME."
    finally:
        db.connection.close()
    if not executor.loader.applied_migrations:
        return _NO_SITE.format("in the database")
    applied = import_module("trackside.applied_migrations")
    if newer := applied.warning_about_newer(executor.loader):
        sys.stderr.write(f"Warning: {newer}\n")
    if not missing:
        return ""
    return (
        f"The database is older than this version of Trackside: {len(missing)} migrations are "
        "missing. Make a backup with the version that has run the site. Then run `trackside "
        "migrate`."
    )


def _manage(arguments: Sequence[str]) -> int:
    import_module("trackside.environment").exit_if_unreadable()
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


def _replaced_by(command: Sequence[str], arguments: Sequence[str]) -> int:
    """Becomes this program, so that signals reach it. Its options may follow."""
    sys.stdout.flush()
    os.execv(command[0], [*command, *arguments])  # noqa: S606 - our own programs


_OTHERS: Final[dict[str, Callable[[Sequence[str]], int]]] = {
    "demo": _demo,
    "serve": partial(_replaced_by, SERVE),
    "worker": partial(_replaced_by, WORKER),
    "manage": _manage,
}
