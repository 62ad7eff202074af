"""Agreement of measures on the order of the runs: the map, the references, and their file."""

import csv
import io
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, Run
from scoring.agreement.rows import shown
from scoring.cli.main import main
from scoring.demo.simulation import System, draw_collection, qrels_file, retrieve, run_file
from scoring.output.measure_names import measure_label
from tests.agreement_boards import (
    RBP,
    SCORES,
    SHOWN,
    cells,
    figure,
    finding,
    get,
    make_board,
    table,
)
from tests.making import make_campaign, make_team, make_user

pytestmark = pytest.mark.django_db


# --- the same as the command line ---------------------------------------------------------------


@pytest.fixture
def simulated(tmp_path: Path) -> tuple[Campaign, Path]:
    """Twelve simulated runs, scored by the site from the same files."""
    collection = draw_collection([str(n) for n in range(1, 9)], seed=5, candidates=200)
    found = [
        retrieve(collection, System(f"team{n % 4}", f"run{n}", n / 6, form="coarse", depth=50))
        for n in range(12)
    ]
    (tmp_path / "runs").mkdir()
    for each in found:
        (tmp_path / "runs" / each.system.tag).write_bytes(run_file(collection, each))
    (tmp_path / "qrels.txt").write_bytes(qrels_file(collection, found[::2], pool_depth=10))
    titles = "".join(f"<topic number='{n}'><query>q</query></topic>" for n in collection.topics)
    (tmp_path / "topics.xml").write_text(f"<topics>{titles}</topics>")
    measures = ["AP", "RR", "P@10", "ESL(n=1)", "Judged@10"]
    campaign = make_campaign(
        topics=(), **SHOWN | {"measures": measures, "no_relevant": "zero", "highest_grade": 2}
    )
    call_command("import_campaign", str(tmp_path), slug=campaign.slug, stdout=io.StringIO())
    assert campaign.runs.filter(state=Run.State.ACCEPTED).count() == 12
    return campaign, tmp_path


