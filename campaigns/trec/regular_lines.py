"""Runs as programs write them, read with few looks at each line.

`topic Q0 document rank score tag`, one space or tab between, plain ASCII, the same tag throughout.
Only the line ends are searched for in the whole text: the tag before them is known, and the blanks
behind topic, document and rank are found in words of eight bytes loaded at their begins. A block
with anything else in it is left to `fields`, which finds out what is wrong, if anything is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.blocks import DEL, LINE_BYTES, PAD, SPACE, TAB, Block
from campaigns.trec.decimals import ASCII_ZEROS, decimals_between, joined, odd_bytes
from campaigns.trec.fields import KEEP_FIRST, WORD, Positions, Words, words_at
from campaigns.trec.records import Rows

MAX_WORDS = 4  # of topic and Q0, and of a document id; longer ones are read the general way
FIRST_LINE = re.compile(rb"([^\s#]\S*[ \t]Q0[ \t])(\S+)[ \t]\d+[ \t]\S+([ \t](\S+)\n)")
HEAD = re.compile(rb"([^\s#]\S*)[ \t]Q0[ \t]")

HIGH_BITS = np.uint64(0x8080808080808080)
ABOVE_SPACE = np.uint64(0x2121212121212121)
ONE = np.uint64(1)
WHOLE_WORD = np.uint64(64)


@dataclass(frozen=True)
class RegularRows:
    """What the lines of a block say."""

    rows: Rows
    tag: bytes
    ranks: NDArray[np.int64]
    scores: NDArray[np.float64]


def read_regular(block: Block) -> RegularRows | None:
    """The lines of the block; None where they are not regular throughout."""
    first = FIRST_LINE.fullmatch(block.line_text(0) + b"\n")
    if first is None or int(block.data.max()) >= DEL:
        return None
    head, doc, end, tag = first.groups()
    data, starts = block.data, block.line_starts()
    if int((block.line_feeds - starts).max()) > LINE_BYTES or not _all_end_with(block, end):
        return None
    heads, begins = _heads(data, starts, len(head))
    topics = [HEAD.fullmatch(text) for text in _texts(data, starts, begins, heads)]
    docs = _documents(data, begins, len(doc) // WORD + 1)
    if docs is None or not all(topics):
        return None
    words, doc_ends = docs
    ranks, rank_ends = _ranks(data, doc_ends + 1)
    score_ends = block.line_feeds - (len(end) - 1)
    if rank_ends is None or not (rank_ends < score_ends - 1).all():
        return None
    scores = decimals_between(data, rank_ends + 1, score_ends)
    if scores.bad.any() or scores.underflow.any():
        return None
    lines = np.arange(block.first_line, block.first_line + block.line_count)
    rows = Rows(lines, heads, [topic[1] for topic in topics if topic], words)
    return RegularRows(rows, tag, ranks, scores.values)


def _all_end_with(block: Block, end: bytes) -> bool:
    """Whether every line ends so; `end` holds its LF."""
    count = -(-len(end) // WORD)
    if WORD * count > len(PAD):
        return False
    words = words_at(block.data, block.line_feeds + 1 - WORD * count, count)
    wanted = np.frombuffer(end.rjust(WORD * count, b"\0"), "<u8")
    masks = np.frombuffer((b"\xff" * len(end)).rjust(WORD * count, b"\0"), "<u8")
    different = np.zeros(len(words), np.uint64)
    for k in range(count):
        different |= (words[:, k] ^ wanted[k]) & masks[k]
    return not different.any()


def _blanks(word: Words) -> Words:
    """The high bit of every byte, below 0x80, that is a blank or a control."""
    blanks = (word | HIGH_BITS) - ABOVE_SPACE
    np.invert(blanks, out=blanks)
    blanks &= HIGH_BITS
    return blanks


def _bytes_before(marks: Words) -> NDArray[np.uint8]:
    """How many bytes stand before the first that has its high bit set; 8 where none has."""
    before: NDArray[np.uint8] = np.bitwise_count((marks - ONE) & ~marks)
    before >>= np.uint8(3)
    return before


def _field_lengths(words: list[Words]) -> NDArray[np.uint8]:
    """Where the first blank is; the bytes in all words where there is none."""
    lengths = _bytes_before(_blanks(words[0]))
    for k, word in enumerate(words[1:], start=1):
        lengths += (lengths == WORD * k) * _bytes_before(_blanks(word))
    return lengths


def _head_lengths(words: list[Words]) -> NDArray[np.uint8]:
    """Behind the second blank; one more than the bytes in all words where there is no second."""
    seen = np.zeros(words[0].size, np.uint8)  # blanks
    lengths = np.full(words[0].size, WORD * len(words) + 1, np.uint8)
    for k, word in enumerate(words):
        marks = _blanks(word)
        second = np.where(seen == 0, marks & (marks - ONE), marks)
        here = (second != 0) & (seen < 2)
        np.copyto(lengths, _bytes_before(second) + np.uint8(WORD * k + 1), where=here)
        seen += (marks != 0) + here.view(np.uint8)
    return lengths


def _columns(data: NDArray[np.uint8], starts: Positions, count: int) -> list[Words]:
    table = words_at(data, starts, count)
    return [np.ascontiguousarray(table[:, k]) for k in range(count)]


def _heads(data: NDArray[np.uint8], starts: Positions, likely: int) -> tuple[Positions, Positions]:
    """The lines whose topic or second field is not that of the line before, and where the document
    of every line begins: wrong where a head is longer than `likely` says, which shows later."""
    count = min(-(-(likely + 2) // WORD), MAX_WORDS)
    words = _columns(data, starts, count)
    lengths = _head_lengths(words).astype(np.intp)
    is_head = np.ones(starts.size, np.bool_)
    np.not_equal(lengths[1:], lengths[:-1], out=is_head[1:])
    for k, word in enumerate(words):
        word &= KEEP_FIRST.take(lengths - WORD * k, mode="clip")
        is_head[1:] |= word[1:] != word[:-1]
    return np.flatnonzero(is_head), starts + lengths


def _texts(
    data: NDArray[np.uint8], starts: Positions, ends: Positions, rows: Positions
) -> list[bytes]:
    text = data.data
    bounds = zip(starts[rows].tolist(), ends[rows].tolist(), strict=True)
    return [bytes(text[start:end]) for start, end in bounds]


def _documents(
    data: NDArray[np.uint8], starts: Positions, count: int
) -> tuple[Words, Positions] | None:
    """The ids as words, NUL padded, and where they end; None if one is empty or fills the words."""
    if count > MAX_WORDS or int(starts.max()) + WORD * count > data.size:
        return None
    words = _columns(data, starts, count)
    lengths = _field_lengths(words)
    if not ((lengths > 0) & (lengths < WORD * count)).all():
        return None
    widths = lengths.astype(np.intp)
    ends = starts + widths
    blanks = data[ends]
    if not ((blanks == SPACE) | (blanks == TAB)).all():
        return None
    width = -(-int(lengths.max()) // WORD)
    table = np.empty((starts.size, width), "<u8")
    for k in range(width):
        kept = KEEP_FIRST.take(widths - WORD * k, mode="clip")
        np.bitwise_and(words[k], kept, out=table[:, k])
    return table, ends


def _ranks(
    data: NDArray[np.uint8], starts: Positions
) -> tuple[NDArray[np.int64], Positions | None]:
    """Whole numbers of up to seven digits, and where they end; None if there is anything else."""
    (word,) = _columns(data, starts, 1)
    lengths = _field_lengths([word])
    ends = starts + lengths
    blanks = data[np.minimum(ends, data.size - 1)]
    word ^= ASCII_ZEROS
    word <<= WHOLE_WORD - (lengths.astype(np.uint64) << np.uint64(3))
    good = (lengths > 0) & (lengths < WORD) & ((blanks == SPACE) | (blanks == TAB))
    good &= odd_bytes(word) == 0
    return joined(word).view(np.int64), ends if good.all() else None
