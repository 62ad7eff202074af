"""Lines cut into fields without a loop: one mask of blanks gives every field's begin and end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.blocks import PAD, Block, unseen_name
from campaigns.trec.problems import Findings, Problem, shown

WORD = 8  # bytes
HASH_SIGN = ord("#")
LIKELY_COMMENTS = 1000  # looked at one by one in a block, so that a file of comments stays quick
# The first k bytes of a little-endian word, for k = 0..8.
KEEP_FIRST = np.array([(1 << (8 * k)) - 1 for k in range(WORD + 1)], np.uint64)

Words = NDArray[np.uint64]
Positions = NDArray[np.intp]


@dataclass(frozen=True)
class Fields:
    """The fields of the well-shaped lines of one block, column by column."""

    data: NDArray[np.uint8]
    starts: Positions  # intp[columns, rows]
    ends: Positions  # intp[columns, rows]
    lines: NDArray[np.int64]  # int64[rows]: physical line numbers

    def text(self, row: int, column: int) -> bytes:
        """One field."""
        return self.data[self.starts[column, row] : self.ends[column, row]].tobytes()

    def texts(self, rows: Positions, column: int) -> list[bytes]:
        """One field of each of some rows."""
        data = self.data.tobytes()
        starts, ends = self.starts[column, rows].tolist(), self.ends[column, rows].tolist()
        return [data[start:end] for start, end in zip(starts, ends, strict=True)]

    def lengths(self, column: int) -> Positions:
        """Bytes of each field of a column, intp[rows]."""
        lengths: Positions = self.ends[column] - self.starts[column]
        return lengths

    def only(self, kept: NDArray[np.bool_]) -> Fields:
        """The rows of a mask."""
        return Fields(self.data, self.starts[:, kept], self.ends[:, kept], self.lines[kept])


def words_at(data: NDArray[np.uint8]) -> Words:
    """A view that reads eight bytes, little-endian, at any offset of `data`."""
    return np.ndarray((data.size - WORD + 1,), "<u8", data, 0, (1,))


def column_words(fields: Fields, column: int, count: int) -> Words:
    """The first `count` words of a column, NUL padded: uint64[rows, count]."""
    view = words_at(fields.data)
    starts, lengths = fields.starts[column], fields.lengths(column)
    words = np.empty((starts.size, count), "<u8")
    for k in range(count):
        # A short field's later words may lie beyond the pad; the mask empties them anyway.
        offsets = starts + WORD * k if k < 7 else np.minimum(starts + WORD * k, view.size - 1)
        masks = KEEP_FIRST.take(lengths - WORD * k, mode="clip")
        np.bitwise_and(view[offsets], masks, out=words[:, k])
    return words


def column_is(fields: Fields, column: int, value: bytes) -> NDArray[np.bool_]:
    """True where a field of the column is exactly `value`, of at most 64 bytes (bool[rows])."""
    view = words_at(fields.data)
    starts = fields.starts[column]
    same: NDArray[np.bool_] = fields.lengths(column) == len(value)
    for begin in range(0, len(value), WORD):
        part = value[begin : begin + WORD]
        wanted = np.uint64(int.from_bytes(part, "little"))
        words = view[starts + begin]
        if len(part) < WORD:
            words &= KEEP_FIRST[len(part)]
        same &= words == wanted
    return same


def split_fields(
    block: Block,
    width: int,
    findings: Findings,
    *,
    hint: Callable[[list[bytes], int], str],
    record: re.Pattern[bytes],
) -> Fields:
    """Cut a block into lines of `width` fields; other lines become problems, comments are skipped.

    `hint(fields, line)` says what a line of another width may be. A comment that matches `record`
    earns a warning: the line would have been a record.
    """
    table = None
    if block.refused is None and block.unseen is None:
        table = _tight_fields(block, width)
    if table is not None:
        return table
    return _LineTable(block).fields(width, findings, hint, record)


def _tight_fields(block: Block, width: int) -> Fields | None:
    """The common case: one blank behind each field, no blank lines, no comments."""
    ends = np.flatnonzero(block.is_blank[len(PAD) : -len(PAD)])
    if ends.size != width * block.line_feeds.size:
        return None
    ends += len(PAD)
    starts = np.empty_like(ends)
    starts[0] = len(PAD)
    np.add(ends[:-1], 1, out=starts[1:])
    if (starts == ends).any() or (ends[width - 1 :: width] != block.line_feeds).any():
        return None
    table = Fields(
        block.data,
        np.ascontiguousarray(starts.reshape(-1, width).T),
        np.ascontiguousarray(ends.reshape(-1, width).T),
        np.arange(block.first_line, block.first_line + block.line_feeds.size),
    )
    return None if (block.data[table.starts[0]] == HASH_SIGN).any() else table


def _warn_leading(is_late: NDArray[np.bool_], lines: NDArray[np.int64], findings: Findings) -> None:
    count = int(np.count_nonzero(is_late))
    if count:
        line = int(lines[np.argmax(is_late)])
        message = "{n} lines begin with white space, left out"
        findings.warn("LEADING_SPACE", message, line=line, count=count)


class _LineTable:
    """The careful way: how many fields each line has, and what the odd ones are."""

    def __init__(self, block: Block) -> None:
        self.block = block
        edges = np.flatnonzero(block.is_blank[1:] != block.is_blank[:-1]) + 1
        starts, self.ends = edges[0::2], edges[1::2]
        self.starts = starts
        line_starts = block.line_starts()
        bounds = np.searchsorted(starts, np.append(line_starts, block.line_feeds[-1]))
        self.first = bounds[:-1]  # intp[lines]: index of the line's first field
        self.counts = np.diff(bounds)
        self.refused = _mask(block.refused, self.counts.size)
        self.unseen = _mask(block.unseen, self.counts.size)
        filled = np.flatnonzero(self.counts)
        self.comment = np.zeros(self.counts.size, np.bool_)
        self.comment[filled] = block.data[starts[self.first[filled]]] == HASH_SIGN
        self.late = np.zeros(self.counts.size, np.bool_)
        self.late[filled] = starts[self.first[filled]] != line_starts[filled]

    def fields(
        self,
        width: int,
        findings: Findings,
        hint: Callable[[list[bytes], int], str],
        record: re.Pattern[bytes],
    ) -> Fields:
        self._note_left_out(width, findings, record)
        open_lines = (self.counts > 0) & ~self.comment & ~self.refused
        self._note_width(open_lines & (self.counts != width), width, findings, hint)
        shaped = open_lines & (self.counts == width)
        self._note_unseen(shaped & self.unseen, findings)
        kept = np.flatnonzero(shaped & ~self.unseen)
        cells = self.first[kept] + np.arange(width)[:, None]
        lines = kept + self.block.first_line
        _warn_leading(self.late[kept], lines, findings)
        return Fields(self.block.data, self.starts[cells], self.ends[cells], lines)

    def _note_left_out(self, width: int, findings: Findings, record: re.Pattern[bytes]) -> None:
        first_line = self.block.first_line
        empty = np.flatnonzero((self.counts == 0) & ~self.refused)
        if empty.size:
            line = first_line + int(empty[0])
            findings.warn("BLANK", "{n} blank lines left out", line=line, count=empty.size)
        comments = np.flatnonzero(self.comment & ~self.refused)
        if not comments.size:
            return
        line = first_line + int(comments[0])
        message = "{n} lines beginning with # left out as comments"
        findings.warn("COMMENT", message, line=line, count=comments.size)
        likely = comments[self.counts[comments] == width][:LIKELY_COMMENTS]
        for index in likely.tolist():
            text = self.block.line_text(index)
            if record.fullmatch(text.strip()):
                message = "the line begins with # and reads like a record: it is a comment"
                findings.warn("COMMENTED_RECORD", message, line=first_line + index, value=text)
                break

    def _note_width(
        self,
        odd: NDArray[np.bool_],
        width: int,
        findings: Findings,
        hint: Callable[[list[bytes], int], str],
    ) -> None:
        indices = np.flatnonzero(odd)

        def describe(k: int) -> Problem:
            index = int(indices[k])
            line = self.block.first_line + index
            text = self.block.line_text(index)
            parts = text.split()
            unseen = unseen_name(text)
            clue = f"the line holds {unseen}" if unseen else hint(parts, line)
            count = f"{len(parts)} field{'s' if len(parts) != 1 else ''}"
            message = f"{count}, {width} expected" + (f": {clue}" if clue else "")
            return Problem("FIELDS", line, message, None, shown(text))

        findings.add_rows(range(indices.size), indices.size, describe)

    def _note_unseen(self, odd: NDArray[np.bool_], findings: Findings) -> None:
        indices = np.flatnonzero(odd)

        def describe(k: int) -> Problem:
            index = int(indices[k])
            parts = self.block.line_text(index).split()
            field, part = next((n, part) for n, part in enumerate(parts, 1) if unseen_name(part))
            message = f"the field holds {unseen_name(part)}"
            line = self.block.first_line + index
            return Problem("INVISIBLE", line, message, field, shown(part))

        findings.add_rows(range(indices.size), indices.size, describe)


def _mask(flags: NDArray[np.bool_] | None, size: int) -> NDArray[np.bool_]:
    return np.zeros(size, np.bool_) if flags is None else flags
