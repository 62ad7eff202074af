"""Named points at which a test may pause or kill this process; otherwise they do nothing.

TRACKSIDE_FAULTS="before-commit=sleep:3,after-claim/17=kill" names them; `/17` means job 17 only.
With `meet:FOLDER` a test decides while this process runs: see `_meet`.
"""

import os
import signal
import time
from pathlib import Path


def point(name: str, job_id: int | None = None) -> None:
    """Does what the environment specifies for this point: nothing, `sleep:SECONDS`, `kill` or
    `meet:FOLDER`."""
    faults = os.environ.get("TRACKSIDE_FAULTS")
    if not faults:
        return
    actions = dict(part.split("=", 1) for part in faults.split(","))
    action, _, value = actions.get(f"{name}/{job_id}", actions.get(name, "")).partition(":")
    if action == "sleep":
        time.sleep(float(value))
    elif action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif action == "meet":
        _meet(Path(value), name)


def _meet(folder: Path, name: str) -> None:
    """If the file FOLDER/NAME exists, one process renames it to FOLDER/NAME.PID and waits until
    that file is deleted."""
    claimed = folder / f"{name}.{os.getpid()}"
    try:
        # Renaming is atomic: if several processes are here, one of them gets the file.
        (folder / name).rename(claimed)
    except FileNotFoundError:
        return
    while claimed.exists():
        time.sleep(0.01)
