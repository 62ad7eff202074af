"""Named points at which a test may stop or kill this process; nothing happens otherwise.

TRACKSIDE_FAULTS="before-commit=sleep:3,after-claim/17=kill" names them; `/17` means job 17 only.
With `meet:FOLDER` a test decides while this process runs: see `_meet`.
"""

import os
import signal
import time
from pathlib import Path


def point(name: str, job_id: int | None = None) -> None:
    """Does what the environment asks for at this point: nothing, or one of
    `sleep:SECONDS`, `kill` and `meet:FOLDER`."""
    faults = os.environ.get("TRACKSIDE_FAULTS")
    if not faults:
        return
    wanted = dict(part.split("=", 1) for part in faults.split(","))
    act, _, amount = wanted.get(f"{name}/{job_id}", wanted.get(name, "")).partition(":")
    if act == "sleep":
        time.sleep(float(amount))
    elif act == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif act == "meet":
        _meet(Path(amount), name)


def _meet(folder: Path, name: str) -> None:
    """Where the file FOLDER/NAME lies, one process takes it as its sign, FOLDER/NAME.PID, and
    waits until the sign is gone; where none lies, nobody waits."""
    sign = folder / f"{name}.{os.getpid()}"
    try:
        (folder / name).rename(sign)
    except FileNotFoundError:
        return
    while sign.exists():
        time.sleep(0.01)
