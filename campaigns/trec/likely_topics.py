"""The topics that may be meant by ids that are not in the list of topics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Final

from campaigns.trec.problems import shown

CASE: Final = "case differs"
ZEROS: Final = "leading zeros matter"
FRACTION: Final = "a table wrote numbers with .0"
SEPARATOR: Final = "the separator differs"
PREFIX: Final = "the prefix differs"
SUFFIX: Final = "a part was added at the end"
ENDS: Final = re.compile(r"[-_.:/]")
WHOLE: Final = re.compile(r"\.0+\Z")


@dataclass(frozen=True)
class LikelyTopic:
    """A topic of the list, and how an unknown id differs from it."""

    unknown: str
    topic: str
    reason: str


class LikelyTopics:
    """Looks up unknown ids, and counts them over the file by the reason."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._unknown = 0
        self._counts: Counter[str] = Counter()
        self._first: dict[str, LikelyTopic] = {}
        self._by = cache(self._keyed)

    def look_up(self, unknown: str) -> LikelyTopic | None:
        """The only known topic whose id differs by case, by leading zeros, by .0, by a separator,
        or by a part at the beginning or the end that only one of them has."""
        self._unknown += 1
        # From small differences to large ones: the first that leads to one topic is taken.
        for reason, key in KEYS.items():
            rest = key(unknown)
            topic = self._by(key).get(rest, "")
            # Only one of the two may have the part: "q1" is like "1", but not like "x1".
            is_part = rest in (topic, unknown) or topic.isdigit() or unknown.isdigit()
            if topic and (is_part or reason not in (PREFIX, SUFFIX)):
                break
        else:
            return None
        likely = LikelyTopic(unknown, topic, reason)
        self._counts[reason] += 1
        self._first.setdefault(reason, likely)
        return likely

    def is_first(self, likely: LikelyTopic) -> bool:
        """Whether it is the first for its reason."""
        return self._first[likely.reason] is likely

    def question(self, likely: LikelyTopic) -> str:
        """Asks for the likely topic, with the number of ids that differ like this."""
        return f"{likely.reason}{self._count(likely)}, did you mean '{shown(likely.topic)}'?"

    def most(self) -> str:
        """The most frequent reason, with an example. Empty if there is none."""
        if not self._counts:
            return ""
        (reason, _), *_ = self._counts.most_common(1)
        first = self._first[reason]
        example = f"'{shown(first.topic)}' for '{shown(first.unknown)}'"
        return f"{reason}{self._count(first)}, {example}"

    def _count(self, likely: LikelyTopic) -> str:
        count = self._counts[likely.reason]
        return f" for {count:,} of {self._unknown:,} unknown topics" if count > 1 else ""

    def _keyed(self, key: Callable[[str], str]) -> dict[str, str]:
        """The known topics by what is left of their ids, without those that share it."""
        found: dict[str, str] = {}
        for topic in self._known:
            rest = key(topic)
            # Empty if two topics share it: neither is likelier.
            found[rest] = "" if rest in found else topic
        return found


def _without_zeros(code: str) -> str:
    return code.casefold().lstrip("0") or "0"


def _last_number(code: str) -> str:
    """The digits at the end without leading zeros, the whole id if there are none."""
    digits = code[len(code.rstrip("0123456789")) :]
    return (digits.lstrip("0") or "0") if digits else code


def _without_end(code: str) -> str:
    """The id before its last separator."""
    end = next(reversed(list(ENDS.finditer(code))), None)
    return code[: end.start()] if end else code


# What is left of two ids if they differ only so.
KEYS: Final[dict[str, Callable[[str], str]]] = {
    CASE: str.casefold,
    ZEROS: _without_zeros,
    FRACTION: lambda code: WHOLE.sub("", code),
    SEPARATOR: lambda code: ENDS.sub("_", code),
    PREFIX: _last_number,
    SUFFIX: _without_end,
}
