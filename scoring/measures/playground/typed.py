"""A ranking as somebody types it: `$$---$-??-`, `3[1-]0`, `$--|$$`.

    $     relevant, grade 1          0 1 2 3   a grade
    -     judged, not relevant       ?         not judged
    [ ]   around documents that tie, in the order in which trec_eval would put them
    |     what stands after it was judged, and the ranking has not got it

Blanks mean nothing. What is wrong is said with its place; nothing is repaired.
"""

from dataclasses import dataclass, replace
from typing import Final

from scoring.core.data.grades import UNJUDGED

GRADES: Final = {"$": 1, "-": 0, "?": UNJUDGED, "0": 0, "1": 1, "2": 2, "3": 3}
MOST: Final = 100  # documents, and as many that were judged and are not in the ranking
LONGEST: Final = 600  # characters
HIGHEST: Final = 3


class BadRanking(ValueError):
    """`messages` say what is wrong, and where."""

    def __init__(self, messages: list[str]) -> None:
        super().__init__("; ".join(messages))
        self.messages = messages


@dataclass(frozen=True)
class Typed:
    """`begins` says of each document whether it does not tie with the one above it."""

    grades: tuple[int, ...]
    begins: tuple[bool, ...]
    missed: tuple[int, ...]  # grades of judged documents that the ranking has not got

    @property
    def has_ties(self) -> bool:
        return not all(self.begins)

    @property
    def highest(self) -> int:
        """The lowest scale that has room for all grades."""
        return max((1, *self.grades, *self.missed))

    def swapped(self, first: int, second: int) -> "Typed":
        """With the documents at these two ranks in each other's place."""
        grades = list(self.grades)
        grades[first - 1], grades[second - 1] = grades[second - 1], grades[first - 1]
        return replace(self, grades=tuple(grades))

    def with_grade(self, rank: int, grade: int) -> "Typed":
        grades = list(self.grades)
        grades[rank - 1] = grade
        return replace(self, grades=tuple(grades))


def read_ranking(text: str) -> Typed:
    """Raises BadRanking."""
    if len(text) > LONGEST:
        raise BadRanking([f"{len(text)} characters are typed; {LONGEST} at most are read"])
    reading = _Reading()
    for place, sign in enumerate(text, start=1):
        if not sign.isspace():
            reading.take(sign, place)
    return reading.end()


def written(typed: Typed) -> str:
    """The text of a ranking; read again it is the same."""
    signs = {1: "$", 0: "-", UNJUDGED: "?"} if typed.highest == 1 else {UNJUDGED: "?"}

    def sign(grade: int) -> str:
        return signs.get(grade, str(grade))

    groups: list[str] = []
    for grade, begins in zip(typed.grades, typed.begins, strict=True):
        if begins:
            groups.append(sign(grade))
        else:
            groups[-1] += sign(grade)
    ranked = "".join(group if len(group) == 1 else f"[{group}]" for group in groups)
    return f"{ranked}|{''.join(map(sign, typed.missed))}" if typed.missed else ranked


class _Reading:
    """What has been read so far."""

    def __init__(self) -> None:
        self._grades: list[int] = []
        self._begins: list[bool] = []
        self._missed: list[int] = []
        self._faults: list[str] = []
        self._opened: int | None = None  # where the bracket is that is open
        self._inside = 0  # documents in it
        self._is_after_bar = False

    def take(self, sign: str, place: int) -> None:
        if sign in GRADES:
            self._document(sign, place)
        elif sign in "[]" and self._is_after_bar:
            self._fault(place, sign, "documents that the ranking has not got cannot tie")
        elif sign == "[":
            self._open(place)
        elif sign == "]":
            self._close(place)
        elif sign == "|":
            self._bar(place)
        else:
            self._fault(place, sign, "it stands for nothing; use $ - ? 0 1 2 3 [ ] |")

    def end(self) -> Typed:
        if self._opened is not None:
            self._faults.append(f"the bracket at character {self._opened} is not closed")
        for count, what in (
            (len(self._grades), "documents are"),
            (len(self._missed), "documents after | are"),
        ):
            if count > MOST:
                self._faults.append(f"{count} {what} typed; {MOST} at most are scored")
        if self._faults:
            raise BadRanking(self._faults)
        return Typed(tuple(self._grades), tuple(self._begins), tuple(self._missed))

    def _document(self, sign: str, place: int) -> None:
        if not self._is_after_bar:
            self._grades.append(GRADES[sign])
            self._begins.append(self._opened is None or self._inside == 0)
            self._inside += 1
        elif sign == "?":
            self._fault(place, sign, "after | stand judged documents only")
        else:
            self._missed.append(GRADES[sign])

    def _open(self, place: int) -> None:
        if self._opened is not None:
            self._fault(place, "[", f"the bracket at character {self._opened} is still open")
        self._opened, self._inside = place, 0

    def _close(self, place: int) -> None:
        if self._opened is None:
            self._fault(place, "]", "no bracket is open")
        self._opened = None

    def _bar(self, place: int) -> None:
        if self._is_after_bar:
            self._fault(place, "|", "there is one already")
        if self._opened is not None:
            self._fault(place, "|", f"the bracket at character {self._opened} is still open")
            self._opened = None
        self._is_after_bar = True

    def _fault(self, place: int, sign: str, why: str) -> None:
        self._faults.append(f"character {place}, {sign!r}: {why}")
