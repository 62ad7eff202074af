"""Numbers read from text, many at a time and exactly: the value is always that of `float()`.

1. The last 24 bytes of a field `[sign] digits [. digits] [e sign digit digit]`, sign and exponent
   taken off, are loaded as words of eight. All bytes of a word that are no digits are found at
   once; if that is one point, what stands before it moves up a byte; each word then becomes a
   number by three multiplications.
2. The digits make an integer m < 2**64; the digits after the point, and the exponent, a power of
   ten of at most 10**22 up or down, which is exact as a double.
3. m <= 2**53: multiplying or dividing rounds the exact result once, as `float()` does.
4. m > 2**53, to be divided: where long double is the 64-bit x87 format, m / p is rounded once to
   64 bits; rounding that to 53 bits is right unless those 64 bits lie just between two doubles, for
   if they do not, the exact quotient lies on the same side of the middle.
5. Everything else (long numbers, other exponents, nonsense) is matched with the grammar and handed
   to `float()` one by one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.fields import WORD, Fields, Positions, Words, last_words, words_at, words_before

# Possessive, so that a long field of digits is not tried twice.
DECIMAL = re.compile(rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
NON_ZERO = re.compile(rb"[1-9]")
MAX_DOUBLE_INT = 1 << 53
MAX_POWER = 22  # 10**22 is the last power of ten that is a double
MAX_WORDS = 3
MAX_HEAD = 1843  # what stands before the last 16 digits: 1843 * 10**16 + 10**16 < 2**64
RANK_DIGITS = 8
EXPONENT_BYTES = 4  # e-05
LOWER_CASE, ASCII_ZERO = np.uint8(0x20), np.uint8(ord("0"))

ASCII_ZEROS = np.uint64(0x3030303030303030)
ABOVE_NINE = np.uint64(0x7676767676767676)  # added to a byte above 9, sets its high bit
HIGH_BITS = np.uint64(0x8080808080808080)
POINT = np.uint64(ord(".") ^ ord("0"))
# (multiplier, shift, mask) that join digits to pairs, pairs to fours, fours to eight.
JOINS = (
    (np.uint64(2561), np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(6553601), np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(42949672960001), np.uint64(32), np.uint64(0xFFFFFFFF)),
)
EIGHT_DIGITS = np.uint64(10**8)
ONE = np.uint64(1)
BYTE_SHIFT, TOP_BYTE, HIGH_TO_LOW = np.uint64(8), np.uint64(56), np.uint64(7)
EXPONENT_BITS, WHOLE_WORD = np.uint64(32), np.uint64(64)
DOUBLE_POWERS = np.array([10.0**k for k in range(MAX_POWER + 1)])
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


def read_integers(fields: Fields, column: int) -> tuple[NDArray[np.int64], Flags]:
    """Values of `-?` and 1 to 8 digits (0 elsewhere), and which rows are not that."""
    starts, ends = fields.starts[column], fields.ends[column]
    negative = fields.data[starts] == ord("-")
    lengths = ends - starts
    lengths -= negative
    (word,) = words_before(fields.data, ends, lengths, 1, flip=ASCII_ZEROS)
    bad = odd_bytes(word) != 0
    bad |= (lengths < 1) | (lengths > RANK_DIGITS)
    numbers = joined(word).view(np.int64)
    if bad.any():
        numbers[bad] = 0
    return np.negative(numbers, out=numbers, where=negative), bad


def read_decimals(fields: Fields, column: int) -> Decimals:
    """Values of a column of decimal numbers, bit for bit those of `float()`."""
    return decimals_between(fields.data, fields.starts[column], fields.ends[column])


def decimals_between(
    data: NDArray[np.uint8], starts: Positions, ends: Positions, *, loaded: Words | None = None
) -> Decimals:
    """Values of the decimal numbers that begin and end there. `loaded`, if the caller has it, is
    the text before each end, uint64[rows, MAX_WORDS]."""
    if loaded is None:
        loaded = words_at(data, ends - WORD * MAX_WORDS, MAX_WORDS)
    lead = data[starts]
    negative = lead == ord("-")
    lengths = ends - starts
    lengths -= negative | (lead == ord("+"))
    values, easy = _short_decimals(loaded, lengths)
    np.negative(values, out=values, where=negative)
    bad = np.zeros(values.size, np.bool_)
    underflow = np.zeros(values.size, np.bool_)
    for row in np.flatnonzero(~easy).tolist():
        text = data[starts[row] : ends[row]].tobytes()
        value = float(text) if DECIMAL.fullmatch(text) else np.inf
        bad[row] = not isfinite(value)
        values[row] = 0.0 if bad[row] else value
        if value == 0:
            underflow[row] = NON_ZERO.search(text.lower().partition(b"e")[0]) is not None
    return Decimals(values, bad, underflow)


def _short_decimals(loaded: Words, lengths: Positions) -> tuple[NDArray[np.float64], Flags]:
    """Steps 1 to 4: values without their sign, and the rows for which they hold.

    `lengths` are those of the fields without sign, `loaded` is what stands before their ends.
    """
    sure = lengths <= WORD * MAX_WORDS
    powers, shift = _exponents(loaded, lengths)
    lengths = lengths - (shift >> np.uint64(3)).view(np.int64)
    count = min(-(-int(lengths.max(initial=1)) // WORD), MAX_WORDS)
    words = last_words(_shifted(loaded, shift, count), lengths, flip=ASCII_ZEROS)
    words, has_point, fraction, good = _without_point(words)
    sure &= good & (lengths > has_point)
    digits = joined(words[0])
    if count == MAX_WORDS:
        sure &= digits <= MAX_HEAD
    for word in words[1:]:
        digits *= EIGHT_DIGITS
        digits += joined(word)
    values, is_rounded = _scaled(digits, powers - fraction)
    return values, sure & is_rounded


def _exponents(loaded: Words, lengths: Positions) -> tuple[NDArray[np.int16], Words]:
    """The power of ten that `e`, a sign and two digits say, and how many bits they take: 0 and 0
    without them. One entry stands for all rows where they are alike."""
    e, sign, tens, ones = loaded.view(np.uint8)[:, -EXPONENT_BYTES:].T
    has_one = (e | LOWER_CASE) == ord("e")
    has_one &= lengths > EXPONENT_BYTES
    if not has_one.any():
        return np.zeros(1, np.int16), np.zeros(1, np.uint64)
    tens, ones = tens - ASCII_ZERO, ones - ASCII_ZERO  # modulo 256
    is_small = sign == ord("-")
    has_one &= (is_small | (sign == ord("+"))) & (tens <= 9) & (ones <= 9)
    powers = (tens * np.uint8(10) + ones).astype(np.int16)
    np.negative(powers, out=powers, where=is_small)
    powers *= has_one
    shift = (has_one[:1] if has_one.all() else has_one) * EXPONENT_BITS
    return powers, shift


def _shifted(loaded: Words, shift: Words, count: int) -> Words:
    """The last words, `count` of them, moved up by so many bits."""
    if not shift.any():
        return loaded[:, -count:]
    width = loaded.shape[1]
    moved = np.empty((len(loaded), count), "<u8")
    back = WHOLE_WORD - shift  # a shift by all 64 bits gives 0
    for k in range(count):
        column = width - count + k
        np.left_shift(loaded[:, column], shift, out=moved[:, k])
        if column:
            moved[:, k] |= loaded[:, column - 1] >> back
    return moved


def _without_point(words: list[Words]) -> tuple[list[Words], Flags, NDArray[np.uint8], Flags]:
    """Words of digits only, which rows had a point, how many digits stood behind it, and which rows
    had nothing but digits and at most one point.

    The second and the third have one entry alone where all rows are alike: most programs print one
    number of decimals, which spares half of the work.
    """
    moved: list[Words] = []
    fraction = np.zeros(1, np.uint8)
    has_point = np.zeros(1, np.bool_)
    good = np.ones(words[0].size, np.bool_)
    for k in reversed(range(len(words))):
        word = words[k]
        odd = _one_for_all(odd_bytes(word))
        here = odd != 0
        mark = odd >> HIGH_TO_LOW  # the lowest bit of the odd byte
        edge = odd << ONE  # the bit above it
        good &= (odd & (odd - ONE) == 0) & ~(here & has_point)
        good &= word & (edge - mark) == mark * POINT
        behind = np.negative(edge)  # bits of the bytes behind the point; none where there is none
        fraction = fraction + (np.bitwise_count(behind) >> np.uint8(3))
        fraction += here * np.uint8(WORD * (len(words) - 1 - k))
        has_point = has_point | here
        # Where the point stands here or further on, all before it moves up by a byte.
        before = word & (mark - ONE)
        before <<= has_point * BYTE_SHIFT
        before |= word & behind
        if k:
            before |= (words[k - 1] >> TOP_BYTE) * has_point
        moved.append(before)
    return moved[::-1], has_point, fraction, good


def _one_for_all(marks: Words) -> Words:
    """The marks, or one of them alone if they are alike."""
    return marks[:1] if (marks == marks[:1]).all() else marks


def odd_bytes(digits: Words) -> Words:
    """The high bit of every byte that is no digit; ASCII zeros are flipped off."""
    # A carry out of a byte above 0x89 may mark a 9 beside it too: its own high bit is set anyway.
    return ((digits + ABOVE_NINE) | digits) & HIGH_BITS


def joined(digits: Words) -> Words:
    """The numbers that words of eight digits spell; overwrites the words."""
    for multiplier, shift, mask in JOINS:
        digits *= multiplier
        digits >>= shift
        digits &= mask
    return digits


def _scaled(digits: Words, powers: NDArray[np.int16]) -> tuple[NDArray[np.float64], Flags]:
    """digits * 10**powers, and whether that is surely rounded as it should be; one power may stand
    for all."""
    sizes = np.abs(powers)
    scales = DOUBLE_POWERS.take(sizes, mode="clip")
    values = digits.astype(np.float64)
    sure = (digits <= MAX_DOUBLE_INT) & (sizes <= MAX_POWER)
    up = powers > 0
    if up.any():
        np.multiply(values, scales, out=values, where=up)
        scales[up] = 1.0
    values /= scales
    if sure.all():
        return values, sure
    large = np.flatnonzero(~sure & ~up & (sizes <= MAX_POWER))
    if HAS_X87 and large.size:
        powers = LONG_POWERS[np.broadcast_to(sizes, digits.shape)[large]]
        quotients = digits[large].astype(np.longdouble) / powers
        low_bits = quotients.view("<u8").reshape(large.size, -1)[:, 0] & np.uint64(0x7FF)
        values[large] = quotients.astype(np.float64)
        sure[large] = low_bits != 0x400
    return values, sure
