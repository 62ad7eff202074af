"""Expensive analyses of a leaderboard: computed once by a worker and stored while the scores stay
the same.

An analysis is identified by a digest of its question and of all that its result depends on: qrels,
definitions, versions of the measures, and which evaluation of which run was scored when. If one of
these changes, the digest changes, and the page requests a new analysis. An analysis of rankings
alone depends on the rankings and on the judgments made here, not on scores, and may need no qrels.
While people judge, it is out of date before it is done; it is stored nevertheless, with the number
of judgments at its start.

At most one analysis of a question waits. If the leaderboard changes before a worker begins, that
analysis is of the new state: each upload into a leaderboard that people watch changes its digest,
and only the result for the newest state is of use.
"""

import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import Count, Max, Q
from django.db.models.functions import Now
from numpy.typing import NDArray
from rest_framework.exceptions import Throttled

from campaigns.access import Viewer
from campaigns.models import Campaign, Qrels
from campaigns.models.runs import run_name
from scoring.analyses import budget, costs
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.rules import rules_of
from scoring.jobs import queue
from scoring.models import Analysis, Evaluation, Job, TieRule

Question: TypeAlias = Mapping[str, Any]  # JSON values, equal for the same question
AnalysisRequest: TypeAlias = tuple[Qrels | None, str, Question]  # qrels version, kind, question
Result: TypeAlias = Mapping[str, NDArray[Any]]
Computations: TypeAlias = Mapping[str, Callable[[Campaign, Any, Question], Result]]  # by kind

# Incremented when a computation changes, because stored results are no longer valid then.
COMPUTATIONS_VERSION = 4
OF_RANKINGS: Final = {  # they read no scores
    "judging_plan", "judging_replay", "judging_outlook", "pool_size", "assessor_boards",
    "program_boards",
}  # fmt: skip
OF_RULES: Final = {"assessor_boards", "program_boards"}  # and the rules of scoring
OF_POOLS: Final = {"pool_depths", "left_out", "unique_finds", "run_bounds"}  # of the pool's depth
OF_JUDGMENTS: Final = OF_RANKINGS - {"judging_replay"}  # which starts without judgments
# The results that requests have read: two of all pairs of 1,000 runs, or hundreds of usual ones.
UNPACKED: Final[LRUCache["Unpacked"]] = LRUCache(room=60_000_000)
# Characters of the digest that depend neither on the judgments nor on the stamp of the request.
STABLE: Final = 32


class Unpacked(NamedTuple):
    """The result that a request has read."""

    answered_at: datetime | None
    result: dict[str, NDArray[Any]]


class AnalysisReplaced(Throttled):
    """Between two queries of a request, a worker has stored the analysis of a newer state."""

    default_code = "analysis_replaced"
    default_detail = "The leaderboard has changed a moment ago."

    def __init__(self) -> None:
        super().__init__(wait=1)


def request_analysis(
    viewer: Viewer,
    qrels: Qrels | None,
    kind: str,
    question: Question,
    *,
    stamp: object = None,
    is_free: bool = False,
) -> Analysis:
    """The analysis of this question, done or not. Three queries if it exists, five for rankings.

    `kind` is one of `scoring.worker.COMPUTATIONS`; for OF_RANKINGS the qrels may be None. The
    viewer must be allowed to see the leaderboard. The question must consist of offered choices,
    never of free text. `stamp` is a JSON value that changes with what the result depends on
    besides. Raises `TooManyAnalyses` if the analysis is new and the client has no budget left. Set
    `is_free` for a page that requests the same analysis for every visitor. An analysis that would
    take too long has failed, says why, and is not stored.
    """
    requests = [(qrels, kind, question)]
    return request_analyses(viewer, requests, stamp=stamp, is_free=is_free)[0]


def request_analyses(
    viewer: Viewer,
    requests: Sequence[AnalysisRequest],
    *,
    stamp: object = None,
    is_free: bool = False,
) -> list[Analysis]:
    """The same for several questions, in their order: no more queries than for one, if all exist
    and have the same qrels version."""
    campaign = viewer.campaign
    digests = _digests(campaign, requests, stamp)
    stored = campaign.analyses.filter(digest__in=digests)
    if all(UNPACKED.get(_unpacked_key(campaign.pk, digest)) for digest in digests):
        stored = stored.defer("answer")
    known = {analysis.digest: analysis for analysis in stored}
    return [
        known.get(digest)
        or _of_any_state(campaign, digest, *each)
        or _create(campaign, digest, *each, is_free=is_free)
        for digest, each in zip(digests, requests, strict=True)
    ]


