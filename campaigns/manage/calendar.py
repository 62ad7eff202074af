"""The dates of a campaign as a calendar, which other programs subscribe to."""

from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urlsplit

from icalendar import Calendar, Event, Timezone

from campaigns.models import Campaign


def calendar_of(campaign: Campaign, *, url: str, now: datetime) -> bytes:
    """`url` is that of the campaign. Each date keeps its UID, so that a subscribed calendar
    moves the event when an organiser moves the date, and drops it when the date is removed: without
    dates, the calendar has its time zone only, because RFC 5545 (3.6) asks for a component."""
    title = " ".join(campaign.name.split())
    calendar = Calendar()
    calendar.add("prodid", "-//Trackside//Campaign dates//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", title)
    dates = list(_dates(campaign))
    if not dates:
        calendar.add_component(Timezone.from_tzid("UTC"))
    for name, date, text in dates:
        event = Event()
        event.add("uid", f"{campaign.slug}-{name}@{urlsplit(url).hostname}")
        event.add("dtstamp", now)
        event.add("dtstart", date)
        event.add("summary", f"{title}: {text}")
        event.add("url", url)
        calendar.add_component(event)
    return bytes(calendar.to_ical())


def _dates(campaign: Campaign) -> Iterator[tuple[str, datetime, str]]:
    """Those on the overview."""
    if campaign.topics_released_at:
        yield "topics", campaign.topics_released_at, "topics released"
    if campaign.opens_at:
        yield "open", campaign.opens_at, "submissions open"
    if campaign.closes_at:
        yield "close", campaign.closes_at, "submissions close"
    if campaign.allows_anonymous_teams and campaign.reveals_teams_at:
        yield "teams", campaign.reveals_teams_at, "anonymous teams are named"
