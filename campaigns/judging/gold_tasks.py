"""The tasks of gold documents."""

import random
from typing import Final

from django.db.models import Count, F, QuerySet
from django.db.models.functions import Greatest

from campaigns.models import Campaign, GoldDocument, Plan, Task

FIRST_POSITION: Final = 1_000_000_000  # above all positions of documents that a plan selects


def assign_gold(campaign: Campaign) -> None:
    """Gives the active plan a task for each gold document, for all assessors of the topic. Call it
    after a change of gold documents, of tasks or of assignments. May run twice.

    A plan without its first documents gets none yet, because it may select the same ones."""
    golds = list(gold_documents(campaign).annotate(wanted=Count("topic__assessors")))
    if not golds:
        return
    # Locked, so that no other process adds the same task.
    plans = Plan.objects.select_for_update(no_key=True).filter(campaign=campaign)
    plan = plans.exclude(state=Plan.State.ENDED).first()
    if plan is None or not (plan.laid_out or plan.is_laid_out):
        return
    known = set(plan.tasks.values_list("topic", "doc_id"))
    chance = random.Random()  # noqa: S311 - not predictable from the document is enough
    for gold in golds:
        wanted = max(gold.wanted, 1)
        if (gold.topic_id, gold.doc_id) in known:
            tasks = plan.tasks.filter(topic=gold.topic_id, doc_id=gold.doc_id)
            # The plan may already want more assessors for it, because of its overlap.
            tasks.update(wanted=Greatest(F("wanted"), wanted))
        else:
            Task.objects.create(
                plan=plan,
                topic_id=gold.topic_id,
                doc_id=gold.doc_id,
                position=FIRST_POSITION + gold.pk,
                turn=chance.randrange(max(plan.laid_out, 1)),  # anywhere among the others
                wanted=wanted,
            )


def gold_documents(campaign: Campaign) -> QuerySet[GoldDocument]:
    golds = GoldDocument.objects.filter(topic__campaign=campaign).select_related("topic", "by")
    return golds.order_by("topic__position", "doc_id")
