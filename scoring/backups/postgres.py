"""The programs pg_dump and pg_restore, and which versions of PostgreSQL they work with."""

import os
import re
import shutil
import subprocess

from django.db import connection

# pg_restore sets a parameter, transaction_timeout, that servers before this version do not know.
SETS_MORE = 17


class ProgramFailed(Exception):
    """The message says what to install, or what the program printed."""


def dump(snapshot: str, path: str, *, without_rows_of: str) -> None:
    """Writes the database as of an exported snapshot, without the rows of one table."""
    program, server = major_version("pg_dump"), server_version()
    if program < server:
        raise ProgramFailed(
            f"pg_dump {program} cannot read the database of PostgreSQL {server}. {_advice(server)}"
        )
    if server < SETS_MORE <= program:
        raise ProgramFailed(
            f"What pg_dump {program} writes cannot be restored into PostgreSQL {server}. "
            f"{_advice(server)}"
        )
    # Without owners, because the server of a restore may not have these roles.
    _run("pg_dump", "--format=custom", "--no-owner", "--snapshot", snapshot, "--file", path,
         "--exclude-table-data", without_rows_of, _database())  # fmt: skip


def load(path: str) -> None:
    """Loads a dump in one transaction."""
    _run("pg_restore", "--no-owner", "--exit-on-error", "--single-transaction", "--dbname",
         _database(), path)  # fmt: skip


def refuse_unfit(dumped_by: int) -> None:
    """Raises `ProgramFailed` where what pg_dump of this version wrote cannot be loaded."""
    program, server = major_version("pg_restore"), server_version()
    if server < SETS_MORE <= dumped_by:
        raise ProgramFailed(
            f"The backup was made with pg_dump {dumped_by}, and the database server is PostgreSQL "
            f"{server}. Restore into PostgreSQL {dumped_by} or later."
        )
    if program < dumped_by:
        raise ProgramFailed(
            f"pg_restore {program} cannot read the backup, which was made with pg_dump {dumped_by}."
            f" {_advice(max(server, dumped_by))}"
        )
    if server < SETS_MORE <= program:
        raise ProgramFailed(
            f"pg_restore {program} cannot restore into PostgreSQL {server}. {_advice(server)}"
        )


def major_version(program: str) -> int:
    """Raises `ProgramFailed` if it is not installed."""
    if shutil.which(program) is None:
        raise ProgramFailed(f"{program} is not installed. {_advice(server_version())}")
    shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)  # noqa: S603 - named by the callers
    found = re.search(r"\(PostgreSQL\) (\d+)", shown.stdout)
    if found is None:
        raise ProgramFailed(f"{program} does not say its version: {shown.stdout}{shown.stderr}")
    return int(found[1])


def server_version() -> int:
    """The major version of the database server."""
    connection.ensure_connection()
    # 160004 is 16.4.
    return int(connection.connection.info.server_version) // 10_000


def _advice(server: int) -> str:
    return f"Install the programs of PostgreSQL {server} (Debian: postgresql-client-{server})."


def _database() -> str:
    return str(connection.settings_dict["NAME"])


def _run(program: str, *arguments: str) -> None:
    facts = connection.settings_dict
    named = {"PGHOST": facts["HOST"], "PGPORT": facts["PORT"], "PGUSER": facts["USER"]}
    # In the environment, because all users of the machine can see arguments.
    secret = {"PGPASSWORD": facts["PASSWORD"]} if facts["PASSWORD"] else {}
    environment = os.environ | {k: str(v) for k, v in named.items() if v} | secret
    done = subprocess.run(  # noqa: S603 - named above
        [program, *arguments], env=environment, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise ProgramFailed(f"{program} ended with status {done.returncode}: {done.stderr.strip()}")
