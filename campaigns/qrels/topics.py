"""Adding, removing and exporting the topics of a campaign."""

from collections.abc import Collection, Iterator, Sequence
from typing import BinaryIO

from django.conf import settings
from django.db import transaction

from campaigns.errors import CannotRemoveTopics
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import (
    Campaign,
    GoldDocument,
    ProgramJudgment,
    Task,
    Topic,
    TopicAssessor,
    User,
)
from campaigns.trec.problems import Problem
from campaigns.trec.topics import read_topics, topics_xml_blocks
from campaigns.trec.topics_checks import ParsedTopic

CHUNK_SIZE = 500


def read_topics_file(file: BinaryIO | bytes) -> tuple[Sequence[ParsedTopic], list[Problem]]:
    """Topics within the limits of the site, and warnings. Raises FormatError."""
    warnings: list[Problem] = []
    topics = read_topics(
        file,
        max_bytes=settings.MAX_TOPIC_BYTES,
        max_topics=settings.MAX_TOPICS,
        on_warning=warnings.append,
    )
    return topics, warnings


@transaction.atomic
def add_topics(*, campaign: Campaign, topics: Sequence[ParsedTopic], actor: User | None) -> int:
    """Appends new topics, and returns their number. An existing topic keeps its position and gets
    the new text."""
    # Locked, because new positions follow those of the topics that exist.
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    refuse_archived(campaign)
    existing = {topic.code: topic for topic in campaign.topics.all()}
    new = [topic for topic in topics if topic.code not in existing]
    changed = []
    for topic in topics:
        fields = [list(field) for field in topic.fields]
        if topic.code in existing and existing[topic.code].fields != fields:
            campaign.topics.filter(code=topic.code).update(fields=fields)
            changed.append(topic.code)
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
        record(campaign, actor, "added topics", count=len(new))
    if changed:
        record(campaign, actor, "changed topics", topics=changed[:100], count=len(changed))
    return len(new)


@transaction.atomic
def remove_topics(*, campaign: Campaign, codes: Collection[str], actor: User | None) -> int:
    """Removes topics and closes the gaps in the positions. Returns the number of removed topics.
    Raises `CannotRemoveTopics` for unknown topics, and if there are runs, judgments or qrels,
    because stored results are in the order of positions."""
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    refuse_archived(campaign)
    _refuse_if_used(campaign)
    topics = list(campaign.topics.order_by("position"))
    if unknown := sorted(set(codes) - {topic.code for topic in topics}):
        raise CannotRemoveTopics(f"The campaign has no topic {unknown[0]}.")
    remaining = [topic for topic in topics if topic.code not in codes]
    if not remaining and campaign.stage != Campaign.Stage.DRAFT:
        raise CannotRemoveTopics("The campaign is not a draft. Leave at least one topic.")
    # What refers to the topics goes first.
    TopicAssessor.objects.filter(topic__campaign=campaign, topic__code__in=codes).delete()
    GoldDocument.objects.filter(topic__campaign=campaign, topic__code__in=codes).delete()
    campaign.topics.filter(code__in=codes).delete()
    for position, topic in enumerate(remaining):
        if topic.position != position:
            campaign.topics.filter(pk=topic.pk).update(position=position)
    campaign.feedback_topics = [code for code in campaign.feedback_topics if code not in codes]
    campaign.save(update_fields=["feedback_topics"])
    removed = len(topics) - len(remaining)
    if removed:
        record(campaign, actor, "removed topics", topics=sorted(codes)[:100], count=removed)
    return removed


def topics_xml(campaign: Campaign) -> Iterator[str]:
    """All topics with all their fields in TREC's XML, streamed topic by topic."""
    rows = campaign.topics.order_by("position").values_list("code", "fields")
    return topics_xml_blocks(
        ParsedTopic(code, tuple((name, text) for name, text in fields))
        for code, fields in rows.iterator(CHUNK_SIZE)
    )


def _refuse_if_used(campaign: Campaign) -> None:
    if campaign.runs.exists():
        raise CannotRemoveTopics("There are runs for these topics, so they cannot be removed.")
    if campaign.qrels.exists() or campaign.judgments.exists():
        raise CannotRemoveTopics("There are judgments for these topics, so they cannot be removed.")
    if ProgramJudgment.objects.filter(program__campaign=campaign).exists():
        raise CannotRemoveTopics("A program has judged these topics, so they cannot be removed.")
    if Task.objects.filter(topic__campaign=campaign).exists():
        raise CannotRemoveTopics("Assessors judge documents of the topics. No topic was removed.")
