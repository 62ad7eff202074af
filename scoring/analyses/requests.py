"""Heavy questions about a board: asked once, answered by a worker, kept as long as the scores hold.

An analysis is named by the digest of its question and of all that its answer hangs on: qrels,
definitions, the versions of the measures, and which evaluation of which run was scored when. If one
of these changes the digest does, and the page asks anew. What is asked about rankings alone hangs
on the rankings and on the judgments made here, not on scores; it may need no qrels. While people
judge, it is out of date before it is done: it is kept all the same, and says of when it is.
"""

import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
from django.db import transaction
from django.db.models import Count, Max
from django.db.models.functions import Now
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Campaign, Qrels
from scoring.analyses import budget
from scoring.evaluation.rules import rules_of
from scoring.jobs import queue
from scoring.models import Analysis, Evaluation, Job, TieRule

Question: TypeAlias = Mapping[str, Any]  # what JSON can say, the same for the same question
Asked: TypeAlias = tuple[Qrels | None, str, Question]  # of which version, which kind, what
Answer: TypeAlias = Mapping[str, NDArray[Any]]
Computations: TypeAlias = Mapping[str, Callable[[Campaign, Any, Question], Answer]]  # by kind

# Counts up when a computation answers otherwise than before: then what is stored is no answer any
# more.
STUDIES_VERSION = 2
OF_RANKINGS: Final = {  # no score is read
    "judging_plan", "judging_replay", "judging_outlook", "assessor_boards",
}  # fmt: skip
OF_JUDGMENTS: Final = OF_RANKINGS - {"judging_replay"}  # that is played from nothing
STEADY: Final = 32  # so many characters of a digest are of all but the judgments


def request_analysis(
    viewer: Viewer, qrels: Qrels | None, kind: str, question: Question, *, is_free: bool = False
) -> Analysis:
    """The analysis of this question, done or on its way. Three queries where it is there, five of
    rankings.

    `kind` is one of `scoring.worker.COMPUTATIONS`; of OF_RANKINGS the qrels may be None. The viewer
    must be one who may see the board; the question must be made of what is offered, never of what
    somebody typed. Raises `TooManyAnalyses` where it is new and the client has no budget left,
    unless it is free: for a page that asks the same for every visitor, whatever they choose.
    """
    return request_analyses(viewer, [(qrels, kind, question)], is_free=is_free)[0]


def request_analyses(
    viewer: Viewer, asked: Sequence[Asked], *, is_free: bool = False
) -> list[Analysis]:
    """`ask` for several questions at once, in their order: no more queries than for one, where
    all are there and of one qrels version."""
    campaign = viewer.campaign
    digests = _digests(campaign, asked)
    stored = campaign.analyses.filter(digest__in=digests)
    known = {analysis.digest: analysis for analysis in stored}
    return [
        known.get(digest) or _create(campaign, digest, *each, is_free=is_free)
        for digest, each in zip(digests, asked, strict=True)
    ]


def _create(
    campaign: Campaign,
    digest: str,
    qrels: Qrels | None,
    kind: str,
    question: Question,
    *,
    is_free: bool,
) -> Analysis:
    if kind in OF_JUDGMENTS and (waiting := _waiting(campaign, digest)):
        return waiting
    with transaction.atomic():
        asked, is_new = Analysis.objects.get_or_create(
            campaign=campaign,
            digest=digest,
            defaults={"qrels": qrels, "kind": kind, "question": dict(question)},
        )
        if is_new:
            if not (is_free or _is_overtaken(asked)):
                budget.spend()
            queue.enqueue(Job.Kind.ANALYSE, subject=asked.pk, campaign_id=campaign.pk)
    return asked


def _waiting(campaign: Campaign, digest: str) -> Analysis | None:
    """One of the same question that no worker has begun: it will know of today's judgments."""
    alike = campaign.analyses.filter(digest__startswith=digest[:STEADY])
    return alike.filter(state=Analysis.State.WAITING).first()


