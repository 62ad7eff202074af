"""Means of runs by measures without stored scores, computed from the stored grades run by run, so
that memory does not grow with the number of runs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels, Run
from campaigns.stored_files import FileLost
from scoring.core.data.judgments import JudgmentTable
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import GradedTopics, Scores, evaluate_in_blocks
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import rel_of
from scoring.core.statistics.means import mask_excluded, mean_scores, topics_of_mean
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.rules import ScoringRules, rules_of
from scoring.evaluation.storage import grades_of, load_grades, load_table
from scoring.models import StoredGrades

Means: TypeAlias = dict[str, tuple[float | None, float | None]]  # base, residual by public id

GRADES: Final[LRUCache[NDArray[np.int8]]] = LRUCache(room=32 << 20)  # bytes


@dataclass(frozen=True)
class GradedRun:
    """A live run with stored grades, and where they are."""

    run_id: str  # public id
    storage_key: str
    digest: str
    depth: int  # of its longest topic


def graded_runs(
    campaign: Campaign, qrels: Qrels, run_ids: Collection[str] | None = None
) -> tuple[GradedRun, ...]:
    """In the order of their public ids; only those of `run_ids` if given. One query."""
    stored = StoredGrades.objects.filter(qrels=qrels, run__in=campaign.runs.live())
    if run_ids is not None:
        stored = stored.filter(run__public_id__in=run_ids)
    columns = ("run__public_id", "storage_key", "digest", "run__ranking__longest")
    rows = stored.order_by("run__public_id").values_list(*columns)
    return tuple(GradedRun(*facts, depth or 1) for *facts, depth in rows)


def means_of(
    campaign: Campaign, qrels: Qrels, measures: Sequence[Measure], runs: Sequence[GradedRun]
) -> dict[Measure, Means]:
    """Mean base and mean residual of these runs by each measure, by public id: the same numbers
    that an evaluation stores. One query, and reads one file for each run that is not cached."""
    if not runs:
        return {measure: {} for measure in measures}
    rules, table = rules_of(campaign), load_table(qrels, campaign)
    included = {measure: _included(measure, table, rules) for measure in measures}
    means: dict[Measure, Means] = {measure: {} for measure in measures}
    for run in runs:
        graded = GradedTopics(_grades(run, qrels, table), table.grade_counts, rules.gain_map)
        for measure, scores in evaluate_in_blocks(measures, graded).items():
            means[measure][run.run_id] = _mean(scores, included[measure], measure)
    return means


def _grades(run: GradedRun, qrels: Qrels, table: JudgmentTable) -> NDArray[np.int8]:
    """int8[topics, depth]: cached or stored grades if they are complete, else new ones."""
    grades = GRADES.get(run.storage_key)
    if grades is not None and len(grades) == len(table.topics):
        return grades
    try:
        grades = load_grades(run.storage_key, run.digest)
    except FileLost:
        grades = None
    if grades is None or len(grades) != len(table.topics):
        lost = Run.objects.select_related("ranking").get(public_id=run.run_id)
        return grades_of(lost, qrels, table)
    GRADES.keep(run.storage_key, grades, grades.nbytes)
    return grades


def _included(measure: Measure, table: JudgmentTable, rules: ScoringRules) -> NDArray[np.bool_]:
    rel = max(rules.rel, rel_of(measure) or 1)
    held_out = np.array([code in rules.held_out for code in table.topics], dtype=bool)
    return topics_of_mean(table.grade_counts, rel=rel, no_relevant=rules.no_relevant) & ~held_out


def _mean(
    scores: Scores, included: NDArray[np.bool_], measure: Measure
) -> tuple[float | None, float | None]:
    mean = mean_scores(mask_excluded(scores, included), included, family_of(measure).summary)
    return none_if_nan(mean.base), mean.residual
