"""Baselines: the runs that an organiser marks for the others to be compared with."""

from collections.abc import Collection

from django.db import transaction

from campaigns.errors import CannotMarkBaseline
from campaigns.lifecycle import lock_unarchived
from campaigns.log import new_entry, record_all
from campaigns.models import Campaign, User

MAX_BASELINES = 10  # of a campaign: workers compare every run with each of them by every measure


@transaction.atomic
def change_baselines(
    *, campaign: Campaign, mark: Collection[str], unmark: Collection[str], actor: User | None
) -> int:
    """Marks and unmarks live runs, by public id, and returns how many have changed. Raises
    `CannotMarkBaseline`, and then changes none."""
    campaign = lock_unarchived(campaign)  # so two organisers together do not exceed the maximum
    live = {run.public_id: run for run in campaign.runs.live().order_by("pk")}
    if not set(mark) <= live.keys():
        raise CannotMarkBaseline(
            "Only a run that counts can be a baseline: accepted, not withdrawn and not replaced. "
            "No change was saved."
        )
    baselines = [run for run in live.values() if run.is_baseline]
    marked = [run for key, run in live.items() if key in mark and not run.is_baseline]
    unmarked = [run for run in baselines if run.public_id in unmark]
    total = len(baselines) + len(marked) - len(unmarked)
    if marked and total > MAX_BASELINES:
        raise CannotMarkBaseline(
            f"A campaign can have at most {MAX_BASELINES} baselines, and these would be {total}. "
            "No change was saved. Unmark others first."
        )
    for runs, is_baseline, verb in (
        (marked, True, "marked as baseline"),
        (unmarked, False, "unmarked as baseline"),
    ):
        campaign.runs.filter(pk__in=[run.pk for run in runs]).update(is_baseline=is_baseline)
        record_all(new_entry(run, actor, verb) for run in runs)
    return len(marked) + len(unmarked)
