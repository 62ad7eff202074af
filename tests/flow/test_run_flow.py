"""A run's way: uploaded, checked, scored, on the board; and every turning it may take."""

import hashlib
import os
import time
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse

from campaigns import intake, lifecycle
from campaigns.forms import CampaignForm
from campaigns.models import Campaign, LogEntry, Run
from scoring.housekeeping import delete_unowned_files
from scoring.models import Evaluation, Job, Score
from tests.flow.conftest import ACTS, QRELS, World, perform_jobs, run_file, stored_files

OPENS = datetime(2026, 6, 1, tzinfo=UTC)
CLOSES = datetime(2026, 6, 30, 23, 59, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)


def evaluations_of(run: Run) -> list[Evaluation]:
    return list(run.evaluations.order_by("pk"))


# --- the way through ----------------------------------------------------------------------------


def test_a_run_goes_from_the_upload_page_to_the_organisers_leaderboard(
    world: World, rung: list[int]
) -> None:
    world.add_qrels()
    data = run_file("first-try")
    form = world.browser.get(reverse("campaigns:run-create", args=[world.campaign.slug]))
    assert form.status_code == 200

    response = world.hand_in(data, description="BM25, as it comes.")
    run = Run.objects.get()
    assert response.url == reverse("scoring:run-detail", args=[world.campaign.slug, run.public_id])
    assert (run.state, run.digest) == (Run.State.WAITING, hashlib.sha256(data).hexdigest())
    assert (run.size, run.original_name, run.team) == (len(data), "run.txt", world.team)
    assert "waits to be checked" in world.page_of(run)
    assert rung == [Job.objects.get().pk]

    perform_jobs(Job.Kind.CHECK)
    run.refresh_from_db()
    assert (run.state, run.tag) == (Run.State.ACCEPTED, "first-try")
    assert "is being scored" in world.page_of(run)
    assert world.answer_on(run)["status"] == "scoring"

    perform_jobs(Job.Kind.EVALUATE)
    assert "Accepted and scored" in world.page_of(run)
    # Topic 1: d1 is relevant, d3 unjudged; topic 2: d2 is relevant, d3 unjudged. Half of all is
    # lost with every rank, a quarter by the unjudged third one and all that follow it.
    (row,) = world.board("RBP(p=0.5)")
    assert (row["rank"], row["run"], row["team"]) == (1, "first-try", world.team.name)
    assert (row["base"], row["residual"]) == (0.375, 0.25)
    (row,) = world.board("AP")
    assert row["base"] == 0.75
    page = world.desk.get(reverse("scoring:leaderboard", args=[world.campaign.slug]))
    assert "first-try" in page.content.decode()


def test_scores_stay_the_organisers_until_they_are_shown(world: World) -> None:
    world.add_qrels()
    run = world.taken_in(run_file())
    assert world.answer_on(run)["scores"] == []
    assert len(world.answer_on(run, browser=world.desk)["scores"]) == 5
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


def test_a_script_hands_in_and_follows_the_address_it_is_given(world: World) -> None:
    world.add_qrels()
    response = world.hand_in_by_script(run_file())
    assert response.status_code == 202
    answer = response.json()
    assert answer["status"] == "waiting"
    perform_jobs()
    followed = world.browser.get(answer["url"]).json()
    assert (followed["id"], followed["status"]) == (answer["id"], "scored")


def test_the_log_tells_each_step_once(world: World) -> None:
    world.add_qrels()
    run = world.taken_in(run_file())
    for job in Job.objects.all():  # every message comes again
        ACTS[Job.Kind(job.kind)](job.pk)
    verbs = LogEntry.objects.filter(subject=run.public_id).values_list("verb", flat=True)
    assert sorted(verbs) == ["accepted", "scored", "uploaded"]


# --- uploads that come twice, too late, too many -------------------------------------------------


