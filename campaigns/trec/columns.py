"""Columns kept block by block and joined once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.fields import WORD, Fields, Words, column_words
from campaigns.trec.problems import Findings, Problem, refuse, shown

DOC_BYTES = 1024
MAX_DOC_TABLE = 256 << 20  # bytes: lines × width of the longest document id
MAX_ROWS = 20_000_000

DocIds = NDArray[np.bytes_]


class Stack:
    """Blocks of one column; each is let go as soon as it is copied."""

    def __init__(self, dtype: type[Any]) -> None:
        self._blocks: list[NDArray[Any]] = []
        self._dtype = dtype

    def push(self, block: NDArray[Any]) -> None:
        """Keep a block."""
        self._blocks.append(block.astype(self._dtype, copy=False))

    def join(self) -> NDArray[Any]:
        """All rows in one array; the stack is empty afterwards."""
        if len(self._blocks) == 1:
            return self._blocks.pop()
        joined = np.empty(sum(block.size for block in self._blocks), self._dtype)
        self._blocks.reverse()
        begin = 0
        while self._blocks:
            block = self._blocks.pop()
            joined[begin : begin + block.size] = block
            begin += block.size
        return joined


class DocColumn:
    """The document ids of a file, as words of eight bytes."""

    def __init__(self) -> None:
        self._blocks: list[Words] = []
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
        self._blocks.append(words)

    def join(self) -> DocIds:
        """All ids, S{w}[rows], NUL padded, w a multiple of 8."""
        joined = self._blocks.pop() if len(self._blocks) == 1 else self._joined()
        return joined.view(f"S{WORD * self._width}").reshape(-1)

    def _joined(self) -> Words:
        joined = np.zeros((self._rows, self._width), "<u8")
        self._blocks.reverse()
        begin = 0
        while self._blocks:
            block = self._blocks.pop()
            joined[begin : begin + len(block), : block.shape[1]] = block
            begin += len(block)
        return joined


def doc_words(fields: Fields, column: int, findings: Findings) -> Words:
    """The document ids of a block, uint64[rows, words], NUL padded; too long ones are noted."""
    lengths = fields.lengths(column)
    longest = int(lengths.max(initial=1))
    if longest > DOC_BYTES:
        _note_long(fields, column, findings)
    return column_words(fields, column, -(-min(longest, DOC_BYTES) // WORD))


def _note_long(fields: Fields, column: int, findings: Findings) -> None:
    rows = np.flatnonzero(fields.lengths(column) > DOC_BYTES)

    def describe(k: int) -> Problem:
        row = int(rows[k])
        text = fields.text(row, column)
        message = f"document id of {len(text):,} bytes, at most {DOC_BYTES:,} allowed"
        return Problem("LINE_TOO_LONG", int(fields.lines[row]), message, column + 1, shown(text))

    findings.add_rows(range(rows.size), rows.size, describe)
