"""Imports, merges, checks and requests for scores lock campaign, team and run in this order. With
another order, PostgreSQL finds a deadlock and ends one of them with an error."""

from collections.abc import Callable
from unittest import mock

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet

from campaigns.models import Campaign, Run, Team
from campaigns.runs import decisions
from scoring.models import Job
from tests.crowd import crowd
from tests.flow_world import World, perform_jobs, run_file
from tests.patience import wait_for

pytestmark = pytest.mark.usefixtures("wake_ups")
Act = Callable[[World, Run], object]


def check(world: World, run: Run) -> object:
    return perform_jobs(Job.Kind.CHECK)


def accept(world: World, run: Run) -> object:
    return decisions.accept_checked(run=run, person=world.participant)


def rename(world: World, run: Run) -> object:
    return decisions.rename_run(run=run, name="better", actor=world.participant)


def run_before(act: Act, world: World) -> Run:
    """A run on which the act is possible."""
    world.add_qrels()
    world.change(asks_acceptance=act is accept)
    assert world.submit(run_file()).status_code == 302
    if act is not check:
        perform_jobs(Job.Kind.CHECK)
    return Run.objects.get()


@pytest.mark.parametrize("act", [check, accept, rename])
def test_the_campaign_is_locked_before_its_team_and_the_team_before_its_run(
    act: Act, world: World
) -> None:
    run = run_before(act, world)
    locked: list[type] = []
    lock = QuerySet.select_for_update

    def noted(rows: QuerySet, **options: object) -> QuerySet:
        locked.append(rows.model)
        return lock(rows, **options)

    with mock.patch.object(QuerySet, "select_for_update", noted):
        act(world, run)
    of_these = [model for model in locked if model in (Campaign, Team, Run)]
    assert of_these[:3] == [Campaign, Team, Run]


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="only PostgreSQL locks rows")
@pytest.mark.parametrize("act", [check, accept])
def test_what_waits_for_a_campaign_holds_none_of_its_teams(
    act: Act, own_connections: None, world: World
) -> None:
    """An import that has locked the campaign locks the teams next."""
    run = run_before(act, world)
    is_locked = []

    def is_waited_for() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            return bool(cursor.fetchone()[0])

    def import_runs() -> int:
        with transaction.atomic():
            Campaign.objects.select_for_update(no_key=True).get(pk=world.campaign.pk)
            is_locked.append(True)
            wait_for("the other one at the campaign's lock", is_waited_for)
            teams = world.campaign.teams.select_for_update(no_key=True, nowait=True)
            return len(teams)

    def act_meanwhile() -> object:
        wait_for("the lock of the campaign", lambda: is_locked)
        return act(world, run)

    teams, outcome = crowd([import_runs, act_meanwhile])
    assert teams == 1
    assert outcome in (True, 1)
