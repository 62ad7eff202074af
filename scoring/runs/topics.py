"""Scores of a run by topic, with the median and the best of the runs on the board."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from django.http import QueryDict
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Run
from campaigns.options import choice_or_404
from scoring.core.measures.catalogue import is_lower_better, sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.ranks import DECIMALS
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.lru import LRUCache
from scoring.models import Score
from scoring.results.cache import cached_board
from scoring.results.options import sees_topic_means
from scoring.results.vectors import vectors_of
from scoring.runs.scores import TopicScore, run_topic_scores

ORDERS: Final = {"file": "as in the file", "score": "best first"}

Vector = NDArray[np.float64]
Field: TypeAlias = Mapping[Measure, tuple[Vector, Vector]]

FIELDS: Final[LRUCache[Field]] = LRUCache(room=4_000_000)  # 16 bytes for each topic and measure


@dataclass(frozen=True)
class RunTopic(TopicScore):
    """`median` and `best` of all ranked runs; None if the viewer may not see them."""

    median: float | None
    best: float | None


@dataclass(frozen=True, eq=False)
class RunTopics:
    measure: Measure
    order: str  # of ORDERS
    rows: tuple[RunTopic, ...]  # in that order

    @property
    def is_lower_better(self) -> bool:
        return is_lower_better(self.measure)

    @cached_property
    def scored(self) -> tuple[RunTopic, ...]:
        """The topics on which it has a score."""
        return tuple(row for row in self.rows if row.base is not None)

    @cached_property
    def compared(self) -> tuple[RunTopic, ...]:
        """The topics with scores of other runs."""
        return tuple(row for row in self.scored if row.median is not None)

    @property
    def above(self) -> int:
        """The number of topics on which it is better than the median run."""
        return sum(self._lead(row.base, row.median) > 0 for row in self.compared)

    @property
    def below(self) -> int:
        return sum(self._lead(row.base, row.median) < 0 for row in self.compared)

    @property
    def firsts(self) -> int:
        """The number of topics on which no ranked run is better."""
        return sum(self._lead(row.base, row.best) >= 0 for row in self.compared)

    def _lead(self, base: float | None, other: float | None) -> float:
        # Rounded: scores that were summed in another order differ in their last digits.
        lead = round((base or 0.0) - (other or 0.0), DECIMALS)
        return -lead if self.is_lower_better else lead


def chosen_topic_order(params: Mapping[str, str]) -> str:
    """Raises UnknownChoice."""
    usual = next(iter(ORDERS))
    return choice_or_404(
        "order", params.get("order"), ORDERS, usual=usual, called="order of topics"
    )


def run_topics(
    viewer: Viewer,
    run: Run,
    measures: Sequence[Measure],
    order: str,
    stored: Sequence[Score] | None = None,
) -> dict[Measure, RunTopics]:
    """By measure; empty if the viewer may not see scores by topic, or the run has none. At most
    three queries for one measure; one less with `stored`, which must have vectors."""
    by_measure = run_topic_scores(viewer, run, measures, stored)
    scored = [measure for measure in measures if str(measure) in by_measure]
    if not scored:
        return {}
    field = _field(viewer, scored, len(by_measure[str(scored[0])]))
    return {
        measure: _topics(measure, order, by_measure[str(measure)], field.get(measure))
        for measure in scored
    }


def _topics(
    measure: Measure,
    order: str,
    scores: tuple[TopicScore, ...],
    field: tuple[Vector, Vector] | None,
) -> RunTopics:
    rows = [
        RunTopic(
            score.base,
            score.residual,
            score.code,
            score.title,
            score.people,
            _at(field, 0, row),
            _at(field, 1, row),
        )
        for row, score in enumerate(scores)
    ]
    if order == "score":
        sign = sign_of(measure)
        # Topics without a score come last, whichever direction is better.
        rows.sort(key=lambda row: (row.base is None, -sign * (row.base or 0.0)))
    return RunTopics(measure, order, tuple(rows))


def _field(viewer: Viewer, measures: Sequence[Measure], topics: int) -> Field:
    """By measure, the median and the best of the ranked runs, float64[topics]; NaN where none has a
    score. Empty if the viewer may not see them. One query.

    By all measures they are cached, because each CSV file of a run has them: 0.8 s and 30 MB for
    2,000 runs. Three queries then, or one."""
    qrels = viewer.campaign.active_qrels
    if qrels is None or not sees_topic_means(viewer):
        return {}

    def compute() -> tuple[Field, int]:
        field = {}
        for vectors in vectors_of(viewer.campaign, qrels, measures, topics):
            if len(vectors.base) < 2:
                continue  # there is no other run
            median, best = np.full(topics, np.nan), np.full(topics, np.nan)
            # Without topics on which no run has a score: NumPy warns of a median of nothing.
            known = ~np.isnan(vectors.base).all(axis=0)
            median[known] = np.nanmedian(vectors.base[:, known], axis=0)
            # Where a lower score is better, the best is the lowest.
            best[known] = vectors.sign * np.nanmax(vectors.sign * vectors.base[:, known], axis=0)
            field[vectors.measure] = (median, best)
        return field, 16 * topics * len(field)

    if len(measures) == 1:
        return compute()[0]
    names = tuple(map(str, measures))
    return cached_board(FIELDS, viewer, QueryDict(), compute, shows_topics=True, besides=names)


def _at(field: tuple[Vector, Vector] | None, which: int, row: int) -> float | None:
    return None if field is None else none_if_nan(field[which][row])