def test_the_same_key_twice_gives_one_run_and_one_stored_file(world: World) -> None:
    first = world.hand_in(run_file(), idempotency_key="k1")
    second = world.hand_in(run_file(), idempotency_key="k1")
    assert first.url == second.url
    assert Run.objects.count() == 1
    assert stored_files("runs") == [Run.objects.get().storage_key]


def test_the_same_key_twice_by_script_gives_one_run(world: World) -> None:
    first = world.hand_in_by_script(run_file(), key="k1")
    second = world.hand_in_by_script(run_file(), key="k1")
    assert first.json() == second.json()
    assert len(stored_files("runs")) == Run.objects.count() == 1


def test_another_teams_equal_key_is_another_run(world: World) -> None:
    world.hand_in(run_file(), idempotency_key="k1")
    world.hand_in(run_file(), idempotency_key="k1", browser=world.another_team())
    assert Run.objects.count() == 2


def test_no_run_is_taken_above_the_quota(world: World) -> None:
    world.change(run_quota=2)
    world.taken_in(run_file("one"))
    world.taken_in(run_file("two"))
    refused = world.hand_in(run_file("three"))
    assert refused.status_code == 400
    assert "The team has its 2 runs" in refused.content.decode()
    by_script = world.hand_in_by_script(run_file("three"))
    assert (by_script.status_code, by_script.json()["code"]) == (409, "quota")
    assert Run.objects.count() == len(stored_files("runs")) == 2


def test_a_refused_run_eats_no_quota(world: World) -> None:
    world.change(run_quota=1)
    assert world.taken_in(b"").state == Run.State.REFUSED
    assert world.taken_in(run_file()).state == Run.State.ACCEPTED


def test_a_run_that_still_waits_counts_against_the_quota(world: World) -> None:
    world.change(run_quota=1)
    world.hand_in(run_file("one"))
    assert world.hand_in(run_file("two")).status_code == 400


def test_a_withdrawn_run_gives_its_quota_back(world: World) -> None:
    world.change(run_quota=1)
    withdraw(world, world.taken_in(run_file("one")))
    assert world.taken_in(run_file("two")).state == Run.State.ACCEPTED


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
def test_runs_are_taken_from_the_opening_until_just_before_the_close(
    world: World, clock: time_machine.Traveller, moment: datetime, code: str | None
) -> None:
    world.change(opens_at=OPENS, closes_at=CLOSES)
    clock.move_to(moment)
    response = world.hand_in_by_script(run_file())
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
    store = intake.stored_upload

    def store_slowly(upload):
        clock.move_to(CLOSES + timedelta(hours=1))
        return store(upload)

    monkeypatch.setattr(intake, "stored_upload", store_slowly)
    run = world.taken_in(run_file())
    assert (run.submitted_at, run.is_late) == (CLOSES - INSTANT, False)
    assert run.state == Run.State.ACCEPTED  # however late it was checked


@pytest.mark.parametrize(
    ("after", "is_taken"),
    [(timedelta(0), True), (timedelta(minutes=30) - INSTANT, True), (timedelta(minutes=30), False)],
    ids=["as it closes", "just within", "as it ends"],
)
def test_within_the_grace_a_run_is_taken_and_marked_late(
    world: World, clock: time_machine.Traveller, after: timedelta, is_taken: bool
) -> None:
    world.add_qrels()
    world.change(closes_at=CLOSES, grace_minutes=30)
    clock.move_to(CLOSES + after)
    response = world.hand_in(run_file())
    if not is_taken:
        assert response.status_code == 400
        assert "Runs were taken until 30 June 2026 23:59 UTC." in response.content.decode()
        assert Run.objects.count() == 0
        return
    perform_jobs()
    run = Run.objects.get()
    assert run.is_late
    assert "marked late, and not ranked" in world.page_of(run)
    assert world.board() == []


