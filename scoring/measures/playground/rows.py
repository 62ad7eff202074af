"""The scores of a typed ranking by every measure, for page and CSV."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import PAST_END
from scoring.core.judging.shares import document_shares, has_shares
from scoring.core.measures.arrays import GradedTopics, default_gain_map
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import evaluate
from scoring.core.measures.measure import Measure
from scoring.core.statistics.means import Interval
from scoring.core.statistics.undefined import none_if_nan
from scoring.core.ties.ties import TiedTopics, bounds, expected, has_bounds, has_expected
from scoring.measures.playground.choices import PlaygroundChoices
from scoring.measures.playground.families import GROUP_OF
from scoring.measures.playground.typed import Typed


@dataclass(frozen=True)
class PlaygroundRow(Interval):
    """One measure; None if it is not defined, or has no exact bound. The values for ties are None
    if there are no ties."""

    measure: Measure
    expected: float | None = None
    worst: float | None = None
    best: float | None = None

    @property
    def group(self) -> str:
        return GROUP_OF[self.measure.family]

    @property
    def is_share(self) -> bool:
        """Whether a chart can show it between 0 and 1."""
        return self.base is not None and family_of(self.measure).facts.range == (0.0, 1.0)


@dataclass(frozen=True)
class Rank:
    """A document of the ranking. `alone`: the score of one document of the highest grade at this
    rank, if all others are irrelevant. `contribution`: its part of the score, if it has parts."""

    rank: int
    grade: int
    begins: bool
    alone: float | None
    contribution: float | None


def graded(typed: Typed, top: int) -> GradedTopics:
    """The typed ranking as one topic."""
    # An empty ranking is one rank that is past its end.
    grades = np.array([typed.grades or (PAST_END,)], np.int8)
    judged = [grade for grade in (*typed.grades, *typed.missed) if grade >= 0]
    counts = np.bincount(judged, minlength=top + 1)[None, :].astype(np.int64)
    return GradedTopics(grades, counts, default_gain_map(top))


def rows_of(choices: PlaygroundChoices) -> tuple[PlaygroundRow, ...]:
    topic, measures = graded(choices.typed, choices.top), choices.measures
    scores = evaluate(measures, topic)
    rows = {
        measure: PlaygroundRow(
            _number(scores[measure].base), _number(scores[measure].residual), measure
        )
        for measure in measures
    }
    if not choices.typed.has_ties:
        return tuple(rows.values())
    tied = TiedTopics(topic, np.array([choices.typed.begins]))
    means = expected([each for each in rows if has_expected(each)], tied)
    ends = bounds([each for each in rows if has_bounds(each)], tied)
    return tuple(
        replace(
            row,
            expected=_number(means[measure].base) if measure in means else None,
            worst=_number(ends[measure].worst) if measure in ends else None,
            best=_number(ends[measure].best) if measure in ends else None,
        )
        for measure, row in rows.items()
    )


def rank_rows(choices: PlaygroundChoices) -> tuple[Rank, ...]:
    """Each document of the ranking, with the weight of its rank by the chosen measure."""
    typed, measure = choices.typed, choices.measure
    if not typed.grades:
        return ()
    topic = graded(typed, choices.top)
    # One topic for each rank, with one relevant document, which is at this rank.
    depth, top = len(typed.grades), choices.top
    grades = np.where(np.eye(depth, dtype=bool), top, 0).astype(np.int8)
    counts = np.zeros((depth, top + 1), np.int64)
    counts[:, 0], counts[:, top] = depth - 1, 1
    alone = evaluate([measure], GradedTopics(grades, counts, default_gain_map(top)))[measure].base
    shares = document_shares(measure, topic) if has_shares(measure) else None
    return tuple(
        Rank(
            rank=at + 1,
            grade=grade,
            begins=typed.begins[at],
            alone=none_if_nan(alone[at]),
            contribution=None if shares is None else float(shares[at]),
        )
        for at, grade in enumerate(typed.grades)
    )


def _number(values: NDArray[np.float64] | None) -> float | None:
    return None if values is None else none_if_nan(values[0])
