"""A board of more runs than fit a page, and of more than can all be tested against each other."""

import pytest

from campaigns.models import Campaign
from scoring.leaderboard import page as board_page
from scoring.significance import analysis
from scoring.significance import rows as significance_rows
from scoring.significance import views as significance_views
from scoring.significance.counts_analysis import MOST_PAIRS, counted_runs
from tests.scoring.leaderboard.test_board_page import get, runs_on_page
from tests.scoring.significance.test_significance_page import (
    answered,
    figure,
    make_board,
    noisy,
    table,
    text_of,
)

pytestmark = pytest.mark.django_db
RUNS, ROWS, TESTED, CHARTED = 7, 3, 4, 2


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Runs whose tags stand in another order than they do; as if pages and tests were small."""
    monkeypatch.setattr(board_page, "ROWS", ROWS)
    for module in (analysis, significance_rows):
        monkeypatch.setattr(module, "MAX_RUNS", TESTED)
    monkeypatch.setattr(significance_views, "CHARTED", CHARTED)
    return make_board(*(noisy(0.2 + 0.1 * number, number) for number in range(RUNS)))


def test_a_page_shows_so_many_rows_and_leads_to_the_others(board: Campaign) -> None:
    pages = [get("leaderboard", board, page=str(number)) for number in (1, 2, 3)]
    shown = [runs_on_page(page) for page in pages]
    assert [len(each) for each in shown] == [3, 3, 1]
    standing = [row["run"] for row in table(get("leaderboard-csv", board))]
    assert standing == ["r7", "r6", "r5", "r4", "r3", "r2", "r1"]
    assert [*shown[0], *shown[1], *shown[2]] == [
        board.runs.get(tag=tag).public_id for tag in standing
    ]
    assert "1 to 3 of 7" in text_of(pages[0])
    assert "7 runs of" in text_of(pages[1])


def test_only_the_first_page_has_the_chart_and_it_is_of_its_rows(board: Campaign) -> None:
    first, second = (get("leaderboard", board, page=str(number)) for number in (1, 2))
    assert "Chart of the first 3 runs by rank" in first.content.decode()
    assert 'id="chart-data"' not in second.content.decode()


def test_an_invalid_page_number_is_reported(board: Campaign) -> None:
    answer = get("leaderboard", board, page="9")
    assert answer.status_code == 404
    assert "9" in text_of(answer)


def test_the_best_are_tested_and_the_page_says_how_many_are_not(board: Campaign) -> None:
    page = answered("significance", board)
    assert (
        "Only the first 4 runs of the leaderboard are tested; the 3 below are left out."
        in text_of(page)
    )
    rows = table(get("significance-csv", board))
    assert {row["a"] for row in rows} | {row["b"] for row in rows} == {
        "r7", "r6", "r5", "r4",
    }  # fmt: skip
    assert len(rows) == 6


def test_the_picture_shows_the_first(board: Campaign) -> None:
    page = answered("significance", board, correction="none")
    assert "The chart shows the first 2 runs; the CSV contains all tested pairs." in text_of(page)
    assert figure(page)["data"][0]["x"] == ["1 r7", "2 r6"]


def test_the_counts_say_so_too(board: Campaign) -> None:
    page = answered("significance-counts", board)
    assert "Only the first 4 runs by each measure are tested" in text_of(page)
    assert {row["pairs"] for row in table(get("significance-counts-csv", board))} == {"0", "6"}


@pytest.mark.parametrize(
    ("measures", "runs"), [(1, 1000), (5, 1000), (6, 900), (9, 700), (30, 400), (5000, 50)]
)
def test_the_more_measures_the_fewer_runs_are_counted(measures: int, runs: int) -> None:
    assert counted_runs(measures) == runs
    assert runs == 50 or measures * runs * (runs - 1) / 2 <= MOST_PAIRS


@pytest.mark.usefixtures("board")
def test_bars_join_tested_runs_and_the_key_says_how_many_are_not_tested() -> None:
    alike = make_board(*(noisy(0.5 + 0.001 * number, number) for number in range(RUNS)))
    answered("significance", alike)
    pages = [get("leaderboard", alike, page=str(number)).content.decode() for number in (1, 2, 3)]
    assert pages[0].count('title="no significant difference: ranks 1–4"') == 3
    assert "no significant difference: ranks" not in pages[2]
    assert all("the 3 runs below the first 4 are not tested" in page for page in pages)
