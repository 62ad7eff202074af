"""A clock that stands still until it is moved, for Python and for the database's own NOW."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import time_machine
from django.db.models.functions import Now
from django.utils import timezone


@contextmanager
def frozen(moment: str) -> Iterator[time_machine.Traveller]:
    with (
        time_machine.travel(moment, tick=False) as clock,
        patch.object(Now, "as_sqlite", _text_of_now),
        patch.object(Now, "as_postgresql", _stamp_of_now),
    ):
        yield clock


def _text_of_now(self: Now, *args: Any, **kwargs: Any) -> tuple[str, list[str]]:
    return "%s", [f"{timezone.now():%Y-%m-%d %H:%M:%S.%f}"]


def _stamp_of_now(self: Now, *args: Any, **kwargs: Any) -> tuple[str, list[str]]:
    return "%s::timestamptz", [timezone.now().isoformat()]
