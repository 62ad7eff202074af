"""A periodic task that all workers request is performed by one of them."""

from datetime import timedelta
from unittest import mock

import pytest
from django.db.models import F

from scoring import tasks
from scoring.jobs import housekeeping, periodic
from scoring.models import PeriodicTask
from tests.crowd import crowd


def minutes_pass(minutes: float) -> None:
    PeriodicTask.objects.update(claimed_at=F("claimed_at") - timedelta(minutes=minutes))


@pytest.mark.django_db
def test_a_period_has_one_task() -> None:
    """Two workers list all files of the store every hour, and twenty twenty times."""
    with mock.patch.object(housekeeping, "delete_unowned_files") as tidied:
        for _ in range(3):
            tasks.tidy()
        assert tidied.call_count == 1
        minutes_pass(53)
        tasks.tidy()
        assert tidied.call_count == 1
        minutes_pass(2)
        for _ in range(3):
            tasks.tidy()
        assert tidied.call_count == 2


@pytest.mark.django_db
def test_each_task_has_a_period_of_its_own() -> None:
    assert periodic.claim("one", 60)
    assert periodic.claim("other", 60)
    assert not periodic.claim("one", 60)


@pytest.mark.django_db(transaction=True)
def test_of_workers_that_ask_at_once_one_performs_it(own_connections: None) -> None:
    for _ in range(2):  # the first time, and when it is due again
        found = crowd([lambda: periodic.claim("tidy", 3600)] * 6)
        assert sorted(map(str, found)) == ["False"] * 5 + ["True"]
        minutes_pass(61)
