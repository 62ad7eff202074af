"""Analyses by script: the rows of the pages' CSVs, no answer before there is one, and bad choices
refused in words."""

import csv
import io

import pytest
from django.test import Client

from campaigns.models import Campaign, Invitation, LogEntry
from scoring.worker import perform_waiting_jobs
from tests.campaigns.api.conftest import World, client_of, faulty
from tests.making import make_user
from tests.scoring.pools.test_pool_page import campaign
from tests.scoring.significance.test_significance_page import make_board, noisy

pytestmark = pytest.mark.django_db
__all__ = ["campaign"]


def rows_of(campaign: Campaign, name: str, query: str) -> tuple[list[dict], list[dict], list[dict]]:
    """By the page's CSV, the API's CSV and the API's JSON."""
    pages = {"topic-means": "topics.csv", "pool": "pools.csv"}
    here = f"/campaigns/{campaign.slug}/"
    texts = [
        Client().get(f"{here}{pages.get(name, f'{name}.csv')}{query}").content.decode(),
        Client().get(f"/api{here}{name}/{query}{'&' if query else '?'}format=csv").content.decode(),
    ]
    tables = [list(csv.DictReader(io.StringIO(text))) for text in texts]
    return tables[0], tables[1], Client().get(f"/api{here}{name}/{query}").json()


def as_cells(rows: list[dict]) -> list[dict[str, str]]:
    return [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows]


@pytest.mark.parametrize(
    ("name", "query", "count"),
    [
        ("topic-means", "", 4),
        ("topic-means", "?measure=AP", 4),
        ("agreement", "", 6),  # 4 measures: 6 pairs
        ("agreement", "?m=AP&m=nDCG@10&p=0.5", 1),
        ("agreement/runs", "?a=AP&b=nDCG@10", 6),
        ("significance", "", 15),  # 6 runs: 15 pairs
        ("significance", "?measure=AP&test=wilcoxon&correction=bh&level=0.01", 15),
        ("pool", "", 6),
        ("pool", "?measure=AP&depth=5", 6),
    ],
)
def test_rows_are_those_of_the_page(campaign: Campaign, name: str, query: str, count: int) -> None:
    Client().get(f"/api/campaigns/{campaign.slug}/{name}/{query}")
    perform_waiting_jobs(campaign)
    page, table, records = rows_of(campaign, name, query)
    assert page == table == as_cells(records)
    assert len(records) == count


def test_a_table_says_what_it_is(campaign: Campaign) -> None:
    found = Client().options(f"/api/campaigns/{campaign.slug}/agreement/runs/").json()
    assert found["name"] == "Agreement Runs"
    assert found["description"].startswith("One row for each run that has a score in both")


def test_until_it_is_computed_it_says_when_to_ask_again() -> None:
    board = make_board(noisy(0.8, 1), noisy(0.3, 2))
    url = f"/api/campaigns/{board.slug}/significance/"
    for form in ("", "?format=csv"):
        answer = Client().get(url + form)
        assert (answer.status_code, answer["Retry-After"]) == (202, "2")
        assert (answer.json()["code"], answer.json()["state"]) == ("computing", "waiting")
    perform_waiting_jobs(board)
    (row,) = Client().get(url).json()
    assert (row["a"], row["b"], row["significant"]) == ("r1", "r2", 1)
    assert row["difference"] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("topic-means/?measure=nDGC", "measure"),
        ("agreement/?m=AP&p=2", "from 0 to 0.999"),
        ("significance/?tail=three", "three"),
        ("significance/?correction=tukey&tail=one", "Tukey"),
        ("significance/?qrels=99", "99"),
        ("pool/?depth=7", "7"),
        ("pool/?format=xml", "xml"),
    ],
)
def test_an_invalid_option_is_refused_with_an_explanation(url: str, said: str) -> None:
    board = make_board(noisy(0.8, 1))
    answer = Client().get(f"/api/campaigns/{board.slug}/{url}")
    assert (answer.status_code, set(answer.json()) >= {"code", "message"}) == (400, True)
    assert said in answer.json()["message"]


# --- teams and their links ------------------------------------------------------------------------


def test_a_team_is_created_and_a_member_joins_by_its_link(world: World) -> None:
    organiser_client = client_of(world.organiser)
    made = organiser_client.post(f"{world.url}teams/", {"name": "Made"}, format="json")
    assert (made.status_code, made.json()["members"]) == (201, [])
    team = made.json()["id"]
    link = organiser_client.post(f"{world.url}teams/{team}/invitations/")
    assert (link.status_code, link.json()["team"]) == (201, team)
    alice, browser = make_user("alice@example.org"), Client()
    browser.force_login(alice)
    assert browser.post(link.json()["url"]).status_code == 302
    (row,) = [
        each for each in organiser_client.get(f"{world.url}teams/").json() if each["id"] == team
    ]
    assert row["members"] == ["alice@example.org"]
    assert LogEntry.objects.filter(verb="created team", actor=world.organiser).count() == 1
    assert Invitation.objects.count() == 1


def test_a_team_needs_a_name_that_can_be_seen(world: World) -> None:
    organiser_client = client_of(world.organiser)
    for body, code in (
        ({}, "required"),
        ({"name": "\u200b"}, "invalid"),
        ({"nom": "x"}, "unknown"),
    ):
        answer = organiser_client.post(f"{world.url}teams/", body, format="json")
        assert code in [code for _, code in faulty(answer)]
    stranger = client_of(make_user())
    assert stranger.post(f"{world.url}teams/", {"name": "A"}, format="json").status_code == 404
