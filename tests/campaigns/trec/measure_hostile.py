"""How long the readers take for hostile files, and how much memory: the slowest come first.

`python -m tests.campaigns.trec.measure_hostile [MEGABYTES]`

"growth" is how many times longer a file takes than one of a quarter of its size: 4 where time goes
with the size, 16 where it goes with its square. A file whose quarter takes long is not tried whole.
"""

from __future__ import annotations

import gzip
import sys
import time
import tracemalloc
from typing import NamedTuple

from tests.campaigns.trec.hostile import ALL, Made, Read, answer

ROUNDS = 3
LONG = 5.0  # seconds


class Measured(NamedTuple):
    seconds_per_mb: float
    growth: float
    peak_mb: float
    size_mb: float
    answer: str
    name: str


def seconds(read: Read, data: bytes) -> float:
    """The quickest of some rounds; of one where it is slow."""
    took: list[float] = []
    while len(took) < ROUNDS and sum(took) < LONG:
        began = time.perf_counter()
        answer(read, data)
        took.append(time.perf_counter() - began)
    return min(took)


def measured(name: str, read: Read, make: Made, size: int) -> Measured:
    part = make(size // 4)
    short = seconds(read, part)
    data = make(size) if short < LONG else part
    took = seconds(read, data) if short < LONG else short
    tracemalloc.start()
    said = answer(read, data) if took < LONG else "not looked at"
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    plain = len(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data) / 1e6
    return Measured(took / plain, took / short, peak, plain, said, name)


def main(megabytes: float) -> None:
    found = [
        measured(f"{kind}: {name}", read, make, int(megabytes * 1e6))
        for kind, (read, files) in ALL.items()
        for name, make in files.items()
    ]
    print("s per MB  growth  peak MB  of MB")
    for each in sorted(found, reverse=True):
        print(f"{each.seconds_per_mb:8.4f} {each.growth:7.1f} {each.peak_mb:8.1f}", end=" ")
        print(f"{each.size_mb:6.1f}  {each.name} ({each.answer or 'accepted'})")


if __name__ == "__main__":
    main(float(sys.argv[1]) if sys.argv[1:] else 4.0)
