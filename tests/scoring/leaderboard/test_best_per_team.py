"""The view with the best run of each team, and the line about the viewer's own runs."""

import csv
import io
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, User
from tests.making import make_campaign, make_qrels, make_run, make_scores, make_team, make_user
from tests.scoring.leaderboard.test_board_page import RBP, SHOWN
from tests.scoring.leaderboard.test_significance_bars import bars
from tests.scoring.significance.test_significance_page import (
    answered,
    give_vector,
    make_board,
    noisy,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def member() -> User:
    return make_user("member@example.org")


@pytest.fixture
def campaign(member: User) -> Campaign:
    campaign = make_campaign(slug="teams", **SHOWN)
    make_qrels(campaign)
    ours = make_team(campaign, member, name="Ours")
    theirs, third, late = (make_team(campaign, name=name) for name in ("Theirs", "Third", "Late"))
    for team, tag, base, run_type, is_late in (
        (theirs, "t1", 0.9, "automatic", False),
        (theirs, "t2", 0.8, "manual", False),
        (ours, "o1", 0.7, "manual", False),
        (ours, "o2", 0.6, "automatic", False),
        (third, "x1", 0.7, "automatic", False),
        (late, "l1", 0.95, "automatic", True),
    ):
        run = make_run(campaign, team, tag=tag, run_type=run_type, is_late=is_late)
        make_scores(run, {RBP: (base, 0.05)})
    return campaign


def get(name: str, query: dict[str, Any], person: User | None = None) -> HttpResponse:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client.get(reverse(name, args=["teams"]), query)


def rows(**query: str) -> list[tuple[str, str]]:
    """The ranks and tags in the CSV, which are those of the API and the page."""
    query = {"runs": "best", "measure": RBP} | query
    table = csv.DictReader(io.StringIO(get("scoring:leaderboard-csv", query).content.decode()))
    found = [(row["rank"], row["run"]) for row in table]
    records = get("api:leaderboard", query).json()
    assert [(str(row["rank"]), row["run"]) for row in records] == found
    page = get("scoring:leaderboard", query).content.decode()
    assert [page.count(f">{tag}</a>") for _, tag in found] == [1] * len(found)
    assert page.count("<tr data-run=") == len(found)
    return found


def test_each_team_has_its_best_ranked_run_and_the_runs_are_ranked_again(
    campaign: Campaign,
) -> None:
    assert rows() == [("1", "t1"), ("2", "o1"), ("2", "x1")]


def test_the_best_run_is_that_by_the_leading_measure_whatever_measure_is_shown() -> None:
    """By AP, t2 is better than t1 and first of all runs, and o1 has no score."""
    campaign = make_campaign(slug="teams", measures=[RBP, "AP"], leading_measure=RBP, **SHOWN)
    make_qrels(campaign)
    theirs, ours = (make_team(campaign, name=name) for name in ("Theirs", "Ours"))
    for team, tag, scores in (
        (theirs, "t1", {RBP: (0.9, 0.05), "AP": (0.3, None)}),
        (theirs, "t2", {RBP: (0.8, 0.05), "AP": (0.6, None)}),
        (ours, "o1", {RBP: (0.7, 0.05), "AP": (0.4, None)}),
    ):
        make_scores(make_run(campaign, team, tag=tag), scores)
    assert rows() == [("1", "t1"), ("2", "o1")]
    assert rows(measure="AP") == [("1", "o1"), ("2", "t1")]
    page = get("scoring:leaderboard", {"runs": "best", "measure": "AP"}).content.decode()
    assert "Each team has only its best run by RBP(p=0.5), the leading measure." in page
    filtered = {"runs": "best", "measure": "AP", "type": "automatic"}
    page = get("scoring:leaderboard", filtered).content.decode()
    assert "only its best matching run by RBP(p=0.5), the leading measure, and ranks" in page
    latex = get("scoring:leaderboard-latex", {"runs": "best", "measure": "AP"}).content.decode()
    assert "Only the best run of each team by RBP(p=0.5) is ranked." in latex


def test_latex_says_that_each_team_has_one_run(campaign: Campaign) -> None:
    captions = [
        get("scoring:leaderboard-latex", query).content.decode().split(r"\caption{")[1]
        for query in ({"runs": "best"}, {})
    ]
    assert ["best run of each team" in caption for caption in captions] == [True, False]


def test_filters_of_runs_choose_before_and_a_team_keeps_its_rank(campaign: Campaign) -> None:
    assert rows(type="automatic") == [("1", "t1"), ("2", "x1"), ("3", "o2")]
    assert rows(type="manual") == [("1", "t2"), ("2", "o1")]
    team = campaign.teams.get(name="Ours").public_id
    assert rows(team=team, type="automatic") == [("3", "o2")]


def test_the_page_says_that_one_run_of_each_team_is_shown_and_how_to_see_all(
    campaign: Campaign,
) -> None:
    page = get("scoring:leaderboard", {"runs": "best", "measure": RBP}).content.decode()
    assert "Each team has only its best run by RBP(p=0.5), the leading measure." in page
    assert '<option value="best" selected>best per team</option>' in page
    assert '<a href="?measure=RBP%28p%3D0.5%29">Show all runs</a>' in page
    every = get("scoring:leaderboard", {"runs": "all"}).content.decode()
    assert every.count("<tr data-run=") == 6
    assert get("scoring:leaderboard", {"runs": "worst"}).status_code == 404
    assert get("api:leaderboard", {"runs": "worst"}).status_code == 400


def test_bars_join_the_best_runs_by_the_test_of_all_runs() -> None:
    board = make_board(noisy(0.8, 1), noisy(0.79, 2), noisy(0.5, 3))
    give_vector(make_run(board, board.runs.get(tag="r1").team, tag="second"), noisy(0.795, 4))
    assert [len(each) for each in bars(answered("leaderboard", board))] == [1, 1, 1, 1]
    best = answered("leaderboard", board, runs="best")
    assert bars(best) == [("a start",), ("a end",), ("",)]
    assert "ranks 1–2" in best.content.decode()


def test_members_see_their_own_best_run_and_nobody_else_does(
    campaign: Campaign, member: User
) -> None:
    said = "Your team’s best run, <b>o1</b>, has rank 3."
    team = campaign.teams.get(name="Ours").public_id
    page = get("scoring:leaderboard", {}, member).content.decode()
    assert said in page
    assert f'<a href="?team={team}">Show only your team’s runs</a>' in page
    assert page.count('<span class="tag-own">yours</span>') == 2
    for other in (None, make_user("stranger@example.org")):
        page = get("scoring:leaderboard", {}, other).content.decode()
        assert "Your team" not in page
        assert "yours" not in page
