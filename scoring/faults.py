"""Named points at which a test may stop or kill this process; nothing happens otherwise.

TRACKSIDE_FAULTS="before-commit=sleep:3,after-parse=kill" names them.
"""

import os
import signal
import time


def point(name: str) -> None:
    """Does what the environment asks for at this point: nothing, `sleep:SECONDS` or `kill`."""
    faults = os.environ.get("TRACKSIDE_FAULTS")
    if not faults:
        return
    wanted = dict(part.split("=", 1) for part in faults.split(","))
    act, _, amount = wanted.get(name, "").partition(":")
    if act == "sleep":
        time.sleep(float(amount))
    elif act == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
