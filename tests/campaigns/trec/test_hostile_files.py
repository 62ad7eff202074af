"""Hostile files are answered, with work and memory in proportion to their size.

Time is not asserted: `measure_hostile.py` shows it. The readers in Python are tried by `make
test-exhaustive`; other tests compare what they answer with the compiled ones.
"""

from __future__ import annotations

import cProfile
import tracemalloc

import pytest

from campaigns.trec import columns
from campaigns.trec.compression import READ_BYTES
from campaigns.trec.runs import read_run
from campaigns.trec.topics import read_topics
from campaigns.trec.topics_checks import MAX_TOPICS
from tests.campaigns.trec.hostile import ALL, RUNS, Made, Read, answer

READERS = ["compiled", pytest.param("python", marks=pytest.mark.exhaustive)]
pytestmark = [
    pytest.mark.usefixtures("either_way"),
    pytest.mark.parametrize("either_way", READERS, indirect=True, scope="module"),
]

SIZE = 250_000  # bytes of a file
BLOCKS = 16 * READ_BYTES  # what blocks of the file take, whatever its size
# Topics are read as a whole, and an element of XML is an object of Python's.
BYTES_PER_BYTE = {"run": 16, "qrels": 16, "topics": 80, "documents": 80}
WIDE = "one long id"  # all ids are kept as wide as the longest: see below

FILES = [
    pytest.param(kind, read, make, id=f"{kind}: {name}")
    for kind, (read, files) in ALL.items()
    for name, make in files.items()
    if name != WIDE
]


def peak(read: Read, data: bytes) -> int:
    """The most bytes that were in use at once."""
    tracemalloc.start()
    try:
        answer(read, data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def calls(read: Read, data: bytes) -> int:
    """Calls of functions, Python's and C's."""
    counting = cProfile.Profile()
    with counting:
        answer(read, data)
    return sum(entry.callcount for entry in counting.getstats())


@pytest.mark.parametrize(("kind", "read", "make"), FILES)
def test_memory_is_in_proportion_to_the_file(kind: str, read: Read, make: Made) -> None:
    assert peak(read, make(SIZE)) < BLOCKS + BYTES_PER_BYTE[kind] * SIZE


@pytest.mark.parametrize(("kind", "read", "make"), FILES)
def test_twice_the_file_takes_twice_the_calls(kind: str, read: Read, make: Made) -> None:
    half, whole = make(SIZE // 2), make(SIZE)
    answer(read, half)  # what is done once is done
    assert calls(read, whole) <= 2.2 * calls(read, half) + 1000


@pytest.mark.parametrize("row", [b"{\n", b"x\n"], ids=["JSON", "table"])
def test_faulty_rows_count_as_topics(row: bytes) -> None:
    """8 million of them, which are 16 MiB, took 50 seconds of processor time to tell."""
    allowed = calls(read_topics, row * MAX_TOPICS)
    assert answer(read_topics, row * (MAX_TOPICS + 1)) in ("JSON", "FIELDS")
    assert calls(read_topics, row * 10 * MAX_TOPICS) <= 1.1 * allowed


def test_ids_that_are_kept_too_wide_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One id of 1,024 bytes among short ones: 40 bytes of table for each of the file."""
    monkeypatch.setattr(columns, "MAX_DOC_TABLE", 8 << 20)
    data = RUNS[WIDE](4 * SIZE)
    assert answer(read_run, data) == "TOO_BIG"
    assert peak(read_run, data) < BLOCKS + 2 * (8 << 20)
