"""Lines cut into fields without a loop: one mask of blanks gives every field's begin and end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.blocks import LF, LINE_BYTES, PAD, Block, unseen_name
from campaigns.trec.problems import Problem, ProblemList, shown

WORD = 8  # bytes
HASH_SIGN = ord("#")
LIKELY_COMMENTS = 1000  # looked at one by one in a block, so that a file of comments stays quick
# The first k bytes of a little-endian word, for k = 0..8.
KEEP_FIRST = np.array([(1 << (8 * k)) - 1 for k in range(WORD + 1)], np.uint64)
NONE = np.uint64(0)
KEEP_LAST = ~KEEP_FIRST[::-1]  # its last k bytes

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
        starts, ends = self.starts[column, rows].tolist(), self.ends[column, rows].tolist()
        data = self.data.data
        return [bytes(data[start:end]) for start, end in zip(starts, ends, strict=True)]

    def lengths(self, column: int) -> Positions:
        """Bytes of each field of a column, intp[rows]."""
        lengths: Positions = self.ends[column] - self.starts[column]
        return lengths

    def only(self, kept: NDArray[np.bool_] | Positions) -> Fields:
        """The rows of a mask, or those of a list."""
        return Fields(self.data, self.starts[:, kept], self.ends[:, kept], self.lines[kept])

    @cached_property
    def heads(self) -> Positions:
        """Rows that differ from the row above in field 1 or 2 (or in the blank between them).

        Few, where a file goes by topics; all of them, where field 2 is absurdly long.
        """
        lengths = self.ends[1] - self.starts[0]
        longest = int(lengths.max(initial=0))
        if longest > len(PAD):
            return np.arange(lengths.size)
        words = words_before(self.data, self.ends[1], lengths, -(-longest // WORD))
        is_head = np.ones(lengths.size, np.bool_)
        np.not_equal(lengths[1:], lengths[:-1], out=is_head[1:])
        for word in words:
            is_head[1:] |= word[1:] != word[:-1]
        return np.flatnonzero(is_head)


def words_at(data: NDArray[np.uint8], offsets: Positions, count: int) -> Words:
    """`count` words of eight bytes, little-endian, from each offset: uint64[rows, count].

    One gather, which costs the same for 8 bytes and for 64.
    """
    width = WORD * count
    windows = np.ndarray((data.size - width + 1,), f"V{width}", data, 0, (1,))
    return windows[offsets].view("<u8").reshape(offsets.size, count)


def words_before(
    data: NDArray[np.uint8],
    ends: Positions,
    lengths: Positions,
    count: int,
    *,
    flip: np.uint64 = NONE,
) -> list[Words]:
    """The last `count` words (at most 8) before each end, word by word, each uint64[rows].

    The bits of `flip` are turned over; what lies before the last `lengths` bytes is NUL.
    """
    return last_words(words_at(data, ends - WORD * count, count), lengths, flip=flip)


def last_words(table: Words, lengths: Positions, *, flip: np.uint64 = NONE) -> list[Words]:
    """The same for text that is loaded: `table` is uint64[rows, words], up to each end."""
    count = table.shape[1]
    words = []
    for k in range(count):
        word = table[:, k] ^ flip
        word &= KEEP_LAST.take(lengths - WORD * (count - 1 - k), mode="clip")
        words.append(word)
    return words


def column_words(fields: Fields, column: int, count: int) -> Words:
    """The first `count` words of a column, NUL padded: uint64[rows, count]."""
    starts, lengths = fields.starts[column], fields.lengths(column)
    if WORD * count > len(PAD):
        return _long_column_words(fields.data, starts, lengths, count)
    words = words_at(fields.data, starts, count)
    shortest = int(lengths.min(initial=len(PAD)))
    for k in range(shortest // WORD, count):
        words[:, k] &= KEEP_FIRST.take(lengths - WORD * k, mode="clip")
    return words


def _long_column_words(
    data: NDArray[np.uint8], starts: Positions, lengths: Positions, count: int
) -> Words:
    """As `column_words`: a short field's later words may lie beyond the pad, masks empty them."""
    words = np.empty((starts.size, count), "<u8")
    last = data.size - WORD
    for k in range(count):
        offsets = np.minimum(starts + WORD * k, last)
        masks = KEEP_FIRST.take(lengths - WORD * k, mode="clip")
        np.bitwise_and(words_at(data, offsets, 1)[:, 0], masks, out=words[:, k])
    return words


