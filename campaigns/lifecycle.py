"""The life of a campaign: made, opened, closed, published, and back."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils import timezone

from campaigns import bell
from campaigns.models import Audience, Campaign, LogEntry, Membership, User

LEADS_TO = {
    Campaign.Stage.OPEN: (
        Campaign.Stage.DRAFT,
        Campaign.Stage.CLOSED,
        Campaign.Stage.JUDGING,
    ),
    Campaign.Stage.CLOSED: (Campaign.Stage.OPEN,),
    Campaign.Stage.JUDGING: (Campaign.Stage.PUBLISHED,),
    Campaign.Stage.PUBLISHED: (
        Campaign.Stage.DRAFT,
        Campaign.Stage.OPEN,
        Campaign.Stage.CLOSED,
        Campaign.Stage.JUDGING,
    ),
}


class CannotStep(Exception):
    """The campaign is not ready for that; the message says what is missing."""


def may_create_campaigns(person: User | AnonymousUser) -> bool:
    """The site's setting says who: anyone with an account, approved people, or staff."""
    if not person.is_authenticated:
        return False
    rule = settings.WHO_MAY_CREATE_CAMPAIGNS
    return bool(rule == "anyone" or person.is_staff or (rule == "approved" and person.is_approved))


@transaction.atomic
def create_campaign(*, campaign: Campaign, organiser: User) -> Campaign:
    """Stores a validated, unsaved campaign and makes this person its first organiser."""
    campaign.save()
    Membership.objects.create(campaign=campaign, person=organiser, role=Membership.Role.ORGANISER)
    LogEntry.objects.create(campaign=campaign, actor=organiser, verb="created")
    return campaign


def is_accepting_at(campaign: Campaign, moment: datetime) -> bool:
    """Whether a run that began to arrive at `moment` counts: in [opens, closes)."""
    if not campaign.is_accepting or (campaign.opens_at and moment < campaign.opens_at):
        return False
    return campaign.closes_at is None or moment < campaign.closes_at


def is_late_at(campaign: Campaign, moment: datetime) -> bool:
    """Whether it is past the close but within the grace: taken, marked, not ranked."""
    if not campaign.is_accepting or campaign.closes_at is None:
        return False
    grace = timedelta(minutes=campaign.grace_minutes)
    return campaign.closes_at <= moment < campaign.closes_at + grace


def open_for_runs(*, campaign: Campaign, actor: User | None) -> None:
    if not campaign.topics.exists():
        raise CannotStep("Add the topics first: runs are checked against them.")
    _step(campaign, actor, "opened", to=Campaign.Stage.OPEN, is_accepting=True)


def close_for_runs(*, campaign: Campaign, actor: User | None) -> None:
    _step(campaign, actor, "closed", to=Campaign.Stage.CLOSED, is_accepting=False)


def publish(*, campaign: Campaign, actor: User | None) -> None:
    """Shows the board, scores and topics to everyone. Run files and qrels have switches of
    their own and stay as they are."""
    if campaign.active_qrels_id is None:
        raise CannotStep("Add the qrels first: without them there is nothing to show.")
    _step(
        campaign,
        actor,
        "published",
        to=Campaign.Stage.PUBLISHED,
        is_accepting=False,
        shows_own_scores=True,
        board_audience=Audience.EVERYONE,
        per_topic_audience=Audience.EVERYONE,
        published_at=timezone.now(),
    )


def unpublish(*, campaign: Campaign, actor: User | None) -> None:
    """Hides all again, at once; who had seen it had seen it."""
    _step(
        campaign,
        actor,
        "unpublished",
        to=Campaign.Stage.JUDGING,
        is_accepting=False,
        shows_own_scores=False,
        board_audience=Audience.ORGANISERS,
        per_topic_audience=Audience.ORGANISERS,
        published_at=None,
    )


@transaction.atomic
def change_settings(*, campaign: Campaign, fields: Sequence[str], actor: User | None) -> None:
    """Stores these edited dates and rules and nothing else; where the rules changed, every run is
    scored anew."""
    campaign.save(update_fields=fields)
    LogEntry.objects.create(
        campaign=campaign, actor=actor, verb="changed settings", details={"fields": list(fields)}
    )
    bell.ring_for_scores(campaign)


@transaction.atomic
def _step(
    campaign: Campaign, actor: User | None, verb: str, *, to: Campaign.Stage, **facts: object
) -> None:
    """From one of the stages that lead there, and from no other: a tab left open since yesterday
    opens nothing that was published meanwhile."""
    moved = Campaign.objects.filter(pk=campaign.pk, stage__in=LEADS_TO[to]).update(
        stage=to, **facts
    )
    campaign.refresh_from_db()
    if not moved:
        raise CannotStep(
            f"The campaign is {campaign.stage} by now: it cannot be {verb} from there."
        )
    LogEntry.objects.create(campaign=campaign, actor=actor, verb=verb)
