"""The progress of judging: bounds of each run's score by the judgments made so far.

A process caches the bounds of the last campaigns and updates them by what was judged since. The
final grade of every document with a newer judgment is computed again from all its judgments, so
that corrections, adjudications and undone judgments count as they do everywhere else.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from django.db.models import Count, Max, Q
from numpy.typing import NDArray

from campaigns.judging.final_grades import Key, final_grade_values, final_grades
from campaigns.models import Campaign, Judgment, Plan
from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import find_candidates
from scoring.core.judging.live_bounds import LiveBounds
from scoring.core.judging.selection import RunBounds
from scoring.core.statistics.means import required_depth
from scoring.judging.candidates import (
    RunCandidates,
    candidates_of_campaign,
    id_array,
    known_outcomes,
)

NEGLIGIBLE: Final = 1e-14  # of a residual: deeper documents are not tracked
CACHED: Final = 2  # campaigns whose bounds are cached, some tens of megabytes each
FEW: Final = 300  # documents: for more, the final grades of all documents are computed

_lock = threading.Lock()  # one page at a time reads new judgments


@dataclass(eq=False)
class _Bounds:
    """The bounds of one campaign, and which judgments they include."""

    run_candidates: RunCandidates
    live: LiveBounds
    before: NDArray[np.int8]  # int8[candidates]: outcomes without the judgments made here
    grades: dict[Key, int]  # the final grade of every judged document
    count: int  # of judgments included
    last: int  # the key of the newest of them


@dataclass(frozen=True, eq=False)
class JudgingProgress:
    """The runs and topics as judged so far; RBP at the campaign's lowest relevant grade."""

    run_ids: tuple[str, ...]
    names: tuple[tuple[str, str], ...]  # tag and team of each run
    topics: tuple[str, ...]  # codes, by position
    bounds: RunBounds
    grades: Mapping[Key, int]
    last: int  # the key of the newest judgment


_cache: OrderedDict[tuple[object, ...], _Bounds] = OrderedDict()


def progress_of(plan: Plan) -> JudgingProgress | None:
    """The current state, whether the plan is active or ended; None if no run is ranked. Five
    queries, two if nothing was judged since the last call."""
    depth = depth_tracked(plan.persistence)
    run_candidates = candidates_of_campaign(
        plan.campaign, persistence=plan.persistence, depth=depth
    )
    if run_candidates is None:
        return None
    campaign = plan.campaign
    start = plan.starts_from.digest if plan.starts_from else ""
    key = (campaign.pk, plan.persistence, campaign.rel, campaign.highest_grade, start)
    with _lock:
        cached = _cache.get(key)
        # The candidates are the same object while the rankings are unchanged.
        if cached is None or cached.run_candidates.candidates is not run_candidates.candidates:
            cached = _computed(plan, run_candidates)
        else:
            cached = _update(plan, cached) or _computed(plan, run_candidates)
        _cache[key] = cached
        # The first one is that which was used least recently.
        _cache.move_to_end(key)
        while len(_cache) > CACHED:
            _cache.popitem(last=False)
        return JudgingProgress(
            run_ids=run_candidates.run_ids,
            names=run_candidates.names,
            topics=run_candidates.candidates.topics,
            bounds=cached.live.bounds(),
            # A copy, because the next request changes the cached one.
            grades=dict(cached.grades),
            last=cached.last,
        )


def mean_residual(plan: Plan) -> float | None:
    """The mean over all runs and topics: the only figure that assessors may see."""
    progress = progress_of(plan)
    return None if progress is None else float(progress.bounds.residual.mean())


def depth_tracked(persistence: float) -> int:
    """The depth below which documents could change a score by less than NEGLIGIBLE."""
    return max(100, required_depth(persistence, NEGLIGIBLE))


def _computed(plan: Plan, run_candidates: RunCandidates) -> _Bounds:
    """From all judgments at once."""
    campaign, candidates = plan.campaign, run_candidates.candidates
    # Before the grades: what is judged in between counts as newer, and is read again.
    count, last = _totals(campaign)
    grades = final_grade_values(campaign)
    before = np.full(len(candidates), UNJUDGED, np.int8)
    if plan.starts_from is not None:
        before = known_outcomes(campaign, candidates, starts_from=plan.starts_from, grades={})
    cached = _Bounds(
        run_candidates=run_candidates,
        live=LiveBounds(candidates, plan.persistence),
        before=before,
        grades={},
        count=count,
        last=last,
    )
    cached.live.take(np.arange(len(candidates)), before)
    _set_grades(cached, campaign, grades, grades)
    return cached


def _update(plan: Plan, cached: _Bounds) -> _Bounds | None:
    """Adds what was judged since; None if an older judgment was committed after a newer one: then
    all judgments are read again."""
    campaign = plan.campaign
    count, last = _totals(campaign)
    if (count, last) == (cached.count, cached.last):
        return cached
    # No further than `last`, so that number and documents are of one moment.
    newer = campaign.judgments.filter(pk__gt=cached.last, pk__lte=last)
    touched = list(newer.values_list("topic__position", "topic__code", "doc_id"))
    if cached.count + len(touched) != count:
        return None
    documents = set(touched)
    judgments = campaign.judgments.filter(pk__lte=last)
    if len(documents) <= FEW:
        by_topic: dict[int, list[str]] = {}
        for position, _, doc_id in documents:
            by_topic.setdefault(position, []).append(doc_id)
        # It selects nothing. An empty Q would select everything.
        condition = Q(pk__in=[])
        for position, doc_ids in by_topic.items():
            condition |= Q(topic__position=position, doc_id__in=doc_ids)
        judgments = judgments.filter(condition)
    final = final_grades(judgments)
    grades = {key: entry.grade for key, entry in final.items() if entry.grade is not None}
    _set_grades(cached, campaign, grades, documents)
    cached.count, cached.last = count, last
    return cached


def _totals(campaign: Campaign) -> tuple[int, int]:
    judgments = Judgment.objects.filter(campaign=campaign)
    totals = judgments.aggregate(count=Count("pk"), last=Max("pk"))
    return totals["count"], totals["last"] or 0


def _set_grades(
    cached: _Bounds, campaign: Campaign, grades: Mapping[Key, int], documents: Iterable[Key]
) -> None:
    """Sets the grades of these documents; those without a grade are unjudged again."""
    keys = list(documents)
    for key in keys:
        cached.grades.pop(key, None)
    cached.grades.update((key, grades[key]) for key in keys if key in grades)
    rows = np.array([position for position, _, _ in keys], np.int32)
    candidates = cached.run_candidates.candidates
    places = find_candidates(candidates, rows, id_array(doc_id for _, _, doc_id in keys))
    final = [grades.get(key) for key in keys]
    outcomes = np.array(
        [UNJUDGED if grade is None else int(grade >= campaign.rel) for grade in final], np.int8
    )
    # A document that is no candidate has place -1: it reads the last one, and is left out below.
    outcomes = np.where(outcomes == UNJUDGED, cached.before[places], outcomes)
    cached.live.take(places[places >= 0], outcomes[places >= 0])
