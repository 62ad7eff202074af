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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import Count, Max, Q
from django.db.models.functions import Now
from rest_framework.exceptions import Throttled

from campaigns.access import Viewer
from campaigns.models import Campaign, Qrels
from campaigns.models.runs import run_name
from scoring.analyses import budget, costs
from scoring.analyses.studies import Question, Reads, Result, Study, study_of
from scoring.evaluation.lru import LRUCache
from scoring.evaluation.rules import rules_of
from scoring.jobs import queue
from scoring.models import Analysis, Evaluation, Job, TieRule

AnalysisRequest: TypeAlias = tuple[Qrels | None, Study[Any, Any], Any]  # and its question

# The results that requests have read: two of all pairs of 1,000 runs, or hundreds of usual ones.
UNPACKED: Final[LRUCache["Unpacked"]] = LRUCache(room=60_000_000)
# Characters of the digest that depend neither on the judgments nor on the stamp of the request.
STABLE: Final = 32


# In the file of a result, beside its fields.
JUDGMENTS: Final = "number of judgments"


class Unpacked(NamedTuple):
    """The result that a request has read."""

    answered_at: datetime | None
    result: Any  # of the study
    judgments: int  # how many there were at the start; 0 if the study does not read them


class AnalysisReplaced(Throttled):
    """Between two queries of a request, a worker has stored the analysis of a newer state."""

    default_code = "analysis_replaced"
    default_detail = "The leaderboard has changed a moment ago."

    def __init__(self) -> None:
        super().__init__(wait=1)


def request_analysis(
    viewer: Viewer,
    qrels: Qrels | None,
    study: Study[Question, Result],
    question: Question,
    *,
    stamp: object = None,
    is_free: bool = False,
) -> Analysis:
    """The analysis of this question, done or not. Three queries if it exists, five for rankings.

    The viewer must be allowed to see the leaderboard. The question must consist of offered choices,
    never of free text. `stamp` is a JSON value that changes with what the result depends on
    besides. Raises `TooManyAnalyses` if the analysis is new and the client has no budget left. Set
    `is_free` for a page that requests the same analysis for every visitor. An analysis that would
    take too long has failed, says why, and is not stored.
    """
    requests = [(qrels, study, question)]
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
        # The results are in memory, and each can be megabytes.
        stored = stored.defer("answer")
    known = {analysis.digest: analysis for analysis in stored}
    return [
        known.get(digest)
        or _of_any_state(campaign, digest, *each)
        or _create(campaign, digest, *each, is_free=is_free)
        for digest, each in zip(digests, requests, strict=True)
    ]


def _of_any_state(
    campaign: Campaign,
    digest: str,
    qrels: Qrels | None,
    study: Study[Question, Result],
    question: Question,
) -> Analysis | None:
    """The analysis of the same question that no worker has begun, with the digest of the current
    state from now on; or one that took too long. None if there is neither."""
    same = campaign.analyses.filter(qrels=qrels, kind=study.kind, question=asdict(question))
    waiting = Q(state=Analysis.State.WAITING)
    # One that waits has no failure, so it sorts before one that failed.
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
    study: Study[Question, Result],
    question: Question,
    *,
    is_free: bool,
) -> Analysis:
    """A new analysis; one that failed and is not stored, if it would take too long."""
    seconds = study.seconds(costs.size_of(campaign), question)
    new = {"qrels": qrels, "kind": study.kind, "question": asdict(question)}
    if failure := costs.too_long(seconds):
        failed = Analysis.State.FAILED
        return Analysis(campaign=campaign, digest=digest, state=failed, failure=failure, **new)

    def get_or_create() -> Analysis:
        with transaction.atomic():
            analysis, is_new = Analysis.objects.get_or_create(
                campaign=campaign, digest=digest, defaults=new
            )
            if is_new:
                if not (is_free or _is_update(study, analysis)):
                    # If nothing is left, the exception takes back the new row, too.
                    budget.spend()
                queue.enqueue(
                    Job.Kind.ANALYSE,
                    subject=analysis.pk,
                    campaign_id=campaign.pk,
                    is_long=seconds > costs.QUICK_SECONDS,
                )
        return analysis

    try:
        return get_or_create()
    # Another request has created it, and before this one could read it, it was deleted or got the
    # digest of a later state. Then there is room again.
    except IntegrityError:
        return get_or_create()


def _is_update(study: Study[Question, Result], analysis: Analysis) -> bool:
    """Whether the same question exists from before the latest judgments."""
    if Reads.JUDGMENTS not in study.reads:
        return False
    same = Analysis.objects.filter(campaign=analysis.campaign_id, kind=analysis.kind)
    return same.filter(digest__startswith=analysis.digest[:STABLE]).exclude(pk=analysis.pk).exists()


def last_computed(analysis: Analysis) -> Analysis | None:
    """The analysis if it is done; else the last one that differs only in the judgments."""
    if analysis.state == Analysis.State.DONE:
        return analysis
    done = Analysis.objects.filter(campaign=analysis.campaign_id, state=Analysis.State.DONE)
    return done.filter(digest__startswith=analysis.digest[:STABLE]).order_by("-pk").first()


