"""The report: the paper's tables and figures, with the numbers of the campaign's other pages."""

import itertools
import json
import re

import pytest
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from campaigns.models import Audience, Campaign
from scoring.core.measures.names import parse_measure
from scoring.models import Analysis
from scoring.output.latex import number
from scoring.output.measure_names import measure_label
from tests.flow_world import perform_jobs
from tests.scoring.output.test_latex import rows_of
from tests.scoring.pools.test_pool_page import (
    QRELS,
    RUNS,
    TOPICS,
    campaign,
    first_ranks,
    get,
    shown,
    table,
)

__all__ = ["campaign"]  # the fixture: six runs of three teams, four topics

pytestmark = pytest.mark.django_db


def test_it_says_how_far_it_is_and_shares_its_answers_with_the_other_pages(
    campaign: Campaign,
) -> None:
    page = get("report")
    assert "0 of 3 parts are computed" in page.content.decode()
    assert page["Refresh"]
    perform_jobs()
    page = get("report")
    assert "Refresh" not in page
    for heading in (
        "Agreement of measures",
        "a pool of depth 20",
        "Significant pairs",
        "Bounds of",
    ):
        assert heading in page.content.decode()
    get("pools")
    get("significance-counts", correction="none")
    assert Analysis.objects.filter(kind__in=("pool_depths", "separated_counts")).count() == 2


def test_table_iii_is_that_of_the_agreement_page_and_of_plain_loops(campaign: Campaign) -> None:
    rows = table("report-agreement-csv", depth="10")
    (reference,) = [name for name in rows[0] if name not in ("measure", "pool_depth")]
    assert reference == "AP"  # of the paper's references the campaign has no other
    by_page = {
        frozenset((row["measure_a"], row["measure_b"])): float(row["tau"])
        for row in table("agreement-csv")
    }
    for row in rows:
        measure = row["measure"]
        mine = table("pools-csv", measure=measure, depth="10")
        theirs = {each["run"]: float(each["base_all"]) for each in table("pools-csv", measure="AP")}
        column = "base" if row["pool_depth"] == "10" else "base_all"
        tau = by_loops({each["run"]: float(each[column]) for each in mine}, theirs)
        assert float(row[reference]) == pytest.approx(tau, abs=1e-12)
        if row["pool_depth"] == "all" and measure != "AP":
            assert float(row[reference]) == by_page[frozenset((measure, "AP"))]
    assert [row["pool_depth"] for row in rows] == ["10", "all"] * 4


def by_loops(first: dict[str, float], second: dict[str, float]) -> float:
    agreed = 0
    pairs = list(itertools.combinations(first, 2))
    for a, b in pairs:
        one, other = (round(by[a] - by[b], 12) for by in (first, second))
        agreed += (one * other > 0) - (one * other < 0)
    return agreed / len(pairs)


def test_table_iv_is_that_of_the_counts_page(campaign: Campaign) -> None:
    counted = [row for row in table("significance-counts-csv") if row["correction"] == "none"]
    get("report")
    perform_jobs()
    page = get("report").content.decode()
    body = page[page.index('class="pairs counts measures"') :]
    for measure, cells in itertools.groupby(counted, key=lambda row: row["measure"]):
        label = re.escape(measure_label(parse_measure(measure)))
        shown_cells = re.search(rf">{label}<(.*?)</tr>", body, re.S)
        assert shown_cells
        numbers = re.findall(r'class="num[^"]*">([\d,]+)<', shown_cells[1])
        assert numbers == [row["significant"] for row in cells] + ["15"]


def test_without_a_change_or_a_significant_pair_no_measure_is_named(
    campaign: Campaign,
) -> None:
    """A pool of any depth has every judgment; with four topics no two runs differ significantly."""
    get("report", depth="any")
    perform_jobs()
    page = " ".join(get("report", depth="any").content.decode().split())
    assert (
        "A pool of any depth does not change the order of the runs by any of these measures."
        in page
    )
    assert (
        "By the t test at 5&nbsp;%, uncorrected, no two runs differ significantly by any measure."
        in page
    )
    get("report", depth="1")
    perform_jobs()
    page = " ".join(get("report", depth="1").content.decode().split())
    assert "A pool of depth 1 changes the order of the runs most by" in page


@pytest.mark.parametrize("depth", ["5", "any"])
def test_bounds_are_those_of_plain_loops(campaign: Campaign, depth: str) -> None:
    rows = table("report-bounds-csv", depth=depth)
    first_two = [row["run"] for row in table("leaderboard-csv")[:2]]
    assert list(dict.fromkeys(row["run"] for row in rows)) == first_two
    ranks = first_ranks()
    limit = 10**6 if depth == "any" else int(depth)
    every = {(t, d): int(g) for t, _, d, g in (line.split() for line in QRELS.splitlines())}
    pooled = {pair: g for pair, g in every.items() if min(ranks[pair].values()) <= limit}
    checked = 0
    for row in rows:
        is_shown = row["ranks"] in ("1", "7", "40", "100") or row["p"] in ("0.5", "0.95")
        if not is_shown:
            continue
        judged = every if row["pool_depth"] == "all" else pooled
        seen = int(row["ranks"] or 10**6)
        base, residual = bounds_by_hand(RUNS[row["run"]], judged, float(row["p"]), seen)
        assert float(row["base"]) == pytest.approx(base, abs=1e-12)
        assert float(row["residual"]) == pytest.approx(residual, abs=1e-12)
        checked += 1
    assert checked == 2 * 2 * (4 + 2)


