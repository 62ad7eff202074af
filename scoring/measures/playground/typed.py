"""A typed ranking: `$$---$-??-`, `3[1-]0`, `$--|$$`.

    $     relevant, grade 1          0 1 2 3   a grade
    -     judged, not relevant       ?         not judged
    [ ]   around tied documents, in the order of trec_eval
    |     before judged documents that are not in the ranking

Spaces are ignored. Errors name the character; nothing is corrected.
"""

from dataclasses import dataclass, replace
from typing import Final

from scoring.core.data.grades import UNJUDGED

GRADES: Final = {"$": 1, "-": 0, "?": UNJUDGED, "0": 0, "1": 1, "2": 2, "3": 3}
MAX_DOCUMENTS: Final = 100  # in the ranking, and after |
LONGEST: Final = 600  # characters
HIGHEST: Final = 3


class BadRanking(ValueError):
    """`messages` describe the errors and their positions."""

    def __init__(self, messages: list[str]) -> None:
        super().__init__("; ".join(messages))
        self.messages = messages


@dataclass(frozen=True)
class Typed:
    """`begins` is per document: false if it is tied with the document above."""

    grades: tuple[int, ...]
    begins: tuple[bool, ...]
    missed: tuple[int, ...]  # grades of judged documents that are not in the ranking

    @property
    def has_ties(self) -> bool:
        return not all(self.begins)

    @property
    def highest(self) -> int:
        """The highest grade, at least 1."""
        return max((1, *self.grades, *self.missed))

    def swapped(self, first: int, second: int) -> "Typed":
        """With the documents at these two ranks swapped."""
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
        raise BadRanking([f"the text has {len(text)} characters; the maximum is {LONGEST}"])
    reading = _Reading()
    for position, sign in enumerate(text, start=1):
        if not sign.isspace():
            reading.take(sign, position)
    return reading.end()


def written(typed: Typed) -> str:
    """The text of a ranking; `read_ranking` reverses it."""
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
        self._opened: int | None = None  # position of the open bracket
        self._inside = 0  # documents in it
        self._is_after_bar = False

    def take(self, sign: str, position: int) -> None:
        if sign in GRADES:
            self._document(sign, position)
        elif sign in "[]" and self._is_after_bar:
            self._fault(position, sign, "documents that are not in the ranking cannot be tied")
        elif sign == "[":
            if self._opened is not None:
                self._fault(position, "[", f"the bracket at character {self._opened} is still open")
            self._opened, self._inside = position, 0
        elif sign == "]":
            if self._opened is None:
                self._fault(position, "]", "no bracket is open")
            self._opened = None
        elif sign == "|":
            if self._is_after_bar:
                self._fault(position, "|", "only one is allowed")
            if self._opened is not None:
                self._fault(position, "|", f"the bracket at character {self._opened} is still open")
                # Otherwise `end` would report it a second time.
                self._opened = None
            self._is_after_bar = True
        else:
            self._fault(position, sign, "it is not allowed; use $ - ? 0 1 2 3 [ ] |")

    def end(self) -> Typed:
        if self._opened is not None:
            self._faults.append(f"the bracket at character {self._opened} is not closed")
        for count, what in (
            (len(self._grades), "documents"),
            (len(self._missed), "documents after |"),
        ):
            if count > MAX_DOCUMENTS:
                self._faults.append(f"the text has {count} {what}; the maximum is {MAX_DOCUMENTS}")
        if self._faults:
            raise BadRanking(self._faults)
        return Typed(tuple(self._grades), tuple(self._begins), tuple(self._missed))

    def _document(self, sign: str, position: int) -> None:
        if not self._is_after_bar:
            self._grades.append(GRADES[sign])
            self._begins.append(self._opened is None or self._inside == 0)
            self._inside += 1
        elif sign == "?":
            self._fault(position, sign, "only judged documents are allowed after |")
        else:
            self._missed.append(GRADES[sign])

    def _fault(self, position: int, sign: str, why: str) -> None:
        self._faults.append(f"character {position}, {sign!r}: {why}")
