"""Formats dates and durations for pages: in the campaign's time zone first."""

from datetime import UTC, datetime

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from campaigns import lifecycle
from campaigns.models import Campaign
from campaigns.text import zones

register = template.Library()

SPANS = ((86_400, "d"), (3_600, "h"), (60, "min"))


@register.filter
def at(moment: datetime | None, campaign: Campaign) -> str:
    """21 November 2026, 14:03 Europe/Rome, in the campaign's time zone, or a dash for None."""
    if moment is None:
        return "–"
    return f"{_on_clock(moment, campaign.time_zone, 'j F Y, H:i')} {zone(campaign)}"


@register.filter
def at_short(moment: datetime | None, campaign: Campaign) -> str:
    """21 Nov 2026, 14:03, for columns whose heading is the time zone."""
    return "–" if moment is None else _on_clock(moment, campaign.time_zone, "j M Y, H:i")


@register.filter
def at_utc_short(moment: datetime | None) -> str:
    """21 Nov 2026, 14:03 UTC, for dates that belong to no campaign."""
    return "–" if moment is None else f"{_on_clock(moment, 'UTC', 'j M Y, H:i')} UTC"


@register.filter
def zone(campaign: Campaign) -> str:
    return zones.label_of(campaign.time_zone)


@register.simple_tag
def moment(when: datetime | None, campaign: Campaign) -> str | SafeString:
    """A date in the campaign's time zone, in UTC and anywhere on Earth. A script adds the reader's
    own time zone (static/moments.js)."""
    return "–" if when is None else _on_clocks(when, campaign, at(when, campaign))


@register.simple_tag
def clocks(when: datetime, campaign: Campaign) -> SafeString:
    """As `moment`, without the campaign's time zone, for a text that already has it."""
    return _on_clocks(when, campaign, "")


@register.simple_tag
def stage_at(campaign: Campaign, when: datetime) -> str:
    """See `lifecycle.stage_at`."""
    return lifecycle.stage_at(campaign, when)


@register.filter
def age(moment: datetime) -> str:
    """The age in one unit: 12 s, 3 min, 5 h, 2 d."""
    # The clocks of two machines differ a little.
    seconds = max(int((timezone.now() - moment).total_seconds()), 0)
    for length, unit in SPANS:
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def _on_clocks(when: datetime, campaign: Campaign, first: str) -> SafeString:
    others = [each for each in ("UTC", zones.ANYWHERE_ON_EARTH) if each != campaign.time_zone]
    texts = [(_on_clock(when, each, "j M, H:i"), zones.label_of(each)) for each in others]
    return format_html(
        '<time class="moment" datetime="{}" data-zone="{}">{}<span class="clocks">{}</span></time>',
        when.astimezone(UTC).isoformat(),
        campaign.time_zone,
        f"{first} " if first else "",
        format_html_join(" · ", "<span>{} {}</span>", texts),
    )


def _on_clock(when: datetime, time_zone: str, style: str) -> str:
    return date_format(when.astimezone(zones.zone_named(time_zone)), style)
