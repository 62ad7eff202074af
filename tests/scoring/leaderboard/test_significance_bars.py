"""Bars at the left of the board join runs without a significant difference."""

import re

import pytest
from django.http import HttpResponse

from campaigns.models import Run
from scoring.core.measures.names import parse_measure
from scoring.leaderboard.significance_bars import covering_groups, in_columns
from scoring.models import Analysis
from scoring.significance.analysis import PairTestQuestion
from scoring.significance.options import usual_test
from scoring.worker import perform_waiting_jobs
from tests.making import make_run
from tests.scoring.significance.test_significance_page import (
    RBP,
    answered,
    get,
    give_vector,
    make_board,
    noisy,
    text_of,
)

pytestmark = pytest.mark.django_db


def bars(response: HttpResponse) -> list[tuple[str, ...]]:
    """The lanes of each row."""
    cells = re.findall(r'<td class="bars"[^>]*>(.*?)</td>', response.content.decode(), re.S)
    return [tuple(re.findall(r'<i(?: class="([^"]*)")?></i>', cell)) for cell in cells]


def test_bars_join_runs_without_a_significant_difference_once_it_is_computed() -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.79, 2), noisy(0.5, 3), noisy(0.2, 4))
    give_vector(make_run(campaign, tag="late", is_late=True), noisy(0.5, 5))
    before = get("leaderboard", campaign)
    assert bars(before) == []
    assert "runs on one bar" not in text_of(before)
    perform_waiting_jobs(campaign)
    page = get("leaderboard", campaign)
    assert bars(page) == [("a start",), ("a end",), ("",), ("",), ("",)]
    assert "runs on one bar do not differ significantly" in text_of(page)
    assert 'title="no significant difference: ranks 1–2"' in page.content.decode()
    assert (
        PairTestQuestion(**Analysis.objects.get(kind="significance").question)
        == usual_test(parse_measure(RBP)).question
    )


def test_bars_of_overlapping_groups_have_columns_of_their_own() -> None:
    steps = [noisy(0.8, 1), noisy(0.755, 2), noisy(0.71, 3), noisy(0.665, 4)]
    page = answered("leaderboard", make_board(*steps))
    drawn = bars(page)
    assert len({len(lanes) for lanes in drawn}) == 1
    assert max(sum(bool(lane) for lane in lanes) for lanes in drawn) > 1


@pytest.mark.parametrize("query", [{"sort": "team"}, {"type": "manual"}])
def test_rows_in_another_order_or_left_out_have_no_bars(query: dict[str, str]) -> None:
    campaign = make_board(noisy(0.8, 1), noisy(0.79, 2))
    Run.objects.filter(campaign=campaign).update(run_type="manual")
    assert bars(answered("leaderboard", campaign)) != []
    assert bars(get("leaderboard", campaign, **query)) == []


def test_a_column_is_used_again_after_the_end_of_a_bar() -> None:
    groups = [(0, 3), (2, 5), (4, 8), (6, 9)]
    assert in_columns(groups) == [[(0, 3), (4, 8)], [(2, 5), (6, 9)]]


def test_where_there_are_too_many_groups_as_few_as_hold_every_run_are_drawn() -> None:
    assert covering_groups([(0, 4), (1, 5), (2, 6), (5, 9), (12, 14)]) == [(0, 4), (5, 9), (12, 14)]
    assert covering_groups([]) == []