def test_the_file_is_what_the_command_line_prints_for_the_same_runs(
    simulated: tuple[Campaign, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    campaign, folder = simulated
    measures = ["RBP(p=0.5)", "AP", "RR", "P@10", "ESL(n=1)", "RBP(p=0.5,gain=map)"]
    asked = [part for measure in measures for part in ("-m", measure)]
    runs = [str(path) for path in (folder / "runs").iterdir()]
    assert main(["agreement", str(folder / "qrels.txt"), *runs, *asked, "--rbo-p", "0.8"]) == 0
    printed = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    ours = table(get("agreement-csv", campaign, "?p=0.8"))
    assert len(ours) == 15
    assert list(ours[0]) == ["measure_a", "measure_b", "tau", "tau_b", "tau_ap", "rbo"]
    for mine, theirs in zip(ours, printed, strict=True):
        assert (mine["measure_a"], mine["measure_b"]) == (theirs["measure_a"], theirs["measure_b"])
        for name in ("tau", "tau_b", "tau_ap", "rbo"):
            assert float(mine[name]) == pytest.approx(float(theirs[name]), abs=1e-12)
    assert len({row["tau"] for row in ours}) > 5


@pytest.mark.parametrize("statistic", ["tau", "tau_b", "tau_ap", "rbo"])
def test_map_references_and_picture_show_the_figures_of_the_file(
    simulated: tuple[Campaign, Path], statistic: str
) -> None:
    campaign, _ = simulated
    page = get("agreement", campaign, f"?statistic={statistic}").content.decode()
    rows = table(get("agreement-csv", campaign))
    drawn = figure(page, "agreement-map")["data"][0]
    in_picture = {
        (row, column): text
        for row, texts in zip(drawn["y"], drawn["text"], strict=True)
        for column, text in zip(drawn["x"], texts, strict=True)
        if text
    }
    on_page = cells(page)
    assert on_page == in_picture
    for row in rows:
        a, b = measure_label(row["measure_a"]), measure_label(row["measure_b"])
        # The lower triangle has the later measure in its rows; of τ_AP the row is the reference.
        place = (a, b) if statistic == "tau_ap" else (b, a)
        assert on_page.pop(place) == shown(float(row[statistic]))
        if statistic == "tau_ap":
            assert on_page.pop((b, a)) != ""
    assert on_page == {}


# --- the map ------------------------------------------------------------------------------------


def test_the_finding_names_the_two_measures_that_agree_least() -> None:
    campaign = make_board()
    assert finding(campaign) == (
        "RR and RBP(p=0.5) rank the 4 runs most differently: τ .500, 1 of 6 pairs is swapped."
    )


def test_count_measures_are_included_only_on_request() -> None:
    campaign = make_board()
    assert "Judged@10" not in str(table(get("agreement-csv", campaign)))
    (row,) = table(get("agreement-csv", campaign, "?m=Judged@10&m=RBP(p=0.5)"))
    assert (row["measure_a"], row["tau"]) == (RBP, "-1.0")


def test_references_are_those_of_table_three_or_the_chosen_ones_the_best_in_bold() -> None:
    campaign = make_board()

    def references(query: str = "") -> tuple[list[str], list[tuple[str, str]]]:
        page = get("agreement", campaign, query).content.decode()
        part = re.search(r'<table class="references">.*?</table>', page, re.DOTALL)[0]
        heads = re.findall(r'class="num">([^<]+)</th>', part)
        rows = part.split("<tr")[2:]
        best = [(re.search(r">([^<>\s]+)<", row), re.search(r"<b>(\S+)</b>", row)) for row in rows]
        return heads, [(name[1], bold[1]) for name, bold in best if bold]

    assert references() == (["RR", "AP"], [(RBP, ".667"), ("AP", ".500"), ("RR", ".500")])
    assert references("?ref=RBP(p=0.5)")[0] == [RBP]


def test_a_lower_score_may_be_the_better_one() -> None:
    scores = {"AP": (0.9, 0.5, 0.1), "ESL(n=1)": (1.0, 2.0, 3.0)}
    campaign = make_board(scores, measures=list(scores), persistences=[])
    assert finding(campaign) == "Both measures rank the 3 runs in the same order."
    rows = table(get("agreement-runs-csv", campaign, "?a=AP&b=ESL(n=1)"))
    assert [(row["run"], row["rank_a"], row["rank_b"]) for row in rows] == [
        ("a", "1", "1"), ("b", "2", "2"), ("c", "3", "3"),
    ]  # fmt: skip
    line = figure(
        get("agreement", campaign, "?a=AP&b=ESL(n=1)").content.decode(), "orderings"
    )["data"][1]  # fmt: skip
    assert (line["name"], line["x"], line["y"]) == ("same rank", [0.9, 0.5, 0.1], [1.0, 2.0, 3.0])


def test_a_number_is_1_for_the_very_same_order_only() -> None:
    assert [shown(v) for v in (1.0, 1 - 1e-15, 0.9999, 0.8464, 0.0, -0.00001, -0.12, -1.0)] == [
        "1", "1", ".999", ".846", ".000", ".000", "−.120", "−1",
    ]  # fmt: skip
    assert shown(None) == "–"


# --- where there is little to find --------------------------------------------------------------


def test_before_there_are_qrels() -> None:
    campaign = make_campaign(**SHOWN)
    assert finding(campaign) == "There are no qrels yet, so the runs have no scores."
    assert finding(campaign, "?a=AP") == finding(campaign)
    assert {row["tau"] for row in table(get("agreement-csv", campaign))} == {""}


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (
            {RBP: (), "AP": ()},
            "No run has a score by these measures under qrels v1 yet, so there are no orders"
            " to compare.",
        ),
        ({RBP: (0.5,), "AP": (0.5,)}, "Only one run is scored. Agreement needs two."),
        (
            {RBP: (0.5, 0.5, 0.5), "AP": (0.1, 0.2, 0.3)},
            "At most one of these measures gives the 3 runs different scores, so there are no"
            " orders to compare.",
        ),
        (
            {RBP: (0.5, 0.4), "AP": (None, None)},
            "At most one of these measures gives the 2 runs different scores, so there are no"
            " orders to compare.",
        ),
        ({RBP: (0.5, 0.4), "AP": (0.2, 0.1)}, "Both measures rank the 2 runs in the same order."),
        (
            {RBP: (0.5, 0.4), "AP": (0.1, 0.2)},
            "AP and RBP(p=0.5) rank the 2 runs differently: τ −1, 1 of 1 pair is swapped.",
        ),
    ],
)
def test_small_boards(scores: dict[str, tuple[float | None, ...]], said: str) -> None:
    campaign = make_board(scores, measures=["AP"])
    assert finding(campaign) == said
    for statistic in ("tau_b", "tau_ap", "rbo"):
        assert get("agreement", campaign, f"?statistic={statistic}").status_code == 200
    assert finding(campaign, "?a=AP&b=RBP(p=0.5)") != ""


def test_it_takes_two_measures() -> None:
    assert finding(make_board(), "?m=AP") == "Only one measure is selected. Agreement needs two."


@pytest.mark.parametrize("query", ["", "?statistic=tau_ap", "?a=AP&b=RR&qrels=1&against=1"])
def test_a_full_board_takes_few_queries(
    query: str, django_assert_max_num_queries: Callable[[int], AbstractContextManager[object]]
) -> None:
    random = np.random.default_rng(3)
    scores = {name: tuple(random.random(8).tolist()) for name in SCORES}
    campaign = make_board(scores)
    member = make_user()
    make_team(campaign, member)
    client = Client()
    client.force_login(member)
    with django_assert_max_num_queries(12):
        page = client.get(reverse("scoring:agreement", args=[campaign.slug]) + query)
    assert page.status_code == 200


def test_without_different_scores_there_is_no_chart() -> None:
    campaign = make_board({RBP: (0.5, 0.5, 0.5), "AP": (0.1, 0.2, 0.3)}, measures=["AP"])
    for query in ("", "?statistic=rbo", "?a=AP&b=RBP(p=0.5)"):
        assert "<figure" not in get("agreement", campaign, query).content.decode()
    assert "One of the two orders ties every pair of the 3 runs" in finding(
        campaign, "?a=AP&b=RBP(p=0.5)"
    )


def test_shades_span_the_figures_there_are() -> None:
    page = get("agreement", make_board()).content.decode()  # τ .500, .667 and .500
    assert re.findall(r'<td class="shade-(\d)">', page) == ["8", "0", "0"]
    assert "from 0.7 down to 0.5" in page