def compute_analysis(attempt: queue.JobAttempt) -> None:
    """Computes an analysis of the state at its start, stores it as it finishes the job, and deletes
    those it supersedes. If the leaderboard has changed in the meantime, nothing is stored: the page
    requests a new one."""
    analysis = Analysis.objects.select_related("campaign", "qrels").get(pk=attempt.subject)
    digest = _current_digest(analysis)
    if digest != analysis.digest:
        # Refused by the database if there is an analysis of the current state already.
        with suppress(IntegrityError), transaction.atomic():
            Analysis.objects.filter(pk=analysis.pk).update(digest=digest)
            analysis.digest = digest
    if digest != analysis.digest:
        with transaction.atomic():
            queue.finish(attempt)
            analysis.delete()
        return
    campaign, qrels, study = analysis.campaign, analysis.qrels, study_of(analysis.kind)
    # Counted first: the computation may read newer judgments, but the number is never too high.
    judgments = campaign.judgments.count() if Reads.JUDGMENTS in study.reads else 0
    result = study.compute(campaign, qrels, study.question(**analysis.question))
    with transaction.atomic():
        queue.finish(attempt)
        if _current_digest(analysis) != analysis.digest:
            analysis.delete()
            return
        Analysis.objects.filter(pk=analysis.pk).update(
            state=Analysis.State.DONE,
            answer=packed(result, judgments),
            answered_at=Now(),
        )
        # Failures too: `_of_any_state` would answer with one when the leaderboard changes next.
        is_outdated = Q(state=Analysis.State.DONE, pk__lt=analysis.pk) | ~Q(failure="")
        Analysis.objects.filter(
            is_outdated,
            campaign=campaign,
            kind=analysis.kind,
            question=analysis.question,
            qrels=qrels,
        ).delete()


def _current_digest(analysis: Analysis) -> str:
    """The digest with the part that depends on the current state of the leaderboard; the part with
    judgments and stamp stays, because a result may be behind in these."""
    study = study_of(analysis.kind)
    requests = [(analysis.qrels, study, study.question(**analysis.question))]
    return _digests(analysis.campaign, requests, None)[0][:STABLE] + analysis.digest[STABLE:]


def result_of(study: Study[Question, Result], analysis: Analysis) -> Result:
    """The result of an analysis that is done. All requests share its arrays, so they cannot be
    changed. Raises `AnalysisReplaced`."""
    result: Result = _unpacked(study, analysis).result
    return result


def judgments_of(study: Study[Question, Result], analysis: Analysis) -> int:
    """How many judgments there were when the worker began. Raises `AnalysisReplaced`."""
    return _unpacked(study, analysis).judgments


def _unpacked(study: Study[Question, Result], analysis: Analysis) -> Unpacked:
    key = _unpacked_key(analysis.campaign_id, analysis.digest)
    with UNPACKED.alone(key):
        unpacked = UNPACKED.get(key)
        if unpacked is None or unpacked.answered_at != analysis.answered_at:
            arrays = _arrays_of(analysis)
            size = sum(array.nbytes for array in arrays.values())
            # A number has become an array without dimensions.
            fields = {name: each if each.ndim else each.item() for name, each in arrays.items()}
            judgments = fields.pop(JUDGMENTS)
            result = study.result(**fields) if fields else None
            unpacked = Unpacked(analysis.answered_at, result, judgments)
            UNPACKED.keep(key, unpacked, size)
    return unpacked


def _arrays_of(analysis: Analysis) -> dict[str, Any]:
    try:
        answer = analysis.answer  # a query, if another request's was evicted in the meantime
    except Analysis.DoesNotExist:
        answer = None
    if answer is None:
        raise AnalysisReplaced
    with np.load(io.BytesIO(bytes(answer)), allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    # One thread that wrote into them would change the answer for all others.
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def _unpacked_key(campaign_id: int, digest: str) -> str:
    return f"{campaign_id} {digest}"


def packed(result: Any, judgments: int = 0) -> bytes:
    """What is stored of the result of a study."""
    fields = ({} if result is None else vars(result)) | {JUDGMENTS: judgments}
    blob = io.BytesIO()
    np.savez_compressed(blob, **{name: np.asarray(each) for name, each in fields.items()})
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
        # They are only added, so their number and the last key identify them.
        totals = campaign.judgments.aggregate(count=Count("pk"), last=Max("pk"))
        return {"judgments": [totals["count"], totals["last"]]}

    digests = []
    for qrels, study, question in requests:
        terms = {
            "study": study.kind,
            "version": study.version,
            "question": asdict(question),
            "qrels": qrels.digest if qrels else None,
            **(of_rankings() if Reads.RANKINGS in study.reads else of_scores(qrels)),
        }
        if Reads.RULES in study.reads:
            terms["definitions"] = rules_of(campaign).digest
        if Reads.POOL_DEPTH in study.reads and qrels and qrels.pool_depth:
            terms["pool_depth"] = qrels.pool_depth
        rest = {"stamp": stamp} | (judgments() if Reads.JUDGMENTS in study.reads else {})
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