def _is_overtaken(asked: Analysis) -> bool:
    """Whether the same was asked before, and documents were judged since."""
    if asked.kind not in OF_JUDGMENTS:
        return False
    alike = Analysis.objects.filter(campaign=asked.campaign_id, kind=asked.kind)
    return alike.filter(digest__startswith=asked.digest[:STEADY]).exclude(pk=asked.pk).exists()


def last_computed(asked: Analysis) -> Analysis | None:
    """Itself where it is done; else the last one that differs in nothing but what was judged."""
    if asked.state == Analysis.State.DONE:
        return asked
    done = Analysis.objects.filter(campaign=asked.campaign_id, state=Analysis.State.DONE)
    return done.filter(digest__startswith=asked.digest[:STEADY]).order_by("-pk").first()


def compute_analysis(computations: Computations, attempt: queue.JobAttempt) -> None:
    """Computes an analysis and stores it with the job's end; those it supersedes go. Where the
    board is no longer the one that was asked about, nothing is stored: the page asks anew.

    `judgments` is how many were made when it was begun, where it hangs on them."""
    asked = Analysis.objects.select_related("campaign", "qrels").get(pk=attempt.subject)
    of_when = {"judgments": np.array(asked.campaign.judgments.count())}
    found = computations[asked.kind](asked.campaign, asked.qrels, asked.question)
    if asked.kind in OF_JUDGMENTS:
        found = {**found, **of_when}
    with transaction.atomic():
        queue.finish(attempt)
        digest = _digests(asked.campaign, [(asked.qrels, asked.kind, asked.question)])[0]
        if digest[:STEADY] != asked.digest[:STEADY]:
            asked.delete()
            return
        Analysis.objects.filter(pk=asked.pk).update(
            state=Analysis.State.DONE, answer=packed(found), answered_at=Now()
        )
        Analysis.objects.filter(
            campaign=asked.campaign,
            kind=asked.kind,
            question=asked.question,
            qrels=asked.qrels,
            state=Analysis.State.DONE,
            pk__lt=asked.pk,
        ).delete()


def result_of(analysis: Analysis) -> dict[str, NDArray[Any]]:
    """The arrays of one that is done, by name."""
    with np.load(io.BytesIO(bytes(analysis.answer)), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def packed(found: Answer) -> bytes:
    blob = io.BytesIO()
    np.savez_compressed(blob, **{name: np.asarray(array) for name, array in found.items()})
    return blob.getvalue()


def _digests(campaign: Campaign, asked: Sequence[Asked]) -> list[str]:
    """What names each: the question, and all that its answer hangs on, read once."""

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
    for qrels, kind, question in asked:
        terms = {
            "studies": STUDIES_VERSION,
            "kind": kind,
            "question": dict(question),
            "qrels": qrels.digest if qrels else None,
            **(of_rankings() if kind in OF_RANKINGS else of_scores(qrels)),
        }
        whole = _sha256(terms | (judgments() if kind in OF_JUDGMENTS else {}))
        digests.append(_sha256(terms)[:STEADY] + whole[STEADY:])
    return digests


def _sha256(terms: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(terms, sort_keys=True).encode()).hexdigest()


def _of_scores(campaign: Campaign, qrels: Qrels | None) -> dict[str, object]:
    """The scores of the board, and whose runs they are. One query."""
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
    """Names are told with the answers."""
    runs = campaign.runs.ranked().filter(ranking__isnull=False)
    return {
        "rel": campaign.rel,
        "highest_grade": campaign.highest_grade,
        "topics": list(campaign.topics.order_by("position").values_list("code", flat=True)),
        "rankings": sorted(
            [run_id, tag, team, digest, -1 if priority is None else priority]
            for run_id, tag, team, digest, priority in runs.values_list(
                "public_id", "tag", "team__name", "ranking__digest", "judging_priority"
            )
        ),
    }


def _judgments(campaign: Campaign) -> dict[str, object]:
    """They are only added: their number and the last of them say which there are. One query."""
    made = campaign.judgments.aggregate(count=Count("pk"), last=Max("pk"))
    return {"judgments": [made["count"], made["last"]]}
