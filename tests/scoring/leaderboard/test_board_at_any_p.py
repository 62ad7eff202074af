"""The board at a p that nobody stored scores for, from the grades that are stored."""

import csv
import io
import json
import re

import pytest
from django.core.files.storage import default_storage
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import DjangoAssertNumQueries

from campaigns.access import Viewer
from scoring.core.measures.names import parse_measure
from scoring.evaluation.means import graded_runs, means_of
from scoring.leaderboard.rows import leaderboard
from scoring.models import StoredGrades
from tests.caches import empty_caches
from tests.flow_world import World, run_file

pytestmark = pytest.mark.usefixtures("wake_ups")

QRELS = b"1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n2 0 d1 0\n2 0 d2 1\n"
OPEN = {"stage": "published", "board_audience": 2, "runs_audience": 2}


@pytest.fixture
def board(world: World) -> World:
    world.change(persistences=[0.5, 0.8], measures=["AP"], highest_grade=2, **OPEN)
    world.add_qrels(QRELS)
    world.submitted_run(run_file("first", documents=("d1", "d2", "d3")))
    world.submitted_run(run_file("second", documents=("d9", "d3", "d1", "d2")))
    return world


def get(world: World, name: str = "leaderboard", **asked: str) -> HttpResponse:
    return Client().get(reverse(f"scoring:{name}", args=[world.campaign.slug]), asked)


def rows(world: World, **asked: str) -> dict[str, dict[str, str]]:
    text = get(world, "leaderboard-csv", **asked).content.decode()
    return {row["run"]: row for row in csv.DictReader(io.StringIO(text))}


@pytest.mark.parametrize("name", ["RBP(p=0.5)", "RBP(p=0.8,gain=map)", "AP"])
def test_grades_give_the_means_that_are_stored(board: World, name: str) -> None:
    measure = parse_measure(name)
    campaign = board.campaign
    runs = graded_runs(campaign, campaign.active_qrels)
    anew = means_of(campaign, campaign.active_qrels, (measure,), runs)[measure]
    organiser = Viewer(campaign, person=None, roles=frozenset({"organiser"}), team=None)
    stored = leaderboard(organiser, measure).rows
    assert len(stored) == 2
    assert {row.run_id: (row.base, row.residual) for row in stored} == anew


def test_rbp_at_another_p_by_the_formula(board: World) -> None:
    found = rows(board, measure="RBP(p=0.5)", p="0.30")
    assert {row["measure"] for row in found.values()} == {"RBP(p=0.3)"}
    # first: relevant at 1 and 3 of topic 1, at 2 of topic 2; nothing unjudged in its three ranks
    # of topic 1; d3 is unjudged in topic 2.
    base = (0.7 * (1 + 0.3**2) + 0.7 * 0.3) / 2
    residual = (0.3**3 + 0.7 * 0.3**2 + 0.3**3) / 2
    assert float(found["first"]["base"]) == pytest.approx(base, rel=1e-12)
    assert float(found["first"]["residual"]) == pytest.approx(residual, rel=1e-12)


def test_ranks_follow_the_p(board: World) -> None:
    """One relevant document at once, or three later on."""
    board.submitted_run(run_file("short", documents=("d1",)))
    for p, places in (("0.01", ["2", "3"]), ("0.99", ["3", "2"])):
        found = rows(board, measure="RBP(p=0.5)", p=p)
        assert [found[run]["rank"] for run in ("short", "second")] == places


def test_page_csv_and_api_say_the_same(board: World) -> None:
    asked = {"measure": "RBP(p=0.8)", "p": "0.61"}
    page = get(board, **asked).content.decode()
    assert re.search(r"At p&nbsp;=&nbsp;0\.61", page)
    path = reverse("api:leaderboard", args=[board.campaign.slug])
    answer = json.loads(Client().get(path, asked).content)
    by_api = {row["run"]: row["base"] for row in answer}
    assert by_api == {run: float(row["base"]) for run, row in rows(board, **asked).items()}


@pytest.mark.parametrize("p", ["1", "1.00", "-0.5", "0.9995", "0.5050", "nan", "٠.٥٠"])
def test_another_p_is_not_there(board: World, p: str) -> None:
    assert get(board, measure="RBP(p=0.5)", p=p).status_code == 404


def test_a_p_may_be_typed_short(board: World) -> None:
    found = rows(board, measure="RBP(p=0.5)", p="0.60")
    assert {row["measure"] for row in found.values()} == {"RBP(p=0.6)"}
    assert rows(board, measure="RBP(p=0.5)", p=".6") == found
    assert rows(board, measure="RBP(p=0.5)", p="0.6") == found
    least = rows(board, measure="RBP(p=0.5)", p="0.00")
    assert rows(board, measure="RBP(p=0.5)", p=".0") == least


def test_measures_without_a_p_do_not_hear_it(board: World) -> None:
    assert rows(board, measure="AP", p="0.61") == rows(board, measure="AP")


def test_a_blind_board_stays_blind(board: World) -> None:
    board.change(board_audience=0)
    assert "first" not in get(board, measure="RBP(p=0.5)", p="0.61").content.decode()
    assert get(board, "leaderboard-csv", p="0.61").status_code == 404


def test_grades_whose_file_is_gone_are_made_again(board: World) -> None:
    asked = {"measure": "RBP(p=0.5)", "p": "0.61"}
    whole = rows(board, **asked)
    empty_caches()
    default_storage.delete(StoredGrades.objects.get(run__tag="second").storage_key)
    assert rows(board, **asked) == whole


def test_few_queries(board: World, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_max_num_queries(12):
        get(board, measure="RBP(p=0.5)", p="0.61")
