"""Scores by topic across the runs of a board: the rows of the list of topics and of one topic."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Qrels, Topic
from scoring.core.data.artefacts import unpack_vector
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.means import Interval
from scoring.core.statistics.ranks import shared_ranks
from scoring.core.statistics.undefined import nan_if_none, none_if_nan
from scoring.evaluation.rules import rules_of
from scoring.evaluation.storage import load_table
from scoring.results.options import sees_by_topic, sees_topic_means
from scoring.results.runs import STATUSES, BoardRun, board_run_fields, board_scores

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class TopicRow:
    """The scores of the ranked runs on one topic. None if the viewer may not see them, or if no run
    has a score. `relevant` and `judged` are counts of the qrels."""

    code: str
    title: str
    relevant: int | None
    judged: int | None
    runs: int
    mean: float | None
    lowest: float | None
    lower_quartile: float | None
    upper_quartile: float | None
    highest: float | None

    @property
    def spread(self) -> float | None:
        """The interquartile range."""
        if self.lower_quartile is None or self.upper_quartile is None:
            return None
        return self.upper_quartile - self.lower_quartile


@dataclass(frozen=True, kw_only=True)
class TopicRun(BoardRun, Interval):
    """One run on one topic."""

    rank: int | None
    people: float | None = None  # the part of the base that people judged; None: all of it


def topic_rows(viewer: Viewer, measure: Measure) -> tuple[TopicRow, ...]:
    """A row for each topic, in the order of the topics file, under the active qrels."""
    topics = list(viewer.campaign.topics.order_by("position"))
    qrels = viewer.campaign.active_qrels
    scores = _matrix(viewer, qrels, measure, len(topics)) if qrels else np.empty((0, len(topics)))
    counts: dict[str, tuple[int, int]] = {}  # relevant and judged documents, by code
    if qrels is not None and viewer.can_see_qrels:
        table = load_table(qrels, viewer.campaign)
        by_topic = (
            table.grade_counts[:, rules_of(viewer.campaign).rel :].sum(axis=1).tolist(),
            table.grade_counts.sum(axis=1).tolist(),
        )
        counts = dict(zip(table.topics, zip(*by_topic, strict=True), strict=True))
    rows = []
    for position, topic in enumerate(topics):
        defined = scores[:, position][~np.isnan(scores[:, position])]
        spread = np.quantile(defined, (0, 0.25, 0.75, 1)).tolist() if len(defined) else [None] * 4
        relevant, judged = counts.get(topic.code, (None, None))
        rows.append(
            TopicRow(
                code=topic.code,
                title=topic.title,
                relevant=relevant,
                judged=judged,
                runs=len(defined),
                mean=float(defined.mean()) if len(defined) else None,
                lowest=spread[0],
                lower_quartile=spread[1],
                upper_quartile=spread[2],
                highest=spread[3],
            )
        )
    return tuple(rows)


def topic_runs(viewer: Viewer, topic: Topic, measure: Measure) -> tuple[TopicRun, ...]:
    """The runs whose score on this topic the viewer may see, best first."""
    qrels = viewer.campaign.active_qrels
    if qrels is None or not sees_by_topic(viewer):
        return ()
    rules = rules_of(viewer.campaign)
    rows = [
        TopicRun(
            **board_run_fields(viewer, score),
            rank=None,
            base=_at(score["bases"], topic.position),
            residual=_at(score["residuals"], topic.position),
            people=_at(score["people"], topic.position),
        )
        for score in board_scores(viewer, rules, qrels, (measure,), "bases", "residuals", "people")
    ]
    # Late and disqualified runs have no rank, and come last.
    values = [nan_if_none(row.base) if row.is_ranked else np.nan for row in rows]
    ranks = shared_ranks(sign_of(measure) * np.array(values, dtype=float))
    ranked = sorted(
        (replace(row, rank=rank) for row, rank in zip(rows, ranks, strict=True)),
        key=lambda row: (STATUSES.index(row.status), row.rank or len(rows) + 1, row.name.lower()),
    )
    # A rank among only the viewer's own runs would look like a rank among all.
    if not viewer.can_see_board:
        return tuple(replace(row, rank=None) for row in ranked)
    return tuple(ranked)


def could_lead(rows: Sequence[TopicRun]) -> int:
    """How many runs below rank 1 have an upper bound above the base of the first."""
    best = max((row.base for row in rows if row.rank == 1 and row.base is not None), default=None)
    upper_bounds = (row.upper for row in rows if row.rank is not None and row.rank > 1)
    return 0 if best is None else sum(upper is not None and upper > best for upper in upper_bounds)


def _matrix(viewer: Viewer, qrels: Qrels, measure: Measure, topics: int) -> Vector:
    """float64[ranked runs, topics]; NaN where a run has no score on a topic."""
    if not sees_topic_means(viewer):
        return np.empty((0, topics))
    rows = board_scores(viewer, rules_of(viewer.campaign), qrels, (measure,), "bases")
    vectors = [
        unpack_vector(bytes(score["bases"]))
        for score in rows
        if board_run_fields(viewer, score)["status"] == "ranked"
    ]
    matrix = np.full((len(vectors), topics), np.nan)
    for row, vector in zip(matrix, vectors, strict=True):
        row[: len(vector)] = vector[:topics]  # topics added later have no scores yet
    return matrix


def _at(packed: bytes | None, position: int) -> float | None:
    if packed is None:
        return None
    vector = unpack_vector(bytes(packed))
    # A topic that was added after the run was scored is not in the vector.
    return none_if_nan(vector[position]) if position < len(vector) else None
