"""What holds for all tests."""

import os
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from django.core.management.commands import createcachetable
from hypothesis import settings

from tests.flow_world import clock, files_of_its_own, wake_ups, world

__all__ = ["clock", "files_of_its_own", "wake_ups", "world"]

# How many examples are drawn in each tier. None has a deadline: on a busy machine it would only
# measure others.
settings.register_profile("fast", max_examples=25, deadline=None)
settings.register_profile("ci", max_examples=200, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,
) -> Iterator[None]:
    """Django makes the cache's table once more after the migration that made it, and would tell
    so among the tests' own words."""
    loud = createcachetable.Command.handle

    def silent(command: createcachetable.Command, *tables: str, **options: Any) -> None:
        loud(command, *tables, **options | {"verbosity": 0})

    with mock.patch.object(createcachetable.Command, "handle", silent):
        yield
