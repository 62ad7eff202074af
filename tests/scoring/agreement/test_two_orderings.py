"""Two orders of the runs side by side: who moves, which pairs swap, and who may see it."""

import re
from itertools import combinations

import numpy as np
import pytest
from django.test import Client

from campaigns.models import Audience, Team
from scoring.agreement import views
from tests.agreement_boards import RBP, figure, finding, get, make_board, table
from tests.making import make_organiser, make_qrels, make_run, make_scores, make_team, make_user

pytestmark = pytest.mark.django_db
FILES = ("agreement-csv", "agreement-runs-csv", "agreement-swaps-csv")


def test_swapped_pairs_are_counted_and_listed_from_the_top() -> None:
    scores = {RBP: (0.8, 0.7, 0.6, 0.5, 0.4), "AP": (0.7, 0.8, 0.5, 0.1, 0.4)}
    campaign = make_board(scores, measures=["AP"])
    assert finding(campaign, "?a=RBP(p=0.5)&b=AP") == (
        "2 of the 10 pairs of 5 runs are swapped: τ .600. a has rank 1 by RBP(p=0.5), b by AP."
    )
    swaps = table(get("agreement-swaps-csv", campaign, "?a=RBP(p=0.5)&b=AP"))
    assert [(row["depth"], row["first_by_a"], row["first_by_b"]) for row in swaps] == [
        ("2", "a", "b"),
        ("5", "d", "e"),
    ]
    by_the_api = (
        Client().get(f"/api/campaigns/{campaign.slug}/agreement/swaps/?a=RBP(p=0.5)&b=AP").json()
    )
    assert [{key: str(value) for key, value in row.items()} for row in by_the_api] == swaps
    in_latex = get("agreement-swaps-latex", campaign, "?a=RBP(p=0.5)&b=AP").content.decode()
    assert r"2 & a & 1 & 2 & b & 2 & 1 \\" in in_latex


def test_tied_pairs_are_not_swapped() -> None:
    campaign = make_board()
    assert finding(campaign, "?a=RBP(p=0.5)&b=RR") == (
        "1 of the 6 pairs of 4 runs is swapped, 1 is tied: τ .500. The runs at rank 1 differ."
    )


def test_points_are_scores_or_ranks() -> None:
    campaign = make_board()

    def points(query: str) -> tuple[list[float], list[float]]:
        page = get("agreement", campaign, query).content.decode()
        runs = figure(page, "orderings")["data"][-1]
        assert runs["name"] == "runs"
        return runs["x"], runs["y"]

    assert points("?a=RBP(p=0.5)&b=AP") == ([0.8, 0.6, 0.4, 0.2], [0.3, 0.4, 0.2, 0.1])
    assert points("?a=RBP(p=0.5)&b=AP&axes=ranks") == ([1, 2, 3, 4], [2, 1, 3, 4])


def test_one_measure_under_two_versions() -> None:
    campaign = make_board()
    make_qrels(campaign)
    for tag, base in zip("abc", (0.1, 0.6, 0.4), strict=True):  # d has no score under this one
        make_scores(campaign.runs.get(tag=tag), {RBP: (base, None)})
    campaign.qrels.filter(version=1).update(published_at="2026-01-01T00:00Z")
    query = "?a=RBP(p=0.5)&qrels=1&against=2"
    assert finding(campaign, query) == (
        "2 of the 3 pairs of 3 runs are swapped: τ −.333."
        " a has rank 1 by RBP(p=0.5), qrels v1, b by RBP(p=0.5), qrels v2."
    )
    page = get("agreement", campaign, query).content.decode()
    assert "1 run has a score by only one of the two, and is left out." in page
    same = figure(page, "orderings")["data"][0]
    assert (same["name"], same["x"]) == ("same score", [0.1, 0.8])


def test_a_version_that_was_never_shown_is_not_found_by_others_than_organisers() -> None:
    campaign = make_board()
    make_qrels(campaign)
    organiser = make_organiser(campaign)
    for query in ("?a=AP&against=1", "?a=AP&qrels=1"):
        assert get("agreement", campaign, query).status_code == 404
        assert get("agreement-swaps-csv", campaign, query).status_code == 404
        assert get("agreement", campaign, query, person=organiser).status_code == 200
    assert get("agreement", campaign, "?qrels=1").status_code == 404


