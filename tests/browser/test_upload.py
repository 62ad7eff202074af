"""Handing in a run, and watching what becomes of it."""

import gzip
import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from campaigns.models import Run
from tests.browser.boards import run_path
from tests.browser.conftest import Visitor
from tests.making import make_campaign, make_run, make_team, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
FILE = {"name": "ours.run", "mimeType": "text/plain", "buffer": b"1 Q0 d1 1 2.5 ours\n"}


@pytest.fixture
def team():
    return make_team(make_campaign(), make_user(), name="Ours")


def form_of(team) -> tuple[str, object]:
    return f"/campaigns/{team.campaign.slug}/submit/", team.memberships.get().person


@pytest.mark.parametrize("has_scripts", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_file_is_submitted(visit: Visitor, team, has_scripts: bool) -> None:
    path, person = form_of(team)
    visited = visit(path, person=person, has_scripts=has_scripts)
    page = visited.page
    page.get_by_label("Run file").set_input_files(FILE)
    page.get_by_role("button", name="Submit run").click()
    expect(page).to_have_url(re.compile(r"/runs/[a-z2-7]{16}/$"))
    assert team.runs.get().name == ("ours" if has_scripts else "")
    assert visited.complaints == []


def test_a_dropped_file_is_accepted(visit: Visitor, team) -> None:
    path, person = form_of(team)
    page = visit(path, person=person).page
    files = page.evaluate_handle(
        """() => {
            const files = new DataTransfer();
            files.items.add(new File(["1 Q0 d1 1 2.5 ours"], "dropped.run"));
            return files;
        }"""
    )
    page.dispatch_event("#drop", "drop", {"dataTransfer": files})
    expect(page.locator("#chosen")).to_have_text("dropped.run, 18 bytes")
    expect(page.get_by_label("Run name")).to_have_value("ours")


def test_the_run_name_begins_as_the_tag_until_somebody_types(visit: Visitor, team) -> None:
    path, person = form_of(team)
    old = make_run(team=team, tag="old")
    page = visit(path, person=person).page
    file, name = page.get_by_label("Run file"), page.get_by_label("Run name")
    zipped = gzip.compress(b"1\tQ0\td1\t1\t2.5\tBM25(k1=0.9)\n" * 9000)
    file.set_input_files({"name": "a.gz", "mimeType": "application/gzip", "buffer": zipped})
    expect(name).to_have_value("BM25(k1=0.9)")
    file.set_input_files(FILE)
    expect(name).to_have_value("ours")
    page.get_by_label("Replaces").select_option(old.public_id)
    expect(name).to_have_value("")
    page.get_by_label("Replaces").select_option("")
    expect(name).to_have_value("ours")
    comments = b"# ir_metadata.start\n" + b"# actor: team\r\n" * 3000 + b"\n  # ir_metadata.end\n"
    header = b"qid Q0 docno rank score tag\n"
    file.set_input_files(FILE | {"buffer": comments + header + b" 1 Q0 d1 1 2.5 org/model"})
    expect(name).to_have_value("org/model")
    packed = gzip.compress(comments + b"1 Q0 d1 1 2.5 packed\n")
    file.set_input_files(FILE | {"buffer": packed})
    expect(name).to_have_value("packed")
    file.set_input_files(FILE | {"buffer": b"# only\n" * 9362 + b"1 Q0 d1 1 2.5 cut"})
    expect(name).to_have_value("")  # the tag may go on after the part that is read
    file.set_input_files(FILE | {"buffer": b"{}"})
    expect(name).to_have_value("")
    name.fill("Mine")
    file.set_input_files(FILE)
    expect(page.locator("#chosen")).to_contain_text("ours.run")
    expect(name).to_have_value("Mine")


def test_a_broken_connection_is_said_and_the_next_try_counts_once(visit: Visitor, team) -> None:
    path, person = form_of(team)
    page = visit(path, person=person).page
    page.get_by_label("Run file").set_input_files(FILE)
    key = page.locator("[name=idempotency_key]").input_value()
    page.route("**/submit/", lambda route: route.abort())
    page.get_by_role("button", name="Submit run").click()
    expect(page.get_by_role("alert")).to_contain_text("The connection broke")
    page.unroute("**/submit/")
    page.get_by_role("button", name="Submit run").click()
    expect(page).to_have_url(re.compile(r"/runs/"))
    assert list(team.runs.values_list("idempotency_key", flat=True)) == [key]


@pytest.mark.long
def test_another_file_can_be_submitted_after_the_back_button(visit: Visitor, team) -> None:
    path, person = form_of(team)
    page = visit(path, person=person).page
    for name in ("first.run", "second.run"):
        other = FILE | {"name": name, "buffer": f"1 Q0 d1 1 2.5 {name}".encode()}
        page.get_by_label("Run file").set_input_files(other)
        page.get_by_role("button", name="Submit run").click()
        expect(page).to_have_url(re.compile(r"/runs/[a-z2-7]{16}/$"))
        page.go_back()
        expect(page.locator("h1")).to_have_text("Submit run")
    assert sorted(team.runs.values_list("original_name", flat=True)) == ["first.run", "second.run"]


@pytest.mark.long
def test_a_used_key_is_reported_and_the_next_attempt_is_accepted(visit: Visitor, team) -> None:
    path, person = form_of(team)
    page = visit(path, person=person).page
    key = page.locator("[name=idempotency_key]").input_value()
    make_run(team=team, idempotency_key=key, digest="1" * 64)
    page.get_by_label("Run file").set_input_files(FILE)
    page.get_by_role("button", name="Submit run").click()
    expect(page.get_by_role("alert")).to_contain_text("another file from this page")
    page.get_by_role("button", name="Submit run").click()
    expect(page).to_have_url(re.compile(r"/runs/[a-z2-7]{16}/$"))
    assert team.runs.count() == 2


@pytest.mark.long
def test_a_file_that_is_too_large_is_not_sent(visit: Visitor, team) -> None:
    path, person = form_of(team)
    page = visit(path, person=person).page
    page.evaluate("document.getElementById('upload').dataset.maxBytes = 10")
    page.get_by_label("Run file").set_input_files(FILE)
    page.get_by_role("button", name="Submit run").click()
    expect(page.get_by_role("alert")).to_contain_text("The limit is")
    assert team.runs.count() == 0


@pytest.mark.long
def test_a_refused_upload_is_reported(visit: Visitor, team) -> None:
    path, person = form_of(team)
    page = visit(path, person=person).page
    type(team.campaign).objects.update(is_accepting=False)
    page.get_by_label("Run file").set_input_files(FILE)
    page.get_by_role("button", name="Submit run").click()
    expect(page.get_by_role("alert")).to_contain_text("does not accept submissions")


def test_a_run_is_followed_without_reloading(visit: Visitor, team) -> None:
    run = make_run(team=team, tag="", state=Run.State.WAITING, original_name="ours.run")
    visited = visit(run_path(run), person=team.memberships.get().person)
    page = visited.page
    expect(page.locator("[data-announce]")).to_contain_text("The run is waiting to be checked.")
    problem = {"code": "FIELDS", "line": 1207, "field": None, "value": "<i>a b", "message": "5"}
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.REFUSED,
        state_changed_at=timezone.now(),
        problems=[problem],
        problem_count=3,
        tag="late",
    )
    expect(page.locator("[data-announce]")).to_contain_text("Refused: the file has 3 problems.")
    expect(page.locator("#announced")).to_contain_text("Refused")
    expect(page.locator("h1")).to_have_text("late")
    expect(page.locator(".problems")).to_contain_text("line 1207")
    expect(page.locator(".problems code")).to_have_text("<i>a b")
    expect(page.locator("#run-status")).not_to_have_attribute("hx-get", re.compile("."))
    assert visited.complaints == []


