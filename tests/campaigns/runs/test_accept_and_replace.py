"""What follows the validation report: accepting, replacing, withdrawing, disqualifying."""

from functools import partial

import pytest
import time_machine
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns import lifecycle
from campaigns.models import Campaign, LogEntry, Run
from campaigns.runs import decisions
from scoring.models import Evaluation, Job
from tests.crowd import crowd
from tests.flow_world import World, logged_in, perform_jobs, run_file, stored_files

pytestmark = pytest.mark.usefixtures("wake_ups")


def act(world: World, name: str, run: Run, browser: Client, **data: str) -> HttpResponse:
    url = reverse(f"campaigns:{name}", args=[world.campaign.slug, run.public_id])
    response = browser.post(url, data)
    run.refresh_from_db()
    return response


def live_tags(world: World) -> list[str]:
    return sorted(world.campaign.runs.live().values_list("tag", flat=True))


# --- accepting ------------------------------------------------------------------------------------


def test_a_checked_run_counts_once_its_team_accepts_it(world: World) -> None:
    world.add_qrels()
    world.change(asks_acceptance=True)
    run = world.submitted_run(run_file())
    assert run.state == Run.State.CHECKED
    assert world.board() == []
    assert Evaluation.objects.count() == 0
    assert "Accept run" in world.page_of(run)
    assert "awaits acceptance" in mail.outbox[-1].subject
    for _ in range(2):  # a double click
        assert act(world, "run-accept", run, world.browser).status_code == 302
    perform_jobs()
    assert (run.state, run.accepted_at is not None) == (Run.State.ACCEPTED, True)
    assert [row["run"] for row in world.board()] == ["ours"]
    verbs = LogEntry.objects.filter(subject=run.public_id).values_list("verb", flat=True)
    assert sorted(verbs) == ["accepted", "checked", "scored", "uploaded"]


def test_a_script_accepts_a_run_or_learns_why_it_cannot(world: World) -> None:
    world.change(asks_acceptance=True)
    run = world.submitted_run(run_file())
    assert accept_by_script(world, run) == (200, "accepted")
    assert accept_by_script(world, run) == (200, "accepted")
    refused = world.submitted_run(b"")
    assert accept_by_script(world, refused) == (409, None)


def accept_by_script(world: World, run: Run) -> tuple[int, str | None]:
    url = f"/api/campaigns/{world.campaign.slug}/runs/{run.public_id}/accept/"
    answer = world.browser.post(url)
    return answer.status_code, answer.json().get("status")


def test_a_run_is_accepted_after_the_deadline_but_not_once_judging_begins(world: World) -> None:
    world.change(asks_acceptance=True)
    first, second = world.submitted_run(run_file("one")), world.submitted_run(run_file("two"))
    lifecycle.close_submissions(campaign=world.campaign, actor=None)
    act(world, "run-accept", first, world.browser)
    assert first.state == Run.State.ACCEPTED
    Campaign.objects.update(stage=Campaign.Stage.JUDGING)
    act(world, "run-accept", second, world.browser)
    assert second.state == Run.State.CHECKED
    assert "was not accepted before judging began" in world.page_of(second)
    act(world, "run-accept", second, world.organiser_client)
    assert second.state == Run.State.ACCEPTED


def test_a_withdrawn_run_is_not_accepted(world: World) -> None:
    world.change(asks_acceptance=True)
    run = world.submitted_run(run_file())
    world.withdraw(run)
    act(world, "run-accept", run, world.browser)
    assert run.state == Run.State.CHECKED
    assert not decisions.accept_checked(run=run, person=world.participant)


def test_a_checked_run_keeps_its_name(world: World) -> None:
    world.change(asks_acceptance=True)
    world.submitted_run(run_file("same"))
    second = world.submitted_run(run_file("same", documents=("d2", "d1")))
    assert second.name == "same-2"


def test_another_team_neither_accepts_nor_sees_a_checked_run(world: World) -> None:
    world.change(asks_acceptance=True)
    run = world.submitted_run(run_file())
    assert act(world, "run-accept", run, world.another_team()).status_code == 404
    assert run.state == Run.State.CHECKED


# --- replacing ------------------------------------------------------------------------------------


def test_a_run_is_replaced_by_one_of_the_same_tag(world: World) -> None:
    world.add_qrels()
    world.change(run_quota=1)
    old = world.submitted_run(run_file("same"))
    new = world.submitted_run(run_file("same", documents=("d2", "d1")), replaces=old.public_id)
    old.refresh_from_db()
    assert (new.state, new.replaces) == (Run.State.ACCEPTED, old)
    assert old.replaced_at is not None
    assert [(row["run"], row["base"]) for row in world.board()] == [("same", 0.375)]
    assert "Replaced by a later run" in world.page_of(old)


