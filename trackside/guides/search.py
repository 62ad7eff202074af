"""The search in the guides: sections that contain every word of the query, ranked by BM25."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from trackside.guides.pages import Guide, Section

SHOWN: Final = 20
# Anserini's defaults.
K1: Final = 0.9
B: Final = 0.4
HEADING: Final = 10  # an occurrence in a heading counts as much as this many in the text
EXTRACT: Final = 260  # characters
LONGEST_QUERY: Final = 200

# Text in pieces, each with whether it is a word of the query.
Pieces: TypeAlias = tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Found:
    guide: Guide
    section: Section
    extract: Pieces


def search(guides: Iterable[Guide], query: str) -> list[Found]:
    """The best sections first. A word also matches longer words that begin with it."""
    words = sorted(set(re.findall(r"\w+", query[:LONGEST_QUERY].lower())))
    patterns = [re.compile(rf"\b{word}", re.IGNORECASE) for word in words]
    sections = [(guide, section) for guide in guides for section in guide.sections]
    # A word in a heading counts as several in the text.
    counts = [
        [
            HEADING * (len(pattern.findall(section.heading)) + len(pattern.findall(guide.title)))
            + len(pattern.findall(section.text))
            for pattern in patterns
        ]
        for guide, section in sections
    ]
    found = [number for number, row in enumerate(counts) if row and all(row)]
    weights = _weights(counts, [len(section.text) for _, section in sections])
    found.sort(key=lambda number: -weights[number])
    return [
        Found(guide, section, _extract(section.text, patterns))
        for guide, section in (sections[number] for number in found[:SHOWN])
    ]


def _weights(counts: Sequence[Sequence[int]], lengths: Sequence[int]) -> list[float]:
    """BM25 of each section."""
    average = sum(lengths) / len(lengths)
    frequencies = [sum(map(bool, column)) for column in zip(*counts, strict=True)]
    # 1 + inside the logarithm, as in Lucene: a word of most sections does not count against them.
    idfs = [math.log1p((len(counts) - df + 0.5) / (df + 0.5)) for df in frequencies]
    return [
        sum(
            idf * count / (count + K1 * (1 - B + B * length / average))
            for idf, count in zip(idfs, row, strict=True)
        )
        for row, length in zip(counts, lengths, strict=True)
    ]


def _extract(text: str, patterns: Sequence[re.Pattern[str]]) -> Pieces:
    """The part of the text that contains the most words of the query."""
    starts = sorted(match.start() for pattern in patterns for match in pattern.finditer(text))
    windows = [(start, text[start : start + EXTRACT * 2 // 3]) for start in starts or [0]]
    start, _ = max(
        windows, key=lambda window: sum(bool(pattern.search(window[1])) for pattern in patterns)
    )
    first = text.rfind(" ", 0, max(0, start - EXTRACT // 3)) + 1
    last = text.find(" ", first + EXTRACT)
    shown = text[first : None if last < 0 else last]
    ends = ("… " if first else "", " …" if last >= 0 else "")
    either = "|".join(pattern.pattern for pattern in patterns)
    # A split by a group returns the words themselves, too, at the odd places.
    parts = re.split(rf"((?:{either})\w*)", ends[0] + shown + ends[1], flags=re.IGNORECASE)
    return tuple((part, number % 2 == 1) for number, part in enumerate(parts))
