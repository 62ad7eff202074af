"""The metadata that a run file begins with: YAML in comments, as ir_metadata has them."""

from __future__ import annotations

from itertools import takewhile
from typing import BinaryIO, Final

from campaigns.trec.compression import plain_blocks

START: Final = "ir_metadata.start"
END: Final = "ir_metadata.end"
MAX_BYTES: Final = 1 << 16
MAX_CHARACTERS: Final = 8_000


def read_metadata(source: BinaryIO | bytes) -> str:
    """The text between the marks, without the comment signs; "" if the file does not begin with
    the mark. A text that is longer, or has no end, is cut.

    The text is shown, and nothing depends on it: it is not parsed."""
    comments = takewhile(lambda line: line.startswith("#"), _begin(source).split("\n"))
    lines = (line.removeprefix("#").removeprefix(" ").rstrip("\r") for line in comments)
    if next(lines, "").strip() != START:
        return ""
    taken: list[str] = []
    for line in lines:
        if line.strip() == END:
            break
        taken.append("".join(c if c.isprintable() else " " for c in line))
    return "\n".join(taken)[:MAX_CHARACTERS]


def metadata_lines(source: BinaryIO | bytes) -> bytes:
    """The comments from mark to mark as they are written; none if a mark is missing."""
    taken: list[str] = []
    for line in _begin(source).split("\n"):
        text = line.removeprefix("#").strip()
        if not line.startswith("#") or (not taken and text != START):
            break
        taken.append(line)
        if text == END:
            return "\n".join([*taken, ""]).encode()
    return b""


def _begin(source: BinaryIO | bytes) -> str:
    head = b""
    for piece in plain_blocks(source):
        head += piece[:MAX_BYTES]
        if len(head) >= MAX_BYTES:
            break
    # Replaced: a character may be cut at the end, and the reader of the run reports the others.
    return head[:MAX_BYTES].decode("utf-8-sig", "replace")
