"""Lines cut into fields, and columns of fields read as words or numbers, without a loop over lines.

Numbers are cast by numpy, which reads them as `int()` and `float()` do. Those that may not be valid
are checked one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.blocks import PAD, Block, examine, unseen_name
from campaigns.trec.problems import Problem, ProblemList, shown

WORD = 8  # bytes
HASH_SIGN = ord("#")
LIKELY_COMMENTS = 1000  # checked one by one in a block: bounds the time for a file of comments
# The first k bytes of a little-endian word, for k = 0..8.
KEEP_FIRST = np.array([(1 << (8 * k)) - 1 for k in range(WORD + 1)], np.uint64)

# Possessive, so that a long field of digits is not tried twice.
DECIMAL = re.compile(rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
NON_ZERO = re.compile(rb"[1-9]")
DECIMAL_BYTES = 40  # longer numbers are read one by one
RANK_DIGITS = 8
MANY_WIDTHS = 8  # lines of this many different widths are not grouped by width
IN_DECIMALS = np.zeros(256, np.bool_)
IN_DECIMALS[list(b"0123456789.+-eE\0")] = True  # NUL pads the fields

Words = NDArray[np.uint64]
Positions = NDArray[np.intp]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Fields:
    """The fields of the lines of one block that have the right width, column by column."""

    data: NDArray[np.uint8]
    starts: Positions  # intp[columns, rows]
    ends: Positions  # intp[columns, rows]
    lines: NDArray[np.int64]  # int64[rows]: physical line numbers

    def text(self, row: int, column: int) -> bytes:
        """One field."""
        return self.data[self.starts[column, row] : self.ends[column, row]].tobytes()

    def texts(self, rows: Positions, column: int) -> list[bytes]:
        """One field of each of some rows."""
        return [self.text(row, column) for row in rows.tolist()]

    def lengths(self, column: int) -> Positions:
        """Bytes of each field of a column, intp[rows]."""
        lengths: Positions = self.ends[column] - self.starts[column]
        return lengths

    def only(self, kept: Flags | Positions) -> Fields:
        """The rows of a mask, or those of a list."""
        return Fields(self.data, self.starts[:, kept], self.ends[:, kept], self.lines[kept])

    def words(self, column: int, limit: int) -> Words:
        """The fields of a column, NUL padded: uint64[rows, words]. `limit` is in bytes. Longer
        fields are cut after the word that contains the limit."""
        starts, lengths = self.starts[column], self.lengths(column)
        width = min(int(lengths.max(initial=1)), limit)
        words = np.empty((starts.size, -(-width // WORD)), "<u8")
        # A word from each byte on: the strides overlap, and nothing is copied.
        loaded = np.ndarray((self.data.size - WORD + 1,), "<u8", self.data, 0, (1,))
        for k in range(words.shape[1]):
            # A word past the end of a short field in the last line would be outside the block.
            offsets = np.minimum(starts + WORD * k, loaded.size - 1)
            # Clipped: no byte of a field that ends before this word, and all eight of one that goes
            # on.
            masks = KEEP_FIRST.take(lengths - WORD * k, mode="clip")
            np.bitwise_and(loaded[offsets], masks, out=words[:, k])
        return words

    def padded(self, column: int, limit: int) -> NDArray[np.bytes_]:
        """The same as S{w}[rows]."""
        words = self.words(column, limit)
        return words.view(f"S{WORD * words.shape[1]}").reshape(-1)

    @cached_property
    def heads(self) -> Positions:
        """Rows that differ from the row above in field 1 or 2. If such a field is longer than 64
        bytes, all rows."""
        same = np.zeros(self.lines.size, np.bool_)
        same[1:] = True
        for column in (0, 1):
            if self.lengths(column).max(initial=0) > len(PAD):
                return np.arange(same.size)
            texts = self.padded(column, len(PAD))
            same[1:] &= texts[1:] == texts[:-1]
        return np.flatnonzero(~same)


def differs(fields: Fields, column: int, value: bytes) -> Positions:
    """The rows whose field of the column is not exactly `value`."""
    other = fields.padded(column, len(value)) != value
    return np.flatnonzero(other | (fields.lengths(column) != len(value)))


@dataclass(frozen=True)
class Decimals:
    """Values of a column, and the rows to report."""

    values: NDArray[np.float64]  # float64[rows]; 0 where `bad`
    bad: Flags  # not a finite decimal number
    underflow: Flags  # not zero as written, zero as a double


def read_integers(fields: Fields, column: int) -> tuple[NDArray[np.int64], Flags]:
    """Values of `-?` and 1 to 8 digits (0 elsewhere), and which rows are not that."""
    texts = fields.padded(column, RANK_DIGITS + 1)
    # What is less than "0" wraps around to a large number: one comparison finds digits.
    digits = texts.view(np.uint8).reshape(texts.size, -1).T - np.uint8(ord("0"))
    negative = fields.data[fields.starts[column]] == ord("-")
    numbers = np.zeros(texts.size, np.int64)
    count = np.zeros(texts.size, np.int64)
    for digit in np.ascontiguousarray(digits):
        is_digit = digit <= 9
        numbers = np.where(is_digit, 10 * numbers + digit, numbers)
        count += is_digit
    # A sign and digits must be the whole field: other bytes are in neither count.
    bad = (count + negative != fields.lengths(column)) | (count < 1) | (count > RANK_DIGITS)
    numbers[negative] *= -1
    numbers[bad] = 0
    return numbers, bad


def read_decimals(fields: Fields, column: int) -> Decimals:
    """Values of a column of decimal numbers, bit for bit those of `float()`."""
    values = _cast(fields, column)
    if values is None:
        texts = fields.texts(np.arange(fields.lines.size), column)
        values = np.array([float(t) if DECIMAL.fullmatch(t) else inf for t in texts])
    underflow = values == 0
    for row in np.flatnonzero(underflow).tolist():
        # The exponent has digits, too, which say nothing about zero.
        digits = fields.text(row, column).lower().partition(b"e")[0]
        underflow[row] = NON_ZERO.search(digits) is not None
    bad = ~np.isfinite(values)
    values[bad] = 0
    return Decimals(values, bad, underflow)


def _cast(fields: Fields, column: int) -> NDArray[np.float64] | None:
    """Values of a column; None if a field is too long to cast or not a decimal number."""
    if fields.lengths(column).max() > DECIMAL_BYTES:
        return None
    texts = fields.padded(column, DECIMAL_BYTES)
    if not IN_DECIMALS[texts.view(np.uint8)].all():
        return None
    try:
        with np.errstate(over="ignore"):  # what is too large for a double becomes infinite
            return texts.astype(np.float64)
    except ValueError:  # such as 1.2.3
        return None


def split_fields(
    block: Block,
    width: int,
    findings: ProblemList,
    *,
    hint: Callable[[list[bytes], int], str],
    record: re.Pattern[bytes],
    text_may_follow: bool = False,
) -> Fields:
    """Cut a block into lines of `width` fields; other lines become problems, comments are skipped.

    `hint(fields, line)` says what a line of another width may be. A comment that matches `record`
    causes a warning, because it may be a record. With `text_may_follow` further fields cause only a
    warning.
    """
    examine(block, findings)
    table = _LineTable(block)
    if text_may_follow:
        table.leave_out_further_fields(width, findings)
    return table.fields(width, findings, hint, record)


class _LineTable:
    """The number of fields of each line, and the lines that are comments, blank or indented."""

    def __init__(self, block: Block) -> None:
        self.block = block
        # Fields begin and end where blanks do. The pads are blank, so the edges alternate from a
        # start.
        edges = np.flatnonzero(block.is_blank[1:] != block.is_blank[:-1]) + 1
        starts, self.ends = edges[0::2], edges[1::2]
        self.starts = starts
        line_starts = block.line_starts()
        bounds = np.searchsorted(starts, np.append(line_starts, block.line_feeds[-1]))
        self.first = bounds[:-1]  # intp[lines]: index of the line's first field
        self.counts = np.diff(bounds)
        filled = np.flatnonzero(self.counts)
        self.comment = np.zeros(self.counts.size, np.bool_)
        self.comment[filled] = block.data[starts[self.first[filled]]] == HASH_SIGN
        self.late = np.zeros(self.counts.size, np.bool_)
        self.late[filled] = starts[self.first[filled]] != line_starts[filled]

    def leave_out_further_fields(self, width: int, findings: ProblemList) -> None:
        longer = (self.counts > width) & ~self.comment & ~self.block.refused
        count = int(np.count_nonzero(longer))
        if count:
            line = self.block.first_line + int(np.argmax(longer))
            message = f"text after field {width} left out on {{n}} {{line|lines}}"
            findings.warn("TEXT_AFTER", message, line=line, count=count)
            self.counts[longer] = width

    def fields(
        self,
        width: int,
        findings: ProblemList,
        hint: Callable[[list[bytes], int], str],
        record: re.Pattern[bytes],
    ) -> Fields:
        self._note_left_out(width, findings, record)
        open_lines = (self.counts > 0) & ~self.comment & ~self.block.refused
        findings.records += int(np.count_nonzero(open_lines))
        odd = open_lines & (self.counts != width)
        # Lines with equally many fields are reported together: `add_rows` may take the rest of its
        # rows for equal to the first, which holds within one width.
        counts = np.unique(self.counts[odd]).tolist()
        groups = [odd & (self.counts == count) for count in counts[:MANY_WIDTHS]]
        if len(counts) > MANY_WIDTHS:
            groups = [odd]
        for group in groups:
            self._note_same_width(np.flatnonzero(group), width, findings, hint)
        shaped = open_lines & (self.counts == width)
        self._note_unseen(shaped & self.block.unseen, findings)
        kept = np.flatnonzero(shaped & ~self.block.unseen)
        cells = self.first[kept] + np.arange(width)[:, None]
        lines = kept + self.block.first_line
        late = lines[self.late[kept]]
        if late.size:
            message = "{n} {line begins|lines begin} with white space, left out"
            findings.warn("LEADING_SPACE", message, line=int(late[0]), count=late.size)
        return Fields(self.block.data, self.starts.take(cells), self.ends.take(cells), lines)

    def _note_left_out(self, width: int, findings: ProblemList, record: re.Pattern[bytes]) -> None:
        first_line = self.block.first_line
        empty = np.flatnonzero((self.counts == 0) & ~self.block.refused)
        if findings.blanked_lines:
            empty = empty[~np.isin(empty + first_line, list(findings.blanked_lines))]
        if empty.size:
            line = first_line + int(empty[0])
            findings.warn("BLANK", "{n} blank {line|lines} left out", line=line, count=empty.size)
        comments = np.flatnonzero(self.comment & ~self.block.refused)
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

    def _note_same_width(
        self,
        indices: Positions,
        width: int,
        findings: ProblemList,
        hint: Callable[[list[bytes], int], str],
    ) -> None:
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
