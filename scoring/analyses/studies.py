"""What workers can compute of a leaderboard.

A study is declared beside its computation, in a module of `scoring` whose name ends in `analysis`.
The declaration says what it is asked, what its result holds and depends on, how long it takes, and
how the page of the queue calls it; nothing else has to name it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from campaigns.models import Campaign
from scoring.analyses.costs import Size


class Reads(Flag):
    """What a study reads. When it changes, the result is out of date."""

    SCORES = auto()  # of the ranked runs
    RANKINGS = auto()  # of the ranked runs, in place of their scores
    RULES = auto()  # of scoring, where no scores are read
    POOL_DEPTH = auto()  # as the organisers state it
    JUDGMENTS = auto()  # made here


Question = TypeVar("Question")  # a dataclass of JSON values, equal for the same question
Result = TypeVar("Result")  # a dataclass of arrays and numbers; None if there is nothing to compute


@dataclass(frozen=True)
class Study(Generic[Question, Result]):
    """A computation about a campaign and a version of its qrels. A study of rankings may have no
    version.

    Raise `version` when the computation changes, because stored results are no longer valid then.
    """

    kind: str  # in the database
    title: str
    question: Callable[..., Question]
    compute: Callable[[Campaign, Any, Question], Result]
    result: Callable[..., Result]
    seconds: Callable[[Size, Question], float]  # of one core
    reads: Reads = Reads.SCORES
    version: int = 1


@dataclass(frozen=True)
class OfMeasure:
    """The question of a study by one measure."""

    measure: str


@dataclass(frozen=True)
class OfMeasures:
    """The question of a study by some measures."""

    measures: Sequence[str]


# By kind, those of the modules that are imported.
STUDIES: Final[dict[str, Study[Any, Any]]] = {}


def declare(study: Study[Question, Result]) -> Study[Question, Result]:
    """Makes the study known by its kind. Raises ValueError if another one has it."""
    if STUDIES.setdefault(study.kind, study) is not study:
        raise ValueError(f"two studies are of kind {study.kind}")
    return study


@cache
def import_studies() -> None:
    """Makes all studies known."""
    for path in sorted(Path(__file__).parents[1].glob("*/*analysis.py")):
        import_module(f"scoring.{path.parent.name}.{path.stem}")


def study_of(kind: str) -> Study[Any, Any]:
    """Raises KeyError for a kind that only another release has."""
    import_studies()
    return STUDIES[kind]
