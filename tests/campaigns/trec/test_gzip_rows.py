"""One test for each kind of compressed file, with the result that reading it must give.

The ids G01 to G26 only number the kinds. In G13 and G14 the file name names another compression.
The site gives that warning, because the reader does not see the name. The site answers G25, a
request with `Content-Encoding: gzip`, with 415.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import struct
import tracemalloc
import zlib

import pytest

from campaigns.trec import compression
from campaigns.trec.compression import READ_BYTES, plain_blocks
from campaigns.trec.problems import FormatError
from campaigns.trec.runs import read_run
from tests.campaigns.trec.outcomes import Row, accept, check, refuse

pytestmark = pytest.mark.usefixtures("either_way")

GOOD = b"1 Q0 A 1 3.0 r\n1 Q0 B 2 2.0 r\n2 Q0 A 1 1.0 r\n"
PACKED = gzip.compress(GOOD, mtime=0)
HEADER = PACKED[:10]
BODY = PACKED[10:]
FHCRC, FEXTRA, FNAME, FCOMMENT = 2, 4, 8, 16


@pytest.fixture(params=["zlib", "isal"], autouse=True)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What inflates. Both give the same bytes and the same codes of errors."""
    name: str = request.param
    module = pytest.importorskip("isal.isal_zlib") if name == "isal" else None
    monkeypatch.setattr(compression, "isal_zlib", module)
    return name


def flagged(flags: int, extra: bytes) -> bytes:
    """The packed file with optional header fields."""
    return HEADER[:3] + bytes([flags]) + HEADER[4:] + extra + BODY


def summed(error: int) -> bytes:
    """The packed file with the sum of its header, which is wrong by `error`."""
    header = HEADER[:3] + bytes([FHCRC]) + HEADER[4:]
    return header + struct.pack("<H", (zlib.crc32(header) ^ error) & 0xFFFF) + BODY


