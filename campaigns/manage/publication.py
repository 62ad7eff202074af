"""What becomes visible when the results are published, and what stays hidden, in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from campaigns.manage.visibility_forms import AUDIENCES, LABELS
from campaigns.models import Audience, Campaign
from campaigns.models.showing import OWN
from campaigns.text import zones

# Where participants see all of these, each team sees its own without the switch.
WIDER = {
    "shows_own_scores": ("board_audience",),
    "shows_own_topics": ("board_audience", "per_topic_audience"),
    "shows_own_documents": ("qrels_audience",),
}
WHOM = dict(AUDIENCES)


@dataclass(frozen=True)
class Item:
    """`whom`: who can see it, or from whom it is hidden."""

    what: str
    explanation: str
    whom: str


@dataclass(frozen=True)
class Publication:
    shown: tuple[Item, ...]  # to more people than today
    kept: tuple[Item, ...]  # visible to these people today
    hidden: tuple[Item, ...]


def publication_of(campaign: Campaign) -> Publication:
    """From the switches of the stage *published*, and the dates and teams that limit them. One
    query."""
    today = campaign.stage_switches[campaign.stage]
    row = campaign.stage_switches[Campaign.Stage.PUBLISHED]
    shown, kept, hidden = [], [], []
    for switch, (what, explanation) in LABELS.items():
        reach, audience = _reach(row, switch), ""
        if reach != Audience.ORGANISERS:
            audience = "that team" if switch in OWN else WHOM[Audience(reach)]
            is_new = reach > _reach(today, switch)
            (shown if is_new else kept).append(Item(what, explanation, audience))
        if not audience:
            hidden.append(Item(what, explanation, "everyone except organisers"))
        elif row[switch] == Audience.PARTICIPANTS and switch not in OWN:
            hidden.append(Item(what, explanation, "everyone except participants and organisers"))
    hidden += _limits(campaign)
    return Publication(tuple(shown), tuple(kept), tuple(hidden))


def _reach(row: Mapping[str, Any], switch: str) -> int:
    """How many people see it, as an `Audience`. A team sees its own as participants do."""
    if switch in OWN:
        is_wider = all(row[name] >= Audience.PARTICIPANTS for name in WIDER[switch])
        return Audience.PARTICIPANTS if row[switch] or is_wider else Audience.ORGANISERS
    return int(row[switch])


def _limits(campaign: Campaign) -> list[Item]:
    """What stays hidden whatever the switches say."""
    limits, now, zone = [], timezone.now(), campaign.time_zone
    anonymous = campaign.teams.filter(is_anonymous=True).count()
    if anonymous and _is_ahead(campaign.reveals_teams_at, now, never=True):
        names = f"{anonymous} anonymous team{'' if anonymous == 1 else 's'}"
        until = _until(campaign.reveals_teams_at, zone)
        limits.append(Item("Names of teams", names, f"everyone except organisers{until}"))
    if _is_ahead(campaign.topics_released_at, now, never=False):
        until = _until(campaign.topics_released_at, zone)
        whom = f"everyone except organisers and assessors{until}"
        limits.append(Item("Topics", "and all scores by topic", whom))
    return limits


def _is_ahead(moment: datetime | None, now: datetime, *, never: bool) -> bool:
    """`never`: whether no moment means that it never comes."""
    return never if moment is None else moment > now


def _until(moment: datetime | None, zone: str) -> str:
    return "" if moment is None else f" until {zones.date_text(moment, zone)}"
