"""What organisers state about the pool: which runs contributed to it, and its depth."""

import difflib
from collections import defaultdict
from collections.abc import Collection, Mapping

from django.core.exceptions import ValidationError
from django.db import transaction

from campaigns.errors import CannotStatePool
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Run, User
from campaigns.models.campaign import DEEPEST

MAX_ERRORS = 25  # of a pasted list


@transaction.atomic
def state_pooled_runs(
    *,
    campaign: Campaign,
    pooled: Collection[str],
    actor: User | None,
    among: Collection[str] | None = None,
) -> bool:
    """These live runs, by public id, were pooled, and the other live runs, or those of them that
    are `among` the given ones, were not. Returns whether anything has changed. Raises
    `CannotStatePool`, and then changes nothing."""
    refuse_archived(campaign)
    # Locked, so that these runs still count when the statement is stored.
    runs = list(campaign.runs.live().select_for_update().order_by("pk"))
    if missing := set(pooled) - {run.public_id for run in runs}:
        count = len(missing)
        raise CannotStatePool(
            f"{count} of the runs {'does' if count == 1 else 'do'} not count: withdrawn, replaced "
            "or not accepted. No change was saved."
        )
    asked = {run for run in runs if among is None or run.public_id in among}
    statement = {run: run.public_id in pooled if run in asked else run.is_pooled for run in runs}
    return _store(campaign, statement, actor)


@transaction.atomic
def withdraw_statement(*, campaign: Campaign, actor: User | None) -> bool:
    """The organisers do not say which runs were pooled."""
    refuse_archived(campaign)
    runs = campaign.runs.select_for_update().exclude(is_pooled=None)
    return _store(campaign, dict.fromkeys(runs, None), actor)


def _store(campaign: Campaign, statement: Mapping[Run, bool | None], actor: User | None) -> bool:
    by_answer: dict[bool | None, list[Run]] = defaultdict(list)
    for run, is_pooled in statement.items():
        # `is`, because None, False and True are three different answers.
        if run.is_pooled is not is_pooled:
            by_answer[is_pooled].append(run)
    for answer, runs in by_answer.items():
        campaign.runs.filter(pk__in=[run.pk for run in runs]).update(is_pooled=answer)
    if by_answer:
        words = {True: "pooled", False: "not_pooled", None: "not_stated"}
        changed = {
            words[answer]: ", ".join(run.display_name for run in runs)
            for answer, runs in by_answer.items()
        }
        total = sum(answer is True for answer in statement.values())
        record(campaign, actor, "stated pooled runs", total=total, **changed)
    return bool(by_answer)


@transaction.atomic
def state_pool_depths(
    *, campaign: Campaign, depths: Mapping[int, int | None], actor: User | None
) -> bool:
    """The depth of the pool behind qrels versions, by version; None: it is read from the judgments.
    Returns whether anything has changed. Raises `ValidationError` for an unknown version or an
    impossible depth."""
    refuse_archived(campaign)
    versions = {each.version: each for each in campaign.qrels.select_for_update()}
    has_changed = False
    for version, depth in depths.items():
        if version not in versions:
            raise ValidationError(f"There are no qrels v{version}.")
        if depth is not None and not 1 <= depth <= DEEPEST:
            raise ValidationError(f"A pool depth is a number from 1 to {DEEPEST:,}.")
        qrels = versions[version]
        if qrels.pool_depth != depth:
            record(
                campaign, actor, "stated pool depth", qrels.version,
                changed=[qrels.pool_depth, depth],
            )  # fmt: skip
            qrels.pool_depth, has_changed = depth, True
            qrels.save(update_fields=["pool_depth"])
    return has_changed


def runs_named(campaign: Campaign, text: str) -> set[str]:
    """The public ids of the live runs in a pasted list, which has one name or id on each line.
    Raises `ValidationError` with an error for each line that names no run, or more than one."""
    by_name: dict[str, list[Run]] = defaultdict(list)
    for run in campaign.runs.live().select_related("team").order_by("pk"):
        for name in {run.display_name, run.public_id}:
            by_name[name].append(run)
    found: set[str] = set()
    wrong: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        name = line.strip()
        if not name:
            continue
        if len(runs := by_name.get(name, [])) == 1:
            found.add(runs[0].public_id)
        else:
            wrong.append((number, name))
    if not found and not wrong:
        raise ValidationError("The list is empty. Write one run on each line.")
    if wrong:
        # For the first lines only: to find a similar name takes a millisecond.
        errors = [
            f"Line {number}: {_problem(name, by_name.get(name, []), by_name)}"
            for number, name in wrong[:MAX_ERRORS]
        ]
        more = len(wrong) - MAX_ERRORS
        raise ValidationError([*errors, f"And {more} more."] if more > 0 else errors)
    return found


def _problem(name: str, runs: Collection[Run], known: Collection[str]) -> str:
    shown = name if len(name) <= 80 else name[:80] + "…"
    if runs:
        each = ", ".join(f"{run.public_id} of {run.team.name}" for run in runs)
        return f"“{shown}” is the name of {len(runs)} runs. Write the id of one: {each}."
    nearest = difflib.get_close_matches(name[:80], known, n=1)
    hint = f" Did you mean {nearest[0]}?" if nearest else ""
    return f"“{shown}” is not a run that counts.{hint}"
