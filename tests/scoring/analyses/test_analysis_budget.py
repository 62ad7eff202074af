"""New analyses cost their client a budget; robots are kept from asking for them."""

import re
from functools import partial
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from scoring.analyses.budget import NewAnalyses
from scoring.models import Analysis, Job
from tests.browser.boards import make_published_board
from tests.crowd import crowd
from tests.making import make_user

pytestmark = pytest.mark.django_db

TESTS = ("t", "wilcoxon", "randomisation")
THIRD = TESTS[2]
# URLs that make a worker compute something, or a table of it; none that organisers alone have.
COMPUTED = re.compile(
    r"href=\"\{% url 'scoring:"
    r"(?:(?:significance|agreement|compare|estimates|pools|report)[a-z-]*|(?!judging)[a-z-]+-(?:csv|latex))'"
)


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    monkeypatch.setattr(NewAnalyses, "rate", "2/hour", raising=False)
    cache.clear()
    return make_published_board("A", "B")


def ask(client: Client, board: Campaign, test: str, address: str = "10.0.0.1") -> int:
    url = reverse("scoring:significance", args=[board.slug])
    return client.get(url, {"test": test}, REMOTE_ADDR=address).status_code


def test_the_number_of_new_analyses_by_a_client_is_limited(board: Campaign, client: Client) -> None:
    assert [ask(client, board, test) for test in TESTS] == [200, 200, 429]
    assert Analysis.objects.count() == Job.objects.filter(kind=Job.Kind.ANALYSE).count() == 2
    assert ask(client, board, "t") == 200  # it is under way: no cost
    assert ask(client, board, THIRD, address="10.0.0.2") == 200
    assert ask(client, board, THIRD) == 200  # somebody else has asked for it


@pytest.mark.django_db(transaction=True)
def test_requests_at_once_cost_as_much_as_one_after_the_other(
    board: Campaign, own_connections: None
) -> None:
    choices = [
        {"test": test, "tail": tail, "against": against}
        for test in TESTS
        for tail in ("two", "one")
        for against in ("base", "top")
    ]
    url = reverse("scoring:significance", args=[board.slug])
    asks = [partial(Client().get, url, choice, REMOTE_ADDR="10.0.0.1") for choice in choices]
    answers = crowd(asks)
    assert sorted(answer.status_code for answer in answers) == [200] * 2 + [429] * 10
    assert Analysis.objects.count() == 2


def test_an_account_has_a_budget_of_its_own_wherever_it_is(board: Campaign) -> None:
    person = Client()
    person.force_login(make_user())
    answers = [ask(person, board, test, f"10.0.0.{n}") for n, test in enumerate(TESTS)]
    assert answers == [200, 200, 429]
    assert ask(Client(), board, THIRD, "10.0.0.20") == 200


def test_the_refusal_is_a_page_that_says_how_long_to_wait(board: Campaign, client: Client) -> None:
    for test in TESTS[:2]:
        ask(client, board, test)
    url = reverse("scoring:significance", args=[board.slug])
    response = client.get(url, {"test": THIRD}, REMOTE_ADDR="10.0.0.1", HTTP_ACCEPT="text/html")
    assert 3500 < int(response["Retry-After"]) <= 3600
    page = response.content.decode()
    assert "Wait 60 minutes" in page
    assert f'href="{url}"' in page


def test_the_board_is_shown_to_those_who_have_no_budget_left(
    board: Campaign, client: Client
) -> None:
    for test in TESTS[:2]:
        ask(client, board, test)
    url = reverse("scoring:leaderboard", args=[board.slug])
    assert client.get(url, REMOTE_ADDR="10.0.0.1").status_code == 200


def test_analyses_requested_by_the_leaderboard_do_not_count(
    board: Campaign, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every visitor's board asks the same. Else whoever has no budget would leave all others a
    board, kept in memory, on which no test was asked for."""
    monkeypatch.setattr(NewAnalyses, "rate", "0/hour")
    url = reverse("scoring:leaderboard", args=[board.slug])
    assert client.get(url, REMOTE_ADDR="10.0.0.1").status_code == 200
    kinds = set(Analysis.objects.values_list("kind", flat=True))
    assert kinds == {"significance", "rank_intervals"}
    assert ask(client, board, THIRD) == 429


def test_robots_must_not_follow_links_to_options(board: Campaign, client: Client) -> None:
    assert "Disallow: /*?" in client.get("/robots.txt").content.decode()
    url = reverse("scoring:significance", args=[board.slug])
    assert client.get(url, {"test": "t"})["X-Robots-Tag"] == "noindex, nofollow"
    assert not client.get(url).has_header("X-Robots-Tag")


def test_robots_must_not_follow_links_to_computed_pages(board: Campaign, client: Client) -> None:
    page = client.get(reverse("scoring:significance", args=[board.slug])).content.decode()
    nav = page.split('aria-label="Analysis"')[1].split("</nav>")[0]
    assert nav.count("<a ") == nav.count('rel="nofollow"') == 11


def test_scripts_are_refused_as_json_with_the_seconds_to_wait(
    board: Campaign, client: Client
) -> None:
    for test in TESTS[:2]:
        ask(client, board, test)
    url = reverse("api:significance", args=[board.slug])
    response = client.get(url, {"test": THIRD}, REMOTE_ADDR="10.0.0.1")
    assert (response.status_code, response["Content-Type"]) == (429, "application/json")
    assert response.json()["code"] == "too_many_analyses"
    assert int(response["Retry-After"]) > 0


def test_every_link_to_an_analysis_or_a_table_is_nofollow() -> None:
    """Also those without parameters, wherever they are."""
    links = [
        (path.name, link)
        for path in Path("templates").rglob("*.html")
        for link in re.findall(r"<a\s(?:\{%.*?%\}|\{\{.*?\}\}|[^>{])*>", path.read_text())
        if COMPUTED.search(link)
    ]
    assert len(links) > 50
    assert [link for link in links if 'rel="nofollow"' not in link[1]] == []
