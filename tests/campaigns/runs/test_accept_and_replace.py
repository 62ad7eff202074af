"""The validation report, and what follows: accepting, replacing, withdrawing, disqualifying."""

import gzip
from functools import partial
from pathlib import Path

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


# --- the validation report ------------------------------------------------------------------------


def test_the_sheet_says_what_the_file_covers_and_where_it_contradicts_itself(world: World) -> None:
    data = b"1 Q0 a 1 9 t\n1 Q0 b 2 9 t\n1 Q0 c 3 7 t\n1 Q0 d 5 6 t\n1 Q0 e 4 5 t\n"
    run = world.submitted_run(data)
    assert run.check_sheet == {
        "topics": 1,
        "of_topics": 2,
        "missing": ["2"],
        "missing_count": 1,
        "documents": 5,
        "depth": {"min": 5, "median": 5.0, "max": 5},
        "tied_documents": 2,
        "tied_topics": 1,
        "is_all_tied": False,
        "rank_disagreements": 1,
        "same_as": [],
        "flags": ["shallow"],
    }
    page = world.page_of(run)
    assert "1 of 2" in page
    assert "2 documents in 1 topic" in page
    assert "Validation report" in page


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ("9876", "<dd>agree</dd>"),
        ("9977", "agree where the scores differ. The document id determines the order"),
        ("9999", "cannot be compared</span>: all scores of each topic are equal"),
    ],
)
def test_the_sheet_claims_no_agreement_where_scores_are_tied(
    world: World, scores: str, said: str
) -> None:
    lines = [
        f"{topic} Q0 {document} {rank} {score} t\n"
        for topic in (1, 2)
        for rank, (document, score) in enumerate(zip("abcd", scores, strict=True), start=1)
    ]
    run = world.submitted_run("".join(lines).encode())
    assert run.check_sheet["is_all_tied"] == (len(set(scores)) == 1)
    assert said in world.page_of(run)


def test_a_sheet_knows_the_teams_equal_rankings_however_they_are_packed(world: World) -> None:
    world.submitted_run(run_file("first"))
    again = world.submitted_run(gzip.compress(run_file("second")))
    assert again.check_sheet["same_as"] == ["first"]
    assert again.warnings == []  # the files differ
    assert "same ranking</span> as first" in world.page_of(again)


def test_the_validation_report_does_not_mention_equal_files_of_other_teams(world: World) -> None:
    rival = world.another_team()
    world.submitted_run(run_file("same"), browser=rival)
    alone = world.submitted_run(run_file("same"))
    assert (alone.check_sheet["same_as"], alone.warnings) == ([], [])
    world.change(asks_acceptance=True)
    assert "as same" not in world.page_of(alone)


def test_runs_that_look_like_probes_are_flagged_for_organisers_only(world: World) -> None:
    world.change(asks_acceptance=True)
    deep = tuple(f"d{number}" for number in range(20))
    first = world.submitted_run(run_file("first", documents=deep))
    assert first.check_sheet["flags"] == []
    other = tuple(f"e{number}" for number in range(20))
    probe = world.submitted_run(run_file("probe", documents=other))
    assert probe.check_sheet["flags"] == ["unlike the previous run"]
    assert "possible probe" not in world.page_of(probe)
    assert "possible probe" in world.page_of(probe, browser=world.organiser_client)


def test_one_topic_changed_is_flagged(world: World) -> None:
    topics = ("1", "2", "3", "4")
    for number, code in enumerate(topics[2:], start=2):
        world.campaign.topics.create(code=code, position=number)

    def data(tag: str, odd: str) -> bytes:
        lines = []
        for topic in topics:
            name = odd if topic == "3" else "d"
            lines += [f"{topic} Q0 {name}{n} {n} {100 - n} {tag}" for n in range(1, 17)]
        return "\n".join(lines).encode()

    assert world.submitted_run(data("one", "d")).check_sheet["flags"] == []
    assert world.submitted_run(data("two", "x")).check_sheet["flags"] == ["one topic changed"]


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


def test_a_checked_run_keeps_its_tag(world: World) -> None:
    world.change(asks_acceptance=True)
    world.submitted_run(run_file("same"))
    second = world.submitted_run(run_file("same", documents=("d2", "d1")))
    assert [problem["code"] for problem in second.problems] == ["TAG_TAKEN"]


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


@pytest.mark.xdist_group("crowd")  # so many connections, one test at a time
def test_of_two_simultaneous_replacements_one_is_accepted(world: World, tmp_path: Path) -> None:
    old = world.submitted_run(run_file("old"))
    url = reverse("api:run-create", args=[world.campaign.slug])

    def send(client: Client, number: int) -> int:
        file = SimpleUploadedFile("run.txt", run_file(f"new{number}"))
        return client.post(url, {"file": file, "replaces": old.public_id}).status_code

    acts = [partial(send, logged_in(world.participant), number) for number in range(8)]
    assert sorted(crowd(acts, tmp_path)) == [202] + [409] * 7
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


def test_imported_runs_need_no_acceptance(world: World) -> None:
    world.change(asks_acceptance=True)
    run = world.submitted_run(run_file())
    Run.objects.filter(pk=run.pk).update(state=Run.State.WAITING, uploaded_by=None)
    run.ranking.delete()
    Job.objects.filter(kind=Job.Kind.CHECK).update(state=Job.State.WAITING, attempts=0)
    perform_jobs()
    run.refresh_from_db()
    assert run.state == Run.State.ACCEPTED
