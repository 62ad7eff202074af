"""The number of topics without data: the options in the URL, and the answer.

    variance=0.05   of the scores of a run over topics
    differences=    the variance of the difference of two runs; default: twice as much
    runs=10         in the ANOVA
    difference=0.05 the smallest to be found
    level=0.05      of the test
    power=0.8       of the test

An invalid value gives a message for its field, and stays in the form.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from scoring.core.statistics.topic_set_size import LEAST_LEVEL, MOST_POWER, MOST_RUNS, Requirement
from scoring.ranks.options import LONGEST, number_of
from scoring.ranks.topics import NeededTopics, needed

USUAL: Final = {
    "variance": "0.05", "differences": "", "runs": "10", "difference": "0.05",
    "level": "0.05", "power": "0.8",
}  # fmt: skip


@dataclass(frozen=True)
class Calculation:
    """The form as typed, the errors by field, and the answer if there are none."""

    fields: Mapping[str, str]
    faults: Mapping[str, list[str]] = field(default_factory=dict)
    runs: int = 0
    required: Requirement | None = None
    needed: NeededTopics | None = None


def calculated(params: Mapping[str, str]) -> Calculation:
    fields = {name: (params.get(name) or usual).strip() for name, usual in USUAL.items()}
    numbers = {name: number_of(text) for name, text in fields.items()}
    faults = {name: [fault] for name in fields if (fault := _fault(name, fields, numbers))}
    shown = {name: text[:LONGEST] for name, text in fields.items()}
    variance, runs = numbers["variance"], numbers["runs"]
    difference, level, power = numbers["difference"], numbers["level"], numbers["power"]
    if faults or None in (variance, runs, difference, level, power):
        return Calculation(shown, faults)
    variance, runs = float(variance or 0), int(runs or 0)
    required = Requirement(float(difference or 0), float(level or 0), float(power or 0))
    # Twice the largest number would be infinite.
    of_differences = numbers["differences"] or min(2 * variance, sys.float_info.max)
    return Calculation(shown, {}, runs, required, needed(variance, of_differences, runs, required))


def _fault(name: str, fields: Mapping[str, str], numbers: Mapping[str, float | None]) -> str:
    """Why the field cannot be used; "" if it can."""
    value, level = numbers[name], numbers["level"]
    if name == "differences" and not fields[name]:
        return ""
    if value is None:
        return f"{fields[name][:LONGEST]!r} is not a number such as {USUAL[name] or '0.03'}"
    if name == "runs" and not (value == int(value) and 2 <= value <= MOST_RUNS):
        return f"write a whole number from 2 to {MOST_RUNS:,}"
    if name == "level" and not LEAST_LEVEL <= value < 1:
        return f"write a number between {LEAST_LEVEL} and 1"
    if name == "power" and not (level is not None and level < value <= MOST_POWER):
        return f"write a number above the level, up to {MOST_POWER}"
    return "" if value > 0 else "write a number above 0"
