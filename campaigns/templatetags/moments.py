"""Formats dates and durations for pages: UTC first, then other time zones."""

import zoneinfo
from datetime import UTC, datetime

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from campaigns import lifecycle
from campaigns.models import Campaign
from campaigns.text.zones import AOE

register = template.Library()

SPANS = ((86_400, "d"), (3_600, "h"), (60, "min"))


@register.filter
def at_utc(moment: datetime | None) -> str:
    """21 November 2026, 14:03 UTC, or a dash for None."""
    if moment is None:
        return "–"
    return date_format(timezone.localtime(moment, UTC), "j F Y, H:i") + " UTC"


@register.filter
def at_utc_short(moment: datetime | None) -> str:
    """21 Nov 2026, 14:03, for columns with the heading UTC."""
    if moment is None:
        return "–"
    return date_format(timezone.localtime(moment, UTC), "j M Y, H:i")


@register.simple_tag
def moment(when: datetime | None, campaign: Campaign | None = None) -> str | SafeString:
    """A date in UTC, in the campaign's time zone and anywhere on Earth. A script adds the reader's
    own time zone (static/moments.js)."""
    return "–" if when is None else _on_clocks(when, campaign, at_utc(when))


@register.simple_tag
def clocks(when: datetime, campaign: Campaign | None = None) -> SafeString:
    """As `moment`, without UTC, for a text that already has it."""
    return _on_clocks(when, campaign, "")


@register.simple_tag
def stage_at(campaign: Campaign, when: datetime) -> str:
    """See `lifecycle.stage_at`."""
    return lifecycle.stage_at(campaign, when)


@register.filter
def age(moment: datetime) -> str:
    """The age in one unit: 12 s, 3 min, 5 h, 2 d."""
    seconds = max(int((timezone.now() - moment).total_seconds()), 0)
    for length, unit in SPANS:
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def _on_clocks(when: datetime, campaign: Campaign | None, utc: str) -> SafeString:
    return format_html(
        '<time class="moment" datetime="{}">{}<span class="clocks">{}</span></time>',
        when.astimezone(UTC).isoformat(),
        f"{utc} " if utc else "",
        format_html_join(" · ", "<span>{} {}</span>", _other_clocks(when, campaign)),
    )


def _other_clocks(when: datetime, campaign: Campaign | None) -> list[tuple[str, str]]:
    zones = [(AOE, "AoE")]
    if campaign is not None and campaign.time_zone != "UTC":
        zones.insert(0, (zoneinfo.ZoneInfo(campaign.time_zone), campaign.time_zone))
    return [(date_format(when.astimezone(zone), "j M, H:i"), name) for zone, name in zones]
