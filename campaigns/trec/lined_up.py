"""Documents and ranks that stand as most programs write them: ids of one length throughout, ranks
that count up. Then the words that every line begins with need only be shifted and compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.fields import KEEP_FIRST, WORD, Positions, Words
from campaigns.trec.stretches import Stretches

DOCUMENT = re.compile(rb"([!-~]+)([ \t])")
RANK = re.compile(rb"[ \t](\d{1,6})([ \t])")
MAX_RANK = 20_000  # whose texts are made once a process, and kept
MAX_SHIFTS = 16  # changes of how wide the head is, as from topic 9 to topic 10

HIGH_BITS = np.uint64(0x8080808080808080)
ABOVE_SPACE = np.uint64(0x2121212121212121)


@dataclass(frozen=True)
class LinedUp:
    """One row a line."""

    doc_words: Words  # uint64[lines, words], NUL padded
    ranks: NDArray[np.int64]  # int64[lines]
    ends: Positions  # intp[lines]: where the ranks end


@dataclass(frozen=True, eq=False)
class _Counting:
    """Ranks from 0 upwards as texts with a blank on both sides."""

    texts: Words
    kept: Words  # which bits of the texts count
    widths: NDArray[np.int64]  # bytes with both blanks
    numbers: NDArray[np.int64]


def read_lined_up(
    data: NDArray[np.uint8], starts: Positions, lines: Words, stretches: Stretches
) -> LinedUp | None:
    """What the lines that begin at `starts` say; None if they do not stand so.

    `lines` are the first words of every line, uint64[lines, words].
    """
    first = DOCUMENT.match(data.data, int(starts[0]) + stretches.widths[0])
    if first is None:
        return None
    size, blank = len(first[1]), first[2]
    expected = _expected_ranks(data, starts, stretches, size, blank)
    if expected is None:
        return None
    doc_words = np.empty((len(lines), -(-size // WORD)), "<u8")
    ends = starts + (expected.widths + (size - 1))
    shifts = list(_shifts(stretches, len(lines)))
    if len(shifts) > MAX_SHIFTS:
        return None
    for rows, width in shifts:
        if -(-(width + size + WORD) // WORD) > lines.shape[1]:
            return None
        if not _take_documents(lines[rows], width, size, doc_words[rows]):
            return None
        ranks = _word_at(lines[rows], width + size) ^ expected.texts[rows]
        if (ranks & expected.kept[rows]).any():
            return None
        ends[rows] += width
    return LinedUp(doc_words, expected.numbers, ends)


def _shifts(stretches: Stretches, line_count: int) -> Iterator[tuple[slice, int]]:
    """Slices of lines whose heads are equally wide, and how wide."""
    bounds = [*stretches.rows.tolist(), line_count]
    numbered = zip(stretches.widths, bounds[:-1], bounds[1:], strict=True)
    for width, group in groupby(numbered, key=lambda stretch: stretch[0]):
        members = list(group)
        yield slice(members[0][1], members[-1][2]), width


def _word_at(lines: Words, offset: int) -> Words:
    """uint64[lines]: the eight bytes of every line from there."""
    column, byte = divmod(offset, WORD)
    word = lines[:, column] >> np.uint64(8 * byte)
    if byte:
        word |= lines[:, column + 1] << np.uint64(8 * (WORD - byte))
    return word


def _take_documents(lines: Words, offset: int, size: int, doc_words: Words) -> bool:
    """Fills in ids of `size` bytes; False if one is shorter."""
    for k in range(doc_words.shape[1]):
        kept = KEEP_FIRST[min(WORD, size - WORD * k)]
        word = _word_at(lines, offset + WORD * k)
        np.bitwise_and(word, kept, out=doc_words[:, k])
        word |= HIGH_BITS
        word -= ABOVE_SPACE  # leaves the high bit of what is neither a blank nor a control
        if ~np.bitwise_and.reduce(word) & kept & HIGH_BITS:
            return False
    return True


def _expected_ranks(
    data: NDArray[np.uint8], starts: Positions, stretches: Stretches, size: int, blank: bytes
) -> _Counting | None:
    """The ranks of the lines, if every stretch counts up from its first line's."""
    text, firsts, after = data.data, [], b""
    heads = zip(starts[stretches.rows].tolist(), stretches.widths, strict=True)
    for start, width in heads:
        rank = RANK.match(text, start + width + size)
        if rank is None:
            return None
        firsts.append(int(rank[1]))
        after = rank[2]
    lengths = np.diff(stretches.rows, append=len(starts)).tolist()
    last = max(map(sum, zip(firsts, lengths, strict=True)))
    if last > MAX_RANK:
        return None
    counting = _counting(1 << last.bit_length(), blank, after)
    return _counting_up(counting, tuple(firsts), tuple(lengths))


@lru_cache(maxsize=4)  # the runs of a campaign are alike: as many documents for each of its topics
def _counting_up(
    counting: _Counting, firsts: tuple[int, ...], lengths: tuple[int, ...]
) -> _Counting:
    """Stretches that count up from their first."""
    slices = [slice(a, a + n) for a, n in zip(firsts, lengths, strict=True)]
    columns = (counting.texts, counting.kept, counting.widths, counting.numbers)
    return _Counting(*(np.concatenate([column[s] for s in slices]) for column in columns))


@lru_cache(maxsize=4)
def _counting(limit: int, before: bytes, after: bytes) -> _Counting:
    numbers = np.arange(limit)
    texts = np.strings.add(np.strings.add(before, numbers.astype("S")), after)
    widths = np.strings.str_len(texts)
    return _Counting(texts.astype(f"S{WORD}").view("<u8"), KEEP_FIRST[widths], widths, numbers)
