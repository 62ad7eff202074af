"""Every bad file is refused with its line or its reason, on the run's page and in the API; the
file goes, its row and digest stay."""

import gzip
import hashlib
import html
import tracemalloc
import zlib
from dataclasses import dataclass

import pytest

from campaigns.models import LogEntry, Run
from scoring.models import Job
from tests.flow_world import World, run_file, stored_files

pytestmark = pytest.mark.usefixtures("wake_ups")

GOOD = run_file()
MIB = 1 << 20


@dataclass(frozen=True)
class BadFile:
    data: bytes
    code: str
    line: int | None
    words: tuple[str, ...]


def gzipped_zeros(size: int) -> bytes:
    """`size` zeros in 16 gzip members of equal content; packed in a fraction of the time."""
    member = gzip.compress(bytes(size // 16), compresslevel=9, mtime=0)
    return member * 16


BAD_FILES = {
    "an empty file": BadFile(b"", "EMPTY", None, ("the file is empty",)),
    "a file of blank lines": BadFile(b"\n \n\n", "EMPTY", None, ("no line of a run",)),
    "a 5-column file": BadFile(
        GOOD.replace(b" ours", b"", 1), "FIELDS", 1, ("5", "the run tag is missing")
    ),
    "a score that is nan": BadFile(
        GOOD.replace(b"d2 2 8", b"d2 2 nan", 1), "SCORE", 2, ("not finite", "nan")
    ),
    "a duplicate document": BadFile(
        GOOD.replace(b"1 Q0 d3", b"1 Q0 d1", 1), "DUP", 3, ("line 1", "d1")
    ),
    "an unknown topic": BadFile(GOOD + b"9 Q0 d1 1 1 ours\n", "UNKNOWN_TOPIC", 7, ("9",)),
    "blank lines without end": BadFile(
        gzip.compress(GOOD + b"\n" * (8 * MIB)), "TOO_MANY", 3201, ("more than 3,200 lines",)
    ),
    "a truncated gz": BadFile(gzip.compress(GOOD)[:-9], "GZIP", None, ("truncated",)),
    "a damaged gz": BadFile(
        (lambda packed: packed[:-8] + bytes(4) + packed[-4:])(gzip.compress(GOOD)),
        "GZIP",
        None,
        ("damaged",),
    ),
    "a PDF": BadFile(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "TYPE", None, ("a PDF",)),
    "Latin-1 text": BadFile(GOOD.replace(b"d2", b"d\xe9", 1), "ENCODING", 2, ("not UTF-8",)),
    "a long tag": BadFile(GOOD.replace(b"ours", b"x" * 65), "TAG", 1, ("at most 64",)),
    "a tag that cannot be a name": BadFile(
        GOOD.replace(b"ours", b"=1+1"), "TAG", 1, ("begins with a letter or a digit",)
    ),
    "too many documents": BadFile(
        b"".join(b"1 Q0 x%d %d 1 ours\n" % (n, n) for n in range(1, 1002)),
        "TOO_MANY",
        None,
        ("1,000",),
    ),
}


def check_refusal(world: World, run: Run, bad: BadFile) -> None:
    assert run.state == Run.State.REFUSED
    assert run.digest == hashlib.sha256(bad.data).hexdigest()
    assert (run.size, run.storage_key) == (len(bad.data), "")
    assert stored_files("runs") == []
    assert stored_files("rankings") == []

    answer = world.answer_on(run)
    assert (answer["status"], answer["sha256"]) == ("refused", run.digest)
    assert answer["problem_count"] >= 1
    problem = answer["problems"][0]
    assert problem["code"] == bad.code
    if bad.line is not None:
        assert problem["line"] == bad.line
    told = f"{problem['message']} {problem['value']}"
    for words in bad.words:
        assert words in told

    page = html.unescape(world.page_of(run))
    assert problem["message"] in page
    if problem["line"]:
        assert f"line {problem['line']}" in page
    assert "Refused" in page
    assert LogEntry.objects.filter(subject=run.public_id, verb="refused").count() == 1


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_with_its_reason(world: World, name: str) -> None:
    bad = BAD_FILES[name]
    check_refusal(world, world.submitted_run(bad.data), bad)


def test_both_lines_of_a_duplicate_are_named(world: World) -> None:
    run = world.submitted_run(BAD_FILES["a duplicate document"].data)
    (problem,) = run.problems
    assert problem["line"] == 3
    assert "line 1" in problem["message"]


def test_a_gibibyte_of_zeros_in_a_mebibyte_costs_no_memory(world: World) -> None:
    bomb = gzipped_zeros(1024 * MIB)
    assert len(bomb) < 1.1 * MIB
    check_bounded(world, BadFile(bomb, "NUL", 1, ("NUL",)))


def test_a_gibibyte_of_one_plausible_line_in_a_mebibyte_costs_no_memory(
    world: World,
) -> None:
    lines = b"1 Q0 d1 1 1 ours\n" * (64 * MIB // 17)
    bomb = gzip.compress(lines, compresslevel=6, mtime=0) * 16
    check_bounded(world, BadFile(bomb, "TOO_MANY", 3201, ("3,200 lines",)))


def test_a_gibibyte_without_a_line_end_costs_no_memory(world: World) -> None:
    packer = zlib.compressobj(6, wbits=31)
    member = packer.compress(b"x" * (64 * MIB)) + packer.flush()
    check_bounded(world, BadFile(member * 16, "LINE_TOO_LONG", 1, ("longer than",)))


def check_bounded(world: World, bad: BadFile) -> None:
    tracemalloc.start()
    run = world.submitted_run(bad.data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50 * MIB
    check_refusal(world, run, bad)


def test_a_file_that_takes_too_long_to_read_is_refused_and_is_no_failed_job(
    world: World, settings: object
) -> None:
    settings.MAX_READING_SECONDS = 0
    run = world.submitted_run(run_file())
    assert (run.state, run.problems[0]["code"]) == (Run.State.REFUSED, "TOO_SLOW")
    assert not Job.objects.filter(state=Job.State.FAILED).exists()
