"""The topics that may be meant by ids that are not in the list of topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from campaigns.trec.problems import shown

ZEROS, PREFIX, CASE = "leading zeros matter", "the prefix differs", "case differs"


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

    def look_up(self, unknown: str) -> LikelyTopic | None:
        """The known topic whose id differs by case, by leading zeros or, of two ids one of which is
        a number, by a prefix."""
        self._unknown += 1
        topic, reason = self._by_rest.get(_rest(unknown)), ZEROS
        if topic is None:
            topic, reason = self._by_number.get(_last_number(unknown)), PREFIX
            if topic is None or not (topic.isdigit() or unknown.isdigit()):
                return None
        elif topic.casefold() == unknown.casefold():
            reason = CASE
        likely = LikelyTopic(unknown, topic, reason)
        self._counts[reason] += 1
        self._first.setdefault(reason, likely)
        return likely

    def is_first(self, likely: LikelyTopic) -> bool:
        """Whether it is the first for its reason."""
        return self._first[likely.reason] is likely

    def question(self, likely: LikelyTopic) -> str:
        """Asks for the likely topic."""
        return f"{likely.reason}, did you mean '{shown(likely.topic)}'?"

    def question_with_count(self, likely: LikelyTopic) -> str:
        """The same with the number of ids that differ like this."""
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

    @cached_property
    def _by_rest(self) -> dict[str, str]:
        return {_rest(topic): topic for topic in self._known}

    @cached_property
    def _by_number(self) -> dict[str, str]:
        """Without the topics that share their number."""
        found: dict[str, str] = {}
        for topic in self._known:
            number = _last_number(topic)
            found[number] = "" if number in found else topic
        return {number: topic for number, topic in found.items() if number and topic}


def _rest(code: str) -> str:
    """The id without what may differ."""
    return code.casefold().lstrip("0") or "0"


def _last_number(code: str) -> str:
    """The digits at the end without leading zeros, empty if there are none."""
    digits = code[len(code.rstrip("0123456789")) :]
    return digits and (digits.lstrip("0") or "0")
