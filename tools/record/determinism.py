"""A clock that stands still, and random bytes that depend only on the request."""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import time_machine
from django.db.models.functions import Now
from django.utils import timezone


class SeededBytes:
    """The random bytes of `os`, `secrets` and `uuid`."""

    def __init__(self) -> None:
        self.begin("")

    def begin(self, name: str) -> None:
        """The bytes from now on depend on this name, so that a request that draws more of them
        changes no other answer."""
        self._random = random.Random(name)  # noqa: S311 - the same each time
        random.seed(name)

    def __call__(self, size: int) -> bytes:
        return self._random.randbytes(size)


@contextmanager
def deterministic(moment: str) -> Iterator[tuple[time_machine.Traveller, SeededBytes]]:
    seeded = SeededBytes()
    with (
        time_machine.travel(moment, tick=False) as clock,
        patch.object(Now, "as_sqlite", _now_as_sqlite),
        patch.object(os, "urandom", seeded),
        patch.object(random, "_urandom", seeded),
    ):
        yield clock, seeded


def _now_as_sqlite(self: Now, *args: Any, **kwargs: Any) -> tuple[str, list[str]]:
    """The database's clock is the same one."""
    return "%s", [f"{timezone.now():%Y-%m-%d %H:%M:%S.%f}"]
