"""The stages of a campaign, its dates and its settings."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from campaigns import scoring_hooks
from campaigns.errors import Archived, CannotChangeStage
from campaigns.log import differences, record, switch_differences
from campaigns.mail import notices
from campaigns.models import Audience, Campaign, Membership, Preset, Qrels, User
from campaigns.models.showing import CLOSED as ALL_OFF
from campaigns.models.showing import OWN, TABLES, check_stage_switches

DRAFT, OPEN = Campaign.Stage.DRAFT, Campaign.Stage.OPEN
CLOSED, JUDGING = Campaign.Stage.CLOSED, Campaign.Stage.JUDGING
PUBLISHED = Campaign.Stage.PUBLISHED
LEADS_TO = {
    DRAFT: (OPEN,),
    OPEN: (DRAFT, CLOSED, JUDGING),
    CLOSED: (OPEN, JUDGING),
    JUDGING: (OPEN, CLOSED, PUBLISHED),
    PUBLISHED: (DRAFT, OPEN, CLOSED, JUDGING),
}
Table = dict[str, dict[str, Any]]  # stage -> switch -> setting


def refuse_archived(campaign: Campaign) -> None:
    """Raises `Archived`. Queries the database, because the instance may be outdated."""
    if Campaign.objects.filter(pk=campaign.pk, archived_at__isnull=False).exists():
        raise Archived("The campaign is archived. Unarchive it first.")


def lock_unarchived(campaign: Campaign) -> Campaign:
    """The current row, locked until the transaction ends. Raises `Archived`."""
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    refuse_archived(campaign)
    return campaign


def may_create_campaigns(person: User | AnonymousUser) -> bool:
    """A setting of the site decides: anyone with an account, approved people, or staff."""
    if not person.is_authenticated:
        return False
    rule = settings.WHO_MAY_CREATE_CAMPAIGNS
    return bool(rule == "anyone" or person.is_staff or (rule == "approved" and person.is_approved))


@transaction.atomic
def create_campaign(*, campaign: Campaign, organiser: User) -> Campaign:
    """Saves a validated campaign and makes this person its first organiser."""
    _store_series(campaign)
    campaign.save()
    Membership.objects.create(campaign=campaign, person=organiser, role=Membership.Role.ORGANISER)
    record(campaign, organiser, "created")
    return campaign


# --- by the clock ---------------------------------------------------------------------------------


def deciding_moment(began: datetime, completed: datetime | None) -> datetime:
    """The time of an upload that deadlines use: when it began, but not earlier than the allowance
    before its end. So a slow upload gains no time."""
    allowance = timedelta(seconds=settings.UPLOAD_ALLOWANCE_SECONDS)
    return began if completed is None else max(began, completed - allowance)


def is_accepting_at(campaign: Campaign, moment: datetime) -> bool:
    """Whether a run whose upload began at `moment` counts: in [opens, closes)."""
    if not campaign.is_accepting or (campaign.opens_at and moment < campaign.opens_at):
        return False
    return campaign.closes_at is None or moment < campaign.closes_at


def is_late_at(campaign: Campaign, moment: datetime) -> bool:
    """Whether `moment` is after the closing date but within the grace period. The run is then
    accepted, marked as late and not ranked."""
    end = grace_ends(campaign)
    if not campaign.is_accepting or campaign.closes_at is None or end is None:
        return False
    return campaign.closes_at <= moment < end


def grace_ends(campaign: Campaign) -> datetime | None:
    if campaign.closes_at is None:
        return None
    return campaign.closes_at + timedelta(minutes=campaign.grace_minutes)


def stage_at(campaign: Campaign, moment: datetime) -> str:
    """The stage as people see it. An open campaign is shown as closed after its grace period."""
    end = grace_ends(campaign)
    if campaign.stage == OPEN and end is not None and end <= moment:
        return str(CLOSED)
    return str(campaign.stage)


def next_moment(campaign: Campaign, moment: datetime) -> datetime | None:
    """The next of the campaign's dates after `moment`. The dates of submissions are included only
    while submissions can still be accepted."""
    dates = [campaign.topics_released_at, campaign.reveals_teams_at]
    if campaign.stage in (DRAFT, OPEN):
        dates += [campaign.opens_at, campaign.closes_at, grace_ends(campaign)]
    return min((date for date in dates if date is not None and date > moment), default=None)


# --- from stage to stage --------------------------------------------------------------------------


def open_submissions(*, campaign: Campaign, actor: User | None) -> None:
    if not campaign.topics.exists():
        raise CannotChangeStage("Add the topics first. Runs are checked against them.")
    _step(campaign, actor, "opened", to=OPEN, is_accepting=True)


def close_submissions(*, campaign: Campaign, actor: User | None) -> None:
    _step(campaign, actor, "closed", to=CLOSED, came_from=(OPEN,), is_accepting=False)


def start_judging(*, campaign: Campaign, actor: User | None) -> None:
    """Closes submissions and begins judging."""
    before = (OPEN, CLOSED)
    _step(campaign, actor, "began judging", to=JUDGING, came_from=before, is_accepting=False)


def stop_judging(*, campaign: Campaign, actor: User | None) -> None:
    """Returns to the stage *closed*."""
    _step(campaign, actor, "stopped judging", to=CLOSED, came_from=(JUDGING,), is_accepting=False)


@transaction.atomic
def return_to_draft(*, campaign: Campaign, actor: User | None) -> None:
    """Makes the campaign visible to organisers only. Possible only while there is no run, because
    teams must be able to find their runs."""
    # Not `no_key`: in PostgreSQL a new run needs a key share of this row, so it has to wait.
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.runs.exists():
        raise CannotChangeStage(
            "Teams have submitted runs and need access to them. Close submissions instead."
        )
    untold: dict[str, None] = {"opening_told_at": None, "closing_told_at": None}
    _step(campaign, actor, "returned to draft", to=DRAFT, is_accepting=False, **untold)


@transaction.atomic
def publish(*, campaign: Campaign, actor: User | None) -> None:
    """Publishes the results. The visibility of the published stage takes effect immediately."""
    if campaign.active_qrels_id is None:
        raise CannotChangeStage("Add qrels first. Without them there are no scores to publish.")
    now = timezone.now()
    _step(campaign, actor, "published", to=PUBLISHED, is_accepting=False, published_at=now)
    Qrels.objects.filter(pk=campaign.active_qrels_id, published_at=None).update(published_at=now)
    notices.notify_of_publication(campaign)


def unpublish(*, campaign: Campaign, actor: User | None) -> None:
    """Returns to the stage *judging* and its visibility immediately. People may have seen the
    results already."""
    gone: dict[str, object] = {"is_accepting": False, "published_at": None}
    _step(campaign, actor, "unpublished", to=JUDGING, came_from=(PUBLISHED,), **gone)


STEPS: dict[str, Callable[..., None]] = {
    "draft": return_to_draft,
    "open": open_submissions,
    "close": close_submissions,
    "judge": start_judging,
    "stop-judging": stop_judging,
    "publish": publish,
    "unpublish": unpublish,
}


@transaction.atomic
def _step(
    campaign: Campaign,
    actor: User | None,
    verb: str,
    *,
    to: Campaign.Stage,
    came_from: Sequence[str] = (),
    **facts: object,
) -> None:
    """Changes the stage, if the current stage allows it, so that an old tab cannot change a
    campaign that was published in the meantime. The visibility of the new stage takes effect."""
    refuse_archived(campaign)
    # Locked, so that the visibility settings do not change before the step.
    row = Campaign.objects.select_for_update().get(pk=campaign.pk)
    moved = Campaign.objects.filter(
        pk=campaign.pk, stage__in=came_from or LEADS_TO[to], archived_at=None
    ).update(stage=to, **row.stage_switches[to], **facts)
    campaign.refresh_from_db()
    if not moved:
        raise CannotChangeStage(
            f"The campaign is {campaign.stage} now, which does not allow this step."
        )
    record(campaign, actor, verb)


# --- settings -------------------------------------------------------------------------------------


@transaction.atomic
def change_settings(*, campaign: Campaign, fields: Sequence[str], actor: User | None) -> None:
    """Saves the changed dates and rules and nothing else. If a scoring rule changed, every run is
    scored again."""
    refuse_archived(campaign)
    before = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    _store_series(campaign)
    campaign.save(update_fields=fields)
    changed = differences(before, campaign, fields)
    if changed:
        record(campaign, actor, "changed settings", changed=changed)
    # Whatever has changed: it requests only scores that the current rules lack.
    scoring_hooks.enqueue_evaluations(campaign)


def _store_series(campaign: Campaign) -> None:
    """Creates a new series together with the campaign that names it."""
    if campaign.series is not None and campaign.series.pk is None:
        campaign.series.save()


@transaction.atomic
def change_visibility(*, campaign: Campaign, preset: str, table: Table, actor: User | None) -> None:
    """Sets the visibility of each stage. That of the current stage takes effect immediately.

    Raises `ValidationError` for contradictory settings.
    """
    refuse_archived(campaign)
    for stage in table.values():
        for switch, setting in stage.items():
            # Not `isinstance`, because True is an int too.
            is_sound = setting in Audience.values and type(setting) is int
            if switch in OWN:
                is_sound = isinstance(setting, bool)
            if not is_sound:
                raise ValidationError(f"{switch} cannot be {setting!r}.")
    check_stage_switches(table)
    row = Campaign.objects.select_for_update().get(pk=campaign.pk)
    before, row.preset, row.stage_switches = row.stage_switches, preset, table
    for switch, setting in table[row.stage].items():
        setattr(row, switch, setting)
    row.clean_fields(exclude={f.name for f in row._meta.fields} - {"preset", "stage_switches"})
    row.save(update_fields=["preset", "stage_switches", *ALL_OFF])
    campaign.refresh_from_db()
    changed = switch_differences(before, table)
    record(campaign, actor, "changed visibility", preset=preset, changed=changed)


def preset_of(table: Table) -> str:
    """The preset with these settings, or `Preset.OWN` if there is none."""
    return next((str(name) for name, make in TABLES.items() if make() == table), str(Preset.OWN))
