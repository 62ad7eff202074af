"""The documents that a campaign's runs propose for judging, and what is known of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from campaigns.judging.final_grades import Key, final_grade_values
from campaigns.models import Campaign, Qrels, Run
from scoring.core.data.grades import UNJUDGED
from scoring.core.data.judgments import JudgmentTable, build_table
from scoring.core.judging.candidates import Candidates, collect_candidates, find_outcomes
from scoring.core.statistics.means import required_depth
from scoring.evaluation.storage import load_ranking, load_table
from scoring.models import StoredRanking

LEAST_DEPTH = 100
NEGLIGIBLE = 1e-9  # of a residual: what lies deeper is never proposed
KEPT = 2  # campaigns whose candidates stay in memory, some tens of megabytes each


@dataclass(frozen=True, eq=False)
class RunCandidates:
    """The candidates of the runs that count, in the order of the runs' public ids."""

    run_ids: tuple[str, ...]
    names: tuple[tuple[str, str], ...]  # tag and team of each: for organisers' eyes
    candidates: Candidates


def contributing_runs(campaign: Campaign, lowest_priority: int | None) -> list[Run]:
    """The runs on the board that contribute documents: up to this judging priority, or all.
    A run without a priority counts only where no limit is set. One query."""
    runs = campaign.runs.ranked().filter(ranking__isnull=False)
    if lowest_priority is not None:
        runs = runs.filter(judging_priority__lte=lowest_priority)
    return list(runs.select_related("ranking", "team").order_by("public_id"))


def candidates_of_campaign(
    campaign: Campaign,
    *,
    persistence: float,
    lowest_priority: int | None = None,
    depth: int | None = None,
) -> RunCandidates | None:
    """None where no run proposes anything. `depth` is `depth_of` the persistence unless given."""
    runs = contributing_runs(campaign, lowest_priority)
    if not runs:
        return None
    topics = tuple(campaign.topics.order_by("position").values_list("code", flat=True))
    stored = tuple((run.ranking.storage_key, run.ranking.digest) for run in runs)
    candidates = _candidates(stored, topics, depth or depth_of(campaign, persistence))
    return RunCandidates(
        run_ids=tuple(run.public_id for run in runs),
        names=tuple((run.tag, run.team.name) for run in runs),
        candidates=candidates,
    )


def depth_of(campaign: Campaign, persistence: float) -> int:
    """How deep the runs of a campaign propose: as the largest of its p, or this one, needs. A plan,
    its forecast, and all that stands beside them look so deep, whichever p they are made for."""
    return depth_for(max(persistence, *campaign.persistences))


def depth_for(persistence: float) -> int:
    """How deep a run proposes: what lies deeper could add less than NEGLIGIBLE to its RBP."""
    return max(LEAST_DEPTH, required_depth(persistence, NEGLIGIBLE))


def known_outcomes(
    campaign: Campaign,
    candidates: Candidates,
    *,
    starts_from: Qrels | None,
    grades: Mapping[Key, int] | None = None,
) -> NDArray[np.int8]:
    """int8[candidates]: 1 relevant, 0 not, UNJUDGED, by the judgments made (or these `grades`), and
    where they say nothing by the version that the plan starts from."""
    made = final_grade_values(campaign) if grades is None else grades
    table = table_of_grades(candidates.topics, made, campaign.highest_grade)
    outcomes = find_outcomes(candidates, table, rel=campaign.rel)
    if starts_from is None:
        return outcomes
    before = find_outcomes(candidates, load_table(starts_from, campaign), rel=campaign.rel)
    return np.where(outcomes == UNJUDGED, before, outcomes)


def table_of_grades(
    topics: tuple[str, ...], grades: Mapping[Key, int], highest_grade: int
) -> JudgmentTable:
    """Grades by topic and document as a table for look-up, its rows these topics."""
    return build_table(
        topics=topics,
        qrels_topics=topics,
        topic_index=np.array([position for position, _, _ in grades], np.int32),
        doc_ids=id_array(doc_id for _, _, doc_id in grades),
        grades=np.array(list(grades.values()), np.int16),
        highest_grade=highest_grade,
    )


def id_array(doc_ids: Iterable[str]) -> NDArray[np.bytes_]:
    """S{w}[documents]."""
    encoded = [doc_id.encode() for doc_id in doc_ids]
    return np.array(encoded, dtype=np.bytes_) if encoded else np.empty(0, "S8")


@lru_cache(maxsize=KEPT)
def _candidates(
    stored: tuple[tuple[str, str], ...], topics: tuple[str, ...], depth: int
) -> Candidates:
    rankings = [
        load_ranking(StoredRanking(storage_key=key, digest=digest)) for key, digest in stored
    ]
    return collect_candidates(rankings, topics=topics, depth=depth)
