"""The client and the site that it is for."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.utils import timezone
from knox.models import AuthToken

import trackside as ts
from campaigns.models import Audience, Campaign
from tests.flow_world import World, perform_jobs, run_file, wake_ups, world

__all__ = ["wake_ups", "world"]  # fixtures

SCRIPT = Path(__file__).resolve().parents[3] / "docs" / "client.py"


@pytest.fixture
def site(world: World, live_server, monkeypatch: pytest.MonkeyPatch) -> ts.Site:
    """The live site for a participant; while the client waits, the work is done."""
    _, token = AuthToken.objects.create(world.participant)
    monkeypatch.setattr(time, "sleep", lambda seconds: perform_jobs())
    return ts.Site(live_server.url, token)


def test_a_run_is_submitted_once_and_scored(world: World, site: ts.Site) -> None:
    world.change(shows_own_scores=True)
    world.add_qrels()
    slug = world.campaign.slug
    first = site.submit(slug, run_file(), key="first", description="BM25")
    again = site.submit(slug, run_file(), key="first", description="BM25")
    assert first.status == "scored"
    assert set(first.scores["measure"]) >= {"AP", "RBP(p=0.5)"}
    assert again.id == first.id
    assert world.campaign.runs.count() == 1
    listed = site.runs(slug)
    assert (listed["id"], listed["name"], listed["run"]) == ([first.id], [first.name], [first.name])
    assert site.run(slug, first.id).name == first.name
    assert site.read_run(slug, first.id).to_dict() == ts.read_run(run_file()).to_dict()


def test_a_file_is_tried_and_not_submitted(world: World, site: ts.Site) -> None:
    tried = site.try_file(world.campaign.slug, run_file())
    assert (tried["tag"], tried["topics"], tried["lines"]) == ("ours", 2, 6)
    assert site.try_file(world.campaign.slug, run_file(), name="Our run")["name"] == "Our run"
    with pytest.raises(ts.SiteError) as refused:
        site.try_file(world.campaign.slug, b"1 Q0 d1 1 high tag\n")
    words = (
        "The file was refused. Nothing was stored.\nline 1: score is not a decimal number ('high')"
    )
    assert str(refused.value) == words
    assert not world.campaign.runs.exists()


def test_what_was_withdrawn_is_submitted_again(world: World, site: ts.Site) -> None:
    first = site.submit(world.campaign.slug, run_file())
    world.campaign.runs.update(withdrawn_at=timezone.now())
    again = site.submit(world.campaign.slug, run_file())
    assert again.id != first.id
    assert again.status != "withdrawn"


def test_a_refused_file_is_told_with_its_lines(world: World, site: ts.Site) -> None:
    with pytest.raises(ts.SiteError) as refused:
        site.submit(world.campaign.slug, b"1 Q0 d1 1 high tag\n")
    assert (
        str(refused.value) == "The run was refused.\nline 1: score is not a decimal number ('high')"
    )


def test_refusals_are_told_in_the_words_of_the_site(
    world: World, site: ts.Site, live_server
) -> None:
    world.change(is_accepting=False)
    with pytest.raises(ts.SiteError, match="This campaign does not accept submissions"):
        site.submit(world.campaign.slug, run_file())
    with pytest.raises(ts.SiteError, match="token"):
        ts.Site(live_server.url, "wrong").submit(world.campaign.slug, run_file())
    with pytest.raises(ts.SiteError, match="Not found, or you do not have access") as missing:
        site.board("nowhere")
    assert missing.value.code == "not_found"


def test_tables_of_the_site_are_read(world: World, site: ts.Site) -> None:
    world.change(shows_own_scores=True)
    world.add_qrels()
    slug = world.campaign.slug
    assert slug in site.campaigns()["slug"]
    assert site.campaign(slug)["stage"] == "open"
    assert len(site.topics(slug)) == site.campaign(slug)["topics"]


def test_every_table_has_the_fields_that_the_client_needs(world: World, site: ts.Site) -> None:
    world.add_qrels()
    slug = world.campaign.slug
    for tag in ("one", "two"):
        site.submit(slug, run_file(tag=tag), name=tag)
    world.change(stage=Campaign.Stage.PUBLISHED, board_audience=Audience.EVERYONE)
    world.change(qrels_audience=Audience.EVERYONE, per_topic_audience=Audience.EVERYONE)
    tables = {
        "run": (site.board(slug), site.scores(slug, "AP")),
        "topic": (site.scores(slug, "AP"), site.topic_means(slug, "AP")),
        "id": (site.runs(slug),),
        "a": (site.significance(slug, "AP"),),
        "measure_a": (site.agreement(slug, ["AP", "RBP(p=0.5)"]),),
        "version": (site.qrels(slug),),
        "code": (site.topics(slug),),
    }
    for column, found in tables.items():
        for table in found:
            assert len(table) > 0
            assert column in table.names
    assert len(site.read_qrels(slug, 1)) > 0


def test_a_revoked_token_is_told_what_to_do(world: World, live_server) -> None:
    stored, token = AuthToken.objects.create(world.participant)
    site = ts.Site(live_server.url, token)
    assert world.campaign.slug in site.campaigns()["slug"]
    stored.delete()  # as the button of the account page does
    with pytest.raises(ts.SiteError) as refused:
        site.submit(world.campaign.slug, run_file())
    assert (refused.value.code, refused.value.status) == ("authentication_failed", 401)
    assert "Invalid token" in str(refused.value)
    assert str(refused.value).endswith(
        "The token may be revoked or expired, or belong to another site. Create a new one on your "
        "account page."
    )
    assert not world.campaign.runs.exists()


def test_a_client_of_another_version_stores_nothing(
    world: World, site: ts.Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trackside.client.connection.API_VERSION", "2")
    monkeypatch.setattr("trackside.client.answers.API_VERSION", "2")
    monkeypatch.setattr("trackside.client.errors.API_VERSION", "2")
    with pytest.raises(ts.SiteError) as refused:
        site.submit(world.campaign.slug, run_file())
    assert (refused.value.code, refused.value.status) == ("api_version", 400)
    assert "has version 1 of the API, and this client, trackside" in str(refused.value)
    assert not world.campaign.runs.exists()


def test_a_page_of_the_site_is_not_its_api(live_server) -> None:
    """A URL with a path too many."""
    with pytest.raises(ts.SiteError) as refused:
        ts.Site(f"{live_server.url}/campaigns/").campaigns()
    assert "status 404 and the HTML page “" in str(refused.value)
    assert refused.value.code == "unexpected_response"


def test_the_example_of_the_documentation_is_short_and_tells_errors() -> None:
    assert len(SCRIPT.read_text().splitlines()) <= 20
    missing, usage = run_script("http://127.0.0.1:9", "a", "nowhere.txt"), run_script("a")
    assert (missing.returncode, missing.stdout) == (usage.returncode, usage.stdout) == (1, "")
    assert missing.stderr == "nowhere.txt: No such file or directory\n"
    assert "client.py SITE CAMPAIGN RUN_FILE [KEY]" in usage.stderr
    assert "Traceback" not in usage.stderr


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments],
        capture_output=True,
        text=True,
        cwd=SCRIPT.parents[1],
        env={"PYTHONPATH": str(SCRIPT.parents[1])},
    )