ROWS = [
    accept("G01", PACKED),
    refuse("G02", PACKED[: len(PACKED) // 2], "GZIP", None, "truncated"),
    refuse("G03", PACKED[:-8], "GZIP", None, "truncated"),
    refuse("G04", HEADER, "GZIP", None, "truncated"),
    refuse("G05", b"\x1f\x8b", "GZIP", None, "truncated"),
    refuse("G06", PACKED[:-8] + b"\0\0\0\0" + PACKED[-4:], "GZIP", None, "damaged"),
    refuse("G07", PACKED[:-4] + b"\0\0\0\0", "GZIP", None, "damaged"),
    refuse("G08", PACKED + b"garbage", "GZIP", None, "other data follow"),
    refuse("G08-zeros", PACKED + b"\0\0garbage", "GZIP", None, "other data follow"),
    accept("G09", PACKED + b"\0" * 512),
    accept("G10", gzip.compress(GOOD[:20]) + gzip.compress(GOOD[20:])),
    refuse("G11", gzip.compress(b""), "EMPTY", None),
    refuse("G12", gzip.compress(PACKED), "GZIP", None, "compressed twice"),
    refuse("G12-zip", gzip.compress(b"PK\x03\x04zip"), "TYPE", None, "zip"),
    accept("G13", GOOD),
    accept("G14", PACKED),
    refuse("G15", zlib.compress(GOOD), "TYPE", None, "zlib"),
    refuse("G15-stored", zlib.compress(GOOD, 0), "TYPE", None, "zlib"),
    refuse("G16", bz2.compress(GOOD), "TYPE", None, "bzip2"),
    refuse("G16-empty", bz2.compress(b""), "TYPE", None, "bzip2"),
    refuse("G17", lzma.compress(GOOD), "TYPE", None, "xz"),
    refuse("G18", b"\x28\xb5\x2f\xfd\x04\x00", "TYPE", None, "zstd"),
    refuse("G19", PACKED[:2] + b"\x07" + PACKED[3:], "GZIP", None, "damaged"),
    refuse("G19-flags", flagged(0xE0, b""), "GZIP", None, "damaged"),
    accept("G19-sum", summed(0)),
    refuse("G19-bad-sum", summed(1), "GZIP", None, "damaged"),
    accept("G20", flagged(FNAME, b"../../evil\0")),
    accept("G21-extra", flagged(FEXTRA, struct.pack("<H", 65_535) + b"x" * 65_535)),
    accept("G21-comment", flagged(FCOMMENT, b"x" * 65_536 + b"\0")),
    refuse("G24", gzip.compress(b"") * 10_000, "GZIP", None, "more than 1,000 gzip members"),
    refuse("G26", b"", "EMPTY", None),
]


@pytest.mark.parametrize("row", ROWS)
def test_row(row: Row) -> None:
    check(row, read_run, known_topics=("1", "2"))


def outcome(packed: bytes) -> bytes | str:
    """The content, or the code of the error."""
    try:
        return b"".join(plain_blocks(packed))
    except FormatError as error:
        return error.problems[0].code


def test_both_libraries_tell_the_same_of_damaged_files(monkeypatch: pytest.MonkeyPatch) -> None:
    isal_zlib = pytest.importorskip("isal.isal_zlib")
    chance = random.Random(1)
    for _ in range(2000):
        packed = bytearray(PACKED + PACKED)
        packed[chance.randrange(2, len(packed))] ^= 1 << chance.randrange(8)
        del packed[chance.choice((len(packed), chance.randrange(2, len(packed)))) :]
        found = []
        for module in (None, isal_zlib):
            monkeypatch.setattr(compression, "isal_zlib", module)
            found.append(outcome(bytes(packed)))
        assert found[0] == found[1], packed.hex()


def test_isal_takes_the_usual_members(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if library == "isal":
        monkeypatch.delattr(compression.zlib, "decompressobj")
    assert b"".join(plain_blocks(PACKED + flagged(FNAME, b"run\0"))) == GOOD + GOOD


def bomb(unit: bytes, times: int) -> bytes:
    """A gzip file that unpacks to `unit` many times over; its checksum is never reached."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(unit) + packer.flush(zlib.Z_FULL_FLUSH)
    return HEADER + first * times


class Meter(io.BytesIO):
    """A file that knows how much of it was read."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size)
        self.taken += len(piece)
        return piece


def test_g22_a_gibibyte_of_zeros_ends_at_the_first_block() -> None:
    source = Meter(bomb(b"\0" * (1 << 20), 1024))
    with pytest.raises(FormatError, match="NUL"):
        read_run(source)
    assert source.taken <= READ_BYTES


def test_g22_the_limit_holds_in_little_memory() -> None:
    packed = bomb(b"\0" * (1 << 20), 1024)
    tracemalloc.start()
    with pytest.raises(FormatError, match="TOO_BIG"):
        for _ in plain_blocks(packed, max_bytes=(1 << 30) - 1):
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50 << 20


def test_g23_one_line_a_gigabyte_long_time_is_refused_by_the_line_limit() -> None:
    source = Meter(bomb(b"1 Q0 A 1 3.0 r\n" * 70_000, 1000))
    with pytest.raises(FormatError, match="TOO_MANY more than 1,000 lines"):
        read_run(source, max_lines=1000)
    assert source.taken <= READ_BYTES


def test_g24_many_empty_members_cost_little() -> None:
    source = Meter(gzip.compress(b"") * 100_000)
    with pytest.raises(FormatError, match="GZIP"):
        read_run(source)
    assert source.taken <= READ_BYTES  # of two megabytes


def test_a_thousand_members_are_read() -> None:
    members = [gzip.compress(b"1 Q0 D%d 1 3.0 r\n" % k) for k in range(1000)]
    assert read_run(b"".join(members)).line_count == 1000


def test_text_that_begins_like_a_packing_is_text() -> None:
    for topic in ("x^", "BZh9", "PK"):
        assert read_run(f"{topic} Q0 A 1 3.0 r\n".encode()).topics == (topic,)


def test_blocks_are_the_content_whatever_the_size_of_the_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("campaigns.trec.compression.READ_BYTES", 1)
    monkeypatch.setattr("campaigns.trec.compression.BLOCK_BYTES", 3)
    assert b"".join(plain_blocks(PACKED + PACKED + b"\0\0")) == GOOD + GOOD
    assert b"".join(plain_blocks(io.BytesIO(GOOD))) == GOOD
