"""The documents that a campaign's runs contribute for judging, and their known outcomes."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.judging.final_grades import Key, final_grade_values
from campaigns.models import Campaign, Qrels, Run
from scoring.core.data.grades import UNJUDGED
from scoring.core.data.judgments import JudgmentTable, build_table
from scoring.core.judging.candidates import Candidates, collect_candidates, find_outcomes
from scoring.core.statistics.means import required_depth
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.storage import load_ranking, load_table
from scoring.models import StoredRanking

MIN_DEPTH = 100
NEGLIGIBLE = 1e-9  # of a residual: deeper documents are no candidates
# Those of two of the largest campaigns, or of dozens.
COLLECTED: Final[LRUCache[Candidates]] = LRUCache(room=200_000_000)


@dataclass(frozen=True, eq=False)
class RunCandidates:
    """The candidates of the contributing runs, in the order of the runs' public ids."""

    run_ids: tuple[str, ...]
    digests: tuple[str, ...]  # of the rankings
    names: tuple[tuple[str, str], ...]  # name and team of each, for organisers only
    candidates: Candidates


def contributing_runs(campaign: Campaign, lowest_priority: int | None) -> list[Run]:
    """The ranked runs that contribute documents: up to this judging priority, or all. A run without
    a priority contributes only if there is no limit. One query."""
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
    """None if no run contributes. The default of `depth` is `depth_of` the persistence."""
    runs = contributing_runs(campaign, lowest_priority)
    if not runs:
        return None
    topics = tuple(campaign.topics.order_by("position").values_list("code", flat=True))
    stored = tuple((run.ranking.storage_key, run.ranking.digest) for run in runs)
    tags = tuple(run.tag for run in runs)
    depth = depth or depth_of(campaign, persistence)
    key = hashlib.sha256(repr((stored, tags, topics, depth)).encode()).hexdigest()
    # Requests at the same time collect them once: a ranking can have millions of documents.
    with COLLECTED.alone(key):
        candidates = COLLECTED.get(key)
        if candidates is None:
            rankings = (
                load_ranking(StoredRanking(storage_key=storage_key, digest=digest))
                for storage_key, digest in stored
            )
            candidates = collect_candidates(rankings, topics=topics, depth=depth, names=tags)
            COLLECTED.keep(key, candidates, candidates.nbytes)
    return RunCandidates(
        run_ids=tuple(run.public_id for run in runs),
        digests=tuple(digest for _, digest in stored),
        names=tuple((run.display_name, run.team.name) for run in runs),
        candidates=candidates,
    )


def documents_of_runs(campaign: Campaign) -> set[tuple[str, str]]:
    """Topic and document of each candidate of all ranked runs."""
    # A p of 0 adds nothing: the campaign's own p decide the depth.
    found = candidates_of_campaign(campaign, persistence=0.0)
    if found is None:
        return set()
    topics, every = found.candidates.topics, found.candidates
    pairs = zip(every.topic_rows.tolist(), every.doc_ids.tolist(), strict=True)
    return {(topics[row], doc_id.decode()) for row, doc_id in pairs}


def depth_of(campaign: Campaign, persistence: float) -> int:
    """The depth of the candidates of a campaign: as the largest of its p, or this one, needs. Plans
    and their forecasts use the same depth for all p."""
    return depth_for(max(persistence, *campaign.persistences))


def depth_for(persistence: float) -> int:
    """The depth below which documents could add less than NEGLIGIBLE to a run's RBP."""
    return max(MIN_DEPTH, required_depth(persistence, NEGLIGIBLE))


def known_outcomes(
    campaign: Campaign,
    candidates: Candidates,
    *,
    starts_from: Qrels | None,
    grades: Mapping[Key, int] | None = None,
) -> NDArray[np.int8]:
    """int8[candidates]: 1 relevant, 0 not, or UNJUDGED, by the judgments made (or these `grades`),
    else by the qrels that the plan starts from."""
    judged = final_grade_values(campaign) if grades is None else grades
    table = table_of_grades(candidates.topics, judged, campaign.highest_grade)
    outcomes = find_outcomes(candidates, table, rel=campaign.rel)
    if starts_from is None:
        return outcomes
    before = find_outcomes(candidates, load_table(starts_from, campaign), rel=campaign.rel)
    return np.where(outcomes == UNJUDGED, before, outcomes)


def table_of_grades(
    topics: tuple[str, ...], grades: Mapping[Key, int], highest_grade: int
) -> JudgmentTable:
    """Grades by topic and document as a table for look-up, with these topics as rows."""
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
