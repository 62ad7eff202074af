"""Means of runs by measures without stored scores, computed from the stored grades a few runs at
a time, so that memory does not grow with the number of runs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels, Run
from campaigns.stored_files import FileLost
from scoring.core.data.judgments import JudgmentTable
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import GradedTopics, evaluate_runs, in_stacks
from scoring.core.measures.measure import Measure
from scoring.core.statistics.means import mask_excluded, means_of_runs
from scoring.core.statistics.undefined import none_if_nan
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.rules import rules_of
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
    # Grades have one column at least, those of an empty run too.
    return tuple(GradedRun(*facts, depth or 1) for *facts, depth in rows)


def means_of(
    campaign: Campaign, qrels: Qrels, measures: Sequence[Measure], runs: Sequence[GradedRun]
) -> dict[Measure, Means]:
    """Mean base and mean residual of these runs by each measure, by public id: the same numbers
    that an evaluation stores. One query, and reads one file for each run that is not cached."""
    if not runs:
        return {measure: {} for measure in measures}
    rules, table = rules_of(campaign), load_table(qrels, campaign)
    included = {
        measure: rules.topics_of_board(measure, table.topics, table.grade_counts)
        for measure in measures
    }
    means: dict[Measure, Means] = {measure: {} for measure in measures}
    # A generator: only the grades of one stack are in memory.
    pairs = (
        (run, GradedTopics(_grades(run, qrels, table), table.grade_counts, rules.gain_map))
        for run in runs
    )
    for stack in in_stacks(pairs, lambda pair: pair[1].grades.shape, measures):
        run_ids = [run.run_id for run, _ in stack]
        scores = evaluate_runs(measures, [graded for _, graded in stack])
        for measure in measures:
            counted, summary = included[measure], family_of(measure).summary
            found = means_of_runs(mask_excluded(scores[measure], counted), counted, summary)
            values = [(none_if_nan(mean.base), mean.residual) for mean in found]
            means[measure].update(zip(run_ids, values, strict=True))
    return means


def _grades(run: GradedRun, qrels: Qrels, table: JudgmentTable) -> NDArray[np.int8]:
    """int8[topics, depth]: cached or stored grades if they are complete, else new ones."""
    grades = GRADES.get(run.storage_key)
    # A topic may have been added since the grades were stored.
    if grades is not None and len(grades) == len(table.topics):
        return grades
    try:
        grades = load_grades(run.storage_key, run.digest)
    except FileLost:
        grades = None
    if grades is None or len(grades) != len(table.topics):
        # `grades_of` stores what it computes, so that the next request finds it.
        lost = Run.objects.select_related("ranking").get(public_id=run.run_id)
        return grades_of(lost, qrels, table)
    GRADES.keep(run.storage_key, grades, grades.nbytes)
    return grades
