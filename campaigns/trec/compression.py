"""The uncompressed content of a submitted file. gzip and Parquet are recognised by their content,
and other formats are refused.

Data are decompressed only when the reader needs them, so a file that is refused costs no more.
`isal`, where it is installed, inflates 2.5 times as fast as zlib, and gives the same bytes or the
same code of an error.
"""

from __future__ import annotations

import io
import re
import time
import zlib
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from typing import Any, BinaryIO

from campaigns.trec.problems import (
    ProblemList,
    latin_1_hint,
    refuse,
    refuse_large,
    refuse_slow,
)

isal_zlib: Any
try:
    from isal import isal_zlib
except ImportError:
    isal_zlib = None

READ_BYTES = 1 << 22
BLOCK_BYTES = 1 << 21  # decompressed at a time: compressed data may be hostile
MEMBER_LIMIT = 1000
HEAD_BYTES = 512
FIRST_LINES_BYTES = 64 << 10
GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
# Compressed by deflate, with a file name or without. isal lets undefined flags pass, and checks the
# sum of a header only if it has the whole header at once: zlib reads the members with other flags.
USUAL_HEADS = (GZIP_MAGIC + b"\x08\x00", GZIP_MAGIC + b"\x08\x08")
TAR_OFFSET = 257
SLOW_HINT = "remove blank lines and comments"

FOREIGN = (
    (b"PK\x03\x04", "a zip archive (or an Office document)"),
    (b"PK\x05\x06", "a zip archive"),
    (b"%PDF-", "a PDF"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"BZh", "bzip2"),  # text may also begin like this: see `_refuse_foreign`
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
)
BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")
BOM = b"\xef\xbb\xbf"
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
ZLIB_HEADS = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")


INFLATE_ERRORS: tuple[type[Exception], ...] = (
    (zlib.error,) if isal_zlib is None else (zlib.error, isal_zlib.error)
)


def inflating_library() -> str:
    """What decompresses gzip here, for those who ask why it takes as long as it does."""
    return "zlib" if isal_zlib is None else "isal"


def plain_blocks(
    source: BinaryIO | bytes, *, max_bytes: int = 1 << 30, max_seconds: float | None = None
) -> Iterator[bytes]:
    """Yield the plain content of a plain or gzipped file in blocks of at most 4 MiB, and the rows
    of a Parquet file as JSON lines.

    `max_bytes` limits the uncompressed size. `max_seconds` limits the processor time of the thread
    until the last block, including the time of the code that processes the blocks. Raises
    FormatError: TYPE (another format), GZIP (truncated, damaged, followed by other data,
    compressed twice, more than 1000 members), or its kind LimitReached: TOO_BIG or TOO_SLOW. An
    empty file yields nothing.
    """
    started = time.thread_time()
    head, pieces = _peek(_pieces(source))
    _refuse_foreign(head)
    if head.startswith(GZIP_MAGIC):
        # Looked at again: what is inside may be an archive, or compressed once more.
        head, pieces = _peek(_gunzip(pieces))
        if head.startswith(GZIP_MAGIC):
            refuse("GZIP", "the file is compressed twice: compress it once")
        _refuse_foreign(head)
    if head.startswith(PARQUET_MAGIC):
        parquet = import_module("campaigns.trec.parquet")  # only such files wait for it
        pieces = parquet.json_lines(pieces, max_bytes=max_bytes, max_seconds=max_seconds)
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > max_bytes:
            refuse_large(max_bytes)
        _refuse_slow(started, max_seconds)
        yield piece


def in_time(pieces: Iterator[bytes], max_seconds: float | None) -> Iterator[bytes]:
    """The same limit of processor time for pieces that are made of `plain_blocks`, which may be
    read to its end before the first of them."""
    started = time.thread_time()
    for piece in pieces:
        _refuse_slow(started, max_seconds)
        yield piece


def _refuse_slow(started: float, max_seconds: float | None) -> None:
    if max_seconds is not None and time.thread_time() - started > max_seconds:
        refuse_slow(max_seconds, SLOW_HINT)


def _pieces(source: BinaryIO | bytes) -> Iterator[bytes]:
    stream = io.BytesIO(source) if isinstance(source, bytes) else source
    while piece := stream.read(READ_BYTES):
        yield piece