def bounds_by_hand(
    run: bytes, judged: dict[tuple[str, str], int], p: float, seen: int
) -> tuple[float, float]:
    """Mean base and residual over the topics, of the first `seen` documents."""
    bases, residuals = [], []
    lines = [line.split() for line in run.decode().splitlines()]
    for topic in TOPICS:
        own = sorted(((float(x[4]), x[2]) for x in lines if x[0] == topic), reverse=True)[:seen]
        base, residual = 0.0, p ** len(own)
        for rank, (_, document) in enumerate(own, start=1):
            grade, weight = judged.get((topic, document)), (1 - p) * p ** (rank - 1)
            base += weight if grade is not None and grade > 0 else 0
            residual += weight if grade is None else 0
        bases.append(base)
        residuals.append(residual)
    return sum(bases) / len(bases), sum(residuals) / len(residuals)


def test_whole_rankings_under_all_judgments_are_the_board(campaign: Campaign) -> None:
    board = {row["run"]: row for row in table("leaderboard-csv", measure="RBP(p=0.8)")}
    found = [
        row
        for row in table("report-bounds-csv")
        if (row["pool_depth"], row["p"], row["ranks"]) == ("all", "0.8", "")
    ]
    assert len(found) == 2
    for row in found:
        assert float(row["base"]) == pytest.approx(float(board[row["run"]]["base"]), abs=1e-12)
        known = float(board[row["run"]]["residual"])
        assert float(row["residual"]) == pytest.approx(known, abs=1e-12)


def test_figures_draw_the_rows_of_the_pools_page(campaign: Campaign) -> None:
    rows = table("pools-csv", measure="RBP(p=0.8)", depth="10")
    get("report", depth="10")
    perform_jobs()
    page = get("report", depth="10").content.decode()
    figures = [json.loads(each) for each in re.findall(r'json">(\{.*?\})</script>', page, re.S)]
    assert len(figures) == 2 + 2 + 1  # AP and RBP, two by rank, one by p
    points = figures[1]["data"][1]
    assert sorted(points["x"]) == sorted(float(row["base_all"]) for row in rows)
    assert sorted(points["y"]) == sorted(float(row["base"]) for row in rows)


def test_its_tables_are_latex_too(campaign: Campaign) -> None:
    table("report-agreement-csv")  # asked for, and computed
    table("pools-teams-csv")
    rows = rows_of(get("report-agreement-latex").content.decode())
    assert rows[0] == ["measure", "pool", "AP"]
    assert len(rows) == 1 + 4 * 2
    assert rows[1][2].startswith(r"\textbf{")  # RBP's only reference is its best
    for name in ("pools-latex", "pools-teams-latex"):
        assert len(rows_of(get(name).content.decode())) == 1 + len(RUNS)
    assert len(rows_of(get("pools-measures-latex").content.decode())) == 1 + 4


def test_the_api_and_latex_have_the_bounds_and_table_iii_of_the_csv(campaign: Campaign) -> None:
    api = f"/api/campaigns/{campaign.slug}/report/"
    assert Client().get(f"{api}bounds/", {"depth": "10"}).status_code == 202
    for name in ("agreement", "bounds"):
        rows = table(f"report-{name}-csv", depth="10")
        found = Client().get(f"{api}{name}/", {"depth": "10"})
        assert "ETag" in found
        assert rows == [
            {key: "" if value is None else str(value) for key, value in row.items()}
            for row in found.json()
        ]
    first = found.json()[0]
    assert (first["pool_depth"], first["p"], first["ranks"]) == ("10", 0.8, 1)
    assert first["base"] + first["residual"] == pytest.approx(first["upper"], abs=1e-12)
    printed = rows_of(get("report-bounds-latex", depth="10").content.decode())
    assert printed[0] == ["run", "team", "pool", "p", "ranks", "base", "residual", "interval"]
    assert len(printed) == 1 + len(rows)
    base, upper = number(first["base"]), number(first["upper"])
    assert printed[1][2:6] == ["10", "0.8", "1", base]
    assert printed[1][7] == f"[{base}, {upper}]"
    assert Client().get(f"{api}bounds/", {"depth": "3"}).status_code == 400


def test_it_takes_few_queries_and_hides_with_the_board(
    campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    get("report")
    perform_jobs()
    with django_assert_max_num_queries(8):
        assert get("report").status_code == 200
    assert get("report", depth="3").status_code == 404
    shown(campaign, board_audience=Audience.ORGANISERS)
    assert "Agreement of measures" not in get("report").content.decode()
    assert get("report-agreement-csv").status_code == 404
    assert Client().get(f"/api/campaigns/{campaign.slug}/report/bounds/").status_code == 404
