"""Run files and the list of runs: one's own, everybody's where teams consent, and through other
eyes."""

import gzip

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Audience, Campaign, Run, Team
from tests.flow_world import World, run_file
from tests.making import make_team, make_user

pytestmark = pytest.mark.usefixtures("wake_ups")


def file_of(run: Run, browser: Client) -> HttpResponse:
    return browser.get(reverse("campaigns:run-file", args=[run.campaign.slug, run.public_id]))


def by_script(run: Run, browser: Client) -> HttpResponse:
    return browser.get(f"/api/campaigns/{run.campaign.slug}/runs/{run.public_id}/file/")


def list_of(world: World, browser: Client, **query: str) -> HttpResponse:
    return browser.get(reverse("campaigns:run-list", args=[world.campaign.slug]), query)


def test_a_team_and_the_organisers_get_the_file_as_it_was_submitted(world: World) -> None:
    data = run_file()
    run = world.submitted_run(data)
    for browser in (world.browser, world.organiser_client):
        for ask in (file_of, by_script):
            answer = ask(run, browser)
            assert b"".join(answer.streaming_content) == data
            assert answer["Content-Disposition"] == f'attachment; filename="{run.public_id}.txt"'
            assert answer["Content-Type"].startswith("text/plain")


def test_a_packed_file_stays_packed(world: World) -> None:
    data = gzip.compress(run_file())
    run = world.submitted_run(data)
    answer = file_of(run, world.browser)
    assert b"".join(answer.streaming_content) == data
    assert answer["Content-Disposition"] == f'attachment; filename="{run.public_id}.txt.gz"'
    assert answer["Content-Type"] == "application/gzip"


def test_the_file_of_a_refused_run_is_deleted(world: World) -> None:
    assert file_of(world.submitted_run(b""), world.browser).status_code == 404


@pytest.mark.parametrize("is_published", [False, True])
@pytest.mark.parametrize("consents", [False, True])
@pytest.mark.parametrize("is_anonymous", [False, True])
def test_others_get_it_after_publication_from_a_team_that_consents_and_has_a_name(
    world: World, is_published: bool, consents: bool, is_anonymous: bool
) -> None:
    run = world.submitted_run(run_file())
    Team.objects.filter(pk=world.team.pk).update(shares_files=consents, is_anonymous=is_anonymous)
    if is_published:
        world.change(board_audience=Audience.EVERYONE, run_files_audience=Audience.EVERYONE)
    rival, nobody = world.another_team(), Client()
    gets_it = is_published and consents and not is_anonymous
    assert file_of(run, rival).status_code == (200 if gets_it else 404)
    assert file_of(run, nobody).status_code == (200 if gets_it else 302)
    assert by_script(run, nobody).status_code == (200 if gets_it else 404)
    assert file_of(run, world.browser).status_code == 200


def test_a_hidden_list_and_none_at_all_are_the_same_to_nobody_in_particular(world: World) -> None:
    hidden = list_of(world, Client())
    nothing = Client().get(reverse("campaigns:run-list", args=["no-such-campaign"]))
    assert (hidden.status_code, nothing.status_code) == (302, 302)
    assert nothing.url == hidden.url.replace(world.campaign.slug, "no-such-campaign")


def test_the_runs_of_an_anonymous_team_are_listed_without_their_texts(world: World) -> None:
    person = make_user()
    team = make_team(world.campaign, person, name="The Ghosts")
    Team.objects.filter(pk=team.pk).update(is_anonymous=True)
    browser = Client()
    browser.force_login(person)
    run = world.submitted_run(
        run_file("ghostly"), browser=browser, description="Ghosts wrote this."
    )
    Run.objects.filter(pk=run.pk).update(
        disqualified_at=timezone.now(), disqualified_reason="Ghosts cheat."
    )
    world.change(runs_audience=Audience.EVERYONE, board_audience=Audience.EVERYONE)
    slug = world.campaign.slug
    for url in (f"/campaigns/{slug}/runs/", f"/campaigns/{slug}/runs.csv",
                f"/api/campaigns/{slug}/runs/"):  # fmt: skip
        for viewer in (Client(), world.browser):
            said = viewer.get(url).content.decode()
            assert run.public_id in said
            assert f"anonymous-{team.public_id[:6]}" in said
            for word in ("ghost", "Ghost", run.digest):
                assert word not in said
        assert "ghostly" in browser.get(url).content.decode()
        assert "The Ghosts" in world.organiser_client.get(url).content.decode()


def test_an_organiser_sees_the_list_as_the_public_and_as_a_team_will(world: World) -> None:
    run = world.submitted_run(run_file("ours"))
    world.submitted_run(b"", browser=world.another_team())
    assert list_of(world, world.organiser_client, **{"as": "public"}).status_code == 404
    shown = list_of(world, world.organiser_client, **{"as": "public", "at": "published"})
    assert [row.pk for row in shown.context["runs"]] == [run.pk]
    as_team = list_of(world, world.organiser_client, **{"as": world.team.public_id})
    assert [row.pk for row in as_team.context["runs"]] == [run.pk]
    # Whoever is no organiser sees through no other eyes.
    own = list_of(world, world.browser, **{"as": "public"})
    assert [row.pk for row in own.context["runs"]] == [run.pk]


def test_the_page_the_csv_and_the_api_list_the_same_runs(world: World) -> None:
    rival = world.another_team()
    world.submitted_run(run_file("theirs"), browser=rival)
    world.submitted_run(b"", browser=rival)
    world.submitted_run(run_file("ours"))
    world.withdraw(world.submitted_run(run_file("gone")))
    slug = world.campaign.slug
    counts = {}
    for is_shown in (False, True):
        Campaign.objects.update(runs_audience=Audience.EVERYONE if is_shown else 0)
        for name, browser in (
            ("own", world.browser),
            ("rival", rival),
            ("organiser", world.organiser_client),
        ):
            page = [run.public_id for run in list_of(world, browser).context["runs"]]
            lines = browser.get(f"/campaigns/{slug}/runs.csv").content.decode().splitlines()[1:]
            records = browser.get(f"/api/campaigns/{slug}/runs/").json()
            assert page == [line.split(",")[0] for line in lines]
            assert page == [record["id"] for record in records]
            counts[name, is_shown] = len(page)
    assert counts == {
        ("own", False): 2, ("rival", False): 2, ("organiser", False): 4,
        ("own", True): 3, ("rival", True): 3, ("organiser", True): 4,
    }  # fmt: skip