def test_nothing_is_taken_while_the_switch_is_off(world: World) -> None:
    world.change(is_accepting=False)
    response = world.hand_in_by_script(run_file())
    assert (response.status_code, response.json()["code"]) == (409, "not_accepting")
    assert stored_files("runs") == []


def test_an_upload_over_the_limit_is_refused_before_it_is_read(
    world: World, settings: object
) -> None:
    settings.MAX_UPLOAD_BYTES = 1000
    too_large = run_file() * 800
    for response in (world.hand_in(too_large), world.hand_in_by_script(too_large)):
        assert response.status_code == 413
    assert (Run.objects.count(), stored_files("runs")) == (0, [])


def test_a_file_just_over_the_limit_is_refused_by_the_form(world: World, settings: object) -> None:
    settings.MAX_UPLOAD_BYTES = 1000
    response = world.hand_in(run_file() * 50)
    assert response.status_code == 400
    assert "The file is too large" in response.content.decode()
    assert (Run.objects.count(), stored_files("runs")) == (0, [])


# --- tags, twins, withdrawals --------------------------------------------------------------------


def withdraw(world: World, run: Run) -> None:
    url = reverse("campaigns:run-withdraw", args=[world.campaign.slug, run.public_id])
    assert world.browser.post(url).status_code == 302


def test_a_tag_of_an_own_live_run_is_refused(world: World) -> None:
    world.taken_in(run_file("same"))
    second = world.taken_in(run_file("same", documents=("d3", "d2")))
    assert second.state == Run.State.REFUSED
    assert [p["code"] for p in second.problems] == ["TAG_TAKEN"]
    assert "your team has another run with this tag" in world.page_of(second)
    assert stored_files("runs") == [Run.objects.get(state=Run.State.ACCEPTED).storage_key]


def test_another_teams_equal_tag_is_nobodys_business(world: World) -> None:
    world.taken_in(run_file("same"))
    other = world.taken_in(run_file("same"), browser=world.another_team())
    assert other.state == Run.State.ACCEPTED
    assert other.warnings == []


def test_withdrawing_frees_the_tag_and_leaves_the_board(world: World) -> None:
    world.add_qrels()
    first = world.taken_in(run_file("same"))
    withdraw(world, first)
    assert world.board() == []
    second = world.taken_in(run_file("same", documents=("d2", "d1")))
    assert second.state == Run.State.ACCEPTED
    assert [row["run"] for row in world.board()] == ["same"]
    assert "Withdrawn on" in world.page_of(first)


def test_another_team_cannot_withdraw_a_run(world: World) -> None:
    run = world.taken_in(run_file())
    url = reverse("campaigns:run-withdraw", args=[world.campaign.slug, run.public_id])
    assert world.another_team().post(url).status_code == 404
    run.refresh_from_db()
    assert run.withdrawn_at is None


def test_an_identical_file_is_worth_a_word_only_against_own_runs(world: World) -> None:
    twin = world.taken_in(run_file("same"), browser=world.another_team())
    assert twin.warnings == []
    first = world.taken_in(run_file("same"))
    assert first.warnings == []
    withdraw(world, first)
    again = world.taken_in(run_file("same"))
    assert again.state == Run.State.ACCEPTED
    assert [(w["code"], w["value"]) for w in again.warnings] == [("SAME_FILE", "same")]


# --- qrels and rules that change -----------------------------------------------------------------


def test_a_run_before_the_qrels_stays_accepted_and_is_scored_when_they_arrive(
    world: World,
) -> None:
    run = world.taken_in(run_file())
    assert world.answer_on(run)["status"] == "accepted"
    assert "scored when the qrels arrive" in world.page_of(run)
    assert world.board() == []
    world.add_qrels()
    perform_jobs()
    assert world.answer_on(run)["status"] == "scored"
    assert len(world.board()) == 1