def test_the_old_run_stays_until_the_new_one_is_accepted(world: World) -> None:
    world.change(asks_acceptance=True, run_quota=1)
    old = world.submitted_run(run_file("old"))
    act(world, "run-accept", old, world.browser)
    new = world.submitted_run(run_file("new"), replaces=old.public_id)
    assert new.state == Run.State.CHECKED
    assert live_tags(world) == ["old"]
    act(world, "run-accept", new, world.browser)
    assert live_tags(world) == ["new"]


def test_a_refused_replacement_leaves_the_old_run_and_another_may_follow(world: World) -> None:
    world.change(run_quota=1)
    old = world.submitted_run(run_file("old"))
    assert world.submitted_run(b"", replaces=old.public_id).state == Run.State.REFUSED
    assert live_tags(world) == ["old"]
    world.submitted_run(run_file("new"), replaces=old.public_id)
    assert live_tags(world) == ["new"]


def test_a_replacement_that_is_withdrawn_before_it_counts_leaves_the_old_run(world: World) -> None:
    old = world.submitted_run(run_file("old"))
    world.submit(run_file("new"), replaces=old.public_id)
    new = Run.objects.latest("pk")
    world.withdraw(new)
    perform_jobs()
    assert live_tags(world) == ["old"]
    world.submitted_run(run_file("newer"), replaces=old.public_id)
    assert live_tags(world) == ["newer"]


def test_only_one_upload_replaces_a_run(world: World) -> None:
    old = world.submitted_run(run_file("old"))
    world.submit(run_file("new"), replaces=old.public_id)
    url = reverse("api:run-create", args=[world.campaign.slug])
    file = SimpleUploadedFile("run.txt", run_file("newer"))
    answer = world.browser.post(url, {"file": file, "replaces": old.public_id})
    assert (answer.status_code, answer.json()["code"]) == (409, "replaces")


def test_of_two_simultaneous_replacements_one_is_accepted(
    world: World, own_connections: None
) -> None:
    old = world.submitted_run(run_file("old"))
    url = reverse("api:run-create", args=[world.campaign.slug])

    def send(client: Client, number: int) -> int:
        file = SimpleUploadedFile("run.txt", run_file(f"new{number}"))
        return client.post(url, {"file": file, "replaces": old.public_id}).status_code

    acts = [partial(send, logged_in(world.participant), number) for number in range(8)]
    assert sorted(crowd(acts)) == [202] + [409] * 7
    perform_jobs()
    assert len(live_tags(world)) == 1
    assert len(stored_files("runs")) == 2


def test_another_teams_run_and_no_run_at_all_are_equally_nothing_to_replace(world: World) -> None:
    theirs = world.submitted_run(run_file("theirs"), browser=world.another_team())
    url = reverse("api:run-create", args=[world.campaign.slug])

    def answer(public_id: str) -> tuple[int, bytes]:
        file = SimpleUploadedFile("run.txt", run_file("ours"))
        response = world.browser.post(url, {"file": file, "replaces": public_id})
        return response.status_code, response.content

    assert answer(theirs.public_id) == answer("nosuchrunanywher")
    assert answer(theirs.public_id)[0] == 409


def test_a_late_run_does_not_replace_one_that_came_in_time(
    world: World, clock: time_machine.Traveller
) -> None:
    old = world.submitted_run(run_file("old"))
    world.change(closes_at="2026-06-01T11:59:00Z", grace_minutes=30)
    page = world.submit(run_file("new"), replaces=old.public_id)
    assert page.status_code == 400
    assert live_tags(world) == ["old"]


# --- the same upload again ------------------------------------------------------------------------


def test_an_answer_that_was_lost_is_given_again_though_the_deadline_has_passed(
    world: World,
) -> None:
    first = world.submit_by_script(run_file(), key="k1")
    world.change(is_accepting=False, run_quota=1)
    again = world.submit_by_script(run_file(), key="k1")
    assert (again.status_code, again.json()) == (202, first.json())
    assert world.submit_by_script(run_file(), key="k2").status_code == 409
    assert Run.objects.count() == len(stored_files("runs")) == 1


