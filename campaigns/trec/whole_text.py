"""A small file as one text: for formats whose records are not lines."""

from __future__ import annotations

from typing import BinaryIO

from campaigns.trec.blocks import BOM, WIDE_BOMS
from campaigns.trec.compression import plain_blocks
from campaigns.trec.problems import ProblemList, refuse


def read_text(source: BinaryIO | bytes, findings: ProblemList, *, max_bytes: int) -> str:
    """The whole content, plain or gzipped, of a UTF-8 file; a byte order mark is removed.

    Raises FormatError: ENCODING, NUL, and the refusals of `plain_blocks`.
    """
    data = b"".join(plain_blocks(source, max_bytes=max_bytes))
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
        refuse("ENCODING", f"byte 0x{data[error.start]:02X} is not UTF-8", line)
