"""The one sentence of a board, and what pages keep to themselves. Read without a browser."""

import gzip
import re

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, User
from tests.browser.boards import RBP, board_path, make_published_board
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


def page_of(path: str, person: User | None = None) -> str:
    client = Client()
    if person is not None:
        client.force_login(person)
    html = client.get(path).content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))


def make_board(*intervals: tuple[float, float], campaign: Campaign | None = None) -> Campaign:
    campaign = campaign or make_published_board()
    for number, (base, residual) in enumerate(intervals, start=1):
        make_scores(
            make_run(campaign, tag=f"r{number}"), {RBP: (base, residual), "AP": (base, None)}
        )
    return campaign


SENTENCES = [
    ([(0.5, 0.2)], "the only run on this leaderboard, r1, scores at least 0.50; its unjudged "
                   "documents could add 0.20."),
    ([(0.5, 0.2), (0.4, 0.2)], "The other run could exceed this score if its unjudged documents"),
    ([(0.5, 0.2), (0.4, 0.05)], "The other run cannot exceed this score"),
    ([(0.5, 0.2), (0.4, 0.1)], "The other run cannot exceed this score"),  # it could draw level
    ([(0.5, 0.1), (0.5, 0.0), (0.1, 0.0)], "two runs share rank 1 with at least 0.50"),
    ([(0.5, 0.1), (0.5, 0.0)], "There are no other runs."),
    ([(0.5, 0.1), (0.4, 0.3), (0.3, 0.3)], "Each of the other 2 runs could exceed this score"),
    ([(0.5, 0.1), (0.4, 0.3), (0.3, 0.1)], "1 of the other 2 runs could exceed this score if its"),
    ([(0.5, 0.1), (0.3, 0.1), (0.2, 0.1)], "None of the other 2 runs can exceed this score"),
    ([(0.51234, 0.00002)], "scores at least 0.5123"),
]  # fmt: skip


@pytest.mark.parametrize(("intervals", "sentence"), SENTENCES)
def test_the_finding_says_who_leads_and_who_could(intervals, sentence: str) -> None:
    text = page_of(board_path(make_board(*intervals)))
    assert "At p = 0.5" in text.replace("\xa0", " ").replace("&nbsp;", " ")
    assert sentence in text


def test_a_measure_without_residual_says_so() -> None:
    campaign = make_board((0.5, 0.1), (0.4, 0.1))
    text = page_of(board_path(campaign, "?measure=AP"))
    assert "By AP the leading run, r1, scores 0.5000. AP has no residual" in text


def test_a_board_without_runs_qrels_or_scores_says_what_happens_next() -> None:
    campaign = make_campaign()
    organiser = make_organiser(campaign)
    make_run(campaign)
    assert "there are no qrels. Add qrels under Manage" in page_of(board_path(campaign), organiser)
    make_qrels(campaign)
    assert "one run is being scored" in page_of(board_path(campaign), organiser)
    campaign.runs.update(withdrawn_at=campaign.created_at)
    assert "There are no runs on this leaderboard yet." in page_of(board_path(campaign), organiser)


def test_a_run_without_scores_is_mentioned_and_not_in_the_table() -> None:
    campaign = make_board((0.5, 0.1), (0.4, 0.1))
    make_run(campaign)
    text = page_of(board_path(campaign))
    assert "One run is still being scored; the order can change." in text
    assert "1 run is not scored yet and not in the table." in text


def test_a_residual_that_rounds_to_nothing_is_not_called_nothing() -> None:
    assert "&lt;0.0001" in page_of(board_path(make_board((0.5, 0.1), (0.4, 0.00001))))


def test_teams_of_one_name_are_two_teams() -> None:
    assert "2 runs of 2 teams" in page_of(board_path(make_published_board("same", "same")))


def test_a_blind_participant_reads_nothing_of_other_teams() -> None:
    campaign = make_campaign()
    me = make_user()
    make_run(team=make_team(campaign, me, name="Mine"), tag="mine")
    other = make_team(campaign, name="SECRETTEAM")
    for _ in range(6):
        make_run(team=other, tag=f"secret{other.runs.count()}")
    pages = ["campaign-detail", "run-list", "team", "run-create"]
    paths = [reverse(f"campaigns:{name}", args=[campaign.slug]) for name in pages]
    for path in [*paths, board_path(campaign), "/"]:
        text = page_of(path, me)
        assert "SECRETTEAM" not in text
        assert "secret" not in text.lower()
        assert not re.search(r"\b[67] (runs|teams)\b|\b2 teams\b", text)


def test_a_long_board_stays_small_on_the_wire() -> None:
    campaign = make_published_board(*(f"Team number {n}" for n in range(143)))
    html = Client().get(board_path(campaign)).content
    assert len(gzip.compress(html)) < 60_000