@pytest.mark.long
def test_a_run_without_scripts_says_how_to_look_again(visit: Visitor, team) -> None:
    run = make_run(team=team, state=Run.State.CHECKING)
    page = visit(run_path(run), person=team.memberships.get().person, has_scripts=False).page
    page.get_by_role("link", name="Reload").click()
    expect(page.get_by_text("The file is being checked")).to_be_visible()


@pytest.mark.long
def test_a_person_who_logs_in_again_can_submit_from_the_old_page(visit: Visitor, team) -> None:
    path, person = form_of(team)
    page = visit(path, person=person).page
    page.get_by_label("Run file").set_input_files(FILE)
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.get_by_role("button", name="Submit run").click()
    expect(page.locator("#faults")).to_contain_text("Log in in another tab")
    page.context.add_cookies([each for each in cookies if each["name"] == "sessionid"])
    page.get_by_role("button", name="Submit run").click()
    expect(page).to_have_url(re.compile(r"/runs/[a-z2-7]{16}/$"))
    assert team.runs.count() == 1


@pytest.mark.long
def test_each_step_of_an_upload_is_announced_once(visit: Visitor, team) -> None:
    path, person = form_of(team)
    page = visit(path, person=person).page
    page.evaluate("""() => {
        window.told = [];
        const told = document.getElementById("status");
        new MutationObserver(() => window.told.push(told.textContent)).observe(
            told, {childList: true});
    }""")
    page.get_by_label("Run file").set_input_files(FILE)
    page.route("**/submit/", lambda route: route.fulfill(status=413))
    page.get_by_role("button", name="Submit run").click()
    expect(page.locator("#faults")).to_contain_text("too large")
    told = page.evaluate("window.told")
    assert told[0] == "Uploading the file"
    assert len(told) == len(set(told))
