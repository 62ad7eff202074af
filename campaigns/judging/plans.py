"""Judging plans: create, pause, resume, end. A campaign has at most one active plan."""

from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from campaigns import scoring_hooks
from campaigns.errors import CannotChangeStage
from campaigns.lifecycle import refuse_archived
from campaigns.log import record
from campaigns.models import Campaign, Plan, User

SAMPLES: Final = (Plan.Method.RBP_SAMPLE, Plan.Method.AP_SAMPLE)
HIGHEST_SAMPLED_P: Final = 0.99  # a higher p needs a thousand documents of each topic of a run
OPEN, PAUSED, ENDED = Plan.State.OPEN, Plan.State.PAUSED, Plan.State.ENDED


def active_plan(campaign: Campaign) -> Plan | None:
    """The one that is not ended, if any. One query."""
    return campaign.plans.exclude(state=ENDED).select_related("starts_from").first()


def latest_plan(campaign: Campaign) -> Plan | None:
    """The active plan, or the one that ended last. One query."""
    return campaign.plans.select_related("starts_from").order_by("-pk").first()


def method_name(method: str) -> str:
    """As in a sentence."""
    if method in (Plan.Method.A, Plan.Method.B, Plan.Method.C):
        return f"method {method}"
    return {
        "MTF": "move-to-front",
        "RBPsample": "a stratified sample by the weights of RBP",
        "APsample": "a stratified sample by the weights of AP",
    }.get(method, method)


def sample_faults(
    campaign: Campaign, persistence: float, budget: int | None, starts_from: object
) -> dict[str, str]:
    """Why this cannot be a stratified sample, by the field of the form. One query."""
    faults = {}
    if persistence > HIGHEST_SAMPLED_P:
        faults["p"] = f"A stratified sample needs a p of at most {HIGHEST_SAMPLED_P}."
    fewest = 2 * campaign.topics.count()
    if budget is not None and budget < fewest:
        faults["amount"] = (
            f"A stratified sample needs two documents of each topic, {fewest:,} in all."
        )
    if starts_from is not None:
        faults["start"] = (
            "A stratified sample is drawn from all documents. Choose no existing judgments."
        )
    return faults


@transaction.atomic
def create_plan(*, plan: Plan, actor: User | None) -> Plan:
    """Saves and activates a plan. A worker selects its first documents.

    Raises `CannotChangeStage` if another plan is active, if there is nothing to judge, or if the
    campaign is archived, and `ValidationError` if the plan is invalid.
    """
    campaign = plan.campaign
    refuse_archived(campaign)
    row = Campaign.objects.select_for_update().get(pk=campaign.pk)  # against two tabs
    if active_plan(row) is not None:
        raise CannotChangeStage("A plan is already active. End it first.")
    if not row.topics.exists() or not row.runs.ranked().exists():
        raise CannotChangeStage("There is nothing to judge yet. Wait for the first ranked run.")
    if plan.starts_from is not None and plan.starts_from.campaign_id != plan.campaign_id:
        raise ValidationError("These qrels belong to another campaign.")
    if plan.starts_from is not None and plan.starts_from.has_program:
        raise ValidationError(
            "These qrels contain judgments of a program, which would count as judgments of people. "
            "Start from another version, or from none."
        )
    if plan.is_sample:
        faults = sample_faults(campaign, plan.persistence, plan.budget, plan.starts_from)
        if faults:
            raise ValidationError(list(faults.values()))
    plan.created_by = actor
    plan.full_clean(exclude=["created_by"])
    plan.save()
    record(
        campaign,
        actor,
        "created judging plan",
        plan,
        plan=plan.pk,
        method=plan.method,
        p=plan.persistence,
    )
    scoring_hooks.enqueue_next_documents(plan)
    return plan


def pause_plan(*, plan: Plan, actor: User | None) -> None:
    """Assessors get no further documents until the plan is resumed."""
    _move(plan, actor, "paused judging", to=PAUSED, came_from=(OPEN,))


@transaction.atomic
def resume_plan(*, plan: Plan, actor: User | None) -> None:
    _move(plan, actor, "resumed judging", to=OPEN, came_from=(PAUSED,))
    if not plan.is_laid_out:
        scoring_hooks.enqueue_next_documents(plan)


def end_plan(*, plan: Plan, actor: User | None) -> None:
    """Ends the plan for good. Its judgments stay and count."""
    _move(plan, actor, "ended judging", to=ENDED, came_from=(OPEN, PAUSED), ended_at=timezone.now())


ACTS = {"pause": pause_plan, "resume": resume_plan, "end": end_plan}


@transaction.atomic
def _move(
    plan: Plan,
    actor: User | None,
    verb: str,
    *,
    to: str,
    came_from: tuple[str, ...],
    **facts: object,
) -> None:
    refuse_archived(plan.campaign)
    # Only from these states: of two clicks, the second one changes nothing.
    moved = Plan.objects.filter(pk=plan.pk, state__in=came_from).update(state=to, **facts)
    plan.refresh_from_db()
    if not moved:
        raise CannotChangeStage(f"The plan is already {plan.state}. Reload the page.")
    record(plan.campaign, actor, verb, plan, plan=plan.pk, laid_out=plan.laid_out)
