"""New analyses cost their client a budget; robots are kept from asking for them."""

from functools import partial
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from scoring.analysis_budget import NewAnalyses
from scoring.models import Analysis, Job
from tests.browser.boards import make_published_board
from tests.crowd import crowd
from tests.making import make_user

pytestmark = pytest.mark.django_db

TESTS = ("t", "wilcoxon", "randomisation")
THIRD = TESTS[2]


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    monkeypatch.setattr(NewAnalyses, "rate", "2/hour", raising=False)
    cache.clear()
    return make_published_board("A", "B")


def ask(client: Client, board: Campaign, test: str, address: str = "10.0.0.1") -> int:
    url = reverse("scoring:significance", args=[board.slug])
    return client.get(url, {"test": test}, REMOTE_ADDR=address).status_code


def test_a_client_asks_for_so_many_new_analyses_and_no_more(
    board: Campaign, client: Client
) -> None:
    assert [ask(client, board, test) for test in TESTS] == [200, 200, 429]
    assert Analysis.objects.count() == Job.objects.filter(kind=Job.Kind.ANALYSE).count() == 2
    assert ask(client, board, "t") == 200  # it is under way: no cost
    assert ask(client, board, THIRD, address="10.0.0.2") == 200
    assert ask(client, board, THIRD) == 200  # somebody else has asked for it


@pytest.mark.django_db(transaction=True)
def test_requests_at_once_cost_as_much_as_one_after_the_other(
    board: Campaign, tmp_path: Path
) -> None:
    choices = [
        {"test": test, "tail": tail, "against": against}
        for test in TESTS
        for tail in ("two", "one")
        for against in ("base", "top")
    ]
    url = reverse("scoring:significance", args=[board.slug])
    asks = [partial(Client().get, url, choice, REMOTE_ADDR="10.0.0.1") for choice in choices]
    answers = crowd(asks, tmp_path)
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


def test_robots_are_told_not_to_follow_choices(board: Campaign, client: Client) -> None:
    assert "Disallow: /*?" in client.get("/robots.txt").content.decode()
    url = reverse("scoring:significance", args=[board.slug])
    assert client.get(url, {"test": "t"})["X-Robots-Tag"] == "noindex, nofollow"
    assert not client.get(url).has_header("X-Robots-Tag")
