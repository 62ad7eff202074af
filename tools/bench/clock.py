"""Times as they are taken and shown: minimum, median and maximum of several rounds."""

import os
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

ROUNDS: Final = int(os.environ.get("ROUNDS", "5"))
HEADINGS: Final = f"{'min':>9}{'median':>9}{'max':>9}"


class Times(NamedTuple):
    """Seconds that one act takes."""

    processor: float  # of this process, all threads
    wall: float


def timed(act: Callable[[], object]) -> Times:
    """What one round takes."""
    began, used = time.perf_counter(), time.process_time()
    act()
    return Times(time.process_time() - used, time.perf_counter() - began)


def seconds(act: Callable[[], object]) -> float:
    """What one round takes by the wall clock."""
    return timed(act).wall


def rounds(act: Callable[[], object]) -> list[float]:
    """What each of several rounds takes."""
    return [seconds(act) for _ in range(ROUNDS)]


def median(taken: Sequence[float]) -> float:
    return float(np.median(taken))


def three(taken: Sequence[float], *, a_second: float = 1000) -> str:
    """Minimum, median and maximum, in milliseconds or in what a second is worth."""
    figures = (a_second * figure for figure in (min(taken), median(taken), max(taken)))
    return "".join(f"{figure:9.2f}" for figure in figures)
