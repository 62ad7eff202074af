"""The name of a run: what pages show, while its file keeps its tag."""

import csv
import html
import io

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Audience, Campaign, Run
from campaigns.runs import decisions
from scoring.evaluation.reading import parsed_run
from tests.flow_world import World, run_file
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user

pytestmark = pytest.mark.django_db
HOSTILE = "a<script>alert(1)</script>"


def rename(run: Run, person: object, name: str) -> str:
    client = Client()
    client.force_login(person)
    path = reverse("campaigns:run-rename", args=[run.campaign.slug, run.public_id])
    page = client.post(path, {"name": name}, follow=True).content.decode()
    run.refresh_from_db()
    return page


@pytest.fixture
def run() -> Run:
    campaign = make_campaign(
        stage=Campaign.Stage.OPEN, is_accepting=True, runs_audience=Audience.EVERYONE
    )
    return make_run(campaign, make_team(campaign, make_user()), tag="BM25(k1=0.9,b=0.4)")


def member(run: Run) -> object:
    return run.team.memberships.get().person


def test_a_run_is_named_as_its_tag_unless_its_team_types_a_name(world: World) -> None:
    first = world.submitted_run(run_file("Anserini"))
    second = world.submitted_run(
        run_file("Anserini", documents=("d3", "d2")), name=" A  second one "
    )
    assert (first.name, first.tag) == ("Anserini", "Anserini")
    assert (second.name, second.tag) == ("A second one", "Anserini")
    page = world.page_of(second)
    assert '<h1 id="run-name" >A second one</h1>' in page


def test_a_replacement_keeps_the_name(world: World) -> None:
    first = world.submitted_run(run_file("one"), name="Ours")
    second = world.submitted_run(run_file("two", documents=("d3", "d2")), replaces=first.public_id)
    assert (second.name, second.tag) == ("Ours", "two")


def test_a_team_renames_its_run_and_the_log_says_so(run: Run) -> None:
    page = rename(run, member(run), "Our  baseline")
    assert run.name == "Our baseline"
    assert "Our baseline" in page
    entry = run.campaign.log.get(verb="renamed run")
    assert entry.details == {"name": ["BM25(k1=0.9,b=0.4)", "Our baseline"]}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "has at least one character"),
        ("x" * 500, "has at most 64 characters, and this one has 500"),
        *((f"a{unseen}b", "contains only printable") for unseen in "\u202e\x00\x1b\u200b\u3164"),
        ("\u200b", "contains only printable"),
        *((name, "begins with a letter or a digit") for name in ("<b>x</b>", "=1+1", "@a", "/a")),
        ("a/", "does not end with '/'"),
        ("a/../b", "does not contain '..'"),
        ("a%2e", "does not contain '%'"),
    ],
)
def test_a_name_that_the_site_cannot_show_or_file_is_refused(
    run: Run, name: str, said: str
) -> None:
    page = html.unescape(rename(run, member(run), name))
    assert f"A run name {said}" in page
    assert "Write another name." in page
    assert run.name == ""


def test_a_tag_that_cannot_be_a_name_is_refused_until_its_team_types_one(world: World) -> None:
    data = run_file("=HYPERLINK(1)")
    refused = world.submitted_run(data)
    (problem,) = refused.problems
    assert (refused.state, problem["code"], problem["line"]) == ("refused", "TAG", 1)
    assert problem["message"] == (
        "a run name begins with a letter or a digit: "
        "submit the file with another run name (field Run name; in the API, name; in a "
        "table of imported runs, run_name), or "
        "change the tag"
    )
    run = world.submitted_run(data, name="Ours")
    assert (run.state, run.name, run.tag) == ("accepted", "Ours", "=HYPERLINK(1)")


def test_a_tag_of_more_characters_than_a_name_is_refused_until_its_team_types_one(
    world: World,
) -> None:
    data = run_file("x" * 80)
    (problem,) = world.submitted_run(data).problems
    assert problem["message"].startswith(
        "a run name has at most 64 characters, and this one has 80: "
        "submit the file with another run name (field Run name; in the API, name; in a table"
    )
    run = world.submitted_run(data, name="Ours")
    assert (run.state, run.name, run.tag) == ("accepted", "Ours", "x" * 80)
    (problem,) = world.submitted_run(run_file("x" * 1025), name="Longer").problems
    assert problem["message"] == "tag of 1,025 bytes, at most 1,024 allowed"


