"""Families of runs, such as the runs built on one language model, as the organisers mark them."""

from collections.abc import Mapping

from django.db import transaction

from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Run, User


@transaction.atomic
def mark_families(*, campaign: Campaign, families: Mapping[str, str], actor: User) -> int:
    """Sets the family of these live runs, by public id; "" for none. Other ids are ignored. Returns
    the number of runs whose family has changed."""
    refuse_archived(campaign)
    runs = list(campaign.runs.live().select_for_update().order_by("pk"))
    changed = [run for run in runs if families.get(run.public_id, run.family) != run.family]
    for run in changed:
        run.family = families[run.public_id]
    Run.objects.bulk_update(changed, ["family"], batch_size=500)
    if changed:
        marked = {run.public_id: run.family for run in changed[:100]}
        record(campaign, actor, "marked run families", runs=marked, count=len(changed))
    return len(changed)
