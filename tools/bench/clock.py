"""Times as they are taken and shown: minimum, median and maximum of several rounds."""

import time
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

ROUNDS: Final = 5
HEADINGS: Final = f"{'min':>9}{'median':>9}{'max':>9}"


def seconds(act: Callable[[], object]) -> float:
    """What one round takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def rounds(act: Callable[[], object]) -> list[float]:
    """What each of several rounds takes."""
    return [seconds(act) for _ in range(ROUNDS)]


def median(taken: Sequence[float]) -> float:
    return float(np.median(taken))


def three(taken: Sequence[float], *, a_second: float = 1000) -> str:
    """Minimum, median and maximum, in milliseconds or in what a second is worth."""
    figures = (a_second * figure for figure in (min(taken), median(taken), max(taken)))
    return "".join(f"{figure:9.2f}" for figure in figures)
