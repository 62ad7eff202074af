"""What holds for all tests."""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from django.core.management.commands import createcachetable


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
