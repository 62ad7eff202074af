"""An anonymous team is not named to others before the reveal: no tag, no name, no word of its own,
on no page, in no file, chart or answer of the API; and from that microsecond on it is."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve, reverse

from campaigns import access
from campaigns.models import Campaign, Run, Team, User
from tests.making import (
    make_campaign,
    make_organiser,
    make_qrels,
    make_run,
    make_scores,
    make_team,
    make_user,
)

pytestmark = pytest.mark.django_db

REVEAL = datetime(2026, 6, 1, 12, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SECRETS = ("Hidden Team", "secretrun", "secret words", "secretfile", "5ec4e7" * 10 + "5ec4")


@dataclass(frozen=True)
class World:
    campaign: Campaign
    run: Run
    team: Team
    mate: User
    rival: User
    organiser: User


@pytest.fixture
def world() -> World:
    campaign = make_campaign(
        slug="masked",
        stage=Campaign.Stage.PUBLISHED,
        is_accepting=False,
        allows_anonymous_teams=True,
        reveals_teams_at=REVEAL,
        **Campaign._meta.get_field("stage_switches").default()["published"],
    )
    Campaign.objects.filter(pk=campaign.pk).update(run_files_audience=2)
    mate, rival = make_user(), make_user()
    team = make_team(campaign, mate, name="Hidden Team")
    Team.objects.filter(pk=team.pk).update(is_anonymous=True, shares_files=True)
    make_qrels(campaign)
    run = make_run(
        campaign,
        team,
        tag="secretrun",
        description="secret words",
        original_name="secretfile.txt",
        digest=SECRETS[-1],
    )
    make_scores(run, {"AP": (0.5, None), "RBP(p=0.5)": (0.5, 0.1), "Judged@10": (0.9, None)})
    other = make_run(campaign, make_team(campaign, rival, name="Seen Team"), tag="seenrun")
    make_scores(other, {"AP": (0.4, None), "RBP(p=0.5)": (0.4, 0.1), "Judged@10": (0.9, None)})
    return World(campaign, run, team, mate, rival, make_organiser(campaign))


def addresses(
    world: World, patterns: list[URLPattern | URLResolver] | None = None, space: str = ""
) -> Iterator[str]:
    """Every address of the site that this campaign, its run and its topic have values for."""
    values = {
        "slug": world.campaign.slug,
        "public_id": world.run.public_id,
        "code": "1",
        "version": 1,
        "stage": "published",
    }
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from addresses(world, pattern.url_patterns, space + inner)
        elif "slug" in pattern.pattern.converters:
            wanted = pattern.pattern.converters
            if set(wanted) <= set(values) and pattern.name:
                yield reverse(space + pattern.name, kwargs={k: values[k] for k in wanted})


def look(client: Client, url: str) -> str:
    answer = client.get(url)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    headers = "".join(f"{name}: {value}\n" for name, value in answer.headers.items())
    return headers + body.decode("utf-8", errors="replace")


QUERIES = ("", "?team=Hidden+Team", "?format=csv", "?measure=AP", "?measure=RBP(p=0.5)&sort=run")


def crawl(
    person: User | None, addresses: Iterable[str], queries: tuple[str, ...] = ("",)
) -> dict[str, str]:
    client = Client(raise_request_exception=False)  # the qrels of this world have no file
    if person is not None:
        client.force_login(person)
    return {url + query: look(client, url + query) for url in addresses for query in queries}


def boards() -> list[str]:
    """The page, its CSV and the API's answer."""
    names = ("scoring:leaderboard", "scoring:leaderboard-csv", "api:leaderboard")
    return [reverse(name, args=["masked"]) for name in names]


def told(pages: dict[str, str]) -> set[tuple[str, str]]:
    """(address, secret) wherever one is told; what was asked for is not an answer's secret."""
    found = set()
    for url, page in pages.items():
        asked = "Hidden Team" if "Hidden" in url else None
        found |= {(url, s) for s in SECRETS if s in page and s != asked}
    return found


@pytest.mark.parametrize(
    ("who", "queries"),
    [
        ("rival", QUERIES[:2]),
        *(
            pytest.param(who, queries, marks=pytest.mark.long, id=f"{who}-{len(queries)}")
            for who, queries in (
                ("nobody", QUERIES), ("stranger", QUERIES), ("rival", ("", *QUERIES[2:])),
            )
        ),
    ],
)  # fmt: skip
def test_before_the_reveal_others_see_no_name(
    who: str, queries: tuple[str, ...], world: World
) -> None:
    person = {"nobody": None, "stranger": make_user(), "rival": world.rival}[who]
    with time_machine.travel(REVEAL - MICROSECOND, tick=False):
        pages = crawl(person, addresses(world), queries)
    assert len(pages) > 40
    assert told(pages) == set()
    board = pages[reverse("scoring:leaderboard", args=["masked"])]
    assert f"run-{world.run.public_id[:6]}" in board
    assert f"anonymous-{world.team.public_id[:6]}" in board


@pytest.mark.parametrize("who", ["nobody", "rival"])
def test_at_the_reveal_the_board_its_csv_and_the_api_name_the_team(who: str, world: World) -> None:
    person = {"nobody": None, "rival": world.rival}[who]
    with time_machine.travel(REVEAL, tick=False):
        pages = crawl(person, boards())
    for url, page in pages.items():
        assert "secretrun" in page, url
        assert "Hidden Team" in page, url


@pytest.mark.parametrize("who", ["mate", "organiser"])
def test_the_team_itself_and_the_organisers_see_its_names_all_along(who: str, world: World) -> None:
    person = {"mate": world.mate, "organiser": world.organiser}[who]
    with time_machine.travel(REVEAL - MICROSECOND, tick=False):
        pages = crawl(person, boards())
    for url, page in pages.items():
        assert "secretrun" in page, url


def test_an_organiser_who_looks_as_the_public_sees_no_name(world: World) -> None:
    client = Client()
    client.force_login(world.organiser)
    url = reverse("scoring:leaderboard", args=["masked"]) + "?as=public"
    with time_machine.travel(REVEAL - MICROSECOND, tick=False):
        page = look(client, url)
    assert "secretrun" not in page
    assert "Hidden Team" not in page


def test_without_a_date_a_team_stays_anonymous(world: World) -> None:
    Campaign.objects.filter(pk=world.campaign.pk).update(reveals_teams_at=None)
    with time_machine.travel(REVEAL + timedelta(days=3650), tick=False):
        viewer = access.viewer_or_404(world.rival, "masked")
        run = access.runs_visible_to(viewer).get(pk=world.run.pk)
    assert (run.shown_name, run.shown_team) == (
        f"run-{world.run.public_id[:6]}",
        f"anonymous-{world.team.public_id[:6]}",
    )


def test_the_crawl_reaches_the_pages_that_show_names(world: World) -> None:
    for url in addresses(world):
        try:
            resolve(url)
        except Resolver404:
            pytest.fail(url)
    names = {resolve(url).view_name for url in addresses(world)}
    assert {"scoring:leaderboard", "scoring:run-detail", "api:leaderboard"} <= names
