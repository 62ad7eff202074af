"""What a paper prints beside what Trackside computes, and whether the two are the same.

A row has one or more numbers. The printed ones are text, because their digits say how precise they
are. Ours is the same if it rounds to them, half a unit of the last digit upwards.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

PRINTED: Final = "printed"  # heading of what a paper prints for data that we have
CLAIMED: Final = "claimed for TREC-5"  # of what it says about its data, checked on other data
NOTHING: Final = "–"  # not printed, or not in the copy of the text that we have
_NOISE: Final = 1e-9  # of a unit, in what should be exactly half of one


class Unexplained(Exception):
    """A number differs and nothing says why, or an explanation has nothing to explain."""


@dataclass(frozen=True)
class Row:
    """One statement of a paper. `printed` has a word for each number of ours: `.4526`, `1,737`,
    `>1.3` for a bound, `yes` for a text, `–` for what is not printed."""

    what: str
    printed: str
    ours: Sequence[float | str]
    why: str = ""

    @property
    def words(self) -> list[str]:
        return self.printed.split()

    @property
    def same(self) -> list[bool]:
        """Of each number."""
        return [is_same(word, value) for word, value in zip(self.words, self.ours, strict=True)]


@dataclass(frozen=True)
class Table:
    """Values of ours that a paper has from other data, draws without numbers, or does not have."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    digits: int = 3


@dataclass(frozen=True)
class Exhibit:
    """A table, a figure or a section of a paper. `columns` name the numbers of a row, if it has
    several. `heading` is what is compared. Only the PRINTED counts as reproduced, and only once:
    not where the same numbers are computed `again` in another way. What is CLAIMED counts apart."""

    title: str
    rows: Sequence[Row] = ()
    text: str = ""
    columns: str = ""
    heading: str = PRINTED
    again: bool = False
    tables: Sequence[Table] = ()
    charts: Sequence[str] = ()  # names of the files, without .svg


@dataclass(frozen=True)
class Paper:
    title: str
    exhibits: Sequence[Exhibit]
    missing: Sequence[tuple[str, str]] = ()  # what the data do not allow, and the reason


def is_same(word: str, value: float | str) -> bool:
    """Whether a value of ours agrees with a printed word."""
    if word == NOTHING:
        return True
    if isinstance(value, str):
        return word == value
    if word[0] in "<>":
        bound = _number(word[1:])
        return value > bound if word[0] == ">" else value < bound
    return rounded(value, digits_of(word)) == rounded(_number(word), digits_of(word))


def rounded(value: float, digits: int) -> float:
    """As the papers round: .03125 is .0313."""
    scale = 10.0**digits
    return math.floor(value * scale + 0.5 + _NOISE) / scale


def digits_of(word: str) -> int:
    """Digits after the point."""
    return len(word.partition(".")[2])


def difference(word: str, value: float | str) -> float:
    """Ours minus the printed number. Raises ValueError for a text."""
    if isinstance(value, str):
        raise ValueError(f"{value!r} is not a number")
    return value - _number(word.lstrip("<>"))


def check(papers: Sequence[Paper]) -> None:
    """Raises Unexplained, naming every row that differs without a reason, or the reverse."""
    faults = [
        f"{paper.title}, {exhibit.title}, {row.what}: printed {row.printed}, ours {row.ours}: "
        + ("a reason, but no difference" if row.why else "a difference, but no reason")
        for paper in papers
        for exhibit in paper.exhibits
        for row in exhibit.rows
        if all(row.same) == bool(row.why)
    ]
    if faults:
        raise Unexplained("\n".join(faults))


def counted(papers: Sequence[Paper], heading: str = PRINTED) -> tuple[int, int]:
    """Numbers below this heading that are compared, and those that come out the same."""
    compared = [
        same
        for paper in papers
        for exhibit in paper.exhibits
        if exhibit.heading == heading and not exhibit.again
        for row in exhibit.rows
        for word, same in zip(row.words, row.same, strict=True)
        if word != NOTHING
    ]
    return len(compared), sum(compared)


def _number(word: str) -> float:
    return float(word.replace(",", ""))
