"""Curves of one run under the active qrels: bounds of its RBP by depth and as a function of p,
and precision against recall."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from django.http import Http404
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Run, Topic
from campaigns.options import UnknownChoice, choice_or_404
from scoring.core.data.grades import PAST_END
from scoring.core.data.judgments import JudgmentTable
from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.curves import (
    RankShares,
    bounds_by_depth,
    bounds_by_persistence,
    precision_recall,
    rank_shares,
)
from scoring.core.measures.graded import evaluate_in_blocks
from scoring.core.measures.interpolated_precision import ELEVEN_LEVELS
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import make_measure, with_default_rel
from scoring.core.statistics.means import Interval, mean_scores
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.evaluation.storage import grades_of, load_table
from scoring.models import StoredGrades
from scoring.runs.documents import counted_topics

GAINS: Final = {"binary": "relevant or not", "map": "by grade"}
# Finer above 0.9: the user of 0.9 sees 10 documents on average, and the one of 0.99 sees 100.
PERSISTENCES: Final = tuple(p / 100 for p in (*range(0, 91, 5), *range(91, 100)))
_STEPS: Final = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)


def gains_offered(viewer: Viewer) -> dict[str, str]:
    """Labels by value in the URL. The first is the default."""
    return GAINS if viewer.campaign.highest_grade > 1 else {"binary": GAINS["binary"]}


@dataclass(frozen=True)
class CurveChoice:
    gain: str  # of GAINS
    topic: Topic | None  # for the curves of one topic; None: no topic has a relevant document


@dataclass(frozen=True)
class DepthPoint(Interval):
    persistence: float
    depth: int


@dataclass(frozen=True)
class PersistencePoint(Interval):
    persistence: float


@dataclass(frozen=True)
class RecallLevel:
    """Interpolated precision at a level: the mean over topics, and that of one topic."""

    level: float
    mean: float | None
    topic: float | None


@dataclass(frozen=True)
class RankPoint:
    """One rank of one topic."""

    rank: int
    is_relevant: bool
    recall: float
    precision: float
    interpolated: float


@dataclass(frozen=True, eq=False)
class RunCurves:
    """All curves of a run; those of one topic are empty if the viewer may not see them."""

    choice: CurveChoice
    rules: ScoringRules
    persistences: tuple[float, ...]  # the campaign's own
    topics: tuple[Topic, ...]  # those that can be chosen
    counted: int  # topics in the means
    by_depth: tuple[DepthPoint, ...]
    by_persistence: tuple[PersistencePoint, ...]
    levels: tuple[RecallLevel, ...]
    ranks: tuple[RankPoint, ...]

    @cached_property
    def relevant_ranks(self) -> tuple[RankPoint, ...]:
        return tuple(point for point in self.ranks if point.is_relevant)

    @property
    def deepest(self) -> tuple[DepthPoint, ...]:
        """The bounds of the whole ranking, for each of the campaign's p."""
        last = max((point.depth for point in self.by_depth), default=0)
        return tuple(point for point in self.by_depth if point.depth == last)


def run_curves(viewer: Viewer, run: Run, params: Mapping[str, str]) -> RunCurves | None:
    """None if the run is not graded yet. Raises Http404 if the viewer may not see its curves, and
    for values that are not offered. At most five queries."""
    if not viewer.can_see_curves_of(run):
        raise Http404
    topics = tuple(viewer.campaign.topics.order_by("position"))
    graded = _graded(viewer, run)
    # Before the return, so that an invalid parameter is an error before there are grades too.
    offered = _offered(viewer, run, topics, graded)
    choice = _choice(viewer, run, params, topics, offered)
    if graded is None:
        return None
    row = choice.topic.position if choice.topic else None
    shares = graded.shares(choice.gain)
    persistences = tuple(float(p) for p in viewer.campaign.persistences)
    return RunCurves(
        choice=choice,
        rules=graded.rules,
        persistences=persistences,
        topics=offered,
        counted=int(graded.counted.sum()),
        by_depth=_by_depth(shares, persistences) if graded.counted.any() else (),
        by_persistence=_by_persistence(shares) if graded.counted.any() else (),
        levels=_levels(graded, row),
        ranks=_ranks(graded, row),
    )


@dataclass(frozen=True, eq=False)
class _Graded:
    grades: NDArray[np.int8]  # int8[topics, depth]
    table: JudgmentTable
    rules: ScoringRules

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        """bool[topics]: those that the board counts."""
        return counted_topics(self.table, self.rules)

    @cached_property
    def known(self) -> NDArray[np.int64]:
        """int64[topics]: R."""
        relevant: NDArray[np.int64] = self.table.grade_counts[:, self.rules.rel :].sum(axis=1)
        return relevant

    def shares(self, gain: str) -> RankShares:
        binary = (np.arange(len(self.rules.gain_map)) >= self.rules.rel).astype(np.float64)
        gains = self.rules.gain_map if gain == "map" else binary
        return rank_shares(self.grades[self.counted], gains)


