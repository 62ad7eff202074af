"""Where many grades or draws are needed, a worker computes the page: with the same numbers."""

import csv
import io

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.models import Run
from scoring.analyses import means as asked_means
from scoring.comparison import analysis
from scoring.comparison import rows as comparison
from scoring.evaluation import means as means_from_grades
from scoring.models import Analysis
from scoring.results.vectors import Vectors
from tests.caches import empty_caches
from tests.flow_world import World, perform_jobs, run_file

pytestmark = pytest.mark.usefixtures("wake_ups")

QRELS = b"1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n2 0 d1 0\n2 0 d2 1\n"
OPEN = {"stage": "published", "board_audience": 2, "runs_audience": 2, "per_topic_audience": 2}
AT_P = {"measure": "RBP(p=0.5)", "p": "0.61"}
RUNS = {
    "first": ("d1", "d2", "d3"),
    "second": ("d9", "d3", "d1", "d2"),
    "third": ("d4", "d2"),
}


@pytest.fixture
def board(world: World) -> World:
    world.change(persistences=[0.5, 0.8], measures=["AP"], highest_grade=2, **OPEN)
    world.add_qrels(QRELS)
    for tag, documents in RUNS.items():
        world.submitted_run(run_file(tag, documents=documents))
    return world


@pytest.fixture
def by_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked_means, "AT_ONCE", 0)
    monkeypatch.setattr(comparison, "AT_ONCE", 0)


def get(world: World, name: str, **asked: str) -> HttpResponse:
    return Client().get(reverse(f"scoring:{name}", args=[world.campaign.slug]), asked)


def rows(answer: HttpResponse) -> list[dict[str, str]]:
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def pair(world: World) -> dict[str, str]:
    ids = dict(Run.objects.values_list("tag", "public_id"))
    return {"a": ids["first"], "b": ids["third"]}


@pytest.mark.parametrize(("limit", "value"), [("AT_ONCE", 0), ("FILES_AT_ONCE", 2)])
def test_the_board_at_another_p_waits_and_then_shows_the_same_numbers(
    limit: str, value: int, board: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = rows(get(board, "leaderboard-csv", **AT_P))
    assert len(at_once) == 3
    assert not Analysis.objects.filter(kind="means").exists()
    monkeypatch.setattr(asked_means, limit, value)
    waiting = get(board, "leaderboard", **AT_P)
    assert waiting["Refresh"]
    assert "Computing the scores" in waiting.content.decode()
    table = get(board, "leaderboard-csv", **AT_P)
    assert (table.status_code, bool(table["Retry-After"])) == (202, True)
    perform_jobs()
    assert rows(get(board, "leaderboard-csv", **AT_P)) == at_once
    page = get(board, "leaderboard", **AT_P)
    assert "Refresh" not in page
    assert "second" in page.content.decode()


@pytest.mark.usefixtures("by_worker")
def test_a_later_run_requests_a_new_computation(board: World) -> None:
    get(board, "leaderboard", **AT_P)
    perform_jobs()
    board.submitted_run(run_file("fourth", documents=("d1",)))
    assert get(board, "leaderboard-csv", **AT_P).status_code == 202
    perform_jobs()
    assert len(rows(get(board, "leaderboard-csv", **AT_P))) == 4


@pytest.mark.usefixtures("by_worker")
def test_a_filter_of_a_board_that_is_being_computed_is_no_fault(board: World) -> None:
    assert get(board, "leaderboard", **AT_P, judged="yes").status_code == 200


def test_two_runs_wait_for_their_interval_and_their_bands(
    board: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown() -> tuple[list[str], list[dict[str, str]], str]:
        page = get(board, "compare", **pair(board)).content.decode()
        facts = page.partition('<dl class="facts">')[2].partition("</dl>")[0].split()
        latex = get(board, "compare-latex", **pair(board)).content.decode()
        return facts, rows(get(board, "compare-bands-csv", **pair(board))), latex

    at_once = shown()
    assert "(bootstrap)" in " ".join(at_once[0])
    monkeypatch.setattr(asked_means, "AT_ONCE", 0)
    monkeypatch.setattr(comparison, "AT_ONCE", 0)
    empty_caches()
    waiting = get(board, "compare", **pair(board))
    assert waiting["Refresh"]
    text = waiting.content.decode()
    assert "Computing the confidence interval of the mean difference" in text
    assert "Computing RBP of both runs as a function of p" in text
    assert "(bootstrap)" not in text
    for name in ("compare-latex", "compare-bands-csv"):
        assert get(board, name, **pair(board)).status_code == 202
    assert rows(get(board, "compare-csv", **pair(board)))  # needs neither
    perform_jobs()
    assert shown() == at_once


@pytest.mark.usefixtures("by_worker")
def test_a_worker_reads_the_scores_of_the_two_runs_only(
    board: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    of = analysis.vectors_of

    def counted(*asked: object, **options: object) -> list[Vectors]:
        found = of(*asked, **options)
        read.extend(len(vectors.run_ids) for vectors in found)
        return found

    monkeypatch.setattr(analysis, "vectors_of", counted)
    get(board, "compare", **pair(board))
    perform_jobs()
    assert read == [2]


def test_a_comparison_reads_the_grades_of_its_two_runs_only(
    board: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    load = means_from_grades.load_grades
    monkeypatch.setattr(
        means_from_grades, "load_grades", lambda key, digest: read.append(key) or load(key, digest)
    )
    empty_caches()
    assert get(board, "compare", **pair(board)).status_code == 200
    assert len(set(read)) == 2


def test_a_process_keeps_grades_up_to_a_bound(
    board: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = means_from_grades.graded_runs(board.campaign, board.campaign.active_qrels)
    assert len(runs) == 3
    kept = means_from_grades.LRUCache(room=2 * 2 * max(run.depth for run in runs))
    monkeypatch.setattr(means_from_grades, "GRADES", kept)
    get(board, "leaderboard", **AT_P)
    assert 1 <= sum(kept.get(run.storage_key) is not None for run in runs) <= 2
