"""A run's way: uploaded, checked, scored, on the board; and every turning it may take."""

import hashlib
import os
import time
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.models import LogEntry, Run
from scoring.jobs import housekeeping
from scoring.jobs.housekeeping import delete_unowned_files
from scoring.models import Evaluation, Job
from scoring.worker import perform
from tests.flow_world import World, perform_jobs, run_file, stored_files

pytestmark = pytest.mark.usefixtures("wake_ups")

OPENS = datetime(2026, 6, 1, tzinfo=UTC)
CLOSES = datetime(2026, 6, 30, 23, 59, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)


def evaluations_of(run: Run) -> list[Evaluation]:
    return list(run.evaluations.order_by("pk"))


# --- the way through ----------------------------------------------------------------------------


def test_a_run_goes_from_the_upload_page_to_the_organisers_leaderboard(
    world: World, wake_ups: list[int]
) -> None:
    world.add_qrels()
    data = run_file("first-try")
    form = world.browser.get(reverse("campaigns:run-create", args=[world.campaign.slug]))
    assert form.status_code == 200

    response = world.submit(data, description="BM25, as it comes.")
    run = Run.objects.get()
    assert response.url == reverse("scoring:run-detail", args=[world.campaign.slug, run.public_id])
    assert (run.state, run.digest) == (Run.State.WAITING, hashlib.sha256(data).hexdigest())
    assert (run.size, run.original_name, run.team) == (len(data), "run.txt", world.team)
    assert "waiting to be checked" in world.page_of(run)
    assert wake_ups == [Job.objects.get().pk]

    perform_jobs(Job.Kind.CHECK)
    run.refresh_from_db()
    assert (run.state, run.tag) == (Run.State.ACCEPTED, "first-try")
    assert "is being scored" in world.page_of(run, browser=world.organiser_client)
    assert world.answer_on(run, browser=world.organiser_client)["status"] == "scoring"

    perform_jobs(Job.Kind.EVALUATE)
    assert "Accepted and scored" in world.page_of(run, browser=world.organiser_client)
    # Topic 1: d1 is relevant, d3 unjudged; topic 2: d2 is relevant, d3 unjudged. Half of all is
    # lost with every rank, a quarter by the unjudged third one and all that follow it.
    (row,) = world.board("RBP(p=0.5)")
    assert (row["rank"], row["run"], row["team"]) == (1, "first-try", world.team.name)
    assert (row["base"], row["residual"]) == (0.375, 0.25)
    (row,) = world.board("AP")
    assert row["base"] == 0.75
    page = world.organiser_client.get(reverse("scoring:leaderboard", args=[world.campaign.slug]))
    assert "first-try" in page.content.decode()


@pytest.mark.parametrize(
    "data",
    [
        (b'{"1": {"d1": 3, "d9": 2, "d3": 1}, "2": {"d2": 3, "d9": 2, "d3": 1}}'),
        (b"qid,docno,score\n1,d1,3\n1,d9,2\n1,d3,1\n2,d2,3\n2,d9,2\n2,d3,1\n"),
        (b"1\td1\t1\n1\td9\t2\n1\td3\t3\n2\td2\t1\n2\td9\t2\n2\td3\t3\n"),
    ],
)
def test_a_run_of_another_layout_is_scored_and_stays_the_file_that_it_is(
    world: World, data: bytes
) -> None:
    world.add_qrels(b"query-id\tcorpus-id\tscore\n1\td1\t1\n2\td2\t1\n")
    run = world.submitted_run(data)
    assert (run.state, run.tag, run.digest) == (
        Run.State.ACCEPTED,
        "run",
        hashlib.sha256(data).hexdigest(),
    )
    (row,) = world.board("AP")
    assert (row["run"], row["base"]) == ("run", 1.0)
    with default_storage.open(run.storage_key) as stored:
        assert stored.read() == data
    world.add_qrels(b'{"1": {"d9": 1}, "2": {"d2": 1}}')
    perform_jobs(Job.Kind.EVALUATE)
    (row,) = world.board("AP")
    assert row["base"] == 0.75


def test_scores_stay_the_organisers_until_they_are_shown(world: World) -> None:
    world.add_qrels()
    run = world.submitted_run(run_file())
    assert world.answer_on(run)["scores"] == []
    assert len(world.answer_on(run, browser=world.organiser_client)["scores"]) == 5
    world.change(shows_own_scores=True)
    assert len(world.answer_on(run)["scores"]) == 5


def test_a_script_in_the_upload_page_gets_json(world: World) -> None:
    url = reverse("campaigns:run-create", args=[world.campaign.slug])
    file = ContentFile(run_file(), name="run.txt")
    taken = world.browser.post(
        url, {"file": file, "run_type": "automatic"}, headers={"Accept": "application/json"}
    )
    assert taken.status_code == 202
    assert Run.objects.get().public_id in taken.json()["url"]
    faulty = world.browser.post(url, {"run_type": "manual"}, headers={"Accept": "application/json"})
    assert faulty.status_code == 400
    assert faulty.json()["problems"]


def test_a_script_submits_and_follows_the_url_it_is_given(world: World) -> None:
    world.add_qrels()
    response = world.submit_by_script(run_file())
    assert response.status_code == 202
    answer = response.json()
    assert answer["status"] == "waiting"
    perform_jobs()
    followed = world.browser.get(answer["url"]).json()
    assert (followed["id"], followed["status"]) == (answer["id"], "accepted")