def column_is_not(fields: Fields, column: int, value: bytes) -> Positions:
    """The rows whose field of the column is not exactly `value`, of 1 to 64 bytes."""
    other = fields.lengths(column) != len(value)
    count = -(-len(value) // WORD)
    words = words_at(fields.data, fields.starts[column], count)
    for k in range(count):
        part = value[WORD * k : WORD * (k + 1)]
        word = words[:, k] ^ np.uint64(int.from_bytes(part, "little"))
        if len(part) < WORD:
            word &= KEEP_FIRST[len(part)]
        other |= word != 0
    return np.flatnonzero(other)


def split_fields(
    block: Block,
    width: int,
    findings: ProblemList,
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
    block.refuse_long_line()
    return _LineTable(block).fields(width, findings, hint, record)


def _tight_fields(block: Block, width: int) -> Fields | None:
    """The common case: one blank behind each field, no blank lines, no comments."""
    # The pad's last blank stands for the end of the line before the first.
    blanks = np.flatnonzero(block.is_blank[: -len(PAD)])[len(PAD) - 1 :]
    if blanks.size != width * block.line_count + 1:
        return None
    ends = np.ascontiguousarray(blanks[1:].reshape(-1, width).T)
    starts = np.empty_like(ends)
    np.add(blanks[:-1:width], 1, out=starts[0])
    np.add(ends[:-1], 1, out=starts[1:])
    is_shaped = (
        (starts < ends).all()
        and (block.data[ends[-1]] == LF).all()
        and int((ends[-1] - starts[0]).max()) <= LINE_BYTES
        and not (block.data[starts[0]] == HASH_SIGN).any()
    )
    if not is_shaped:
        return None
    lines = np.arange(block.first_line, block.first_line + block.line_count)
    return Fields(block.data, starts, ends, lines)


def _warn_leading(
    is_late: NDArray[np.bool_], lines: NDArray[np.int64], findings: ProblemList
) -> None:
    count = int(np.count_nonzero(is_late))
    if count:
        line = int(lines[np.argmax(is_late)])
        message = "{n} {line begins|lines begin} with white space, left out"
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
        findings: ProblemList,
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

    def _note_left_out(self, width: int, findings: ProblemList, record: re.Pattern[bytes]) -> None:
        first_line = self.block.first_line
        empty = np.flatnonzero((self.counts == 0) & ~self.refused)
        if empty.size:
            line = first_line + int(empty[0])
            findings.warn("BLANK", "{n} blank {line|lines} left out", line=line, count=empty.size)
        comments = np.flatnonzero(self.comment & ~self.refused)
        if not comments.size:
            return
        line = first_line + int(comments[0])
        message = "{n} {line|lines} beginning with # left out as {a comment|comments}"
        findings.warn("COMMENT", message, line=line, count=comments.size)
        likely = comments[self.counts[comments] == width][:LIKELY_COMMENTS]
        for index in likely.tolist():
            text = self.block.line_text(index)
            if record.fullmatch(text.strip()):
                message = "the line looks like a record, but it begins with # and is a comment"
                findings.warn("COMMENTED_RECORD", message, line=first_line + index, value=text)
                break

    def _note_width(
        self,
        odd: NDArray[np.bool_],
        width: int,
        findings: ProblemList,
        hint: Callable[[list[bytes], int], str],
    ) -> None:
        indices = np.flatnonzero(odd)

        def describe(k: int) -> Problem:
            index = int(indices[k])
            line = self.block.first_line + index
            text = self.block.line_text(index)
            parts = text.split()
            unseen = unseen_name(text)
            clue = f"the line contains {unseen}" if unseen else hint(parts, line)
            count = f"{len(parts)} field{'s' if len(parts) != 1 else ''}"
            message = f"{count}, {width} expected" + (f": {clue}" if clue else "")
            return Problem("FIELDS", line, message, None, shown(text))

        findings.add_rows(range(indices.size), indices.size, describe)

    def _note_unseen(self, odd: NDArray[np.bool_], findings: ProblemList) -> None:
        indices = np.flatnonzero(odd)

        def describe(k: int) -> Problem:
            index = int(indices[k])
            parts = self.block.line_text(index).split()
            field, part = next((n, part) for n, part in enumerate(parts, 1) if unseen_name(part))
            message = f"the field contains {unseen_name(part)}"
            line = self.block.first_line + index
            return Problem("INVISIBLE", line, message, field, shown(part))

        findings.add_rows(range(indices.size), indices.size, describe)


def _mask(flags: NDArray[np.bool_] | None, size: int) -> NDArray[np.bool_]:
    return np.zeros(size, np.bool_) if flags is None else flags