def test_swaps_are_those_that_a_loop_finds() -> None:
    random = np.random.default_rng(8)
    scores = {name: tuple((random.integers(0, 6, 8) / 10).tolist()) for name in (RBP, "AP")}
    campaign = make_board(scores, measures=["AP"])
    expected = {
        frozenset((x, y))
        for (x, i), (y, j) in combinations(zip("abcdefgh", range(8), strict=True), 2)
        if (scores[RBP][i] - scores[RBP][j]) * (scores["AP"][i] - scores["AP"][j]) < 0
    }
    swaps = table(get("agreement-swaps-csv", campaign, "?a=RBP(p=0.5)&b=AP"))
    assert {frozenset((row["first_by_a"], row["first_by_b"])) for row in swaps} == expected
    assert len(swaps) == len(expected) > 3


def test_runs_have_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """2,000 runs were 1,359 kB of HTML."""
    monkeypatch.setattr(views, "RUNS", 3)
    campaign = make_board()
    ids = {run.public_id: run.tag for run in campaign.runs.all()}
    seen = []
    for number, other in (("1", "2"), ("2", "1")):
        page = get("agreement", campaign, f"?a=AP&b=RR&page={number}").content.decode()
        seen.append([ids[each] for each in re.findall(r'<tr data-run="([^"]+)"', page)])
        assert f'page={other}#runs" rel=' in page
        assert len(figure(page, "orderings")["data"][-1]["x"]) == 4
    assert seen == [["b", "a", "c"], ["d"]]
    assert len(table(get("agreement-runs-csv", campaign, "?a=AP&b=RR"))) == 4
    assert get("agreement", campaign, "?a=AP&b=RR&page=3").status_code == 404


def test_swaps_are_sorted_by_the_ranks_that_contain_both() -> None:
    random = np.random.default_rng(5)
    scores = {name: tuple((random.integers(0, 5, 8) / 10).tolist()) for name in (RBP, "AP")}
    campaign = make_board(scores, measures=["AP"])
    ranks = ("rank_a_of_first_by_a", "rank_b_of_first_by_a", "rank_a_of_first_by_b",
             "rank_b_of_first_by_b")  # fmt: skip
    found = []
    for row in table(get("agreement-swaps-csv", campaign, "?a=RBP(p=0.5)&b=AP")):
        first_a, first_b, second_a, second_b = (int(row[name]) for name in ranks)
        assert int(row["depth"]) == min(max(first_a, second_a), max(first_b, second_b))
        found.append((int(row["depth"]), max(second_a, first_b), first_a, second_b))
    assert found == sorted(found)
    assert len(found) > 3


# --- who sees what ------------------------------------------------------------------------------


def test_before_it_is_published_nobody_but_organisers_learns_anything() -> None:
    campaign = make_board(board_audience=Audience.ORGANISERS)
    member, organiser = make_user(), make_organiser(campaign)
    make_team(campaign, member)
    for person in (None, member):
        for query in ("", "?a=AP&b=RR", "?m=NoSuch"):
            page = get("agreement", campaign, query, person=person)
            assert page.status_code == 200
            assert "Only the organisers see the leaderboard" in page.content.decode()
            assert "swap" not in page.content.decode()
        for name in FILES:
            assert get(name, campaign, "?a=AP&b=RR", person=person).status_code == 404
    assert "swap" in get("agreement", campaign, person=organiser).content.decode()


def test_anonymous_teams_are_masked_in_pages_and_files() -> None:
    campaign = make_board()
    team = make_team(campaign, name="canary team")
    Team.objects.filter(pk=team.pk).update(is_anonymous=True)
    make_scores(make_run(campaign, team, tag="canary-tag"), {RBP: (0.05, None), "AP": (0.9, None)})
    organiser = make_organiser(campaign)
    for name in ("agreement", "agreement-runs-csv", "agreement-swaps-csv"):
        query = "?a=RBP(p=0.5)&b=AP"
        assert "canary" not in get(name, campaign, query).content.decode()
        assert "canary-tag" in get(name, campaign, query, person=organiser).content.decode()


@pytest.mark.parametrize(
    "query",
    ["?statistic=rho", "?p=1", "?p=1.5", "?p=x", "?m=NoSuch", "?m=nDCG@10", "?ref=nDCG@10",
     "?a=nDCG@10", "?a=AP&b=NoSuch", "?a=AP&axes=z", "?qrels=7", "?a=AP&against=7"],
)  # fmt: skip
def test_what_is_not_offered_is_not_found(query: str) -> None:
    campaign = make_board()
    assert get("agreement", campaign, query).status_code == 404
