"""Columns kept block by block and joined once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.fields import WORD, Fields, Words, column_words
from campaigns.trec.problems import Findings, Problem, refuse, shown

DOC_BYTES = 1024
MAX_DOC_TABLE = 512 << 20  # bytes: lines × width of the longest document id
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

    def __init__(self, findings: Findings, column: int) -> None:
        self._findings = findings
        self._column = column
        self._blocks: list[Words] = []
        self._rows = 0
        self._width = 1  # words

    def push(self, fields: Fields) -> None:
        """Keep the ids of a block; refuse a table that memory should not hold."""
        lengths = fields.lengths(self._column)
        longest = int(lengths.max(initial=1))
        if longest > DOC_BYTES:
            self._note_long(fields)
        width = -(-min(longest, DOC_BYTES) // WORD)
        self._rows += lengths.size
        self._width = max(self._width, width)
        if self._rows > MAX_ROWS:
            refuse("TOO_MANY", f"more than {MAX_ROWS:,} lines", int(fields.lines[-1]))
        if self._rows * self._width * WORD > MAX_DOC_TABLE:
            message = (
                f"{self._rows:,} lines with document ids of up to {self._width * WORD:,} bytes "
                f"need more than {MAX_DOC_TABLE >> 20} MiB"
            )
            refuse("TOO_BIG", message, int(fields.lines[-1]))
        self._blocks.append(column_words(fields, self._column, width))

    def _note_long(self, fields: Fields) -> None:
        rows = np.flatnonzero(fields.lengths(self._column) > DOC_BYTES)

        def describe(k: int) -> Problem:
            row = int(rows[k])
            text = fields.text(row, self._column)
            message = f"document id of {len(text):,} bytes, at most {DOC_BYTES:,} allowed"
            line = int(fields.lines[row])
            return Problem("LINE_TOO_LONG", line, message, self._column + 1, shown(text))

        self._findings.add_rows(range(rows.size), rows.size, describe)

    def join(self) -> DocIds:
        """All ids, S{w}[rows], NUL padded, w a multiple of 8."""
        joined = np.zeros((self._rows, self._width), "<u8")
        self._blocks.reverse()
        begin = 0
        while self._blocks:
            block = self._blocks.pop()
            joined[begin : begin + len(block), : block.shape[1]] = block
            begin += len(block)
        return joined.view(f"S{WORD * self._width}").reshape(-1)