def test_the_log_has_each_step_once(world: World) -> None:
    world.add_qrels()
    run = world.submitted_run(run_file())
    for job in Job.objects.all():  # every message comes again
        perform(job.pk)
    verbs = LogEntry.objects.filter(subject=run.public_id).values_list("verb", flat=True)
    assert sorted(verbs) == ["accepted", "scored", "uploaded"]


# --- tags, twins, withdrawals --------------------------------------------------------------------


def test_a_second_run_with_the_same_tag_gets_another_name(world: World) -> None:
    world.submitted_run(run_file("same"))
    second = world.submitted_run(run_file("same", documents=("d3", "d2")))
    third = world.submitted_run(run_file("same", documents=("d2", "d3")))
    assert [second.state, second.tag, second.name] == [Run.State.ACCEPTED, "same", "same-2"]
    assert third.name == "same-3"
    assert ("RENAMED", "same") in [(w["code"], w["value"]) for w in second.warnings]
    assert "so this run is named same-2" in world.page_of(second)


def test_another_teams_equal_tag_is_nobodys_business(world: World) -> None:
    world.submitted_run(run_file("same"))
    other = world.submitted_run(run_file("same"), browser=world.another_team())
    assert other.state == Run.State.ACCEPTED
    assert other.warnings == []


def test_withdrawing_frees_the_tag_and_leaves_the_board(world: World) -> None:
    world.add_qrels()
    first = world.submitted_run(run_file("same"))
    world.withdraw(first)
    assert world.board() == []
    second = world.submitted_run(run_file("same", documents=("d2", "d1")))
    assert second.state == Run.State.ACCEPTED
    assert [row["run"] for row in world.board()] == ["same"]
    assert "Withdrawn on" in world.page_of(first)


def test_another_team_cannot_withdraw_a_run(world: World) -> None:
    run = world.submitted_run(run_file())
    url = reverse("campaigns:run-withdraw", args=[world.campaign.slug, run.public_id])
    assert world.another_team().post(url).status_code == 404
    run.refresh_from_db()
    assert run.withdrawn_at is None


def test_an_identical_file_is_worth_a_word_only_against_own_runs(world: World) -> None:
    twin = world.submitted_run(run_file("same"), browser=world.another_team())
    assert twin.warnings == []
    first = world.submitted_run(run_file("same"))
    assert first.warnings == []
    world.withdraw(first)
    again = world.submitted_run(run_file("same"))
    assert again.state == Run.State.ACCEPTED
    assert [(w["code"], w["value"]) for w in again.warnings] == [("SAME_FILE", "same")]


# --- files nobody owns ---------------------------------------------------------------------------


def test_housekeeping_deletes_only_old_files_that_no_row_owns(world: World) -> None:
    world.add_qrels()
    world.submitted_run(run_file())
    owned = {folder: stored_files(folder) for folder in ("runs", "qrels", "rankings", "grades")}
    assert all(len(keys) == 1 for keys in owned.values())
    for folder in owned:
        default_storage.save(f"{folder}/ol/old", ContentFile(b"left behind"))
        default_storage.save(f"{folder}/yo/young", ContentFile(b"its row is on the way"))
    two_hours_ago = time.time() - 7200
    for folder, keys in owned.items():
        for key in (*keys, f"{folder}/ol/old"):
            os.utime(default_storage.path(key), (two_hours_ago, two_hours_ago))

    assert delete_unowned_files() == 4
    for folder, keys in owned.items():
        assert sorted(stored_files(folder)) == sorted([*keys, f"{folder}/yo/young"])


def test_housekeeping_knows_a_few_keys_at_a_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all keys of 3 million files it took a gigabyte."""
    monkeypatch.setattr(housekeeping, "KEYS_AT_ONCE", 2)
    world.add_qrels()
    (owned,) = stored_files("qrels")
    others = [default_storage.save(f"qrels/ab/{n}", ContentFile(b"old")) for n in range(5)]
    for key in (owned, *others):
        os.utime(default_storage.path(key), (1, 1))
    with CaptureQueriesContext(connection) as queries:
        assert delete_unowned_files() == 5
    assert stored_files("qrels") == [owned]
    asked = [each["sql"].count("qrels/") for each in queries if "storage_key" in each["sql"]]
    assert sum(asked) == 6
    assert max(asked) == 2


def test_housekeeping_has_nothing_to_do_on_a_new_site(world: World) -> None:
    assert delete_unowned_files() == 0


def test_the_last_answer_of_a_live_page_takes_along_what_may_be_done_by_now(world: World) -> None:
    world.submit(b"not a run\n")
    run = Run.objects.get()
    url = reverse("scoring:run-status", args=[world.campaign.slug, run.public_id])
    before = world.page_of(run)
    assert "Withdraw this run" in before
    assert "Download run file" in before
    waiting = world.browser.get(url, headers={"HX-Request": "true"}).content.decode()
    assert 'id="run-actions"' not in waiting  # it would close what somebody has just opened
    perform_jobs()
    refused = world.browser.get(url, headers={"HX-Request": "true"}).content.decode()
    assert '<div id="run-actions" hx-swap-oob="true">' in refused
    assert "Download run file" not in refused  # it is gone
    assert "Withdraw this run" not in refused
