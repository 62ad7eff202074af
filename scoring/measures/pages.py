"""The catalogue of measures for pages: groups of families, a family, and its properties."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from scoring.core.judging.shares import document_shares, has_shares
from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.entries import GROUPS, Entry, entries, entry_of
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import parse_measure
from scoring.core.properties.properties import PROPERTIES, Property, PropertyResult
from scoring.core.properties.table import (
    MEANINGS,
    PropertyRow,
    findings_of,
    name_at_any_cutoff,
    property_table,
)
from scoring.core.statistics.means import required_depth
from scoring.core.statistics.projection import attainable_rbp, documents_read

PAPERS_RANKING = "$$---$----$-----$---"  # of Tables I and II of the RBP paper
PERSISTENCES = (0.5, 0.8, 0.95)


@dataclass(frozen=True)
class ExampleScore:
    """One side of a counter-example: a ranking of a whole collection, a cutoff, and the score."""

    seen: str
    unseen: str  # below the cutoff
    cutoff: int
    value: float


@dataclass(frozen=True)
class PropertyOfMeasure:
    """A property of a measure, with its meaning."""

    name: Property
    meaning: str
    holds: bool
    scores: tuple[ExampleScore, ...]  # of the smallest counter-example


@dataclass(frozen=True)
class Share:
    """The contribution of the document at a rank to the score."""

    rank: int
    value: float
    running: float


@dataclass(frozen=True)
class Patience:
    """The user model of a value of p, and the judging depth that it needs (RBP paper, 4.4)."""

    persistence: float
    read: float  # documents, on average
    two_digits: int  # judging depth for a residual below .01
    four_digits: int  # below .0001
    best_of_five: float  # the score with five relevant documents, all at the top


@dataclass(frozen=True, eq=False)
class MeasurePage:
    entry: Entry
    measure: Measure  # the requested one, or the example of the family
    rows: tuple[tuple[str, tuple[PropertyOfMeasure, ...]], ...]  # name in the table, its properties
    shares: tuple[Share, ...]
    score: float  # of PAPERS_RANKING; NaN if it is not defined
    patience: tuple[Patience, ...]  # of RBP with one p


@cache
def grouped_entries() -> tuple[tuple[str, tuple[Entry, ...]], ...]:
    by_name = {entry.family.name: entry for entry in entries()}
    return tuple((title, tuple(by_name[name] for name in names)) for title, names in GROUPS)


def most_properties() -> tuple[int, tuple[PropertyRow, ...]]:
    """The largest number of properties of a measure, and the measures with this number."""
    most = max(row.held for row in property_table())
    return most, tuple(row for row in property_table() if row.held == most)


def measure_page(name: str) -> MeasurePage:
    """`name` is a family or one of its measures. Raises BadMeasure or UnknownMeasure, which
    suggests the nearest name."""
    entry, measure, is_family = _look_up(name)
    rows = [row for row in property_table() if row.measure.family == entry.family.name]
    named = [(row.name, row.findings) for row in rows]
    # The table has the example of the family. This measure is searched for counter-examples itself.
    if rows and not is_family:
        named = [(name_at_any_cutoff(measure), findings_of(measure))]
    # PAPERS_RANKING as a topic whose relevant documents are all in the ranking.
    grades = np.array([[1 if sign == "$" else 0 for sign in PAPERS_RANKING]], np.int8)
    relevant = int((grades == 1).sum())
    counts = np.array([[grades.size - relevant, relevant]])
    topic = GradedTopics(grades, counts, np.array([0.0, 1.0]))
    shares: list[Share] = []
    if has_shares(measure):
        parts = document_shares(measure, topic)
        running = np.cumsum(parts)
        places = np.flatnonzero(topic.grades[0]).tolist()
        shares = [Share(at + 1, float(parts[at]), float(running[at])) for at in places]
    return MeasurePage(
        entry=entry,
        measure=measure,
        rows=tuple(
            (
                each,
                tuple(
                    PropertyOfMeasure(
                        name, MEANINGS[name], findings[name].holds, _scores(findings[name])
                    )
                    for name in PROPERTIES
                ),
            )
            for each, findings in named
        ),
        shares=tuple(shares),
        score=float(evaluate([measure], topic)[measure].base[0]),
        patience=tuple(_patience(measure)),
    )


def _look_up(name: str) -> tuple[Entry, Measure, bool]:
    for entry in entries():
        if entry.family.name == name:
            return entry, entry.example, True
    measure = parse_measure(name)
    return entry_of(family_of(measure)), measure, False


def _scores(finding: PropertyResult) -> tuple[ExampleScore, ...]:
    example = finding.counter_example
    if example is None:
        return ()
    sides = zip(example.rankings, example.cutoffs, example.scores, strict=True)
    return tuple(
        ExampleScore(ranking[:cutoff], ranking[cutoff:], cutoff, value)
        for ranking, cutoff, value in sides
    )


def _patience(measure: Measure) -> list[Patience]:
    persistence = dict(measure.parameters).get("p") if measure.family == "RBP" else None
    if persistence is None:
        return []
    return [
        Patience(
            # 1 / (1 - 0.95) is 19.999999999999982.
            p, round(documents_read(p), 9), required_depth(p, 0.01), required_depth(p, 0.0001),
            attainable_rbp(p, 5),
        )
        for p in sorted({*PERSISTENCES, float(persistence)})
    ]  # fmt: skip