def test_new_qrels_score_every_run_anew_and_keep_the_old_scores(world: World) -> None:
    first_version = world.add_qrels()
    runs = [world.taken_in(run_file(tag)) for tag in ("one", "two")]
    old = {score.pk: bytes(score.bases) for score in Score.objects.all()}
    second_version = world.add_qrels(QRELS + b"1 0 d3 1\n")
    perform_jobs()
    for run in runs:
        assert [e.qrels for e in evaluations_of(run)] == [first_version, second_version]
        assert {e.state for e in evaluations_of(run)} == {Evaluation.State.SCORED}
    for score in Score.objects.filter(pk__in=old):
        assert bytes(score.bases) == old.pop(score.pk)
    assert old == {}
    # d3 is relevant now, and nothing of topic 1 unjudged but its tail
    assert {row["base"] for row in world.board()} == {(0.5 + 0.125 + 0.25) / 2}


def test_the_same_qrels_again_are_no_new_version(world: World) -> None:
    first = world.add_qrels()
    run = world.taken_in(run_file())
    assert world.add_qrels() == first
    assert perform_jobs() == 0
    assert len(evaluations_of(run)) == 1


def test_qrels_with_a_grade_above_the_scale_change_nothing(world: World) -> None:
    url = reverse("campaigns:qrels-add", args=[world.campaign.slug])
    file = ContentFile(QRELS + b"1 0 d3 2\n", name="qrels")
    response = world.desk.post(url, {"file": file, "note": ""})
    assert response.status_code == 400
    assert "above 1" in response.content.decode()
    assert stored_files("qrels") == []


def test_a_change_of_rel_scores_every_run_anew(world: World) -> None:
    world.change(highest_grade=2)
    world.add_qrels(b"1 0 d1 1\n1 0 d2 2\n2 0 d2 2\n")
    run = world.taken_in(run_file())
    assert world.board("AP")[0]["base"] == (1.0 + 0.5) / 2
    campaign = Campaign.objects.get(pk=world.campaign.pk)
    campaign.rel = 2
    lifecycle.change_settings(campaign=campaign, fields=["rel"], actor=world.organiser)
    perform_jobs()
    assert [e.state for e in evaluations_of(run)] == [Evaluation.State.SCORED] * 2
    world.campaign.refresh_from_db()
    assert world.board("AP(rel=2)")[0]["base"] == 0.5


def test_settings_that_change_no_rule_score_nothing_anew(world: World) -> None:
    world.add_qrels()
    world.taken_in(run_file())
    campaign = Campaign.objects.get(pk=world.campaign.pk)
    campaign.guidelines = "Be brief."
    lifecycle.change_settings(campaign=campaign, fields=["guidelines"], actor=world.organiser)
    assert perform_jobs() == 0


def test_settings_edited_in_a_stale_page_do_not_bring_old_qrels_back(world: World) -> None:
    world.add_qrels()
    stale = Campaign.objects.get(pk=world.campaign.pk)
    world.add_qrels(b"1 0 d1 0\n1 0 d2 1\n2 0 d2 1\n")
    stale.guidelines = "Be brief."
    lifecycle.change_settings(campaign=stale, fields=["guidelines"], actor=world.organiser)
    world.campaign.refresh_from_db()
    assert world.campaign.active_qrels.version == 2


def test_the_scale_cannot_shrink_below_the_grades_of_the_qrels(world: World) -> None:
    world.change(highest_grade=2)
    world.add_qrels(b"1 0 d1 1\n1 0 d2 2\n2 0 d2 2\n")
    world.campaign.refresh_from_db()
    form = CampaignForm({"highest_grade": "1", "rel": "1"}, instance=world.campaign)
    assert form.errors["highest_grade"] == ["The qrels have grade 2."]


# --- files nobody owns ---------------------------------------------------------------------------


def test_housekeeping_deletes_only_old_files_that_no_row_owns(world: World) -> None:
    world.add_qrels()
    world.taken_in(run_file())
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


def test_housekeeping_has_nothing_to_do_on_a_new_site(world: World) -> None:
    assert delete_unowned_files() == 0
