"""How many runs a team may hand in: counted runs, attempts, windows, and fifty uploads at once."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import quotas
from campaigns.manage.forms import CampaignForm
from campaigns.models import Audience, Run
from tests.crowd import crowd
from tests.flow_world import World, logged_in, perform_jobs, run_file, stored_files

pytestmark = pytest.mark.usefixtures("wake_ups")

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)
DAY = timedelta(days=1)


def quota(world: World) -> quotas.Quota:
    return quotas.quota_of(world.campaign, world.team, timezone.now())


# --- a window, and the next time ------------------------------------------------------------------


def test_a_quota_by_days_gives_the_time_of_the_next_run(
    world: World, clock: time_machine.Traveller
) -> None:
    world.change(run_quota=2, quota_days=7)
    world.submitted_run(run_file("one"))
    clock.move_to(NOON + DAY)
    world.submitted_run(run_file("two"))
    assert quota(world).next_at == NOON + 7 * DAY

    page = world.submit(run_file("three"))
    assert page.status_code == 400
    message = (
        "The team has submitted 2 of 2 runs within 7 days. "
        "It can submit another run from 8 June 2026 12:00:00 UTC."
    )
    assert message in page.content.decode()
    clock.move_to(NOON + 7 * DAY - INSTANT)
    answer = world.submit_by_script(run_file("three"))
    assert answer.status_code == 429
    assert (answer.json()["code"], answer.json()["next_at"]) == ("quota", "2026-06-08T12:00:00Z")
    assert answer["Retry-After"] == "1"
    clock.move_to(NOON + 7 * DAY)
    assert world.submit_by_script(run_file("three")).status_code == 202
    assert quota(world).next_at == NOON + 8 * DAY


def test_a_quota_without_days_names_no_next_time(world: World) -> None:
    world.change(run_quota=1)
    world.submitted_run(run_file("one"))
    answer = world.submit_by_script(run_file("two"))
    assert (answer.status_code, answer.json()["code"]) == (409, "quota")
    assert "next_at" not in answer.json()
    assert "Retry-After" not in answer


def test_a_lowered_quota_waits_for_as_many_as_are_too_many(
    world: World, clock: time_machine.Traveller
) -> None:
    world.change(run_quota=3, quota_days=7)
    for number in range(3):
        clock.move_to(NOON + number * DAY)
        world.submitted_run(run_file(f"run{number}"))
    world.change(run_quota=1)
    assert quota(world).next_at == NOON + 2 * DAY + 7 * DAY


# --- what counts ----------------------------------------------------------------------------------


def test_withdrawing_frees_no_place_if_the_team_has_seen_its_score(world: World) -> None:
    world.change(run_quota=1)
    run = world.submitted_run(run_file("one"))
    world.withdraw(run)
    assert quota(world).used == 0
    for told in (
        {"shows_own_scores": True},
        {"shows_own_scores": False, "feedback": "ladder"},
        {"feedback": "none", "board_audience": Audience.PARTICIPANTS},
    ):
        world.change(**told)
        assert quota(world).used == 1
        page = world.submit(run_file("two"))
        assert "Withdrawn and replaced runs count too" in page.content.decode()


def test_a_run_withdrawn_before_acceptance_has_revealed_nothing(world: World) -> None:
    world.change(shows_own_scores=True, asks_acceptance=True, run_quota=1)
    run = world.submitted_run(run_file("one"))
    assert (run.state, quota(world).used) == (Run.State.CHECKED, 1)
    world.withdraw(run)
    assert quota(world).used == 0


def test_our_failures_cost_neither_a_run_nor_an_attempt(world: World) -> None:
    world.submit(run_file())
    Run.objects.update(state=Run.State.FAILED)
    assert (quota(world).used, quota(world).attempts) == (0, 0)
    explained = CampaignForm.base_fields["attempt_quota"].help_text
    assert explained == "Refused files count too, failed ones do not."


# --- attempts -------------------------------------------------------------------------------------


def test_refused_files_are_attempts_and_a_day_later_they_are_none(
    world: World, clock: time_machine.Traveller
) -> None:
    world.change(attempt_quota=3)
    for _ in range(3):
        assert world.submitted_run(b"").state == Run.State.REFUSED
    page = world.submit(run_file())
    assert page.status_code == 400
    assert "submitted 3 files within 24 hours" in page.content.decode()
    answer = world.submit_by_script(run_file())
    assert (answer.status_code, answer.json()["code"]) == (429, "attempts")
    assert answer.json()["next_at"] == "2026-06-02T12:00:00Z"
    assert answer["Retry-After"] == str(24 * 3600 + 1)
    assert stored_files("runs") == []
    clock.move_to(NOON + DAY - INSTANT)
    assert world.submit_by_script(run_file()).status_code == 429
    clock.move_to(NOON + DAY)
    assert world.submit_by_script(run_file()).status_code == 202


def test_the_upload_page_shows_the_quota(world: World, clock: time_machine.Traveller) -> None:
    world.change(run_quota=1, quota_days=7)
    url = reverse("campaigns:run-create", args=[world.campaign.slug])

    def page() -> str:
        return " ".join(world.browser.get(url).content.decode().split())

    assert "0 of 1 runs submitted within 7 days" in page()
    world.submitted_run(run_file())
    assert "1 of 1 runs submitted within 7 days" in page()
    assert "You can submit another run from 8 June 2026, 12:00 UTC" in page()


# --- organisers -----------------------------------------------------------------------------------


def test_an_organiser_submits_for_a_team_after_the_deadline_and_past_its_quota(
    world: World,
) -> None:
    world.change(run_quota=0, closes_at=timezone.now() - DAY, attempt_quota=0)
    response = world.submit(run_file(), browser=world.organiser_client, team=world.team.public_id)
    assert response.status_code == 302, response.content.decode()
    perform_jobs()
    run = Run.objects.get()
    assert (run.team, run.uploaded_by, run.state) == (
        world.team, world.organiser, Run.State.ACCEPTED,
    )  # fmt: skip
    assert not run.is_late
    by_script = world.organiser_client.post(
        reverse("api:run-create", args=[world.campaign.slug]),
        {"file": SimpleUploadedFile("r", run_file("two")), "team": world.team.public_id},
    )
    assert by_script.status_code == 202


def test_nobody_submits_for_another_team(world: World) -> None:
    rival = world.another_team()
    for browser in (rival, world.browser):
        other = world.team if browser is rival else world.campaign.teams.latest("pk")
        answer = browser.post(
            reverse("api:run-create", args=[world.campaign.slug]),
            {"file": SimpleUploadedFile("r", run_file()), "team": other.public_id},
        )
        assert answer.status_code == 404
        world.submit(run_file(), browser=browser, team=other.public_id)  # the page knows no team
    assert {run.uploaded_by_id for run in world.team.runs.all()} == {world.participant.pk}


# --- fifty at once --------------------------------------------------------------------------------


def by_page(world: World, client: Client, number: int) -> HttpResponse:
    file = SimpleUploadedFile("run.txt", run_file(f"run{number}"))
    return client.post(
        reverse("campaigns:run-create", args=[world.campaign.slug]),
        {"file": file, "run_type": "automatic"},
        headers={"Accept": "application/json"},
    )


def by_script(world: World, client: Client, number: int) -> HttpResponse:
    file = SimpleUploadedFile("run.txt", run_file(f"run{number}"))
    return client.post(reverse("api:run-create", args=[world.campaign.slug]), {"file": file})


def uploads(world: World) -> list[Callable[[], HttpResponse]]:
    """Fifty browsers and scripts of one team, in turn."""
    ways = (by_page, by_script)
    return [
        partial(ways[number % 2], world, logged_in(world.participant), number)
        for number in range(50)
    ]


@pytest.mark.parametrize(
    "time", [0, *(pytest.param(time, marks=pytest.mark.exhaustive) for time in range(1, 5))]
)
def test_a_quota_of_five_accepts_five_of_fifty_simultaneous_uploads(
    world: World, own_connections: None, time: int
) -> None:
    world.change(run_quota=5, quota_days=1)
    outcomes = crowd(uploads(world))
    broken = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert broken == []
    taken = [outcome for outcome in outcomes if outcome.status_code == 202]
    assert len(taken) == Run.objects.count() == len(stored_files("runs")) == 5
    first = Run.objects.earliest("submitted_at").submitted_at
    for refused in (outcome for outcome in outcomes if outcome.status_code != 202):
        said = json.loads(refused.content)
        if refused.status_code == 429:
            assert datetime.fromisoformat(said["next_at"]) == first + DAY
            assert int(refused["Retry-After"]) > 0
        else:
            assert refused.status_code == 400
            assert f"{first + DAY:%-d %B %Y %H:%M:%S} UTC" in said["problems"][0]


def test_only_the_allowed_number_of_fifty_simultaneous_attempts_is_accepted(
    world: World, own_connections: None
) -> None:
    world.change(attempt_quota=7)
    outcomes = crowd(uploads(world))
    assert sorted({getattr(outcome, "status_code", outcome) for outcome in outcomes}) == [
        202, 400, 429,
    ]  # fmt: skip
    assert Run.objects.count() == len(stored_files("runs")) == 7


def test_one_key_sent_twenty_times_at_once_is_one_run(world: World, own_connections: None) -> None:
    world.change(run_quota=1)
    url = reverse("api:run-create", args=[world.campaign.slug])

    def send(client: Client) -> HttpResponse:
        file = SimpleUploadedFile("run.txt", run_file())
        return client.post(url, {"file": file}, headers={"Idempotency-Key": "once"})

    clicks = [partial(send, logged_in(world.participant)) for _ in range(20)]
    outcomes = crowd(clicks)
    assert {getattr(outcome, "status_code", outcome) for outcome in outcomes} == {202}
    assert len({outcome.json()["id"] for outcome in outcomes}) == 1
    assert Run.objects.count() == len(stored_files("runs")) == 1
