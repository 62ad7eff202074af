"""Email notices. Call each function in the transaction of the event that it is about. A worker
sends the emails after the commit."""

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from campaigns import participation, scoring_hooks
from campaigns.mail import messages
from campaigns.models import Campaign, Invitation, OrganiserRequest, Run, Team, User


def notify(*, campaign: Campaign, key: str, subject: str, body: str, to: Iterable[User]) -> None:
    """Sends one email to each recipient, once per `key`."""
    for notice in messages.create_notices(
        campaign=campaign, key=key, subject=subject, body=body, to=to
    ):
        scoring_hooks.enqueue_notice(notice)


def notify_team(run: Run, kind: str) -> None:
    """Emails each member of the run's team, with templates/mail/<kind>.txt. For *scored*, call this
    through `scoring.jobs.mail`, which checks who may see scores."""
    subject, body = messages.about_run(run, kind)
    key = f"{kind}/{run.public_id}"
    notify(
        campaign=run.campaign, key=key, subject=subject, body=body, to=messages.members_of(run.team)
    )


def notify_members(team: Team, kind: str, *, key: str) -> None:
    """Emails the members of a team about a decision of the organisers."""
    _notify(team.campaign, kind, key=f"{kind}/{key}", to=messages.members_of(team), team=team)


def notify_organisers(team: Team, kind: str, *, key: str = "") -> None:
    to = messages.organisers_of(team.campaign)
    _notify(team.campaign, kind, key=f"{kind}/{key or team.public_id}", to=to, team=team)


def notify_of_publication(campaign: Campaign) -> None:
    """Emails the participants who may see results, once per publication."""
    moment = campaign.published_at.isoformat() if campaign.published_at else ""
    to = messages.readers_of_results(campaign, campaign.published_at or timezone.now())
    _notify(campaign, "published", key=f"published/{moment}", to=to)


def notify_of_dates(moment: datetime) -> None:
    """Emails the participants of campaigns whose submissions have opened or closed, by date or by
    an organiser. A campaign that opens again is announced again."""
    for campaign in Campaign.objects.filter(_is_opening(moment)):
        _notify_once(campaign, "opened", moment, _is_opening(moment))
    for campaign in Campaign.objects.filter(_is_closing(moment)):
        _notify_once(campaign, "closed", moment, _is_closing(moment))


def invite(invitation: Invitation, link: str) -> None:
    """Sends the link to the address of the invitation, which may belong to nobody on the site."""
    allows_new_teams = participation.allows_new_teams(invitation.campaign, timezone.now())
    facts = {"invitation": invitation, "link": link, "allows_new_teams": allows_new_teams}
    subject, body = messages.compose("invitation", invitation.campaign, **facts)
    address = invitation.campaign.reply_address
    EmailMessage(
        " ".join(subject.split()),
        body,
        settings.DEFAULT_FROM_EMAIL,
        [invitation.email],
        reply_to=[address] if address else None,
    ).send()


def notify_operators(request: OrganiserRequest, operators: Iterable[User]) -> None:
    """Asks the operators for a decision. Their replies go to the person."""
    subject, body = messages.compose("organiser_request", None, request=request)
    sender, reply_to = settings.DEFAULT_FROM_EMAIL, [request.person.email]
    for operator in operators:
        EmailMessage(
            " ".join(subject.split()), body, sender, [operator.email], reply_to=reply_to
        ).send()


def notify_of_decision(request: OrganiserRequest, *, may_create: bool) -> None:
    """Tells the person what the operators decided. On some sites an operator creates the
    campaign."""
    facts = {"request": request, "may_create": may_create}
    subject, body = messages.compose("organiser_decision", None, **facts)
    EmailMessage(subject, body, settings.DEFAULT_FROM_EMAIL, [request.person.email]).send()


def notify_participants(campaign: Campaign, kind: str, *, key: str, **facts: object) -> None:
    """Emails the participants, in a team or not."""
    _notify(campaign, kind, key=key, to=messages.participants_of(campaign), **facts)


def _is_accepting(moment: datetime) -> Q:
    """Submissions are open at `moment`, as in `lifecycle.is_accepting_at`."""
    has_opened = Q(opens_at=None) | Q(opens_at__lte=moment)
    is_before_close = Q(closes_at=None) | Q(closes_at__gt=moment)
    return Q(is_accepting=True, archived_at=None) & has_opened & is_before_close


def _is_opening(moment: datetime) -> Q:
    return _is_accepting(moment) & Q(opening_told_at=None)


def _is_closing(moment: datetime) -> Q:
    """Submissions are closed and nobody has been told. Drafts are secret, and publication has its
    own notice."""
    was_announced = Q(opening_told_at__isnull=False, archived_at=None)
    stages = (Campaign.Stage.OPEN, Campaign.Stage.CLOSED, Campaign.Stage.JUDGING)
    return was_announced & Q(stage__in=stages) & ~_is_accepting(moment)


def _notify_once(campaign: Campaign, kind: str, moment: datetime, is_due: Q) -> None:
    """Only the process that sets the mark sends the notice, so that two timers send it once."""
    marks = {
        "opened": {"opening_told_at": moment, "closing_told_at": None},
        "closed": {"opening_told_at": None, "closing_told_at": moment},
    }
    with transaction.atomic():
        if Campaign.objects.filter(is_due, pk=campaign.pk).update(**marks[kind]):
            key = f"{kind}/{moment.isoformat()}"
            notify_participants(campaign, kind, key=key)


def _notify(
    campaign: Campaign, kind: str, *, key: str, to: Iterable[User], **facts: object
) -> None:
    subject, body = messages.compose(kind, campaign, **facts)
    notify(campaign=campaign, key=key, subject=subject, body=body, to=to)
