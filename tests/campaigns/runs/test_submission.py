"""Uploads that come twice, too early, too late, too large or too many."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns import lifecycle
from campaigns.access import Viewer
from campaigns.models import Run, Team
from campaigns.runs import submission
from tests.flow_world import World, logged_in, perform_jobs, run_file, stored_files
from tests.making import make_team, make_user

pytestmark = pytest.mark.usefixtures("wake_ups")

OPENS = datetime(2026, 6, 1, tzinfo=UTC)
CLOSES = datetime(2026, 6, 30, 23, 59, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)


def test_the_same_key_twice_gives_one_run_and_one_stored_file(world: World) -> None:
    first = world.submit(run_file(), idempotency_key="k1")
    second = world.submit(run_file(), idempotency_key="k1")
    assert first.url == second.url
    assert Run.objects.count() == 1
    assert stored_files("runs") == [Run.objects.get().storage_key]


def test_the_same_key_twice_by_script_gives_one_run(world: World) -> None:
    first = world.submit_by_script(run_file(), key="k1")
    second = world.submit_by_script(run_file(), key="k1")
    assert first.json() == second.json()
    assert len(stored_files("runs")) == Run.objects.count() == 1


def test_another_teams_equal_key_is_another_run(world: World) -> None:
    world.submit(run_file(), idempotency_key="k1")
    world.submit(run_file(), idempotency_key="k1", browser=world.another_team())
    assert Run.objects.count() == 2


def test_a_script_without_a_team_learns_why_its_run_is_refused(world: World) -> None:
    def refused(browser: Client) -> tuple[int, str, str]:
        url = reverse("api:run-create", args=[world.campaign.slug])
        answer = browser.post(url, {"file": SimpleUploadedFile("run.txt", run_file())})
        return answer.status_code, answer.json()["code"], answer.json()["message"]

    stranger, waiting = make_user(), make_user()
    team = make_team(world.campaign, waiting)
    Team.objects.filter(pk=team.pk).update(approved_at=None)
    awaits = "Your team awaits approval by an organiser. It can submit runs after that."
    assert refused(logged_in(stranger)) == (409, "team", "Join or create a team first.")
    assert refused(logged_in(waiting)) == (409, "not_approved", awaits)
    unnamed = refused(world.organiser_client)
    assert unnamed == (409, "team", "Say which team the run is for.")
    world.change(joining="invited")
    assert refused(logged_in(stranger)) == (409, "team", submission.NOT_IN_A_TEAM)
    assert not Run.objects.exists()


def test_no_run_is_accepted_above_the_quota(world: World) -> None:
    world.change(run_quota=2)
    world.submitted_run(run_file("one"))
    world.submitted_run(run_file("two"))
    refused = world.submit(run_file("three"))
    assert refused.status_code == 400
    assert "The team has submitted 2 of 2 runs" in refused.content.decode()
    by_script = world.submit_by_script(run_file("three"))
    assert (by_script.status_code, by_script.json()["code"]) == (409, "quota")
    assert Run.objects.count() == len(stored_files("runs")) == 2


def test_a_refused_run_eats_no_quota(world: World) -> None:
    world.change(run_quota=1)
    assert world.submitted_run(b"").state == Run.State.REFUSED
    assert world.submitted_run(run_file()).state == Run.State.ACCEPTED


def test_a_run_that_still_waits_counts_against_the_quota(world: World) -> None:
    world.change(run_quota=1)
    world.submit(run_file("one"))
    assert world.submit(run_file("two")).status_code == 400


def test_a_withdrawn_run_gives_its_quota_back(world: World) -> None:
    world.change(run_quota=1)
    world.withdraw(world.submitted_run(run_file("one")))
    assert world.submitted_run(run_file("two")).state == Run.State.ACCEPTED


@pytest.mark.parametrize(
    ("moment", "code"),
    [
        (OPENS - INSTANT, "too_early"),
        (OPENS, None),
        (CLOSES - INSTANT, None),
        (CLOSES, "too_late"),
    ],
    ids=["just before it opens", "as it opens", "just before it closes", "as it closes"],
)
def test_runs_are_accepted_from_the_opening_until_just_before_the_close(
    world: World, clock: time_machine.Traveller, moment: datetime, code: str | None
) -> None:
    world.change(opens_at=OPENS, closes_at=CLOSES)
    clock.move_to(moment)
    response = world.submit_by_script(run_file())
    if code is None:
        assert response.status_code == 202
        run = Run.objects.get()
        assert (run.submitted_at, run.is_late) == (moment, False)
    else:
        assert (response.status_code, response.json()["code"]) == (409, code)
        assert (Run.objects.count(), stored_files("runs")) == (0, [])


def test_the_start_of_a_slow_upload_counts(
    world: World, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.change(opens_at=OPENS, closes_at=CLOSES)
    clock.move_to(CLOSES - INSTANT)
    store = submission.stored_upload

    def store_slowly(upload):
        clock.move_to(CLOSES + timedelta(hours=1))
        return store(upload)

    monkeypatch.setattr(submission, "stored_upload", store_slowly)
    run = world.submitted_run(run_file())
    assert (run.submitted_at, run.is_late) == (CLOSES - INSTANT, False)
    assert run.state == Run.State.ACCEPTED  # however late it was checked


@pytest.mark.parametrize(
    ("after", "is_taken"),
    [(timedelta(0), True), (timedelta(minutes=30) - INSTANT, True), (timedelta(minutes=30), False)],
    ids=["as it closes", "just within", "as it ends"],
)
def test_during_the_grace_period_a_run_is_accepted_and_marked_late(
    world: World, clock: time_machine.Traveller, after: timedelta, is_taken: bool
) -> None:
    world.add_qrels()
    world.change(closes_at=CLOSES, grace_minutes=30)
    clock.move_to(CLOSES + after)
    response = world.submit(run_file())
    if not is_taken:
        assert response.status_code == 400
        assert "Submissions closed on 30 June 2026 23:59 UTC." in response.content.decode()
        assert Run.objects.count() == 0
        return
    perform_jobs()
    run = Run.objects.get()
    assert run.is_late
    assert "marked late and not ranked" in world.page_of(run)
    assert [(row["run"], row["rank"]) for row in world.board()] == [("ours", None)]


def test_no_run_is_accepted_while_submissions_are_off(world: World) -> None:
    world.change(is_accepting=False)
    response = world.submit_by_script(run_file())
    assert (response.status_code, response.json()["code"]) == (409, "not_accepting")
    assert stored_files("runs") == []


def test_an_upload_over_the_limit_is_refused_before_it_is_read(
    world: World, settings: object
) -> None:
    settings.MAX_UPLOAD_BYTES = 1000
    too_large = run_file() * 800
    for response in (world.submit(too_large), world.submit_by_script(too_large)):
        assert response.status_code == 413
    assert (Run.objects.count(), stored_files("runs")) == (0, [])


def test_a_file_just_over_the_limit_is_refused_by_the_form(world: World, settings: object) -> None:
    settings.MAX_UPLOAD_BYTES = 1000
    response = world.submit(run_file() * 50)
    assert response.status_code == 400
    assert "The file is larger than" in response.content.decode()
    assert (Run.objects.count(), stored_files("runs")) == (0, [])


def test_the_same_key_with_another_file_is_refused_and_nothing_is_lost(world: World) -> None:
    header = {"HTTP_IDEMPOTENCY_KEY": "key"}
    url = reverse("api:run-create", args=[world.campaign.slug])

    def sent(data: bytes) -> int:
        file = SimpleUploadedFile("run.txt", data)
        return world.browser.post(url, {"file": file}, **header).status_code

    assert [sent(run_file("a")), sent(run_file("b")), sent(run_file("a"))] == [202, 409, 202]
    assert len(stored_files("runs")) == Run.objects.count() == 1


def test_a_team_withdraws_while_submissions_are_open_and_an_organiser_any_time(
    world: World,
) -> None:
    run = world.submitted_run(run_file())
    team = Viewer(world.campaign, None, frozenset({"participant"}), world.team)
    organiser = Viewer(world.campaign, None, frozenset({"organiser"}), None)
    now = timezone.now()
    assert submission.can_withdraw(team, run, now)
    lifecycle.close_submissions(campaign=world.campaign, actor=None)
    assert not submission.can_withdraw(team, run, now)
    assert submission.can_withdraw(organiser, run, now)
    url = reverse("campaigns:run-withdraw", args=[world.campaign.slug, run.public_id])
    world.browser.post(url)
    run.refresh_from_db()
    assert run.withdrawn_at is None


def test_only_organisers_see_the_place_in_the_queue(world: World) -> None:
    for tag in ("a", "b", "c"):
        world.submit(run_file(tag))
    first, last = Run.objects.order_by("pk").first(), Run.objects.order_by("pk").last()
    assert "next in the queue" in world.page_of(first, browser=world.organiser_client)
    assert "behind 2 others" in world.page_of(last, browser=world.organiser_client)
    for run in (first, last):
        assert "queue" not in world.page_of(run)
        assert "behind" not in world.page_of(run)
