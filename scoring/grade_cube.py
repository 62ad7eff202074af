"""The grades of all runs of a qrels version side by side: loaded once, kept in memory, and enough
to score every run anew in a moment."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from campaigns.stored_files import FileLost
from scoring.core.grades import PAST_END
from scoring.core.means import mask_excluded, mean_scores, topics_of_mean
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.graded import GradedTopics, Scores, evaluate
from scoring.core.measures.measure import Measure
from scoring.core.measures.names import rel_of
from scoring.definitions import Rules, rules_of
from scoring.loading import grades_of, load_grades, load_table
from scoring.models import StoredGrades

Means: TypeAlias = dict[str, tuple[float | None, float | None]]  # base, residual by public id

CUBES_KEPT = 2  # of some megabytes each, in every web process


@dataclass(frozen=True, eq=False)
class Cube:
    """Runs in the order of their public ids."""

    run_ids: tuple[str, ...]
    grades: NDArray[np.int8]  # int8[runs, topics, depth]


def cube_of(campaign: Campaign, qrels: Qrels) -> Cube:
    """Every live run whose grades were stored. One query, and a file a run the first time."""
    stored = StoredGrades.objects.filter(qrels=qrels, run__in=campaign.runs.live())
    keys = stored.order_by("run__public_id").values_list("run__public_id", "storage_key", "digest")
    try:
        return _cube(tuple(keys))
    except FileLost:
        table = load_table(qrels, campaign)
        for lost in stored.select_related("run__ranking"):
            grades_of(lost.run, qrels, table)  # makes what is not whole again
        return _cube(tuple(keys.all()))


def means_from_grades(campaign: Campaign, qrels: Qrels, measure: Measure) -> Means:
    """Mean base and mean residual of every run with stored grades, by public id; the same numbers
    that an evaluation stores."""
    return means_by_measure(campaign, qrels, (measure,))[measure]


def means_by_measure(
    campaign: Campaign,
    qrels: Qrels,
    measures: Sequence[Measure],
    *,
    run_ids: Collection[str] | None = None,
) -> dict[Measure, Means]:
    """The same by several measures, of these runs only where some are named. Two queries."""
    cube = cube_of(campaign, qrels)
    rows = [row for row, name in enumerate(cube.run_ids) if run_ids is None or name in run_ids]
    if not rows:
        return {measure: {} for measure in measures}
    rules, table = rules_of(campaign), load_table(qrels, campaign)
    _, topics, depth = cube.grades.shape
    if topics != len(table.topics):
        return {measure: {} for measure in measures}
    graded = GradedTopics(
        grades=(cube.grades if run_ids is None else cube.grades[rows]).reshape(-1, depth),
        grade_counts=np.tile(table.grade_counts, (len(rows), 1)),
        gain_map=rules.gain_map,
    )
    found: dict[Measure, Means] = {}
    for measure, scores in evaluate(measures, graded).items():
        included = _included(measure, table.grade_counts, table.topics, rules)
        found[measure] = {
            cube.run_ids[row]: _mean(
                _part(scores, slice(place * topics, (place + 1) * topics)), included, measure
            )
            for place, row in enumerate(rows)
        }
    return found


def _included(
    measure: Measure, counts: NDArray[np.int64], topics: tuple[str, ...], rules: Rules
) -> NDArray[np.bool_]:
    rel = max(rules.rel, rel_of(measure) or 1)
    held_out = np.array([code in rules.held_out for code in topics], dtype=bool)
    return topics_of_mean(counts, rel=rel, no_relevant=rules.no_relevant) & ~held_out


def _part(scores: Scores, rows: slice) -> Scores:
    residual = None if scores.residual is None else scores.residual[rows]
    return Scores(scores.base[rows], residual)


def _mean(
    scores: Scores, included: NDArray[np.bool_], measure: Measure
) -> tuple[float | None, float | None]:
    mean = mean_scores(mask_excluded(scores, included), included, family_of(measure).summary)
    return None if np.isnan(mean.base) else mean.base, mean.residual


@lru_cache(maxsize=CUBES_KEPT)
def _cube(stored: tuple[tuple[str, str, str], ...]) -> Cube:
    found = [load_grades(key, digest) for _, key, digest in stored]
    topics = max((len(grades) for grades in found), default=0)
    depth = max((grades.shape[1] for grades in found), default=0)
    cube = np.full((len(found), topics, depth), PAST_END, np.int8)
    for row, grades in enumerate(found):
        cube[row, : len(grades), : grades.shape[1]] = grades
    return Cube(tuple(run_id for run_id, _, _ in stored), cube)
