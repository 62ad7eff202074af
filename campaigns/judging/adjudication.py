"""Documents on which assessors disagree, and the organisers' decisions.

A decision is a judgment that overrides those of assessors. A later decision replaces it, and a
decision without a grade withdraws it. `campaigns.judging.final_grades` computes the grade that
counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from campaigns.errors import CannotAdjudicate
from campaigns.judging.documents import url_of
from campaigns.judging.final_grades import Key, final_grades_now
from campaigns.lifecycle import lock_unarchived
from campaigns.log import record
from campaigns.models import Campaign, Document, Judgment, Topic, User
from campaigns.options import choice_or_404

STATES = ("open", "decided", "all")


@dataclass(frozen=True)
class DisputedDocument:
    """A document that assessors graded differently, or on which an organiser decided."""

    key: Key
    decided: int | None
    grade: int | None  # what counts now

    @property
    def topic(self) -> str:
        return self.key[1]

    @property
    def doc_id(self) -> str:
        return self.key[2]


@dataclass(frozen=True)
class Dispute:
    """A disputed document with its judgments and its text."""

    of: DisputedDocument
    judgments: tuple[Judgment, ...]  # the latest of each assessor, in order of time
    decision: Judgment | None
    document: Document | None
    url: str  # a link to the document, or ""
    topic: Topic


def disputed_documents(
    campaign: Campaign, *, state: str = "open", topic: str = ""
) -> list[DisputedDocument]:
    """By topic and document; `state` is one of STATES. Two queries."""
    disputed = []
    for key, document in final_grades_now(campaign).items():
        is_decided = document.decided is not None
        if not is_decided and not document.is_disputed:
            continue
        if topic in ("", key[1]) and state in ("all", "decided" if is_decided else "open"):
            disputed.append(DisputedDocument(key, document.decided, document.grade))
    return disputed


def chosen_disputes(
    campaign: Campaign, params: Mapping[str, str]
) -> tuple[str, str, list[DisputedDocument]]:
    """The state and the topic that the parameters choose, and the documents. Raises UnknownChoice
    for another state."""
    topic = params.get("topic", "")
    state = choice_or_404("state", params.get("state"), STATES, usual="open")
    return state, topic, disputed_documents(campaign, state=state, topic=topic)


def with_details(campaign: Campaign, disputed: Sequence[DisputedDocument]) -> list[Dispute]:
    """Two queries."""
    doc_ids = {each.doc_id for each in disputed}
    documents = {each.doc_id: each for each in campaign.documents.filter(doc_id__in=doc_ids)}
    judgments = campaign.judgments.filter(doc_id__in=doc_ids).select_related("assessor", "topic")
    by_key: dict[Key, list[Judgment]] = {}
    for judgment in judgments.order_by("at", "pk"):
        key = (judgment.topic.position, judgment.topic.code, judgment.doc_id)
        by_key.setdefault(key, []).append(judgment)
    disputes = []
    for each in disputed:
        given = by_key[each.key]
        decision = None
        latest: dict[int, Judgment] = {}
        for judgment in given:
            if judgment.is_adjudication:
                decision = judgment
                continue
            # Moved to the end, so that the order is that of the latest judgments.
            latest.pop(judgment.assessor_id, None)
            latest[judgment.assessor_id] = judgment
        disputes.append(
            Dispute(
                of=each,
                judgments=tuple(j for j in latest.values() if j.grade is not None),
                # Without a grade it withdraws the decisions before it.
                decision=decision if decision and decision.grade is not None else None,
                document=documents.get(each.doc_id),
                url=url_of(campaign, each.doc_id),
                topic=given[0].topic,
            )
        )
    return disputes


@transaction.atomic
def decide(
    *,
    campaign: Campaign,
    topic: str,
    doc_id: str,
    grade: int,
    note: str,
    actor: User,
    seen: str = "",
) -> Judgment:
    """Decides on a grade, which overrides the assessors. Raises `CannotAdjudicate`, also if the
    current decision differs from the one `seen`: a grade, "none", or "" for any."""
    campaign = lock_unarchived(campaign)
    if not 0 <= grade <= campaign.highest_grade:
        raise CannotAdjudicate(f"Choose a grade from 0 to {campaign.highest_grade}.")
    # Under the lock, so that of two organisers who decide at the same time one learns of the other.
    latest = _latest_decision(campaign, topic, doc_id)
    current = "none" if latest is None or latest.grade is None else str(latest.grade)
    if latest is not None and seen not in ("", current):
        change = "withdrew the decision" if current == "none" else f"decided on grade {current}"
        raise CannotAdjudicate(
            f"In the meantime {latest.assessor} {change} for {doc_id}. No change was saved."
        )
    return _append(campaign, topic, doc_id, grade, note, actor)


@transaction.atomic
def withdraw_decision(*, campaign: Campaign, topic: str, doc_id: str, actor: User) -> Judgment:
    """The assessors' judgments count again. Raises `CannotAdjudicate` if there is no decision."""
    campaign = lock_unarchived(campaign)
    latest = _latest_decision(campaign, topic, doc_id)
    if latest is None or latest.grade is None:
        raise CannotAdjudicate("There is no decision on this document.")
    return _append(campaign, topic, doc_id, None, "", actor)


def _append(
    campaign: Campaign, topic: str, doc_id: str, grade: int | None, note: str, actor: User
) -> Judgment:
    earlier = _judgments(campaign, topic, doc_id).first()
    if earlier is None:
        raise CannotAdjudicate("No assessor has judged this document.")
    decision = Judgment.objects.create(
        campaign=campaign,
        topic_id=earlier.topic_id,
        doc_id=doc_id,
        grade=grade,
        note=note,
        assessor=actor,
        is_adjudication=True,
    )
    subject = f"{topic} {doc_id}"
    if grade is None:
        record(campaign, actor, "withdrew decision", subject)
    else:
        record(campaign, actor, "decided", subject, grade=grade)
    return decision


def _judgments(campaign: Campaign, topic: str, doc_id: str) -> QuerySet[Judgment]:
    return campaign.judgments.filter(topic__code=topic, doc_id=doc_id)


def _latest_decision(campaign: Campaign, topic: str, doc_id: str) -> Judgment | None:
    """Without a grade it withdraws the decision before it."""
    decisions = _judgments(campaign, topic, doc_id).filter(is_adjudication=True)
    return decisions.select_related("assessor").order_by("at", "pk").last()
