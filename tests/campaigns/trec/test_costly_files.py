"""Small files that are much to read are refused early, and never by their time on a wall clock."""

import gzip
import itertools
import tracemalloc
from collections.abc import Callable
from io import BytesIO

import pytest

from campaigns.trec import compression, json_layout, layouts
from campaigns.trec.documents import read_documents
from campaigns.trec.json_layout import json_entries
from campaigns.trec.problems import FormatError, ProblemList
from campaigns.trec.qrels import read_qrels
from campaigns.trec.runs import read_run

pytestmark = pytest.mark.usefixtures("either_way")

RUN = b"1 Q0 a 1 3 r\n"
QRELS = b"1 0 a 1\n"
LIMIT = 1000
READERS = {"run": (read_run, RUN), "qrels": (read_qrels, QRELS)}


class Counted(BytesIO):
    """Knows how much of it was read."""

    read_bytes = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.read_bytes += len(data)
        return data


def refusal(read: Callable[..., object], data: object, **limits: float) -> tuple[str, int | None]:
    with pytest.raises(FormatError) as caught:
        read(data, **limits)
    (problem,) = caught.value.problems
    return problem.code, problem.line


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("filling", [b"\n", b"# nothing\n", b" \t\n", b"\r\n"])
def test_blank_lines_and_comments_count_as_lines(name: str, filling: bytes) -> None:
    read, line = READERS[name]
    assert refusal(read, line + filling * LIMIT, max_lines=LIMIT) == ("TOO_MANY", LIMIT + 1)
    read(line + filling * (LIMIT - 1), max_lines=LIMIT)


@pytest.mark.parametrize("name", READERS)
def test_lines_of_topics_that_are_dropped_do_not_count(name: str) -> None:
    read, line = READERS[name]
    dropped = b"2" + line[1:]
    data = dropped * 5 + line + dropped * 5 + b"\n" * 3
    limits = {"known_topics": ["1"], "unknown_topics": "drop"}
    assert refusal(read, data, max_lines=3, **limits) == ("TOO_MANY", 14)
    read(data, max_lines=4, **limits)


def test_reading_stops_in_the_first_block_that_has_too_many_lines() -> None:
    bomb = gzip.compress(b"\n" * (64 << 20))
    opened = []

    def inflate(*given: object) -> bytes:
        opened.append(1)
        return inflated(*given)

    inflated = compression._inflate
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compression, "_inflate", inflate)
        assert refusal(read_run, bomb, max_lines=LIMIT) == ("TOO_MANY", LIMIT + 1)
    assert len(opened) <= 2  # of the 32 pieces that there are


@pytest.mark.parametrize(
    ("read", "line"), [*READERS.values(), (lambda *a, **k: list(read_documents(*a, **k)), b"\n")]
)
def test_a_file_that_takes_too_much_processor_time_is_refused(
    read: Callable[..., object], line: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = itertools.count()
    monkeypatch.setattr(compression.time, "thread_time", lambda: float(next(seconds)))
    monkeypatch.setattr(compression, "READ_BYTES", 1 << 10)
    data = Counted(line + b"\n" * (1 << 20))
    code, _ = refusal(read, data, max_seconds=5)
    assert code == "TOO_SLOW"
    assert data.read_bytes <= 10 << 10


@pytest.mark.parametrize("read", [read_run, read_qrels])
@pytest.mark.parametrize("first", ["d", "d 0"])
def test_the_limit_of_time_is_that_of_json_too(
    read: Callable[..., object], first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is one object, which is complete before its first entry is read."""
    seconds = itertools.count()
    monkeypatch.setattr(compression.time, "thread_time", lambda: float(next(seconds)))
    monkeypatch.setattr(layouts, "ENTRIES_AT_ONCE", 100)
    entries = ",".join(f'"d{number}":1' for number in range(1_000))
    data = f'{{"1":{{"{first}":1,{entries}}}}}'.encode()
    with pytest.raises(FormatError) as caught:
        read(data, max_seconds=5)
    assert "TOO_SLOW" in {problem.code for problem in caught.value.problems}


@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_json_has_no_more_topics_than_lines_have(
    read: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where they are empty, and so make no line."""
    monkeypatch.setattr(json_layout, "MAX_TOPICS", 3)
    topics = b",\n".join(b'"%d": {}' % number for number in range(4))
    assert refusal(read, b"{" + topics + b"}") == ("TOO_MANY", 4)


@pytest.mark.parametrize("read", [read_run, read_qrels])
@pytest.mark.parametrize("topics", [b'"1": {}', b'"%d": {}'])
def test_the_time_is_looked_at_while_json_has_no_entries(
    read: Callable[..., object], topics: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = itertools.count()
    monkeypatch.setattr(compression.time, "thread_time", lambda: float(next(seconds)))
    monkeypatch.setattr(layouts, "ENTRIES_AT_ONCE", 10)
    many = (topics % number if b"%" in topics else topics for number in range(1000))
    with pytest.raises(FormatError) as caught:
        read(b"{" + b",".join(many) + b"}", max_seconds=5)
    assert caught.value.problems[0].code == "TOO_SLOW"


def test_the_documents_of_json_are_not_kept_while_it_is_converted() -> None:
    """The reader finds those that are repeated, in a table that takes less memory."""
    text = '{"1": {' + ",".join(f'"{number:x}": 1' for number in range(100_000)) + "}}"
    tracemalloc.start()
    try:
        entries = sum(entry is not None for entry in json_entries(text, ProblemList()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert entries == 100_000
    assert peak < 100_000
