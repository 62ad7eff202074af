"""Long tables have pages, long pictures show a sample and say so, downloads hold everything."""

import csv
import io
import json
import re

import numpy as np
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Audience, Campaign, Membership, Team
from scoring.core.data.artefacts import pack_vector
from scoring.models import Score
from tests.making import make_campaign, make_organiser, make_qrels, make_run, make_scores, make_user
from tests.scoring.leaderboard.test_board_page import SHOWN

pytestmark = pytest.mark.django_db

TOPICS = 600


@pytest.fixture
def campaign() -> Campaign:
    codes = tuple(f"t{number:03d}" for number in range(TOPICS))
    campaign = make_campaign(topics=codes, measures=["AP"], persistences=[0.5], **SHOWN)
    make_qrels(campaign)
    random = np.random.default_rng(1)
    for tag in ("one", "two", "three"):
        found = make_scores(make_run(campaign, tag=tag), {"RBP(p=0.5)": (0.5, 0.1)})
        bases = random.random(TOPICS)
        Score.objects.filter(evaluation=found).update(bases=pack_vector(bases))
    return campaign


def get(campaign: Campaign, name: str, *parts: str, **asked: str) -> HttpResponse:
    return Client().get(reverse(f"scoring:{name}", args=[campaign.slug, *parts]), asked)


def run_id(campaign: Campaign) -> str:
    return campaign.runs.get(tag="one").public_id


def figure(page: str, name: str) -> dict:
    found = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', page)
    assert found is not None
    return json.loads(found[1])


def leads_to_the_table(page: str) -> bool:
    """Whether the next page is read from the table on: above it are pictures and other tables."""
    links = re.findall(r'href="\?[^"#]*(#[^"]*)?" rel="(?:next|prev)"', page)
    return bool(links) and all(link and f' id="{link[1:]}"' in page for link in links)


@pytest.mark.parametrize(
    ("name", "row", "picture"),
    [
        ("topic-list", r'<tr data-topic="(t\d+)"', "topics-by-run"),
        ("run-detail", r'<tr data-topic="(t\d+)"', "topic-bars"),
        ("compare", r'<th scope="row"><a href="[^"]*/topics/(t\d+)/', "differences"),
    ],
)
def test_every_topic_is_on_one_page_and_the_picture_says_what_it_leaves_out(
    campaign: Campaign, name: str, row: str, picture: str
) -> None:
    parts = [run_id(campaign)] if name == "run-detail" else []
    seen: list[str] = []
    for number in ("1", "2", "3"):
        page = get(campaign, name, *parts, page=number).content.decode()
        table = page.partition('class="scores')[2]
        seen += re.findall(row, table)
        assert ("page=2" in page) == (number != "2")
        assert leads_to_the_table(page)
        assert "The chart shows 250 of 600 topics" in page
        drawn = figure(page, picture)["data"][0]
        assert len(drawn["y"]) == 250
    assert len(seen) == TOPICS
    assert len(set(seen)) == TOPICS
    assert get(campaign, name, *parts, page="4").status_code == 404


def test_downloads_hold_what_pages_divide(campaign: Campaign) -> None:
    for name, parts, lines in (
        ("topics-csv", [], TOPICS),
        ("topic-matrix-csv", [], 3 * TOPICS),
        ("compare-csv", [], TOPICS),
        ("run-csv", [run_id(campaign)], 1 + TOPICS),
    ):
        answer = get(campaign, name, *parts)
        rows = list(csv.reader(io.StringIO(answer.getvalue().decode())))
        assert (name, len(rows)) == (name, lines + 1)


def test_the_overview_shows_the_first_of_many_topics(campaign: Campaign) -> None:
    page = Client().get(reverse("campaigns:campaign-detail", args=[campaign.slug]))
    text = page.content.decode()
    assert text.count('<tr><th scope="row">t') == 100
    assert "The first 100 of 600 topics" in text


def test_a_choice_that_is_unknown_links_to_some_of_many(campaign: Campaign) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("trackside.errors.LINKED", 2)
        answer = get(campaign, "compare", a="nothing")
    assert answer.status_code == 404
    assert "And 1 more." in answer.content.decode()


def test_people_have_pages_and_teams_are_merged_by_choice() -> None:
    """300 teams were 4.9 MB: each had a list of all the others."""
    campaign = make_campaign()
    organiser = make_organiser(campaign)
    now = timezone.now()
    Team.objects.bulk_create(
        Team(campaign=campaign, name=f"Team {number:03d}", approved_at=now if number > 60 else None)
        for number in range(300)
    )
    for team in campaign.teams.all()[:5]:
        person = make_user()
        Membership.objects.create(campaign=campaign, person=person, role="participant", team=team)
    browser = Client()
    browser.force_login(organiser)
    here = reverse("campaigns:people", args=[campaign.slug])
    seen: set[str] = set()
    for number in range(1, 6):
        answer = browser.get(here, {"teams": number, "waiting": 2})
        page = answer.content.decode()
        assert len(page) < 150_000
        assert leads_to_the_table(page)
        seen |= set(re.findall(r"Team \d{3}", page.partition("Teams that take part")[2]))
        assert f"teams={number + 1}&amp;waiting=2" in page or number == 5
    assert len(seen) == 239
    first, other = campaign.teams.exclude(approved_at=None)[:2]
    merge = reverse("campaigns:team-merge", args=[campaign.slug, first.public_id])
    choice = browser.get(merge)
    assert choice.status_code == 200
    assert choice.content.decode().count("<option") == 239
    assert "into" in browser.get(merge, {"into": other.public_id}).content.decode()
    assert browser.get(merge, {"into": first.public_id}).status_code == 400


def test_only_few_similar_topics_are_named(campaign: Campaign) -> None:
    """Their distances grow with the square: 6,980 topics took all the memory of a web process."""
    page = get(campaign, "topic-list").content.decode()
    assert "hardest first" in page
    assert "by similarity" not in page
    for name in ("topic-list", "topic-matrix-csv"):
        assert get(campaign, name, order="likeness").status_code == 404


@pytest.mark.parametrize(
    ("view", "size", "url", "row"),
    [
        ("campaigns.runs.list_views", "ROWS", "runs/", r'<tr data-run="([^"]+)"'),
        ("scoring.topics.views", "RUNS", "topics/t007/", r'data-run="([^"]+)"'),
        ("scoring.downloads.views", "RUNS", "downloads/", r'/runs/([^/"]+)/"'),
    ],
)
def test_lists_by_run_have_pages(
    view: str,
    size: str,
    url: str,
    row: str,
    campaign: Campaign,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """2,000 runs were 640 kB to 1.3 MB of HTML."""
    Campaign.objects.filter(pk=campaign.pk).update(runs_audience=Audience.EVERYONE)
    monkeypatch.setattr(f"{view}.{size}", 2)
    seen: list[str] = []
    for number in ("1", "2"):
        answer = Client().get(f"/campaigns/{campaign.slug}/{url}", {"page": number})
        page = answer.content.decode()
        assert leads_to_the_table(page)
        seen += dict.fromkeys(re.findall(row, page))
    assert sorted(seen) == sorted(campaign.runs.values_list("public_id", flat=True))
