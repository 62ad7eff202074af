"""What ties decide on a board: the numbers of the command line, and marks at what could turn."""

import csv
import io
from itertools import permutations
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.flow_world import World, perform_jobs
from tests.scoring.cli.command import Command

pytestmark = pytest.mark.usefixtures("wake_ups")

OPEN = {"stage": "published", "board_audience": 2, "runs_audience": 2}
QRELS = b"1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n2 0 d1 0\n2 0 d2 1\n"
# The second topic of "tied" has d1, d2, d3 at one score, the first none.
RUNS = {
    "tied": "1 Q0 d1 1 9 tied\n1 Q0 d2 2 8 tied\n"
    "2 Q0 d1 1 5 tied\n2 Q0 d2 2 5 tied\n2 Q0 d3 3 5 tied\n",
    "firm": "1 Q0 d2 1 9 firm\n1 Q0 d1 2 8 firm\n2 Q0 d2 1 7 firm\n2 Q0 d1 2 5 firm\n",
}
NAMES = ("AP", "RBP(p=0.5)", "RR", "ESL(n=1)", "SNAP@10")


@pytest.fixture
def board(world: World) -> World:
    world.change(persistences=[0.5], measures=["AP", "RR", "ESL(n=1)", "SNAP@10", "SetP"],
                 highest_grade=2, **OPEN)  # fmt: skip
    world.add_qrels(QRELS)
    for text in RUNS.values():
        world.submitted_run(text.encode())
    return world


def get(world: World, name: str = "leaderboard", **asked: str) -> HttpResponse:
    asked = {"ties": "on"} | asked
    return Client().get(reverse(f"scoring:{name}", args=[world.campaign.slug]), asked)


def rows(world: World, **asked: str) -> dict[str, dict[str, str]]:
    answer = get(world, "leaderboard-csv", **asked)
    if answer.status_code == 202:
        perform_jobs()
        answer = get(world, "leaderboard-csv", **asked)
    return {row["run"]: row for row in csv.DictReader(io.StringIO(answer.content.decode()))}


@pytest.fixture
def trackside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(tmp_path, capsys)


def number(text: str) -> float | None:
    return float(text) if text else None


@pytest.mark.parametrize("name", NAMES)
def test_the_columns_are_those_of_the_command_line(
    board: World, trackside: Command, name: str
) -> None:
    ours = rows(board, measure=name)
    files = [trackside.write("qrels", QRELS), *(trackside.write(*run) for run in RUNS.items())]
    flags = ("-c", "--no-relevant", "exclude", "--gain-map", "0=0,1=.5,2=1", "--format", "csv")
    columns = {"expected": [("tie_expected", "value")],
               "bounds": [("tie_low", "tie_low"), ("tie_high", "tie_high")]}  # fmt: skip
    for rule, pairs in columns.items():
        answer = trackside("evaluate", *flags, "-m", name, "--ties", rule, *files)
        theirs = list(csv.DictReader(io.StringIO(answer.out)))
        assert bool(theirs) == (name != "SNAP@10")
        if not theirs:  # refused: the measure has no such value
            assert [ours[tag][mine] for tag in RUNS for mine, _ in pairs] == [""] * 2 * len(pairs)
        for row in theirs:
            for mine, its in pairs:
                assert number(ours[row["run"]][mine]) == pytest.approx(number(row[its]), abs=1e-12)


def test_ap_of_three_tied_documents_by_hand(board: World) -> None:
    """The one relevant document of topic 2 stands first, second or third; topic 1 is certain."""
    ours = rows(board, measure="AP")["tied"]
    by_order = [1 / (order.index("d2") + 1) for order in permutations(("d1", "d2", "d3"))]
    topic_1 = 1 / 2  # d1 at rank 1, d3 not retrieved
    assert float(ours["tie_expected"]) == pytest.approx(
        (topic_1 + sum(by_order) / 6) / 2, abs=1e-12
    )
    assert float(ours["tie_low"]) == pytest.approx((topic_1 + 1 / 3) / 2, abs=1e-12)
    assert float(ours["tie_high"]) == pytest.approx((topic_1 + 1) / 2, abs=1e-12)


def test_neighbours_that_ties_alone_could_turn_are_marked(board: World) -> None:
    """AP: firm (1/4 + 1)/2 = .625 stands first; tied reaches .75."""
    path = reverse("api:leaderboard", args=[board.campaign.slug])
    asked = {"ties": "on", "measure": "AP"}
    assert Client().get(path, asked).status_code == 202
    perform_jobs()
    found = {row["run"]: (row["rank"], row["ties"]["can_swap"]) for row in
             Client().get(path, asked).json()}  # fmt: skip
    assert found == {"firm": (1, True), "tied": (2, False)}
    page = get(board, measure="AP").content.decode()
    overtaken = "with another order of tied documents, the next run could be ahead of this run"
    assert page.count(f'title="{overtaken}"') == 1
    assert "0.4167–0.7500" in page
    assert "no change" in page
    lower = rows(board, measure="ESL(n=1)")
    assert float(lower["tied"]["tie_low"]) < float(lower["tied"]["tie_high"])


def test_while_it_is_computed_the_page_says_so_and_looks_again(board: World) -> None:
    waiting = get(board, measure="AP")
    assert waiting["Refresh"]
    assert "Computing the effect of ties" in waiting.content.decode()
    perform_jobs()
    assert "Refresh" not in get(board, measure="AP").headers


def test_at_another_p_the_page_says_that_ties_are_not_computed(board: World) -> None:
    page = get(board, measure="RBP(p=0.5)", p="0.61").content.decode()
    assert "own values of p only" in page
    assert get(board, measure="AP", ties="maybe").status_code == 404


def test_ties_are_not_computed_for_viewers_without_the_leaderboard(board: World) -> None:
    board.change(board_audience=0)
    assert "Refresh" not in get(board).headers
    assert get(board, "leaderboard-csv").status_code == 404
    assert perform_jobs() == 0


def test_few_queries(board: World, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    rows(board, measure="AP")
    get(board, measure="AP")
    perform_jobs()
    with django_assert_max_num_queries(12):
        get(board, measure="AP")