def _peek(pieces: Iterator[bytes], most: int = HEAD_BYTES) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, and all pieces including those."""
    taken: list[bytes] = []
    size = 0
    for piece in pieces:
        taken.append(piece)
        size += len(piece)
        if size >= most:
            break
    return b"".join(piece[:most] for piece in taken)[:most], chain(taken, pieces)


def _refuse_foreign(head: bytes) -> None:
    for magic, name in FOREIGN:
        # "BZh9" could begin a topic id; the block header after it could not.
        is_foreign = magic != b"BZh" or head[4:10] in BZIP2_BLOCKS
        if head.startswith(magic) and is_foreign:
            refuse("TYPE", f"the file is {name}: plain text or gzip expected")
    if head[TAR_OFFSET : TAR_OFFSET + 5] == b"ustar":
        refuse("TYPE", "the file is a tar archive: plain text or gzip expected")
    if head[:2] in ZLIB_HEADS and _inflates(head):
        refuse("TYPE", "the file is zlib data without a gzip header: plain text or gzip expected")


def _inflates(head: bytes) -> bool:
    """True if the head is the beginning of zlib data: "x^" could begin a topic id."""
    # Of these heads only "x^" can begin a text, and a head of ASCII alone is one.
    if head.isascii() and head[1:2] != b"\x01":
        return False
    try:
        zlib.decompressobj().decompress(head, HEAD_BYTES)
    except zlib.error:
        return False
    return True


def _gunzip(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the contents of the members in order. Zero bytes may follow a member."""
    inflater: Any = None
    members = 0
    for piece in pieces:
        rest = piece
        while rest:
            if inflater is None or inflater.eof:
                # Tapes and some tools pad a gzip file with zero bytes, which gzip ignores as well.
                rest = rest.lstrip(b"\0")
                if not rest:
                    break
                members += 1
                inflater = _next_member(rest, members)
            block = _inflate(inflater, rest)
            rest = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            if block:
                yield block
    # The file is read, but the inflater may still hold what was more than a block.
    while not inflater.eof and (block := _inflate(inflater, b"")):
        yield block
    if not inflater.eof:
        refuse("GZIP", "the gzip data are truncated: the file ends too early")


def _next_member(rest: bytes, members: int) -> Any:
    """The object that inflates it, by isal or by zlib: their interfaces are the same."""
    if not GZIP_MAGIC.startswith(rest[:2]):
        refuse("GZIP", "other data follow the end of the gzip data")
    if members > MEMBER_LIMIT:
        refuse("GZIP", f"more than {MEMBER_LIMIT:,} gzip members in one file")
    library = isal_zlib if isal_zlib is not None and rest[:4] in USUAL_HEADS else zlib
    # 31: a window of 32 KiB, and a gzip header and sum around the data.
    return library.decompressobj(wbits=31)


def _inflate(inflater: Any, data: bytes) -> bytes:
    try:
        plain: bytes = inflater.decompress(data, BLOCK_BYTES)
    except INFLATE_ERRORS as error:
        reason = re.sub(r"^Error -?\d+ (while decompressing data: )?", "", str(error)).lower()
        refuse("GZIP", f"the gzip data are damaged ({reason})")
    return plain


def with_line_feeds(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The content with LF for CR, if its lines end in CR alone, as old spreadsheets on a Mac save
    them: the first 64 KiB have a CR and no LF."""
    head, pieces = _peek(pieces, FIRST_LINES_BYTES)
    if b"\r" not in head or b"\n" in head:
        return pieces
    return (piece.replace(b"\r", b"\n") for piece in pieces)


def read_text(source: BinaryIO | bytes, findings: ProblemList, *, max_bytes: int) -> str:
    """The whole content of a small UTF-8 file, plain or gzipped, without a byte order mark. Lines
    that end in CR alone end in LF.

    Raises FormatError: ENCODING, NUL, and the refusals of `plain_blocks`.
    """
    data = b"".join(with_line_feeds(plain_blocks(source, max_bytes=max_bytes)))
    if data.startswith(WIDE_BOMS):
        refuse("ENCODING", "the file is UTF-16 or UTF-32: save it as UTF-8", 1)
    if data.startswith(BOM):
        data = data[len(BOM) :]
        findings.warn("BOM", "the byte order mark at the start of the file was removed", line=1)
    nul = data.find(b"\0")
    if nul >= 0:
        refuse("NUL", f"NUL at byte {nul + 1} of the file", data.count(b"\n", 0, nul) + 1)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        refuse("ENCODING", f"byte 0x{byte:02X} is not UTF-8{latin_1_hint(byte)}", line)
