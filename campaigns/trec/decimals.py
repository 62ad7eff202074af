"""Numbers read from text, many at a time and exactly: the value is always that of `float()`.

1. A field `[sign] digits [. digits]` is loaded eight bytes at a time, right-aligned, and each word
   is checked and turned into a number by three multiplications.
2. Its digits make an integer m < 2**64, its fraction length a power p <= 10**22, both exact.
3. m <= 2**53: m / p in double is one rounding of the exact quotient, as `float()` does.
4. m > 2**53: where long double is the 64-bit x87 format, m / p is rounded once to 64 bits; rounding
   that to 53 bits is right unless those 64 bits lie just between two doubles, for if they do not,
   the exact quotient lies on the same side of the middle. Those that do go to `float()`.
5. Everything else (exponents, long numbers, nonsense) is matched with the grammar and handed to
   `float()` one by one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.fields import WORD, Fields, Positions, Words, words_at

# Possessive, so that a long field of digits is not tried twice.
DECIMAL = re.compile(rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
NON_ZERO = re.compile(rb"[1-9]")
MAX_DOUBLE_INT = 1 << 53
MAX_FRACTION = 22  # 10**22 is the last power of ten that is a double
MAX_DIGITS = 19  # 10**19 < 2**64
MAX_HEAD = 1843  # digits before the last sixteen: 1843 * 10**16 + 10**16 < 2**64
RANK_DIGITS = 8

ASCII_ZEROS = np.uint64(0x3030303030303030)
ABOVE_NINE = np.uint64(0x7676767676767676)  # added to a byte above 9, sets its high bit
HIGH_BITS = np.uint64(0x8080808080808080)
# A word keeps its last k bytes.
KEEP_LAST = np.array([((1 << 64) - 1) & ~((1 << (8 * (8 - k))) - 1) for k in range(9)], np.uint64)
# (multiplier, shift, mask) that join digits to pairs, pairs to fours, fours to eight.
JOINS = (
    (np.uint64(2561), np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(6553601), np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(42949672960001), np.uint64(32), np.uint64(0xFFFFFFFF)),
)
POWERS = np.array([10**k for k in range(20)], np.uint64)
DOUBLE_POWERS = np.array([10.0**k for k in range(MAX_FRACTION + 1)])
LONG_POWERS = np.array([10**k for k in range(20)], np.uint64).astype(np.longdouble)
LONG_POWERS = np.concatenate([LONG_POWERS, LONG_POWERS[19] * LONG_POWERS[1:4]])

Flags = NDArray[np.bool_]


def _is_x87() -> bool:
    """True if a long double is the 64-bit format with its significand in the first word."""
    third = np.ones(1, np.longdouble) / np.full(1, 3, np.longdouble)
    return third.nbytes >= WORD and int(third.view("<u8")[0]) == 0xAAAAAAAAAAAAAAAB


HAS_X87 = _is_x87()


@dataclass(frozen=True)
class Decimals:
    """Values of a column, and what to say of some rows."""

    values: NDArray[np.float64]  # float64[rows]; 0 where `bad`
    bad: Flags  # not a finite decimal number
    underflow: Flags  # not zero as written, zero as a double


def digit_values(view: Words, ends: Positions, lengths: Positions) -> tuple[Words, Flags]:
    """Values of the last 0 to 8 bytes before `ends`, and whether all were digits.

    Lengths below 0 count as 0, above 8 as 8.
    """
    words = view[ends - WORD]
    words ^= ASCII_ZEROS
    words &= KEEP_LAST.take(lengths, mode="clip")
    is_digits = ((words + ABOVE_NINE) | words) & HIGH_BITS == 0
    for multiplier, shift, mask in JOINS:
        words *= multiplier
        words >>= shift
        words &= mask
    return words, is_digits


def read_integers(fields: Fields, column: int) -> tuple[NDArray[np.int64], Flags]:
    """Values of `-?` and 1 to 8 digits (0 elsewhere), and which rows are not that."""
    starts, ends = fields.starts[column], fields.ends[column]
    negative = fields.data[starts] == ord("-")
    lengths = ends - starts
    lengths -= negative
    values, good = digit_values(words_at(fields.data), ends, lengths)
    bad = ~good | (lengths < 1) | (lengths > RANK_DIGITS)
    numbers = values.astype(np.int64)
    numbers[bad] = 0
    return np.negative(numbers, out=numbers, where=negative), bad


def read_decimals(fields: Fields, column: int) -> Decimals:
    """Values of a column of decimal numbers, bit for bit those of `float()`."""
    values, easy = _plain_decimals(fields, column)
    bad = np.zeros(values.size, np.bool_)
    underflow = np.zeros(values.size, np.bool_)
    hard = np.flatnonzero(~easy)
    for row, text in zip(hard.tolist(), fields.texts(hard, column), strict=True):
        value = float(text) if DECIMAL.fullmatch(text) else np.inf
        bad[row] = not isfinite(value)
        values[row] = 0.0 if bad[row] else value
        if value == 0:
            underflow[row] = NON_ZERO.search(text.lower().partition(b"e")[0]) is not None
    return Decimals(values, bad, underflow)


def _plain_decimals(fields: Fields, column: int) -> tuple[NDArray[np.float64], Flags]:
    """Steps 1 to 4: values, and the rows for which they hold."""
    view = words_at(fields.data)
    ends = fields.ends[column]
    lead = fields.data[fields.starts[column]]
    negative = lead == ord("-")
    starts = fields.starts[column] + (negative | (lead == ord("+")))
    dots = _dots(fields.data, starts, ends)
    whole = dots - starts  # digits before the point
    fraction = np.maximum(ends - dots - 1, 0)  # digits after it
    head, easy = digit_values(view, dots, whole)
    count = whole + fraction
    easy &= (whole <= WORD) & (count > 0) & (fraction <= MAX_FRACTION)
    tail, fits = _fractions(view, ends, fraction, easy)
    easy &= fits & ((head == 0) | (count <= MAX_DIGITS))
    head *= POWERS.take(fraction, mode="clip")
    head += tail
    values, sure = _quotients(head, np.minimum(fraction, MAX_FRACTION))
    return np.negative(values, out=values, where=negative), easy & sure


def _dots(data: NDArray[np.uint8], starts: Positions, ends: Positions) -> Positions:
    """Where each field has its first point; its end where it has none."""
    points = np.flatnonzero(data == ord("."))
    if points.size == starts.size and ((points >= starts) & (points < ends)).all():
        return points
    points = np.append(points, data.size)
    found = points[np.searchsorted(points, starts)]
    return np.minimum(found, ends)


def _fractions(
    view: Words, ends: Positions, lengths: Positions, easy: Flags
) -> tuple[Words, Flags]:
    """Values of up to 22 digits that end before `ends`, and whether they are exact."""
    longest = int(lengths[easy].max(initial=0))
    values, fits = digit_values(view, ends, lengths)
    for k in range(1, -(-longest // WORD)):
        more, good = digit_values(view, ends - WORD * k, lengths - WORD * k)
        values += more * POWERS[WORD * k]
        fits &= good if k == 1 else good & (more <= MAX_HEAD)
    return values, fits


def _quotients(digits: Words, exponents: Positions) -> tuple[NDArray[np.float64], Flags]:
    """digits / 10**exponents, and whether that is surely rounded as it should be."""
    values = digits.astype(np.float64) / DOUBLE_POWERS[exponents]
    sure = digits <= MAX_DOUBLE_INT
    if HAS_X87 and not sure.all():
        large = np.flatnonzero(~sure)
        quotients = digits[large].astype(np.longdouble) / LONG_POWERS[exponents[large]]
        low_bits = quotients.view("<u8").reshape(large.size, -1)[:, 0] & np.uint64(0x7FF)
        values[large] = quotients.astype(np.float64)
        sure[large] = low_bits != 0x400
    return values, sure
