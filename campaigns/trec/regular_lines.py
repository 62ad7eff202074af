"""Runs as programs write them, read with few looks at each line.

`topic Q0 document rank score tag`, one space or tab between, plain ASCII, the same tag throughout.
Only the line ends are searched for in the whole text. Each line is loaded once as words of eight
bytes from its begin, for topic, document and rank, and once from its end, for score and tag, which
is known: numpy takes far longer to fetch a word from anywhere than to reckon with those it has.
A block with anything else in it is left to `fields`, which finds out what is wrong, if anything is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.blocks import DEL, LINE_BYTES, PAD, SPACE, TAB, Block
from campaigns.trec.decimals import (
    ASCII_ZEROS,
    MAX_WORDS,
    Decimals,
    decimals_between,
    joined,
    odd_bytes,
)
from campaigns.trec.fields import KEEP_FIRST, WORD, Positions, Words, words_at
from campaigns.trec.lined_up import ABOVE_SPACE, HIGH_BITS, LinedUp, read_lined_up
from campaigns.trec.records import Rows
from campaigns.trec.stretches import Stretches, find_stretches

LOADED_WORDS = 8  # of a line from its begin, at most
DOC_WORDS = 4  # longer ids are read the general way
RANK_BYTES = 8
TOPIC_GROWTH = 3  # bytes by which a topic may be longer than the first
FIRST_LINE = re.compile(rb"([!-~]+[ \t]Q0[ \t])([!-~]+)[ \t]\d+[ \t][!-~]+([ \t]([!-~]+)\n)")

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
    if int((block.line_feeds - starts).max()) > LINE_BYTES:
        return None
    size = len(head) + TOPIC_GROWTH + len(doc) + RANK_BYTES
    lines = words_at(data, starts, min(-(-size // WORD), LOADED_WORDS))
    stretches = find_stretches(data, starts, lines, len(head))
    if stretches is None:
        return None
    found = read_lined_up(data, starts, lines, stretches)
    found = found or _read_ragged(data, starts, stretches, len(doc))
    scores = None if found is None else _scores(block, found.ends + 1, end)
    if found is None or scores is None:
        return None
    numbers = np.arange(block.first_line, block.first_line + block.line_count)
    rows = Rows(numbers, stretches.rows, stretches.topics, found.doc_words)
    return RegularRows(rows, tag, found.ranks, scores.values)


def _scores(block: Block, starts: Positions, end: bytes) -> Decimals | None:
    """The scores that begin there, if every line ends with `end` behind one; `end` holds its LF."""
    words = -(-len(end) // WORD)
    if WORD * words > len(PAD):
        return None
    ends = block.line_feeds - (len(end) - 1)
    if not (starts < ends).all():
        return None
    loaded = words_at(block.data, ends - WORD * MAX_WORDS, MAX_WORDS + words)
    wanted = np.frombuffer(end.ljust(WORD * words, b"\0"), "<u8")
    for k in range(words):
        word, left = loaded[:, MAX_WORDS + k], len(end) - WORD * k
        if left < WORD:
            word = word & KEEP_FIRST[left]
        if not (word == wanted[k]).all():
            return None
    scores = decimals_between(block.data, starts, ends, loaded=loaded[:, :MAX_WORDS])
    return None if scores.bad.any() or scores.underflow.any() else scores


def _read_ragged(
    data: NDArray[np.uint8], starts: Positions, stretches: Stretches, likely: int
) -> LinedUp | None:
    """Documents of any length and ranks of any order, found by the blanks behind them."""
    docs = _documents(data, starts + stretches.spread_widths(starts.size), likely // WORD + 1)
    if docs is None:
        return None
    words, ends = docs
    ranks, rank_ends = _ranks(data, ends + 1)
    return None if rank_ends is None else LinedUp(words, ranks, rank_ends)


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


def _columns(data: NDArray[np.uint8], starts: Positions, count: int) -> list[Words]:
    table = words_at(data, starts, count)
    return [np.ascontiguousarray(table[:, k]) for k in range(count)]


def _documents(
    data: NDArray[np.uint8], starts: Positions, count: int
) -> tuple[Words, Positions] | None:
    """The ids as words, NUL padded, and where they end; None if one is empty or fills the words."""
    if count > DOC_WORDS or int(starts.max()) + WORD * count > data.size:
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
