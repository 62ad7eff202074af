"""The name of a run: what pages show, while its file keeps its tag."""

import csv
import io

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Audience, Campaign, Run
from campaigns.runs import decisions
from campaigns.runs.files import file_stem
from tests.flow_world import World, run_file
from tests.making import make_campaign, make_organiser, make_run, make_team, make_user

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"


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


@pytest.mark.parametrize("name", ["", "x" * 65, "a\u202eb", "a\x00b", "\u200b", "a\u3164"])
def test_a_name_that_nobody_can_read_is_refused(run: Run, name: str) -> None:
    assert "Write a name of at most 64 printable characters" in rename(run, member(run), name)
    assert run.name == ""


def test_a_team_cannot_give_two_runs_one_name(run: Run) -> None:
    other = make_run(run.campaign, run.team, tag="other")
    assert "another run named other" in rename(run, member(run), "other")
    assert "another run named BM25" in rename(other, member(run), run.tag)


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
    assert "&lt;script&gt;alert(1)" in page
    assert HOSTILE not in page
    rename(run, member(run), "=HYPERLINK(1)")
    answer = client.get(reverse("campaigns:runs-csv", args=[run.campaign.slug]))
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert rows[0]["run"] == "'=HYPERLINK(1)"


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("../../evil", "evil"),
        ("org/model", "org_model"),
        ("BM25(k1=0.9,b=0.4)", "BM25_k1_0.9_b_0.4"),
        ("splade++_ed", "splade++_ed"),
        ("a\\b:c*d", "a_b_c_d"),
    ],
)
def test_a_downloaded_file_has_a_safe_name(name: str, stem: str) -> None:
    assert file_stem(Run(name=name, public_id="id")) == stem
    assert file_stem(Run(name="con", public_id="id")) == "id"
    assert file_stem(Run(name="///", public_id="id")) == "id"


def test_a_run_that_an_older_release_checked_is_named_as_its_tag(run: Run) -> None:
    assert (run.name, run.display_name) == ("", "BM25(k1=0.9,b=0.4)")
    page = Client().get(reverse("scoring:run-detail", args=[run.campaign.slug, run.public_id]))
    assert "BM25(k1=0.9,b=0.4)" in page.content.decode()
