"""Stretches of lines that begin alike: with one topic, `Q0` and single blanks between."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.trec.fields import KEEP_FIRST, WORD, Positions, Words

HEAD = re.compile(rb"((?!#)[!-~]+)[ \t]Q0[ \t]")


@dataclass(frozen=True)
class Stretches:
    """One entry a stretch, in the order of the lines."""

    rows: Positions  # the first line of each; the first is 0
    topics: list[bytes]
    widths: list[int]  # bytes before the document: topic, Q0 and two blanks

    def spread_widths(self, line_count: int) -> Positions:
        """intp[lines]: the width of each line's stretch."""
        lengths = np.diff(self.rows, append=line_count)
        return np.repeat(np.array(self.widths, np.intp), lengths)


def find_stretches(
    data: NDArray[np.uint8], starts: Positions, lines: Words, likely: int
) -> Stretches | None:
    """The stretches of the lines that begin at `starts`; None if one begins otherwise.

    `lines` are the first words of every line, uint64[lines, words]; `likely` is how wide the first
    stretch is. No head begins another head, so two of them differ before the shorter one ends.
    """
    if likely > WORD * lines.shape[1]:
        return None
    rows, topics, widths = [], [], []
    text, last = data.data, b""
    found = np.flatnonzero(_changes(lines, likely))
    for row, start in zip(found.tolist(), starts[found].tolist(), strict=True):
        head = HEAD.match(text, start)
        if head is None:
            return None
        if head[0] != last:  # else a document differs, in a head that is shorter than is likely
            last = head[0]
            rows.append(row)
            topics.append(head[1])
            widths.append(len(last))
    stretches = Stretches(np.array(rows, np.intp), topics, widths)
    return stretches if _hold_together(stretches, lines, likely) else None


def _changes(lines: Words, width: int) -> NDArray[np.bool_]:
    """bool[lines]: whose first `width` bytes are not those of the line before."""
    changed = np.ones(len(lines), np.bool_)
    for k in range(-(-width // WORD)):
        word = lines[:, k] & KEEP_FIRST[min(WORD, width - WORD * k)]
        if k:
            changed[1:] |= word[1:] != word[:-1]
        else:
            np.not_equal(word[1:], word[:-1], out=changed[1:])
    return changed


def _hold_together(stretches: Stretches, lines: Words, likely: int) -> bool:
    """Whether the stretches that are wider than those looked for are alike to their full width."""
    wider = {width for width in stretches.widths if width > likely}
    if not wider:
        return True
    if max(wider) > WORD * lines.shape[1]:
        return False
    widths = stretches.spread_widths(len(lines))
    is_inner = np.ones(len(lines), np.bool_)
    is_inner[stretches.rows] = False
    return not any((_changes(lines, width) & is_inner & (widths == width)).any() for width in wider)
