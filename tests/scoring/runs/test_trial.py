"""*Try a file* says what a submission would say, on the page, in the API and by command, and leaves
no trace."""

import html
import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import LogEntry, Run
from scoring.cli.main import main
from scoring.models import Job
from scoring.runs import trial
from tests.campaigns.runs.test_bad_files import BAD_FILES
from tests.flow_world import World, logged_in, run_file, stored_files
from tests.making import make_user

pytestmark = pytest.mark.usefixtures("wake_ups")


def tried(
    world: World, data: bytes, *, browser: Client | None = None, **fields: str
) -> HttpResponse:
    url = reverse("scoring:run-trial", args=[world.campaign.slug])
    file = SimpleUploadedFile("mine.txt", data)
    return (browser or world.browser).post(url, {"file": file} | fields)


def tried_by_script(world: World, data: bytes, **fields: str) -> HttpResponse:
    url = reverse("api:run-trial", args=[world.campaign.slug])
    return world.browser.post(url, {"file": SimpleUploadedFile("mine.txt", data)} | fields)


def leaves_no_trace() -> bool:
    rows = Run.objects.count() + Job.objects.count()
    logged = LogEntry.objects.filter(verb__in=("uploaded", "refused")).count()
    return rows + logged == 0 and stored_files("runs") == stored_files("rankings") == []


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_has_the_problems_of_its_submission(world: World, name: str) -> None:
    data = BAD_FILES[name].data
    page, answer = tried(world, data), tried_by_script(world, data)
    assert leaves_no_trace()
    assert (page.status_code, answer.status_code) == (400, 400)
    submitted = world.submitted_run(data)
    assert submitted.state == Run.State.REFUSED
    assert answer.json()["code"] == "file"
    assert answer.json()["problems"] == submitted.problems
    assert answer.json()["problem_count"] == submitted.problem_count
    text = html.unescape(page.content.decode())
    assert "mine.txt would be refused." in text
    for problem in submitted.problems:
        assert problem["message"] in text


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"1 Q0 d1 1 2.5\n" * 400, "It has one problem on 400 lines."),
        (b"1 Q0 d1 1 2.5\n" * 400 + b"1 Q0 d1 1 x mine\n", "2 kinds of problems, 401 in all."),
        (b"".join(b"%d Q0 d1 1 2.5 mine\n" % n for n in range(5, 45)), "These are the first"),
    ],
)
def test_one_fault_on_many_lines_is_counted_once(world: World, data: bytes, told: str) -> None:
    text = html.unescape(tried(world, data).content.decode())
    assert told in text
    assert ("problems. These are the first" in text) == told.startswith("These")


