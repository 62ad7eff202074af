"""Columns kept block by block and joined once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.fields import WORD, Fields, Words
from campaigns.trec.problems import Problem, ProblemList, refuse, shown

DOC_BYTES = 1024
MAX_DOC_TABLE = 256 << 20  # bytes: lines × width of the longest document id
MAX_ROWS = 20_000_000
LARGE_BYTES = 32 << 20  # from here on the C library takes every array from the system

DocIds = NDArray[np.bytes_]


class _Pile:
    """Arrays put together into large ones as they come: a large one goes back to the system as soon
    as it is let go, while small ones leave holes in memory that the process keeps."""

    def __init__(self, join: Callable[[list[NDArray[Any]]], NDArray[Any]]) -> None:
        self._join = join
        self._large: list[NDArray[Any]] = []
        self._small: list[NDArray[Any]] = []
        self._small_bytes = 0

    def push(self, block: NDArray[Any]) -> None:
        self._small.append(block)
        self._small_bytes += block.nbytes
        if self._small_bytes >= LARGE_BYTES:
            self._large.append(self._join(self._small))
            self._small_bytes = 0

    def join(self) -> NDArray[Any]:
        """All of them in one array; the pile is empty afterwards."""
        blocks = self._large + self._small
        self._large, self._small = [], []
        return blocks.pop() if len(blocks) == 1 else self._join(blocks)


class ColumnStack:
    """Blocks of one column."""

    def __init__(self, dtype: type[Any]) -> None:
        self._pile = _Pile(self._joined)
        self._dtype = dtype

    def push(self, block: NDArray[Any]) -> None:
        """Keep a block."""
        self._pile.push(block.astype(self._dtype, copy=False))

    def join(self) -> NDArray[Any]:
        """All rows in one array; the stack is empty afterwards."""
        return self._pile.join()

    def _joined(self, blocks: list[NDArray[Any]]) -> NDArray[Any]:
        joined = np.empty(sum(block.size for block in blocks), self._dtype)
        for rows, block in _let_go(blocks):
            joined[rows] = block
        return joined


class DocColumn:
    """The document ids of a file, as words of eight bytes."""

    def __init__(self) -> None:
        self._pile = _Pile(_words_joined)
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


def _words_joined(blocks: list[Words]) -> Words:
    """Ids of any width, padded to the widest."""
    width = max((block.shape[1] for block in blocks), default=1)
    joined = np.zeros((sum(map(len, blocks)), width), "<u8")
    for rows, block in _let_go(blocks):
        joined[rows, : block.shape[1]] = block
    return joined


def _let_go(blocks: list[NDArray[Any]]) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Each block and the rows that it takes; it leaves the list, which is empty in the end."""
    blocks.reverse()
    begin = 0
    while blocks:
        block = blocks.pop()
        yield slice(begin, begin + len(block)), block
        begin += len(block)


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
