"""The lines of a file of documents, one after the other, in the memory of a few of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from campaigns.trec.blocks import BOM, WIDE_BOMS
from campaigns.trec.compression import plain_blocks
from campaigns.trec.problems import Problem, ProblemList, refuse

LINE_BYTES = 4 << 20  # a document in JSON is one line


def text_lines(
    source: BinaryIO | bytes, findings: ProblemList, *, max_bytes: int, max_seconds: float | None
) -> Iterator[tuple[int, str]]:
    """Line numbers from 1, and lines without their ends. One that is not UTF-8 is a problem."""
    for number, line in enumerate(_byte_lines(source, max_bytes, max_seconds), 1):
        if number == 1:
            line = _without_mark(line)
        try:
            yield number, line.decode()
        except UnicodeDecodeError as error:
            message = f"byte 0x{line[error.start]:02X} is not UTF-8"
            findings.add(Problem("ENCODING", number, message))


def _byte_lines(
    source: BinaryIO | bytes, max_bytes: int, max_seconds: float | None
) -> Iterator[bytes]:
    number, kept, size = 0, list[bytes](), 0
    for block in plain_blocks(source, max_bytes=max_bytes, max_seconds=max_seconds):
        *whole, rest = block.split(b"\n")
        for line in whole:
            number += 1
            yield (b"".join(kept) + line).removesuffix(b"\r")
            kept, size = [], 0
        kept.append(rest)
        size += len(rest)
        if size > LINE_BYTES:
            message = f"the line is longer than {LINE_BYTES:,} bytes"
            refuse("LINE_TOO_LONG", message, number + 1)
    if last := b"".join(kept):
        yield last.removesuffix(b"\r")


def _without_mark(line: bytes) -> bytes:
    if line.startswith(WIDE_BOMS):
        refuse("ENCODING", "the file is UTF-16 or UTF-32: save it as UTF-8", 1)
    return line.removeprefix(BOM)
