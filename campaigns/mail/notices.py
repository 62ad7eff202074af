"""What people are told by mail, and when. Each function is called inside the transaction of the act
it tells of, and the mail is sent after it, by a worker."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from campaigns import scoring_hooks
from campaigns.log import record
from campaigns.mail import messages
from campaigns.models import Announcement, Campaign, Run, Team, User


def notify(*, campaign: Campaign, key: str, subject: str, body: str, to: Iterable[User]) -> None:
    """One mail to each, told once per `key`."""
    for notice in messages.create_notices(
        campaign=campaign, key=key, subject=subject, body=body, to=to
    ):
        scoring_hooks.enqueue_notice(notice)


def notify_team(run: Run, kind: str) -> None:
    """One mail to each member of the run's team, by templates/mail/<kind>.txt: *refused*, or
    *scored*; that one through `scoring.jobs.mail`, which knows who may be told."""
    subject, body = messages.about_run(run, kind)
    key = f"{kind}/{run.public_id}"
    notify(
        campaign=run.campaign, key=key, subject=subject, body=body, to=messages.members_of(run.team)
    )


def notify_members(team: Team, kind: str, *, key: str) -> None:
    """What the organisers have decided about a team."""
    _notify(team.campaign, kind, key=f"{kind}/{key}", to=messages.members_of(team), team=team)


def notify_organisers(team: Team, kind: str) -> None:
    to = messages.organisers_of(team.campaign)
    _notify(team.campaign, kind, key=f"{kind}/{team.public_id}", to=to, team=team)


def notify_of_publication(campaign: Campaign) -> None:
    """To the members of teams who may see the board; once for each time it is published."""
    moment = campaign.published_at.isoformat() if campaign.published_at else ""
    to = messages.readers_of_board(campaign, campaign.published_at or timezone.now())
    _notify(campaign, "published", key=f"published/{moment}", to=to)


def notify_of_dates(moment: datetime) -> None:
    """Tells all participants of campaigns that began or ceased to take runs, be it by the clock or
    by hand. Told is what was told last: a campaign that opens again is told of again."""
    for campaign in Campaign.objects.filter(_is_opening(moment)):
        _notify_once(campaign, "opened", moment, _is_opening(moment))
    for campaign in Campaign.objects.filter(_is_closing(moment)):
        _notify_once(campaign, "closed", moment, _is_closing(moment))


def announce(*, campaign: Campaign, subject: str, body: str, by: User) -> Announcement:
    """Keeps it for the overview and mails it to the members of all teams. The same words twice
    in a row are a double click."""
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        latest = campaign.announcements.first()
        if latest is not None and (latest.subject, latest.body) == (subject, body):
            return latest
        announcement = Announcement.objects.create(
            campaign=campaign, subject=subject, body=body, by=by
        )
        record(campaign, by, "announced", subject)
        to = messages.participants_of(campaign)
        key = f"announcement/{announcement.pk}"
        _notify(campaign, "announcement", key=key, to=to, announcement=announcement)
    return announcement


def _is_accepting(moment: datetime) -> Q:
    """Runs that begin to arrive now count; the same as `lifecycle.is_accepting_at`."""
    has_opened = Q(opens_at=None) | Q(opens_at__lte=moment)
    is_before_close = Q(closes_at=None) | Q(closes_at__gt=moment)
    return Q(is_accepting=True, archived_at=None) & has_opened & is_before_close


def _is_opening(moment: datetime) -> Q:
    return _is_accepting(moment) & Q(opening_told_at=None)


def _is_closing(moment: datetime) -> Q:
    """Published says so itself, and a draft is nobody's business."""
    told_open = Q(opening_told_at__isnull=False, archived_at=None)
    stages = (Campaign.Stage.OPEN, Campaign.Stage.CLOSED, Campaign.Stage.JUDGING)
    return told_open & Q(stage__in=stages) & ~_is_accepting(moment)


def _notify_once(campaign: Campaign, kind: str, moment: datetime, is_due: Q) -> None:
    """Whoever marks it as told tells it, so that two timers tell it once."""
    marks = {
        "opened": {"opening_told_at": moment, "closing_told_at": None},
        "closed": {"opening_told_at": None, "closing_told_at": moment},
    }
    with transaction.atomic():
        if Campaign.objects.filter(is_due, pk=campaign.pk).update(**marks[kind]):
            key = f"{kind}/{moment.isoformat()}"
            _notify(campaign, kind, key=key, to=messages.participants_of(campaign))


def _notify(
    campaign: Campaign, kind: str, *, key: str, to: Iterable[User], **facts: object
) -> None:
    subject, body = messages.compose(kind, campaign, **facts)
    notify(campaign=campaign, key=key, subject=subject, body=body, to=to)