@pytest.mark.parametrize(
    "name",
    [
        "an empty file",
        "a file of blank lines",
        "a 5-column file",
        "a score that is nan",
        "a duplicate document",
        "an unknown topic",
        "a truncated gz",
        "a PDF",
        "Latin-1 text",
        "a long tag",
        "a tag that cannot be a name",
    ],
)
def test_the_command_says_the_same(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    run, topics = tmp_path / "run.txt", tmp_path / "topics.tsv"
    run.write_bytes(BAD_FILES[name].data)
    topics.write_text("1\tone\n2\ttwo\n")
    assert main(["check", str(run), "--topics", str(topics), "--json"]) != 0
    told = json.loads(capsys.readouterr().out)
    answer = tried_by_script(world, BAD_FILES[name].data).json()
    assert told["problems"] == answer["problems"]
    assert told["warnings"] == answer["warnings"]
    assert told["total"] == answer["problem_count"]


def test_a_good_file_has_the_report_and_the_warnings_of_its_submission(world: World) -> None:
    data = run_file("a<b").replace(b" 1 9 ", b" 1 8 ").replace(b"\n", b"\r\n")
    page, answer = tried(world, data), tried_by_script(world, data)
    assert leaves_no_trace()
    assert (page.status_code, answer.status_code) == (200, 200)
    run = world.submitted_run(data)
    assert run.state == Run.State.ACCEPTED
    told = answer.json()
    assert (told["tag"], told["topics"], told["lines"]) == ("a<b", 2, 6)
    assert told["warnings"] == run.warnings
    assert told["validation_report"].items() <= run.check_sheet.items()
    assert told["validation_report"]["tied_documents"] == 4
    text = page.content.decode()
    assert "mine.txt would be accepted." in text
    assert "run a&lt;b, with 2 topics and 6 lines" in text
    assert "4 documents in 2 topics" in text
    assert "no run of the team" not in text


def test_a_typed_name_mends_a_tag_that_cannot_be_one(world: World) -> None:
    data = run_file("=HYPERLINK(1)")
    page = tried(world, data, name=" A  good name ").content.decode()
    assert "It is run A good name, with" in page
    answer = tried_by_script(world, data, name=" A  good name ").json()
    assert (answer["name"], answer["tag"]) == ("A good name", "=HYPERLINK(1)")
    assert leaves_no_trace()


@pytest.mark.parametrize("name", ["=1+1", "a/../b", "a\u200bb", "x" * 65])
def test_a_bad_name_is_refused_in_the_words_of_a_submission(world: World, name: str) -> None:
    def told(url: str) -> HttpResponse:
        fields = {"file": SimpleUploadedFile("mine.txt", run_file()), "name": name}
        return world.browser.post(reverse(url, args=[world.campaign.slug]), fields)

    pages = [told("scoring:run-trial"), told("campaigns:run-create")]
    answers = [told("api:run-trial"), told("api:run-create")]
    assert [each.status_code for each in (*pages, *answers)] == [400] * 4
    errors = [page.context["form"].errors["name"] for page in pages]
    assert errors[0] == errors[1]
    assert answers[0].json() == answers[1].json()
    assert leaves_no_trace()


@pytest.mark.parametrize("typed", ["", "OURS"])
def test_a_name_of_the_own_team_gets_the_number_of_its_submission(world: World, typed: str) -> None:
    world.submitted_run(run_file())
    data = run_file(documents=("d3", "d2"))
    others = tried(world, data, browser=logged_in(make_user()), name=typed).content.decode()
    assert "another run of this name" not in others
    text = tried(world, data, name=typed).content.decode()
    assert f"It is run {typed or 'ours'}-2," in text
    assert "your team has another run of this name" in text
    answer = tried_by_script(world, data, name=typed).json()
    run = world.submitted_run(data, name=typed)
    assert answer["name"] == run.name == f"{typed or 'ours'}-2"
    assert answer["warnings"] == run.warnings


def test_people_without_a_team_can_try_a_file(world: World) -> None:
    page = tried(world, run_file(), browser=logged_in(make_user()))
    assert page.status_code == 200
    assert reverse("campaigns:run-create", args=[world.campaign.slug]) not in page.content.decode()


def test_nobody_tries_a_file_without_an_account(world: World) -> None:
    page = tried(world, run_file(), browser=Client())
    assert page.status_code == 302
    assert "/login/" in page["Location"]


def test_problems_reveal_no_topic_before_the_release(world: World) -> None:
    world.change(topics_released_at=timezone.now() + timezone.timedelta(days=1))
    page, answer = tried(world, b"9 Q0 d 1 1 t\n"), tried_by_script(world, run_file())
    assert (page.status_code, answer.status_code) == (409, 409)
    assert answer.json()["code"] == "topics_unreleased"
    assert "UNKNOWN_TOPIC" not in page.content.decode()
    assert tried(world, run_file(), browser=world.organiser_client).status_code == 200


def test_a_campaign_without_topics_or_in_the_archive_checks_nothing(world: World) -> None:
    world.campaign.topics.all().delete()
    assert tried_by_script(world, run_file()).json()["code"] == "no_topics"
    world.change(archived_at=timezone.now())
    assert tried_by_script(world, run_file()).json()["code"] == "archived"
    page = tried(world, run_file())
    assert "This campaign is archived" in page.content.decode()


def test_a_large_file_is_left_to_the_command(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "UNPACKED_BYTES", 50)
    answer = tried_by_script(world, run_file()).json()
    assert answer["problems"][0]["code"] == "TOO_BIG"
    assert "trackside check" in tried(world, run_file()).content.decode()


def test_files_wait_for_a_place_and_are_then_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "PATIENCE", 0)
    for _ in range(trial.AT_ONCE):
        assert trial._PLACES.acquire(blocking=False)
    try:
        assert tried_by_script(world, run_file()).json()["code"] == "busy"
    finally:
        for _ in range(trial.AT_ONCE):
            trial._PLACES.release()
    assert tried_by_script(world, b"no run").status_code == 400  # a bad file gives its place back
    assert tried_by_script(world, run_file()).status_code == 200


def test_an_account_tries_a_limited_number_of_files(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial.Trials, "THROTTLE_RATES", {"trials": "2/hour"})
    assert [tried(world, run_file()).status_code for _ in range(2)] == [200, 200]
    page = tried(world, run_file())
    assert page.status_code == 409
    assert "Try the next one in 60 minutes. Submissions are not affected." in page.content.decode()
    answer = tried_by_script(world, run_file())
    assert answer.status_code == 429
    assert answer.json()["code"] == "attempts"
    assert 3_500 < int(answer["Retry-After"]) <= 3_601
    assert "Submissions are not affected." in answer.json()["message"]
    assert world.submit(run_file()).status_code == 302
    assert tried(world, run_file(), browser=world.organiser_client).status_code == 200