def test_a_run_that_an_older_release_accepted_is_read_again_whatever_its_tag(world: World) -> None:
    run = world.submitted_run(run_file("@old"), name="Ours")
    Run.objects.filter(pk=run.pk).update(name="")
    run.refresh_from_db()
    assert parsed_run(run, ["1", "2"])[0].tag == "@old"


def test_a_team_cannot_give_two_runs_one_name(run: Run) -> None:
    other = make_run(run.campaign, run.team, tag="other")
    assert "another run named other" in rename(run, member(run), "other")
    assert "another run named BM25" in rename(other, member(run), run.tag)
    assert "another run named OTHER (ignoring case)" in rename(run, member(run), "OTHER")
    assert run.name == ""


def test_a_tag_in_another_case_gets_a_number(world: World) -> None:
    world.submitted_run(run_file("Anserini"))
    second = world.submitted_run(run_file("anserini", documents=("d3", "d2")))
    assert (second.name, second.tag) == ("anserini-2", "anserini")


def test_a_name_is_the_same_however_unicode_encodes_it(run: Run) -> None:
    other = make_run(run.campaign, run.team, tag="other")
    assert rename(run, member(run), "Cafe\u0301")
    assert run.name == "Caf\xe9"
    for same in ("cafe\u0301", "CAF\xc9", "\uff23af\xe9"):
        assert "another run named" in rename(other, member(run), same)
    Run.objects.filter(pk=run.pk).update(name="Cafe\u0301")  # as an older release stored it
    assert "another run named Caf\xe9" in rename(other, member(run), "Caf\xe9")
    assert other.name == ""


def test_a_tag_that_unicode_encodes_in_another_way_gets_a_number(world: World) -> None:
    first = world.submitted_run(run_file("Caf\xe9"))
    second = world.submitted_run(run_file("Cafe\u0301", documents=("d3", "d2")))
    assert (first.name, first.tag) == ("Caf\xe9", "Caf\xe9")
    assert (second.name, second.tag) == ("Caf\xe9-2", "Cafe\u0301")
    assert "RENAMED" in [warning["code"] for warning in second.warnings]
    third = world.submitted_run(run_file("Te\u0301", documents=("d1", "d3")))
    assert third.name == "T\xe9"
    assert "RENAMED" not in [warning["code"] for warning in third.warnings]


def test_a_team_changes_the_case_of_a_name(run: Run) -> None:
    rename(run, member(run), "bm25(k1=0.9,b=0.4)")
    assert run.name == "bm25(k1=0.9,b=0.4)"


def test_two_requests_at_once_cannot_give_two_runs_one_name(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(run.campaign, run.team, tag="other")
    monkeypatch.setattr(decisions, "free_name", lambda run, wished: wished)  # not yet to be seen
    assert "another run named other" in rename(run, member(run), "other")
    assert run.name == ""


def test_only_organisers_rename_runs_after_publication(run: Run) -> None:
    Campaign.objects.filter(pk=run.campaign_id).update(stage=Campaign.Stage.PUBLISHED)
    assert "can no longer be renamed" in rename(run, member(run), "Better")
    rename(run, make_organiser(run.campaign), "Better")
    assert run.name == "Better"


def test_hostile_names_stay_text(run: Run) -> None:
    rename(run, member(run), HOSTILE)
    client = Client()
    client.force_login(make_organiser(run.campaign))
    page = client.get(reverse("campaigns:run-list", args=[run.campaign.slug])).content.decode()
    assert "a&lt;script&gt;alert(1)" in page
    assert HOSTILE not in page
    Run.objects.filter(pk=run.pk).update(name="=HYPERLINK(1)")  # as an older release accepted it
    answer = client.get(reverse("scoring:runs-csv", args=[run.campaign.slug]))
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert rows[0]["run"] == "'=HYPERLINK(1)"


def test_a_run_that_an_older_release_checked_is_named_as_its_tag(run: Run) -> None:
    assert (run.name, run.display_name) == ("", "BM25(k1=0.9,b=0.4)")
    page = Client().get(reverse("scoring:run-detail", args=[run.campaign.slug, run.public_id]))
    assert "BM25(k1=0.9,b=0.4)" in page.content.decode()
