"""The options of the playground, all in the URL.

    ranking=$$---$-??-   the ranking, as `typed` reads it
    top=3                the highest grade of the scale; default: the highest typed grade
    p=0.8  k=10  b=2     persistence of RBP, cutoff, base of the logarithm of DCG(b=)
    measure=AP           the measure to show by rank
    first=3  second=6    two ranks whose documents are swapped

An invalid value gives a message for its field, and stays in the form.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from scoring.core.measures.measure import BadMeasure, Measure, UnknownMeasure
from scoring.core.measures.names import parse_measure
from scoring.measures.playground.families import measures_at
from scoring.measures.playground.typed import HIGHEST, LONGEST, BadRanking, Typed, read_ranking

EXAMPLE: Final = "$$---$----$-??--?---"  # of section 4.4 of the RBP paper
USUAL: Final = {"p": "0.8", "k": "10", "b": "2"}
DEEPEST: Final = 1000
LARGEST_BASE: Final = 100
LONGEST_NUMBER: Final = 20  # characters that a message quotes
# Only these signs: `int` and `float` would also read 1_0, 1e9, nan and digits of other scripts.
_WHOLE: Final = re.compile(r"[0-9]{1,6}", re.ASCII)
_REAL: Final = re.compile(r"[0-9]{1,6}(?:\.[0-9]{0,17})?|\.[0-9]{1,17}", re.ASCII)
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class PlaygroundChoices:
    """All that is needed to score; only if every field is valid."""

    typed: Typed
    top: int
    p: float
    k: int
    b: float
    measure: Measure  # one of `measures`
    swap: tuple[int, int] | None

    @property
    def measures(self) -> tuple[Measure, ...]:
        return measures_at(self.p, self.k, self.b)


@dataclass(frozen=True)
class PlaygroundQuery:
    """The form as typed, the errors by field, and the choices if there are none."""

    fields: Mapping[str, str]
    faults: Mapping[str, list[str]] = field(default_factory=dict)
    choices: PlaygroundChoices | None = None


def read_choices(query: Mapping[str, str]) -> PlaygroundQuery:
    names = ("ranking", "top", "p", "k", "b", "measure", "first", "second")
    usual = USUAL | {"ranking": EXAMPLE}
    typed = {name: query.get(name, usual.get(name, "")) for name in names}
    reading = _Reading({name: text.strip() for name, text in typed.items()})
    choices = reading.choices()
    return PlaygroundQuery(
        {name: text[:LONGEST] for name, text in typed.items()}, reading.faults, choices
    )


class _Reading:
    """Reads every field, so that all errors are reported at once."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self.fields = fields
        self.faults: dict[str, list[str]] = {}

    def choices(self) -> PlaygroundChoices | None:
        p = self._read("p", _persistence)
        k = self._read("k", lambda text: _whole(text, 1, DEEPEST))
        b = self._read("b", _base)
        # The names of the measures contain p, k and b.
        measure = None
        if p is not None and k is not None and b is not None:
            measures = measures_at(p, k, b)
            measure = self._read("measure", lambda text: _one_of(text, measures))
        try:
            typed = read_ranking(self.fields["ranking"])
        except BadRanking as error:
            self.faults["ranking"] = error.messages
            return None
        top = self._read("top", lambda text: _scale(text, typed))
        swap = self._swap(typed)
        if self.faults or p is None or k is None or b is None or top is None or measure is None:
            return None
        return PlaygroundChoices(typed, top, p, k, b, measure, swap)

    def _swap(self, typed: Typed) -> tuple[int, int] | None:
        if not self.fields["first"] and not self.fields["second"]:
            return None
        count = len(typed.grades)
        ranks = [
            self._read(name, lambda text: _whole(text, 1, count)) for name in ("first", "second")
        ]
        if ranks[0] is None or ranks[1] is None:
            return None
        if ranks[0] == ranks[1]:
            self.faults["second"] = ["choose two different ranks"]
            return None
        return min(ranks[0], ranks[1]), max(ranks[0], ranks[1])

    def _read(self, name: str, read: Callable[[str], _Read]) -> _Read | None:
        try:
            return read(self.fields[name])
        except ValueError as error:
            self.faults.setdefault(name, []).append(str(error))
            return None


def _persistence(text: str) -> float:
    value = _real(text)
    if not 0 <= value < 1:
        raise ValueError(f"p is {text}: it must be 0 or more and below 1")
    return value


def _base(text: str) -> float:
    value = _real(text)
    if not 1 < value <= LARGEST_BASE:
        raise ValueError(f"b is {text}: it must be above 1 and {LARGEST_BASE} at most")
    return value


def _real(text: str) -> float:
    if not _REAL.fullmatch(text):
        raise ValueError(f"{text[:LONGEST_NUMBER]!r} is not a number such as 0.8")
    return float(text)


def _whole(text: str, least: int, most: int) -> int:
    # The ranks of an empty ranking would be from 1 to 0.
    if most < least:
        raise ValueError("the ranking is empty, so it has no ranks")
    if not _WHOLE.fullmatch(text) or not least <= int(text) <= most:
        quoted = f"{text[:LONGEST_NUMBER]!r}" if text else "an empty value"
        raise ValueError(f"{quoted} is not a whole number from {least} to {most}")
    return int(text)


def _scale(text: str, typed: Typed) -> int:
    if not text:
        return typed.highest
    top = _whole(text, 1, HIGHEST)
    if top < typed.highest:
        raise ValueError(f"the ranking has grade {typed.highest}, but the scale ends at {top}")
    return top


def _one_of(text: str, measures: tuple[Measure, ...]) -> Measure:
    """The measure of this name, or of the same family with the current p, k and b."""
    if not text:
        return measures[0]
    try:
        measure = parse_measure(text)
    except (BadMeasure, UnknownMeasure) as error:
        raise ValueError(str(error)) from error
    if measure in measures:
        return measure
    # A link may name the measure with other values of p, k and b than the form has.
    shape = (measure.family, [name for name, _ in measure.parameters], measure.cutoff is None)
    for each in measures:
        if shape == (each.family, [name for name, _ in each.parameters], each.cutoff is None):
            return each
    raise ValueError(f"{measure} is not a measure of the playground")
