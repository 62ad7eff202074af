"""What a change changed, in words that fit the log."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import models

LONG = 200  # characters of a setting that the log still quotes


def differences(
    before: models.Model, after: models.Model, fields: Sequence[str]
) -> dict[str, list[Any] | str]:
    """What each of these fields was and is; long texts only by name."""
    found: dict[str, list[Any] | str] = {}
    for name in fields:
        pair = [_plain(getattr(before, name)), _plain(getattr(after, name))]
        is_long = any(isinstance(value, str) and len(value) > LONG for value in pair)
        found[name] = "a long text" if is_long else pair
    return found


def switch_differences(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]
) -> dict[str, list[Any]]:
    """The switches set otherwise in some stage: `open: board_audience` and what it was and is."""
    return {
        f"{stage}: {switch}": [was[switch], after[stage][switch]]
        for stage, was in before.items()
        for switch in was
        if was[switch] != after[stage][switch]
    }


def _plain(value: object) -> object:
    if isinstance(value, models.Model):
        return str(value)
    return value.isoformat() if isinstance(value, datetime) else value