# --- what is not taken ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"terms": "Be kind."}, "terms"),
        ({"topics_released_at": "2026-06-02T00:00:00Z"}, "topics_unreleased"),
        ({"archived_at": "2026-05-02T00:00:00Z"}, "archived"),
    ],
)
def test_runs_wait_for_terms_topics_and_end_with_the_archive(
    world: World, clock: time_machine.Traveller, facts: dict, code: str
) -> None:
    world.change(**facts)
    answer = world.submit_by_script(run_file())
    assert (answer.status_code, answer.json()["code"]) == (409, code)
    assert world.submit(run_file()).status_code == 400
    assert (Run.objects.count(), stored_files("runs")) == (0, [])


def test_a_disqualified_team_submits_no_more(world: World) -> None:
    world.campaign.teams.update(disqualified_at="2026-05-02T00:00:00Z", disqualified_reason="Twice")
    answer = world.submit_by_script(run_file())
    assert (answer.status_code, answer.json()["code"]) == (409, "disqualified")
    assert "Twice" in answer.json()["message"]


# --- disqualifying --------------------------------------------------------------------------------


def test_a_run_is_disqualified_for_a_reason_and_reinstated(world: World) -> None:
    world.add_qrels()
    run = world.submitted_run(run_file())
    assert act(world, "run-disqualify", run, world.organiser_client, reason="  ").status_code == 302
    assert run.disqualified_at is None
    act(world, "run-disqualify", run, world.organiser_client, reason="Trained on the\nqrels.")
    perform_jobs()
    assert run.disqualified_reason == "Trained on the qrels."
    assert [(row["run"], row["rank"]) for row in world.board()] == [("ours", None)]
    assert "Trained on the qrels." in world.page_of(run)
    assert "Trained on the qrels." in mail.outbox[-1].body
    world.withdraw(run)  # a team does not make it unseen
    run.refresh_from_db()
    assert run.withdrawn_at is None
    act(world, "run-disqualify", run, world.organiser_client, act="reinstate")
    assert run.disqualified_at is None
    assert [(row["run"], row["rank"]) for row in world.board()] == [("ours", 1)]
    verbs = LogEntry.objects.filter(subject=run.public_id, actor=world.organiser)
    assert sorted(verbs.values_list("verb", flat=True)) == ["disqualified", "reinstated"]


def test_a_team_does_not_judge_its_runs(world: World) -> None:
    run = world.submitted_run(run_file())
    assert act(world, "run-disqualify", run, world.browser, reason="No").status_code == 404
    assert run.disqualified_at is None


# --- letters and imports --------------------------------------------------------------------------


def test_the_team_of_a_refused_run_is_emailed(world: World) -> None:
    world.submitted_run(b"1 Q0 d1\n")
    (letter,) = mail.outbox
    assert letter.to == [world.participant.email]
    assert "refused" in letter.subject
    assert "line 1" in letter.body


def test_the_metadata_of_a_file_are_shown_to_those_who_follow_the_run(world: World) -> None:
    world.change(runs_audience=2)
    header = b"# ir_metadata.start\n# actor:\n#   name: <b>Ann\n# ir_metadata.end\n"
    run = world.submitted_run(header + run_file())
    path = reverse("scoring:run-detail", args=[world.campaign.slug, run.public_id])
    assert (
        "actor:\n  name: &lt;b&gt;Ann</pre>"
        in logged_in(world.participant).get(path).content.decode()
    )
    answer = Client().get(path)
    assert "ir_metadata" not in answer.content.decode()
    assert "Ann" not in answer.content.decode()


def test_one_fault_on_every_line_is_counted_once(world: World) -> None:
    run = world.submitted_run(b"1 Q0 d1 1 2.5\n" * 400)
    (letter,) = mail.outbox
    assert "400 lines" in letter.body
    assert "These are the first" not in letter.body
    browser, slug = logged_in(world.participant), world.campaign.slug
    page = browser.get(reverse("scoring:run-detail", args=[slug, run.public_id]))
    assert "Refused: the file has one problem on 400 lines." in page.content.decode()
    page = browser.get(reverse("campaigns:run-list", args=[slug]))
    assert "refused</span>, one problem on 400 lines" in page.content.decode()


def test_imported_runs_need_no_acceptance(world: World) -> None:
    world.change(asks_acceptance=True)
    run = world.submitted_run(run_file())
    Run.objects.filter(pk=run.pk).update(state=Run.State.WAITING, uploaded_by=None)
    run.ranking.delete()
    Job.objects.filter(kind=Job.Kind.CHECK).update(state=Job.State.WAITING, attempts=0)
    perform_jobs()
    run.refresh_from_db()
    assert run.state == Run.State.ACCEPTED
