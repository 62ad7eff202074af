"""Columns kept block by block and joined once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from campaigns.trec.fields import WORD, Fields, Words
from campaigns.trec.problems import Problem, ProblemList, refuse, shown

DOC_BYTES = 1024
MAX_DOC_TABLE = 256 << 20  # bytes: lines × width of the longest document id
MAX_ROWS = 20_000_000
LARGE_BYTES = 32 << 20  # from here on the C library takes every array from the system
SHORT_BYTES = 4 << 20  # of a column that is kept as its blocks

DocIds = NDArray[np.bytes_]


class _Pile:
    """Blocks of rows, copied into large arrays as they come. A large array is taken from the system
    and goes back to it, while blocks that are kept leave holes in memory between them. A short file
    has a block or two: these are kept as they are."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._full: list[NDArray[Any]] = []
        self._short: list[NDArray[Any]] = []
        self._short_bytes = 0
        self._large: NDArray[Any] | None = None
        self._used = 0  # rows of the large one

    def push(self, block: NDArray[Any]) -> None:
        """Keep a block [rows, width]."""
        self._short.append(block)
        self._short_bytes += block.nbytes
        if self._large is None and self._short_bytes < SHORT_BYTES:
            return
        for each in self._short:
            self._copy(each)
        self._short = []

    def _copy(self, block: NDArray[Any]) -> None:
        rows, width = block.shape
        large = self._large
        if large is None or self._used + rows > len(large) or width > large.shape[1]:
            self._close()
            least = LARGE_BYTES // (width * self._dtype.itemsize)
            large = self._large = np.zeros((max(rows, least), width), self._dtype)
        large[self._used : self._used + rows, :width] = block
        self._used += rows

    def _close(self) -> None:
        if self._large is not None:
            self._full.append(self._large[: self._used])
        self._large, self._used = None, 0

    def join(self) -> NDArray[Any]:
        """All of them in one array, padded with zeros to the widest. The pile is empty
        afterwards, and each block is let go when it is copied."""
        self._close()
        blocks = self._full + self._short
        self._full, self._short = [], []
        if len(blocks) == 1:
            return blocks[0]
        width = max((block.shape[1] for block in blocks), default=1)
        joined = np.zeros((sum(map(len, blocks)), width), self._dtype)
        blocks.reverse()
        begin = 0
        while blocks:
            block = blocks.pop()
            joined[begin : begin + len(block), : block.shape[1]] = block
            begin += len(block)
        return joined


class ColumnStack:
    """Blocks of one column."""

    def __init__(self, dtype: type[Any]) -> None:
        self._pile = _Pile(dtype)
        self._dtype = dtype

    def push(self, block: NDArray[Any]) -> None:
        """Keep a block."""
        self._pile.push(block.astype(self._dtype, copy=False).reshape(-1, 1))

    def join(self) -> NDArray[Any]:
        """All rows in one array; the stack is empty afterwards."""
        return self._pile.join().reshape(-1)


class DocColumn:
    """The document ids of a file, as words of eight bytes."""

    def __init__(self) -> None:
        self._pile = _Pile("<u8")
        self._rows = 0
        self._width = 1  # words

    def push(self, words: Words, lines: NDArray[np.int64]) -> None:
        """Keep the ids of a block; refuse a table that memory should not hold."""
        self._rows += len(words)
        self._width = max(self._width, words.shape[1])
        if self._rows > MAX_ROWS:
            refuse("TOO_MANY", f"more than {MAX_ROWS:,} lines", int(lines[-1]))
        if self._rows * self._width * WORD > MAX_DOC_TABLE:
            message = (
                f"{self._rows:,} lines with document ids of up to {self._width * WORD:,} bytes "
                f"need more than {MAX_DOC_TABLE >> 20} MiB"
            )
            refuse("TOO_BIG", message, int(lines[-1]))
        self._pile.push(words)

    def join(self) -> DocIds:
        """All ids, S{w}[rows], NUL padded, w a multiple of 8."""
        joined = self._pile.join()
        return joined.view(f"S{WORD * self._width}").reshape(-1)


def doc_words(fields: Fields, column: int, findings: ProblemList) -> Words:
    """The document ids of a block, uint64[rows, words], NUL padded; too long ones are noted."""
    _note_long(fields, column, findings)
    return fields.words(column, DOC_BYTES)


def _note_long(fields: Fields, column: int, findings: ProblemList) -> None:
    rows = np.flatnonzero(fields.lengths(column) > DOC_BYTES)

    def describe(k: int) -> Problem:
        row = int(rows[k])
        text = fields.text(row, column)
        message = f"document id of {len(text):,} bytes, at most {DOC_BYTES:,} allowed"
        return Problem("LINE_TOO_LONG", int(fields.lines[row]), message, column + 1, shown(text))

    findings.add_rows(range(rows.size), rows.size, describe)