def _of_any_state(
    campaign: Campaign, digest: str, qrels: Qrels | None, kind: str, question: Question
) -> Analysis | None:
    """The analysis of the same question that no worker has begun, with the digest of the current
    state from now on; or one that took too long. None if there is neither."""
    same = campaign.analyses.filter(qrels=qrels, kind=kind, question=dict(question))
    waiting = Q(state=Analysis.State.WAITING)
    analysis = same.filter(waiting | ~Q(failure="")).order_by("failure", "pk").first()
    if analysis is None or analysis.failure:
        return analysis
    with suppress(IntegrityError), transaction.atomic():  # another request has created it
        if same.filter(waiting, pk=analysis.pk).update(digest=digest):
            analysis.digest = digest
            return analysis
    return None  # a worker has begun


def _create(
    campaign: Campaign,
    digest: str,
    qrels: Qrels | None,
    kind: str,
    question: Question,
    *,
    is_free: bool,
) -> Analysis:
    """A new analysis; one that failed and is not stored, if it would take too long."""
    seconds = costs.estimated_seconds(campaign, kind, question)
    new = {"qrels": qrels, "kind": kind, "question": dict(question)}
    if failure := costs.too_long(seconds):
        failed = Analysis.State.FAILED
        return Analysis(campaign=campaign, digest=digest, state=failed, failure=failure, **new)
    with transaction.atomic():
        analysis, is_new = Analysis.objects.get_or_create(
            campaign=campaign, digest=digest, defaults=new
        )
        if is_new:
            if not (is_free or _is_update(analysis)):
                budget.spend()
            queue.enqueue(
                Job.Kind.ANALYSE,
                subject=analysis.pk,
                campaign_id=campaign.pk,
                is_long=seconds > costs.QUICK_SECONDS,
            )
    return analysis


def _is_update(analysis: Analysis) -> bool:
    """Whether the same question exists from before the latest judgments."""
    if analysis.kind not in OF_JUDGMENTS:
        return False
    same = Analysis.objects.filter(campaign=analysis.campaign_id, kind=analysis.kind)
    return same.filter(digest__startswith=analysis.digest[:STABLE]).exclude(pk=analysis.pk).exists()


def last_computed(analysis: Analysis) -> Analysis | None:
    """The analysis if it is done; else the last one that differs only in the judgments."""
    if analysis.state == Analysis.State.DONE:
        return analysis
    done = Analysis.objects.filter(campaign=analysis.campaign_id, state=Analysis.State.DONE)
    return done.filter(digest__startswith=analysis.digest[:STABLE]).order_by("-pk").first()


def compute_analysis(computations: Computations, attempt: queue.JobAttempt) -> None:
    """Computes an analysis of the state at its start, stores it as it finishes the job, and deletes
    those it supersedes. If the leaderboard has changed in the meantime, nothing is stored: the page
    requests a new one.

    If the result depends on judgments, `judgments` is their number at the start."""
    analysis = Analysis.objects.select_related("campaign", "qrels").get(pk=attempt.subject)
    if not _is_of_current_state(analysis):
        with transaction.atomic():
            queue.finish(attempt)
            analysis.delete()
        return
    campaign, qrels, kind = analysis.campaign, analysis.qrels, analysis.kind
    judgments = {"judgments": np.array(campaign.judgments.count())}
    result = computations[kind](campaign, qrels, analysis.question)
    if kind in OF_JUDGMENTS:
        result = {**result, **judgments}
    with transaction.atomic():
        queue.finish(attempt)
        if _current_digest(analysis) != analysis.digest:
            analysis.delete()
            return
        Analysis.objects.filter(pk=analysis.pk).update(
            state=Analysis.State.DONE, answer=packed(result), answered_at=Now()
        )
        is_outdated = Q(state=Analysis.State.DONE, pk__lt=analysis.pk) | ~Q(failure="")
        Analysis.objects.filter(
            is_outdated, campaign=campaign, kind=kind, question=analysis.question, qrels=qrels
        ).delete()


def _is_of_current_state(analysis: Analysis) -> bool:
    """Sets its digest to that of the current state. False if there is an analysis of that already,
    so that this one is of no use."""
    digest = _current_digest(analysis)
    if digest != analysis.digest:
        with suppress(IntegrityError), transaction.atomic():
            Analysis.objects.filter(pk=analysis.pk).update(digest=digest)
            analysis.digest = digest
    return digest == analysis.digest