def _graded(viewer: Viewer, run: Run) -> _Graded | None:
    qrels = viewer.campaign.active_qrels
    if qrels is None or not StoredGrades.objects.filter(run=run, qrels=qrels).exists():
        return None
    table = load_table(qrels, viewer.campaign)
    return _Graded(grades_of(run, qrels, table), table, rules_of(viewer.campaign))


def _choice(
    viewer: Viewer,
    run: Run,
    params: Mapping[str, str],
    topics: tuple[Topic, ...],
    offered: tuple[Topic, ...],
) -> CurveChoice:
    gains = gains_offered(viewer)
    gain = choice_or_404("gain", params.get("gain"), gains, usual=next(iter(gains)))
    code = params.get("topic")
    if code and not viewer.can_see_topic_curves_of(run):
        raise Http404
    if code and code not in {topic.code for topic in topics}:
        raise UnknownChoice("topic", code, [topic.code for topic in offered])
    chosen = [topic for topic in topics if topic.code == code] if code else offered
    return CurveChoice(gain, chosen[0] if chosen else None)


def _offered(
    viewer: Viewer, run: Run, topics: tuple[Topic, ...], graded: _Graded | None
) -> tuple[Topic, ...]:
    """Topics with a relevant document, if the viewer may see curves of one topic."""
    if graded is None or not viewer.can_see_topic_curves_of(run):
        return ()
    return tuple(topic for topic in topics if graded.known[topic.position])


def depths_shown(longest: int) -> tuple[int, ...]:
    """Every rank to 10, then at growing steps, and the last rank."""
    steps = [step * 10**power for power in range(7) for step in _STEPS]
    return tuple(sorted({*range(1, 10), *steps, longest} & set(range(1, longest + 1))))


def _by_depth(shares: RankShares, persistences: tuple[float, ...]) -> tuple[DepthPoint, ...]:
    depths = depths_shown(len(shares.gain))
    return tuple(
        DepthPoint(base, residual, p, depth)
        for p in persistences
        # A loop over one value, to give it a name.
        for bounds in (bounds_by_depth(shares, p, depths),)
        for depth, base, residual in zip(
            depths, bounds.base.tolist(), bounds.residual.tolist(), strict=True
        )
    )


def _by_persistence(shares: RankShares) -> tuple[PersistencePoint, ...]:
    bounds = bounds_by_persistence(shares, PERSISTENCES)
    return tuple(
        PersistencePoint(base, residual, p)
        for p, base, residual in zip(
            PERSISTENCES, bounds.base.tolist(), bounds.residual.tolist(), strict=True
        )
    )


def _levels(graded: _Graded, row: int | None) -> tuple[RecallLevel, ...]:
    """Uses IPrec@r of the catalogue, so that there is one implementation."""
    measures = [recall_measure(level, graded.rules.rel) for level in ELEVEN_LEVELS]
    scores = evaluate_in_blocks(
        measures,
        GradedTopics(
            grades=graded.grades,
            grade_counts=graded.table.grade_counts,
            gain_map=graded.rules.gain_map,
        ),
    )
    points = []
    for level, measure in zip(ELEVEN_LEVELS, measures, strict=True):
        mean = mean_scores(scores[measure], graded.counted).base
        own = float(scores[measure].base[row]) if _is_known(graded, row) else None
        points.append(RecallLevel(level, none_if_nan(mean), own))
    return tuple(points)


def recall_measure(level: float, rel: int) -> Measure:
    return with_default_rel(make_measure("IPrec", cutoff=level), rel)


def _ranks(graded: _Graded, row: int | None) -> tuple[RankPoint, ...]:
    if row is None or not _is_known(graded, row):
        return ()
    grades = graded.grades[row]
    # The grades of all topics are as long as those of the longest one.
    relevant = grades[grades != PAST_END] >= graded.rules.rel
    curve = precision_recall(relevant, int(graded.known[row]))
    columns = (relevant, curve.recall, curve.precision, curve.interpolated)
    return tuple(
        RankPoint(rank, *point)
        for rank, point in enumerate(
            zip(*(column.tolist() for column in columns), strict=True), start=1
        )
    )


def _is_known(graded: _Graded, row: int | None) -> bool:
    return row is not None and bool(graded.known[row])
