"""What runs are asked and judged by: topics, added and taken out, and versions of the qrels."""

from collections.abc import Collection, Iterator, Sequence

from django.db import transaction

from campaigns.errors import (
    CannotActivateQrels,
    CannotRemoveTopics,
    NeedsConfirmation,
    NothingJudged,
)
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Topic, User
from campaigns.qrels.versions import activate_qrels, add_qrels, freeze_judgments
from campaigns.trec.topics import ParsedTopic
from campaigns.trec.topics_xml import topics_xml_blocks

__all__ = [
    "CannotActivateQrels",
    "CannotRemoveTopics",
    "NeedsConfirmation",
    "NothingJudged",
    "activate_qrels",
    "add_qrels",
    "add_topics",
    "freeze_judgments",
    "remove_topics",
    "topics_xml",
]
TOPICS_AT_A_TIME = 500


@transaction.atomic
def add_topics(*, campaign: Campaign, topics: Sequence[ParsedTopic], actor: User | None) -> int:
    """Appends the topics the campaign does not have yet; how many those were. A topic it has keeps
    its position and takes the new text."""
    held = Campaign.objects.select_for_update().get(pk=campaign.pk)
    refuse_archived(held)
    existing = {topic.code: topic for topic in held.topics.all()}
    new = [topic for topic in topics if topic.code not in existing]
    changed = []
    for topic in topics:
        fields = [list(field) for field in topic.fields]
        if topic.code in existing and existing[topic.code].fields != fields:
            held.topics.filter(code=topic.code).update(fields=fields)
            changed.append(topic.code)
    Topic.objects.bulk_create(
        Topic(
            campaign=held,
            code=topic.code,
            position=position,
            fields=[list(field) for field in topic.fields],
        )
        for position, topic in enumerate(new, start=len(existing))
    )
    if new:
        record(held, actor, "added topics", count=len(new))
    if changed:
        record(held, actor, "changed topics", topics=changed[:100], count=len(changed))
    return len(new)


@transaction.atomic
def remove_topics(*, campaign: Campaign, codes: Collection[str], actor: User | None) -> int:
    """Takes topics out and closes the gaps; how many. Raises `CannotRemoveTopics` for one that the
    campaign does not have, and for all of them once a run has come, or a judgment, or qrels:
    whatever is stored of these is in the order of positions."""
    held = Campaign.objects.select_for_update().get(pk=campaign.pk)
    refuse_archived(held)
    _refuse_where_used(held)
    topics = list(held.topics.order_by("position"))
    if unknown := sorted(set(codes) - {topic.code for topic in topics}):
        raise CannotRemoveTopics(f"The campaign has no topic {unknown[0]}.")
    stays = [topic for topic in topics if topic.code not in codes]
    if not stays and held.stage != Campaign.Stage.DRAFT:
        raise CannotRemoveTopics("The campaign has been opened: at least one topic has to stay.")
    held.topics.filter(code__in=codes).delete()
    for position, topic in enumerate(stays):
        if topic.position != position:
            held.topics.filter(pk=topic.pk).update(position=position)
    held.feedback_topics = [code for code in held.feedback_topics if code not in codes]
    held.save(update_fields=["feedback_topics"])
    removed = len(topics) - len(stays)
    if removed:
        record(held, actor, "removed topics", topics=sorted(codes)[:100], count=removed)
    return removed


def topics_xml(campaign: Campaign) -> Iterator[str]:
    """All topics with all their fields, in TREC's XML, read and written topic by topic."""
    rows = campaign.topics.order_by("position").values_list("code", "fields")
    return topics_xml_blocks(
        ParsedTopic(code, tuple((name, text) for name, text in fields))
        for code, fields in rows.iterator(TOPICS_AT_A_TIME)
    )


def _refuse_where_used(campaign: Campaign) -> None:
    if campaign.runs.exists():
        raise CannotRemoveTopics("Runs have been handed in for these topics: they have to stay.")
    if campaign.qrels.exists() or campaign.judgments.exists():
        raise CannotRemoveTopics("These topics have been judged: they have to stay.")
