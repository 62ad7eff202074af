"""Scores by topic and run: which topics are difficult, and which discriminate between runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Qrels
from campaigns.options import choice_or_404
from scoring.core.data.artefacts import unpack_vector
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.ranks import DECIMALS, shared_ranks
from scoring.evaluation.rules import rules_of
from scoring.results.options import sees_topic_means
from scoring.results.runs import BoardRun, board_run_fields, board_scores

Vector = NDArray[np.float64]

ORDERS: Final = {
    "difficulty": "hardest first",
    "file": "as in the file",
    "likeness": "by similarity",
}
MAX_CLUSTERED: Final = 500  # topics that can be ordered by similarity
MAX_DISCRIMINATING: Final = 5  # topics listed as most discriminating


@dataclass(frozen=True)
class MatrixTopic:
    """One topic that is scored. `share`: of the variance between the runs, over all topics;
    `correlation`: of its scores with the runs' means over the other topics. None: not defined."""

    code: str
    title: str
    mean: float
    share: float | None
    correlation: float | None


@dataclass(frozen=True, eq=False)
class TopicMatrix:
    measure: Measure
    order: str  # of ORDERS
    qrels: Qrels
    runs: tuple[BoardRun, ...]  # in the order of the board
    ranks: tuple[int, ...]
    topics: tuple[MatrixTopic, ...]  # in the chosen order
    scores: Vector  # float64[topics, runs]

    @cached_property
    def discriminating(self) -> tuple[MatrixTopic, ...]:
        """The topics with the largest shares of the variance, at most half of all topics."""
        known = [topic for topic in self.topics if topic.share]
        count = min(MAX_DISCRIMINATING, -(-len(self.topics) // 2))
        return tuple(sorted(known, key=lambda topic: -(topic.share or 0.0))[:count])

    @property
    def variance_share(self) -> float:
        return sum(topic.share or 0.0 for topic in self.discriminating)


def orders_offered(topics: int) -> dict[str, str]:
    """By name. Similarity takes time and memory that grow with the square of the topics."""
    return {
        name: label
        for name, label in ORDERS.items()
        if name != "likeness" or topics <= MAX_CLUSTERED
    }


def chosen_order(params: Mapping[str, str], topics: int) -> str:
    """Raises UnknownChoice."""
    return choice_or_404(
        "order", params.get("order"), orders_offered(topics), usual=next(iter(ORDERS))
    )


def topic_matrix(viewer: Viewer, measure: Measure, order: str) -> TopicMatrix | None:
    """Of all ranked runs under the active qrels; None if the viewer may not see it, or if no run
    has a score. Two queries."""
    qrels = viewer.campaign.active_qrels
    if qrels is None or not sees_topic_means(viewer):
        return None
    topics = list(viewer.campaign.topics.order_by("position"))
    ranked = _ranked_runs(viewer, qrels, measure, len(topics))
    if not ranked:
        return None
    scores = np.array([vector for _, _, vector in ranked]).T
    # A topic that no run has a score on has neither a mean nor a variance.
    scored = np.flatnonzero(~np.isnan(scores).all(axis=1))
    if not len(scored):
        return None
    scores = scores[scored]
    # Of the sum over all topics of the variance between the runs. Rounding errors are no variance.
    variances = np.nanvar(scores, axis=1)
    variances[np.nanmax(scores, axis=1) - np.nanmin(scores, axis=1) < 10.0**-DECIMALS] = 0
    total = float(variances.sum())
    shares = [None if total == 0 else share / total for share in variances.tolist()]
    facts = [
        MatrixTopic(topics[at].code, topics[at].title, mean, share, correlation)
        for at, mean, share, correlation in zip(
            scored, np.nanmean(scores, axis=1).tolist(), shares, _correlations(scores),
            strict=True,
        )
    ]  # fmt: skip
    positions = _order(scores, order, sign_of(measure))
    return TopicMatrix(
        measure=measure,
        order=order,
        qrels=qrels,
        runs=tuple(run for run, _, _ in ranked),
        ranks=tuple(rank for _, rank, _ in ranked),
        topics=tuple(facts[at] for at in positions),
        scores=scores[positions],
    )


def _ranked_runs(
    viewer: Viewer, qrels: Qrels, measure: Measure, topics: int
) -> list[tuple[BoardRun, int, Vector]]:
    """The ranked runs, best first, with their ranks and their scores by topic."""
    rows = []
    rules = rules_of(viewer.campaign)
    for score in board_scores(viewer, rules, qrels, [measure], "mean_base", "bases"):
        run = BoardRun(**board_run_fields(viewer, score))
        if run.is_ranked and score["mean_base"] is not None:
            vector = np.full(topics, np.nan)
            known = unpack_vector(bytes(score["bases"]))[:topics]
            # Topics that were added later have no scores yet.
            vector[: len(known)] = known
            rows.append((run, score["mean_base"], vector))
    means = np.array([mean for _, mean, _ in rows], dtype=np.float64)
    ranks = shared_ranks(sign_of(measure) * means)
    ranked = [(run, rank or 0, vector) for (run, _, vector), rank in zip(rows, ranks, strict=True)]
    return sorted(ranked, key=lambda each: (each[1], each[0].name.lower()))


def _correlations(scores: Vector) -> list[float | None]:
    """Of each topic with the mean over the others, over the runs that have both."""
    counts = (~np.isnan(scores)).sum(axis=0)
    sums = np.nansum(scores, axis=0)
    correlations: list[float | None] = []
    for row in scores:
        both = ~np.isnan(row) & (counts > 1)
        others = (sums[both] - row[both]) / (counts[both] - 1)
        # With two runs, every correlation is 1 or -1. A constant has none.
        is_flat = (
            both.sum() < 3
            or np.ptp(row[both]) < 10.0**-DECIMALS
            or np.ptp(others) < 10.0**-DECIMALS
        )
        correlations.append(None if is_flat else float(np.corrcoef(row[both], others)[0, 1]))
    return correlations


def _order(scores: Vector, order: str, sign: float) -> NDArray[np.intp]:
    if order == "file":
        return np.arange(len(scores))
    # Topics that are equally difficult stay in the order of the file.
    by_difficulty = np.argsort(sign * np.nanmean(scores, axis=1), kind="stable")
    if order == "difficulty" or len(scores) < 3:
        return by_difficulty
    # The only use of SciPy, whose import takes a third of the start of a process that serves pages.
    hierarchy = import_module("scipy.cluster.hierarchy")
    sorted_rows = scores[by_difficulty]
    # Distances need complete rows. The mean of its topic makes a missing score say nothing.
    filled = np.where(np.isnan(sorted_rows), np.nanmean(sorted_rows, axis=1)[:, None], sorted_rows)
    tree = hierarchy.linkage(filled, method="average", optimal_ordering=True)
    leaves: NDArray[np.intp] = hierarchy.leaves_list(tree)
    return by_difficulty[leaves]
