"""How moments and durations are written on pages: always UTC, always named."""

from datetime import UTC, datetime

from django import template
from django.utils import timezone
from django.utils.formats import date_format

register = template.Library()

SPANS = ((86_400, "d"), (3_600, "h"), (60, "min"))


@register.filter
def at_utc(moment: datetime | None) -> str:
    """21 November 2026, 14:03 UTC; a dash where there is none."""
    if moment is None:
        return "–"
    return date_format(timezone.localtime(moment, UTC), "j F Y, H:i") + " UTC"


@register.filter
def at_utc_short(moment: datetime | None) -> str:
    """21 Nov 2026, 14:03: for columns headed UTC."""
    if moment is None:
        return "–"
    return date_format(timezone.localtime(moment, UTC), "j M Y, H:i")


@register.filter
def age(moment: datetime) -> str:
    """How long ago in one unit: 12 s, 3 min, 5 h, 2 d."""
    seconds = max(int((timezone.now() - moment).total_seconds()), 0)
    for length, unit in SPANS:
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