def _current_digest(analysis: Analysis) -> str:
    """The digest with the part that depends on the current state of the leaderboard; the part with
    judgments and stamp stays, because a result may be behind in these."""
    requests = [(analysis.qrels, analysis.kind, analysis.question)]
    return _digests(analysis.campaign, requests, None)[0][:STABLE] + analysis.digest[STABLE:]


def result_of(analysis: Analysis) -> dict[str, NDArray[Any]]:
    """The arrays of an analysis that is done, by name. All requests share them, so they cannot be
    changed. Raises `AnalysisReplaced`."""
    key = _unpacked_key(analysis.campaign_id, analysis.digest)
    with UNPACKED.alone(key):
        unpacked = UNPACKED.get(key)
        if unpacked is None or unpacked.answered_at != analysis.answered_at:
            unpacked = _unpacked(analysis)
            size = sum(array.nbytes for array in unpacked.result.values())
            UNPACKED.keep(key, unpacked, size)
    return unpacked.result


def _unpacked(analysis: Analysis) -> Unpacked:
    try:
        answer = analysis.answer  # a query, if another request's was evicted in the meantime
    except Analysis.DoesNotExist:
        answer = None
    if answer is None:
        raise AnalysisReplaced
    with np.load(io.BytesIO(bytes(answer)), allow_pickle=False) as stored:
        result = {name: stored[name] for name in stored.files}
    for array in result.values():
        array.flags.writeable = False
    return Unpacked(analysis.answered_at, result)


def _unpacked_key(campaign_id: int, digest: str) -> str:
    return f"{campaign_id} {digest}"


def packed(result: Result) -> bytes:
    blob = io.BytesIO()
    np.savez_compressed(blob, **{name: np.asarray(array) for name, array in result.items()})
    return blob.getvalue()


def _digests(campaign: Campaign, requests: Sequence[AnalysisRequest], stamp: object) -> list[str]:
    """Digests of the questions and of all that their results depend on, which is read once."""

    @cache
    def of_rankings() -> dict[str, object]:
        return _of_rankings(campaign)

    @cache
    def of_scores(qrels: Qrels | None) -> dict[str, object]:
        return _of_scores(campaign, qrels)

    @cache
    def judgments() -> dict[str, object]:
        return _judgments(campaign)

    digests = []
    for qrels, kind, question in requests:
        terms = {
            "studies": COMPUTATIONS_VERSION,
            "kind": kind,
            "question": dict(question),
            "qrels": qrels.digest if qrels else None,
            **(of_rankings() if kind in OF_RANKINGS else of_scores(qrels)),
        }
        if kind in OF_RULES:
            terms["definitions"] = rules_of(campaign).digest
        if kind in OF_POOLS and qrels and qrels.pool_depth:
            terms["pool_depth"] = qrels.pool_depth  # as the organisers state it
        rest = {"stamp": stamp} | (judgments() if kind in OF_JUDGMENTS else {})
        digests.append(_sha256(terms)[:STABLE] + _sha256(rest)[STABLE:])
    return digests


def _sha256(terms: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(terms, sort_keys=True).encode()).hexdigest()


def _of_scores(campaign: Campaign, qrels: Qrels | None) -> dict[str, object]:
    """The scores of the leaderboard, with run and team. One query."""
    rules = rules_of(campaign)
    scored = Evaluation.objects.filter(
        qrels=qrels,
        definitions=rules.digest,
        tie_rule=TieRule.DOCNO,
        run__in=campaign.runs.ranked(),
        scored_at__isnull=False,
    )
    return {
        "definitions": rules.digest,
        "measures": sorted(rules.versions),
        "scored": sorted(
            [run_id, team_id, str(is_pooled), at.isoformat()]
            for run_id, team_id, is_pooled, at in scored.values_list(
                "run__public_id", "run__team", "run__is_pooled", "scored_at"
            )
        ),
    }


def _of_rankings(campaign: Campaign) -> dict[str, object]:
    """Includes the names, because the results contain them."""
    runs = campaign.runs.ranked().filter(ranking__isnull=False)
    return {
        "rel": campaign.rel,
        "highest_grade": campaign.highest_grade,
        "topics": list(campaign.topics.order_by("position").values_list("code", flat=True)),
        "rankings": sorted(
            [run_id, name, team, digest, -1 if priority is None else priority]
            for run_id, name, team, digest, priority in runs.values_list(
                "public_id", run_name(), "team__name", "ranking__digest", "judging_priority"
            )
        ),
    }


def _judgments(campaign: Campaign) -> dict[str, object]:
    """Judgments are only added, so their number and the last key identify them. One query."""
    totals = campaign.judgments.aggregate(count=Count("pk"), last=Max("pk"))
    return {"judgments": [totals["count"], totals["last"]]}
