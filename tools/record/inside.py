"""What runs in the worktree, with the recorded code: `python -m tools.record.inside FOLDER ONLY`.

A child process records each stage, so that it changes neither the database nor what this process
keeps in memory.
"""

import io
import logging
import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import django

from tools.record.compare import MANIFEST, Answer, read_manifest, write_manifest
from tools.record.determinism import deterministic

BEGIN = "2026-06-01T12:00:00Z"
TREE = Path(__file__).resolve().parent.parent.parent


def main(folder: Path, only: str) -> None:
    """Records all stages into the folder; only URL patterns in which `only` is found."""
    answers: list[Answer] = []
    # Before anything imports the functions that this replaces. Emails are printed.
    with redirect_stdout(io.StringIO()), deterministic(BEGIN) as (clock, seeded):
        django.setup()
        logging.disable()  # thousands of requests are refused
        _check_imports()
        from django.core.management import call_command

        from tools.record.site import Site, build
        from tools.record.stage import StageRecorder

        call_command("migrate", verbosity=0)
        site = Site(clock, seeded)
        for stage in build(site):
            began = time.monotonic()
            _in_child(StageRecorder(site, folder, stage, only).record)
            recorded = read_manifest(folder / stage)
            (folder / stage / MANIFEST).unlink()
            answers += recorded.values()
            took = time.monotonic() - began
            print(f"{stage}: {len(recorded)} answers, {took:.0f} s", file=sys.stderr)
    write_manifest(folder, answers)


def _check_imports() -> None:
    """An installed copy of the site must not answer in place of the commit."""
    import trackside

    if not str(trackside.__path__[0]).startswith(str(TREE)):
        sys.exit(f"trackside was imported from {trackside.__path__[0]}, not from {TREE}.")


def _in_child(action: Callable[[], None]) -> None:
    """Performs the action in a child process, and restores the database after it."""
    from django.db import connections

    connections.close_all()
    database = Path(connections["default"].settings_dict["NAME"])
    kept = shutil.copy(database, f"{database}.kept")
    child = os.fork()
    if not child:
        status = 1
        try:
            action()
            connections.close_all()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    if os.waitpid(child, 0)[1]:
        sys.exit("The stage was not recorded, for the reason above.")
    for leftover in database.parent.glob(f"{database.name}-*"):
        leftover.unlink()
    shutil.copy(kept, database)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
