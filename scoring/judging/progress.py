"""How far judging has come: what each run is known to be worth by the judgments made so far.

A process keeps the bounds of the campaigns it was last asked about and takes in what was judged
since. Of every document with a newer act all acts are settled again, so that corrections, decisions
between assessors and what was taken back count as they do everywhere else.
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

NEGLIGIBLE: Final = 1e-14  # of a residual: what lies deeper is not followed
KEPT: Final = 2  # campaigns whose bounds stay in memory, some tens of megabytes each
FEW: Final = 300  # documents: more are settled with all others together

_lock = threading.Lock()  # one page at a time takes judgments in


@dataclass(eq=False)
class _Kept:
    """The bounds of one campaign, and which judgments they hold."""

    proposals: RunCandidates
    live: LiveBounds
    before: NDArray[np.int8]  # int8[candidates]: what is known without any judgment made here
    grades: dict[Key, int]  # the grade that counts, of every judged document
    count: int  # acts taken in
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


_states: OrderedDict[tuple[object, ...], _Kept] = OrderedDict()


def progress_of(plan: Plan) -> JudgingProgress | None:
    """As of now, whether the plan is in force or ended; None where no run is ranked. Five queries,
    two where nothing was judged since the last look."""
    depth = depth_followed(plan.persistence)
    proposals = candidates_of_campaign(plan.campaign, persistence=plan.persistence, depth=depth)
    if proposals is None:
        return None
    with _lock:
        kept = _kept_for(plan, proposals)
        return JudgingProgress(
            run_ids=proposals.run_ids,
            names=proposals.names,
            topics=proposals.candidates.topics,
            bounds=kept.live.bounds(),
            grades=dict(kept.grades),
            last=kept.last,
        )


def mean_residual(plan: Plan) -> float | None:
    """The one figure that assessors may see: over all runs and topics."""
    progress = progress_of(plan)
    return None if progress is None else float(progress.bounds.residual.mean())


def depth_followed(persistence: float) -> int:
    """How deep runs are followed: what lies deeper could move a score by less than NEGLIGIBLE."""
    return max(100, required_depth(persistence, NEGLIGIBLE))


def _kept_for(plan: Plan, proposals: RunCandidates) -> _Kept:
    campaign = plan.campaign
    start = plan.starts_from.digest if plan.starts_from else ""
    # The candidates are one object as long as the rankings are the same.
    key = (campaign.pk, plan.persistence, campaign.rel, campaign.highest_grade, start)
    kept = _states.get(key)
    if kept is None or kept.proposals.candidates is not proposals.candidates:
        kept = _made(plan, proposals)
    else:
        kept = _taken_in(plan, kept) or _made(plan, proposals)
    _states[key] = kept
    _states.move_to_end(key)
    while len(_states) > KEPT:
        _states.popitem(last=False)
    return kept


def _made(plan: Plan, proposals: RunCandidates) -> _Kept:
    """From all judgments at once."""
    campaign, candidates = plan.campaign, proposals.candidates
    made = _made_so_far(campaign)
    grades = final_grade_values(campaign)
    before = np.full(len(candidates), UNJUDGED, np.int8)
    if plan.starts_from is not None:
        before = known_outcomes(campaign, candidates, starts_from=plan.starts_from, grades={})
    kept = _Kept(
        proposals=proposals,
        live=LiveBounds(candidates, plan.persistence),
        before=before,
        grades={},
        count=made[0],
        last=made[1],
    )
    kept.live.take(np.arange(len(candidates)), before)
    _settle(kept, campaign, grades, grades)
    return kept


def _taken_in(plan: Plan, kept: _Kept) -> _Kept | None:
    """With what was judged since; None where an older act came to light after a newer one (two
    transactions, the later one faster): then all are read again."""
    campaign = plan.campaign
    count, last = _made_so_far(campaign)
    if (count, last) == (kept.count, kept.last):
        return kept
    newer = campaign.judgments.filter(pk__gt=kept.last, pk__lte=last)
    touched = list(newer.values_list("topic__position", "topic__code", "doc_id"))
    if kept.count + len(touched) != count:
        return None
    documents = set(touched)
    acts = campaign.judgments.filter(pk__lte=last)
    if len(documents) <= FEW:
        acts = acts.filter(_of(documents))
    judged = final_grades(acts)
    grades = {key: found.grade for key, found in judged.items() if found.grade is not None}
    _settle(kept, campaign, grades, documents)
    kept.count, kept.last = count, last
    return kept


def _made_so_far(campaign: Campaign) -> tuple[int, int]:
    made = Judgment.objects.filter(campaign=campaign).aggregate(count=Count("pk"), last=Max("pk"))
    return made["count"], made["last"] or 0


def _of(documents: set[Key]) -> Q:
    by_topic: dict[int, list[str]] = {}
    for position, _, doc_id in documents:
        by_topic.setdefault(position, []).append(doc_id)
    wanted = Q(pk__in=[])
    for position, doc_ids in by_topic.items():
        wanted |= Q(topic__position=position, doc_id__in=doc_ids)
    return wanted


def _settle(
    kept: _Kept, campaign: Campaign, grades: Mapping[Key, int], documents: Iterable[Key]
) -> None:
    """These documents have these grades now; those without one are unjudged again."""
    keys = list(documents)
    for key in keys:
        kept.grades.pop(key, None)
    kept.grades.update((key, grades[key]) for key in keys if key in grades)
    rows = np.array([position for position, _, _ in keys], np.int32)
    candidates = kept.proposals.candidates
    places = find_candidates(candidates, rows, id_array(doc_id for _, _, doc_id in keys))
    said = np.array([_outcome(grades.get(key), campaign.rel) for key in keys], np.int8)
    said = np.where(said == UNJUDGED, kept.before[places], said)
    kept.live.take(places[places >= 0], said[places >= 0])


def _outcome(grade: int | None, rel: int) -> int:
    return UNJUDGED if grade is None else int(grade >= rel)
