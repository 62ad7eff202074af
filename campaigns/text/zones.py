"""The time zones, other than UTC, in which dates are typed and shown."""

import zoneinfo
from datetime import UTC, tzinfo

# Anywhere on Earth: a day ends when it ends in the last time zone. The sign is that of POSIX.
AOE = zoneinfo.ZoneInfo("Etc/GMT+12")
CHOICES = [
    ("utc", "UTC"),
    ("campaign", "the campaign's time zone"),
    ("aoe", "anywhere on Earth (UTC−12)"),
]


def zone_of(typed_in: str, time_zone: str) -> tzinfo:
    """The zone of dates that are typed in one of CHOICES. `time_zone` is the campaign's."""
    if typed_in == "aoe":
        return AOE
    if typed_in == "campaign" and time_zone in zoneinfo.available_timezones():
        return zoneinfo.ZoneInfo(time_zone)
    return UTC
