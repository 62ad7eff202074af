"""Documents on which assessors disagree, and what an organiser decides of them.

A decision is one more judgment: it stands above the assessors' own, a later one replaces it, and
one without a grade takes it back. What holds is said by `campaigns.judging.final_grades`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from campaigns.errors import CannotAdjudicate
from campaigns.judging.documents import address_of
from campaigns.judging.final_grades import Key, final_grades_now
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Document, Judgment, User

STATES = ("open", "decided", "all")


@dataclass(frozen=True)
class DisputedDocument:
    """A document that assessors graded differently, or that was decided on."""

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
    """The same with who said what, and what can be read of the document."""

    of: DisputedDocument
    said: tuple[Judgment, ...]  # the latest of each assessor that stands, in their order
    decision: Judgment | None
    document: Document | None
    address: str  # where it can be read elsewhere, or ""
    asked: str  # the topic in words


def disputed_documents(
    campaign: Campaign, *, state: str = "open", topic: str = ""
) -> list[DisputedDocument]:
    """By topic and document; `state` is one of STATES. Two queries."""
    found = []
    for key, document in final_grades_now(campaign).items():
        is_decided = document.decided is not None
        if not is_decided and not document.is_disputed:
            continue
        if topic in ("", key[1]) and state in ("all", "decided" if is_decided else "open"):
            found.append(DisputedDocument(key, document.decided, document.grade))
    return found


def with_details(campaign: Campaign, some: Sequence[DisputedDocument]) -> list[Dispute]:
    """Of a page of them. Two queries."""
    doc_ids = {one.doc_id for one in some}
    texts = {each.doc_id: each for each in campaign.documents.filter(doc_id__in=doc_ids)}
    judgments = campaign.judgments.filter(doc_id__in=doc_ids).select_related("assessor", "topic")
    acts: dict[Key, list[Judgment]] = {}
    for act in judgments.order_by("at", "pk"):
        acts.setdefault((act.topic.position, act.topic.code, act.doc_id), []).append(act)
    return [
        Dispute(
            of=one,
            said=_standing(acts.get(one.key, ())),
            decision=_decision(acts.get(one.key, ())),
            document=texts.get(one.doc_id),
            address=address_of(campaign, one.doc_id),
            asked=acts[one.key][0].topic.title if one.key in acts else "",
        )
        for one in some
    ]


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
    """This grade holds from now on, whatever assessors say. Raises `CannotAdjudicate`, also where
    the decision is another than was `seen`: a grade, "none", or "" for whichever."""
    held = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    refuse_archived(held)
    if not 0 <= grade <= held.highest_grade:
        raise CannotAdjudicate(f"Grades of this campaign go from 0 to {held.highest_grade}.")
    latest = _latest_decision(held, topic, doc_id)
    now = "none" if latest is None or latest.grade is None else str(latest.grade)
    if latest is not None and seen not in ("", now):
        told = "taken back" if now == "none" else f"decided, {now},"
        raise CannotAdjudicate(
            f"{doc_id} was {told} by {latest.assessor} meanwhile. Nothing changed."
        )
    return _append(held, topic, doc_id, grade, note, actor)


@transaction.atomic
def withdraw_decision(*, campaign: Campaign, topic: str, doc_id: str, actor: User) -> Judgment:
    """What assessors say holds again. Raises `CannotAdjudicate` where nothing was decided."""
    held = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    refuse_archived(held)
    latest = _latest_decision(held, topic, doc_id)
    if latest is None or latest.grade is None:
        raise CannotAdjudicate("Nothing was decided on this document.")
    return _append(held, topic, doc_id, None, "", actor)


def _append(
    campaign: Campaign, topic: str, doc_id: str, grade: int | None, note: str, actor: User
) -> Judgment:
    before = _judged(campaign, topic, doc_id).first()
    if before is None:
        raise CannotAdjudicate("Nobody has judged this document.")
    made = Judgment.objects.create(
        campaign=campaign,
        topic_id=before.topic_id,
        doc_id=doc_id,
        grade=grade,
        note=note,
        assessor=actor,
        is_adjudication=True,
    )
    subject = f"{topic} {doc_id}"
    if grade is None:
        record(campaign, actor, "took a decision back", subject)
    else:
        record(campaign, actor, "decided", subject, grade=grade)
    return made


def _judged(campaign: Campaign, topic: str, doc_id: str) -> QuerySet[Judgment]:
    return campaign.judgments.filter(topic__code=topic, doc_id=doc_id)


def _latest_decision(campaign: Campaign, topic: str, doc_id: str) -> Judgment | None:
    """One without a grade takes back."""
    made = _judged(campaign, topic, doc_id).filter(is_adjudication=True)
    return made.select_related("assessor").order_by("at", "pk").last()


def _standing(acts: Iterable[Judgment]) -> tuple[Judgment, ...]:
    latest: dict[int, Judgment] = {}
    for act in acts:
        if not act.is_adjudication:
            latest.pop(act.assessor_id, None)
            latest[act.assessor_id] = act
    return tuple(act for act in latest.values() if act.grade is not None)


def _decision(acts: Iterable[Judgment]) -> Judgment | None:
    made = [act for act in acts if act.is_adjudication]
    return made[-1] if made and made[-1].grade is not None else None
