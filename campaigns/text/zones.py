"""The time zones in which dates are typed and shown."""

import functools
import itertools
import zoneinfo
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

# Anywhere on Earth: a day ends when it ends in the last time zone. The sign is that of POSIX.
ANYWHERE_ON_EARTH = "Etc/GMT+12"
REGIONS = (
    "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe",
    "Indian", "Pacific",
)  # fmt: skip

Option = tuple[str, str]


def zone_named(name: str) -> tzinfo:
    """The zone of this name, or UTC if there is none."""
    try:
        return zoneinfo.ZoneInfo(name) if name != "UTC" else UTC
    except (OSError, ValueError, zoneinfo.ZoneInfoNotFoundError):  # a folder, "../", unknown
        return UTC


def label_of(name: str) -> str:
    """The name of a zone beside a date."""
    return "AoE" if name == ANYWHERE_ON_EARTH else name


def date_text(moment: datetime, name: str, style: str = "%-d %B %Y %H:%M") -> str:
    """A date in the zone of this name, for sentences: 21 November 2026 14:03 Europe/Rome."""
    return f"{moment.astimezone(zone_named(name)):{style}} {label_of(name)}"


def options_with(name: str) -> Sequence[Option | tuple[str, Sequence[Option]]]:
    """The options of a list of zones, which has this name even if it is an alias."""
    known = _options()
    names = {option for _, group in known if not isinstance(group, str) for option, _ in group}
    is_missing = name not in names | {"UTC", ANYWHERE_ON_EARTH}
    return [*known, (name, name)] if is_missing else known


@functools.cache
def _options() -> Sequence[Option | tuple[str, Sequence[Option]]]:
    """By region. Names without a region are aliases or offsets."""
    names = sorted(
        name for name in zoneinfo.available_timezones() if name.partition("/")[0] in REGIONS
    )
    groups = itertools.groupby(names, key=lambda name: name.partition("/")[0])
    return (
        ("UTC", "UTC"),
        (ANYWHERE_ON_EARTH, "Anywhere on Earth (UTC−12)"),
        *((region, tuple((name, name) for name in group)) for region, group in groups),
    )
