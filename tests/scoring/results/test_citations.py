"""A board is cited by a URL that never changes, and everywhere in the same words; names on a
snapshot's page are the names that were given."""

import html
import re
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from campaigns.access import organiser_or_404
from campaigns.models import Audience, Campaign, User
from scoring.downloads.snapshots import board_of, create_snapshot
from scoring.models import Snapshot
from tests.agreement_boards import RBP, get, make_board
from tests.making import give_file, make_organiser

pytestmark = pytest.mark.django_db
EVERYONE = Audience.EVERYONE
NAMES = ("=1+1", "+plus", "-5", "@at|bar", "plain", "'quoted'")


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_board(measures=["AP"], per_topic_audience=EVERYONE, qrels_audience=EVERYONE)
    give_file(campaign.active_qrels)
    return campaign


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


def taken(campaign: Campaign, organiser: User) -> Snapshot:
    viewer = organiser_or_404(organiser, campaign.slug)
    return create_snapshot(viewer=viewer, actor=organiser, title="As in the paper")


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def board_pages(campaign: Campaign) -> list[str]:
    Campaign.objects.filter(pk=campaign.pk).update(runs_audience=EVERYONE)
    pages = [
        get(name, campaign).content.decode() for name in ("leaderboard", "downloads", "report")
    ]
    assert all(page.count('<details id="cite">') == 1 for page in pages)
    return pages


def test_every_page_cites_the_newest_snapshot_in_the_same_words(
    campaign: Campaign, organiser: User
) -> None:
    snapshot = taken(campaign, organiser)
    url = f"http://testserver/snapshots/{snapshot.public_id}/"
    when = f"{snapshot.created_at.day} {snapshot.created_at:%B %Y}"
    line = f"As in the paper, {campaign.name}. Leaderboard as of {when}, qrels v1. {url}"
    for page in [Client().get(url).content.decode(), *board_pages(campaign)]:
        assert line in words(page)
        assert f'<a href="{url}">' in page
        assert f"@dataset{{{campaign.slug}-{snapshot.public_id}," in words(page)
        assert "urldate" not in page
    organisers = f"author = {{{{The organisers and participants of {campaign.name}}}}}"
    Snapshot.objects.update(doi="10.5281/zenodo.1")
    for page in board_pages(campaign):  # also those that are cached
        assert '<a href="https://doi.org/10.5281/zenodo.1">' in page
        assert organisers in words(page)


def test_without_a_snapshot_the_leaderboard_is_cited_with_the_day(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"http://testserver/campaigns/{campaign.slug}/leaderboard/"
    for day in ("2026-11-29", "2026-11-30"):  # the page is cached for one day at most
        now = datetime.fromisoformat(f"{day}T12:00:00+00:00")
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        line = f"{campaign.name}. Leaderboard as of {now.day} November 2026, qrels v1. {url}"
        for page in board_pages(campaign):
            assert line in words(page)
            assert "so this cites the leaderboard as it is today. It may change." in words(page)
            assert f"urldate = {{{day}}}" in words(page)
            assert f"url = {{{url}}}" in words(page)


def test_a_link_has_the_host_that_the_reader_uses(campaign: Campaign, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["one.example", "two.example"]
    path = f"/campaigns/{campaign.slug}/leaderboard/"
    Client(SERVER_NAME="one.example").get(path)  # requests analyses, so this page is not cached
    for host in settings.ALLOWED_HOSTS:
        page = words(Client(SERVER_NAME=host).get(path).content.decode())
        assert f"url = {{http://{host}{path}}}" in page


def test_a_run_is_cited_with_its_name_and_team(campaign: Campaign) -> None:
    run = campaign.runs.select_related("team").first()
    path = f"/campaigns/{campaign.slug}/runs/{run.public_id}/"
    Campaign.objects.filter(pk=campaign.pk).update(runs_audience=EVERYONE)
    page = words(Client().get(path).content.decode())
    assert f"{run.tag}, {run.team}. In: {campaign.name}. Leaderboard as of" in page
    assert f"@dataset{{{campaign.slug}-{run.public_id}," in page
    assert f"note = {{Run: {run.tag}, {run.team}. Definitions" in page
    team = run.team
    team.is_anonymous = True
    team.save(update_fields=["is_anonymous"])
    assert str(team) not in Client().get(path).content.decode()
    Campaign.objects.filter(pk=campaign.pk).update(board_audience=Audience.ORGANISERS)
    assert "How to cite" not in Client().get(path).content.decode()


def test_a_snapshot_shows_names_without_the_guard_of_its_file(
    campaign: Campaign, organiser: User
) -> None:
    for run, name in zip(campaign.runs.order_by("pk"), NAMES, strict=False):
        campaign.runs.filter(pk=run.pk).update(tag=name)
        run.team.name = name
        run.team.save(update_fields=["name"])
    board = board_of(taken(campaign, organiser), RBP)
    shown = {row.run for row in board.rows}
    assert shown == {row.team for row in board.rows} == set(NAMES[: len(board.rows)])
    assert len(shown) == 4


def test_the_badge_is_offered_where_everybody_sees_the_board(
    campaign: Campaign, organiser: User
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(name='A "quoted" <name>')
    page = get("downloads", campaign).content.decode()
    snippet = html.unescape(re.search(r'id="link" value="([^"]*)"', page)[1])
    here = f"http://testserver/campaigns/{campaign.slug}"
    assert f'<a href="{here}/leaderboard/"><img src="{here}/badge.svg"' in snippet
    assert 'alt="Leaderboard of A &quot;quoted&quot; &lt;name&gt;"' in snippet
    assert Client().get(f"{here}/badge.svg").status_code == 200
    Campaign.objects.filter(pk=campaign.pk).update(board_audience=0)
    hidden = get("downloads", campaign, person=organiser).content.decode()
    assert "badge.svg" not in hidden


def test_the_key_of_tau_ap_says_what_ties_do(campaign: Campaign) -> None:
    """RR ties two runs of `agreement_boards.SCORES`; AP and RBP tie none."""
    said = "has a τ_AP below 1 even with itself"
    tied = make_board()
    assert said in words(get("agreement", tied, "?statistic=tau_ap").content.decode())
    assert said not in words(get("agreement", tied, "?statistic=tau").content.decode())
    assert said not in words(
        get("agreement", campaign, "?statistic=tau_ap&m=AP&ref=AP").content.decode()
    )
