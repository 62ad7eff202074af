"""Scores by topic of the runs on a board, as arrays for statistics over runs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Campaign, Qrels
from scoring.core.data.artefacts import unpack_vector
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.evaluation.rules import rules_of, version_of
from scoring.models import Score, TieRule
from scoring.results.runs import BoardRun, board_run_fields, board_scores


@dataclass(frozen=True, eq=False)
class Vectors:
    """Ranked runs and their scores of one measure, in the order of the public ids of the runs, so
    that workers and pages have the same rows."""

    measure: Measure
    run_ids: tuple[str, ...]  # public ids
    base: NDArray[np.float64]  # float64[runs, topics], NaN where undefined or not counted
    residual: NDArray[np.float64] | None  # likewise; None: the measure has none
    mean_base: NDArray[np.float64]  # float64[runs]
    mean_residual: NDArray[np.float64]  # float64[runs], NaN where the measure has none

    @property
    def sign(self) -> float:
        """-1 if a lower score is better: with this factor, higher is better."""
        return sign_of(self.measure)


def vectors_of(
    campaign: Campaign,
    qrels: Qrels,
    measures: Sequence[Measure],
    topics: int | None = None,
    *,
    run_ids: Collection[str] | None = None,
) -> list[Vectors]:
    """For each measure, all ranked runs with scores under the current definitions, or those of
    `run_ids`. Two queries; one with `topics`, the number of topics."""
    topics = campaign.topics.count() if topics is None else topics
    versions = {str(measure): version_of(measure) for measure in measures}
    scores = Score.objects.filter(
        evaluation__qrels=qrels,
        evaluation__definitions=rules_of(campaign).digest,
        evaluation__tie_rule=TieRule.DOCNO,
        evaluation__run__in=campaign.runs.ranked(),
        measure__in=versions,
    ).order_by("evaluation__run__public_id")
    if run_ids is not None:
        scores = scores.filter(evaluation__run__public_id__in=run_ids)
    fields = ("measure", "definition", "bases", "residuals", "mean_base", "mean_residual")
    by_measure: dict[str, list[dict[str, object]]] = {name: [] for name in versions}
    for score in scores.values("evaluation__run__public_id", *fields):
        if score["definition"] == versions[score["measure"]]:
            by_measure[score["measure"]].append(score)
    return [_vectors(measure, by_measure[str(measure)], topics) for measure in measures]


def visible_means(
    viewer: Viewer, qrels: Qrels, measures: Sequence[Measure]
) -> tuple[tuple[BoardRun, ...], NDArray[np.float64], NDArray[np.float64]]:
    """The ranked runs, with the names that this viewer may see, in the order of their public ids;
    their mean bases and mean residuals, float64[measures, runs], NaN if not defined. One query.

    The viewer must be one who may see the board.
    """
    rules = rules_of(viewer.campaign)
    runs: dict[str, BoardRun] = {}
    means: dict[tuple[str, str], tuple[float | None, float | None]] = {}
    for score in board_scores(viewer, rules, qrels, measures, "mean_base", "mean_residual"):
        run = BoardRun(**board_run_fields(viewer, score))
        if run.is_ranked:
            runs[run.run_id] = run
            means[score["measure"], run.run_id] = (score["mean_base"], score["mean_residual"])
    none = (None, None)
    pairs = [[means.get((str(m), run_id), none) for run_id in sorted(runs)] for m in measures]
    # None becomes NaN. Without runs, `reshape` still gives three axes.
    table = np.array(pairs, dtype=np.float64).reshape(len(measures), len(runs), 2)
    return tuple(runs[run_id] for run_id in sorted(runs)), table[:, :, 0], table[:, :, 1]


def _vectors(measure: Measure, scores: list[dict[str, object]], topics: int) -> Vectors:
    has_residuals = bool(scores) and all(score["residuals"] is not None for score in scores)
    return Vectors(
        measure=measure,
        run_ids=tuple(str(score["evaluation__run__public_id"]) for score in scores),
        base=_matrix([score["bases"] for score in scores], topics),
        residual=_matrix([score["residuals"] for score in scores], topics)
        if has_residuals
        else None,
        mean_base=_column(scores, "mean_base"),
        mean_residual=_column(scores, "mean_residual"),
    )


def _column(scores: list[dict[str, object]], name: str) -> NDArray[np.float64]:
    return np.array([score[name] for score in scores], dtype=np.float64)  # None becomes NaN


def _matrix(packed: list[object], topics: int) -> NDArray[np.float64]:
    """NaN for topics that are newer than a vector."""
    matrix = np.full((len(packed), topics), np.nan)
    for row, blob in enumerate(packed):
        vector = unpack_vector(bytes(blob))
        matrix[row, : len(vector)] = vector[:topics]
    return matrix
