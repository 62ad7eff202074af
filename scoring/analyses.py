"""Heavy questions about a board: asked once, answered by a worker, kept as long as the scores hold.

An analysis is named by the digest of its question and of all that its answer hangs on: qrels,
definitions, the versions of the measures, and which evaluation of which run was scored when. If one
of these changes the digest does, and the page asks anew.
"""

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from django.db import transaction
from django.db.models.functions import Now
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.models import Campaign, Qrels
from scoring import jobs
from scoring.definitions import rules_of
from scoring.models import Analysis, Evaluation, Job, TieRule
from scoring.studies import left_out, pool_depths, separated_counts, significance, unique_finds

Question: TypeAlias = Mapping[str, Any]  # what JSON can say, the same for the same question
Answer: TypeAlias = Mapping[str, NDArray[Any]]

# Counts up when a study answers otherwise than before: then what is stored is no answer any more.
STUDIES_VERSION = 1
STUDIES: dict[str, Callable[[Campaign, Qrels, Question], Answer]] = {
    "significance": significance.answer,
    "separated_counts": separated_counts.answer,
    "pool_depths": pool_depths.answer,
    "left_out": left_out.answer,
    "unique_finds": unique_finds.answer,
}


def ask(viewer: Viewer, qrels: Qrels, kind: str, question: Question) -> Analysis:
    """The analysis of this question, done or on its way. Three queries where it is there.

    `kind` is one of STUDIES. The viewer must be one who may see the board; the question must be
    made of what is offered, never of what somebody typed.
    """
    campaign = viewer.campaign
    digest = _digest(campaign, qrels, kind, question)
    asked = Analysis.objects.filter(campaign=campaign, digest=digest).first()
    if asked is None:
        with transaction.atomic():
            asked, is_new = Analysis.objects.get_or_create(
                campaign=campaign,
                digest=digest,
                defaults={"qrels": qrels, "kind": kind, "question": dict(question)},
            )
            if is_new:
                jobs.enqueue(Job.Kind.ANALYSE, subject=asked.pk, campaign_id=campaign.pk)
    return asked


def answer(held: jobs.Claim) -> None:
    """Computes an analysis and stores it with the job's end; those it supersedes go. Where the
    board is no longer the one that was asked about, nothing is stored: the page asks anew."""
    asked = Analysis.objects.select_related("campaign", "qrels").get(pk=held.subject)
    found = STUDIES[asked.kind](asked.campaign, asked.qrels, asked.question)
    with transaction.atomic():
        jobs.finish(held)
        if _digest(asked.campaign, asked.qrels, asked.kind, asked.question) != asked.digest:
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
        ).exclude(pk=asked.pk).delete()


def answer_of(analysis: Analysis) -> dict[str, NDArray[Any]]:
    """The arrays of one that is done, by name."""
    with np.load(io.BytesIO(bytes(analysis.answer)), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def packed(found: Answer) -> bytes:
    blob = io.BytesIO()
    np.savez_compressed(blob, **{name: np.asarray(array) for name, array in found.items()})
    return blob.getvalue()


def _digest(campaign: Campaign, qrels: Qrels, kind: str, question: Question) -> str:
    rules = rules_of(campaign)
    scored = Evaluation.objects.filter(
        qrels=qrels,
        definitions=rules.digest,
        tie_rule=TieRule.DOCNO,
        run__in=campaign.runs.ranked(),
        scored_at__isnull=False,
    )
    terms = {
        "studies": STUDIES_VERSION,
        "kind": kind,
        "question": dict(question),
        "qrels": qrels.digest,
        "definitions": rules.digest,
        "measures": sorted(rules.versions),
        "scored": sorted(
            (run, at.isoformat()) for run, at in scored.values_list("run__public_id", "scored_at")
        ),
    }
    return hashlib.sha256(json.dumps(terms, sort_keys=True).encode()).hexdigest()
