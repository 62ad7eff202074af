"""What runs are asked and judged by: adding topics, and activating qrels versions."""

import hashlib
from collections.abc import Sequence

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction

from campaigns import bell
from campaigns.models import Campaign, LogEntry, Qrels, Topic, User
from campaigns.models.identity import new_public_id
from campaigns.trec.problems import FormatError, Problem
from campaigns.trec.qrels import ParsedQrels, read_qrels
from campaigns.trec.topics import ParsedTopic
from campaigns.trec.topics_xml import write_topics_xml


@transaction.atomic
def add_topics(*, campaign: Campaign, topics: Sequence[ParsedTopic], actor: User | None) -> int:
    """Appends the topics the campaign does not have yet; how many those were. A topic it has keeps
    its position and takes the new text."""
    existing = {topic.code: topic for topic in campaign.topics.all()}
    for topic in topics:
        if topic.code in existing:
            campaign.topics.filter(code=topic.code).update(fields=[list(f) for f in topic.fields])
    new = [topic for topic in topics if topic.code not in existing]
    Topic.objects.bulk_create(
        Topic(
            campaign=campaign,
            code=topic.code,
            position=position,
            fields=[list(field) for field in topic.fields],
        )
        for position, topic in enumerate(new, start=len(existing))
    )
    if new:
        LogEntry.objects.create(
            campaign=campaign, actor=actor, verb="added topics", details={"count": len(new)}
        )
    return len(new)


def topics_xml(campaign: Campaign) -> bytes:
    """All topics with all their fields, in TREC's XML."""
    topics = campaign.topics.order_by("position")
    return write_topics_xml(
        [ParsedTopic(t.code, tuple((name, text) for name, text in t.fields)) for t in topics]
    )


def add_qrels(
    *, campaign: Campaign, data: bytes, note: str, actor: User | None
) -> tuple[Qrels, ParsedQrels]:
    """A new immutable version, made the active one; every run is scored under it.

    Raises `FormatError` where the file is not qrels of this campaign. The same bytes as the
    active version give that version back.
    """
    digest = hashlib.sha256(data).hexdigest()
    codes = set(campaign.topics.values_list("code", flat=True))
    parsed = read_qrels(data, known_topics=codes)
    _refuse_high_grades(parsed, campaign.highest_grade)
    active = campaign.active_qrels
    if active is not None and active.digest == digest:
        return active, parsed
    identity = new_public_id()
    key = default_storage.save(f"qrels/{identity[:2]}/{identity}", ContentFile(data))
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
        qrels = Qrels.objects.create(
            campaign=campaign,
            version=campaign.qrels.count() + 1,
            note=note,
            digest=digest,
            storage_key=key,
            highest_grade=int(parsed.grades.max(initial=0)),
            judgment_count=int((parsed.grades >= 0).sum()),
            created_by=actor,
        )
        activate_qrels(campaign=campaign, qrels=qrels, actor=actor)
    return qrels, parsed


@transaction.atomic
def activate_qrels(*, campaign: Campaign, qrels: Qrels, actor: User | None) -> None:
    """The board shows this version from the next run scored under it; older scores stay."""
    campaign.active_qrels = qrels
    campaign.save(update_fields=["active_qrels"])
    LogEntry.objects.create(
        campaign=campaign, actor=actor, verb="activated qrels", subject=str(qrels.version)
    )
    bell.ring_for_scores(campaign)


def _refuse_high_grades(parsed: ParsedQrels, highest_grade: int) -> None:
    above = (parsed.grades > highest_grade).nonzero()[0]
    if not len(above):
        return
    first = int(above[0])
    problem = Problem(
        code="GRADE",
        line=None,
        message=f"{len(above)} grades are above {highest_grade}, the campaign's highest; the first "
        f"is topic {parsed.topics[parsed.topic_index[first]]}, document "
        f"{parsed.doc_ids[first].decode()}",
        value=str(parsed.grades[first]),
    )
    raise FormatError((problem,), total=1)
