"""Significance of all pairs of runs: the site's numbers are those of the command line."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from campaigns.models import Campaign
from tests.scoring.cli.command import Command
from tests.scoring.leaderboard.test_board_page import SHOWN
from tests.scoring.significance.test_significance_page import TOPICS, answered, get, table, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Seven runs of falling quality over twelve topics; the last two are the same."""
    random = np.random.default_rng(5)
    source = tmp_path / "source"
    (source / "runs").mkdir(parents=True)
    queries = "".join(f'<topic number="{t}"><query>q</query></topic>' for t in TOPICS)
    (source / "topics.xml").write_text(f"<topics>{queries}</topics>")
    relevant = {t: set(random.choice(40, 8, replace=False)) for t in TOPICS}
    judged = [(t, d, int(d in relevant[t])) for t in TOPICS for d in range(30)]
    (source / "qrels.txt").write_text("".join(f"{t} 0 d{d} {g}\n" for t, d, g in judged))
    for number in range(7):
        seeded = np.random.default_rng(min(number, 5))
        lines = []
        for t in TOPICS:
            lift = np.array([2.2 - 0.4 * number if d in relevant[t] else 0.0 for d in range(40)])
            order = np.argsort(-(lift + seeded.normal(0, 1, 40)))[:20]
            lift_off = enumerate(order)
            lines += [f"{t} Q0 d{d} {at + 1} {20 - at} run{number}\n" for at, d in lift_off]
        (source / "runs" / f"run{number}").write_text("".join(lines))
    return source


QUESTIONS = [
    {"test": "t"},
    {"test": "t", "tail": "one", "correction": "bh"},
    {"test": "wilcoxon", "correction": "none"},
    {"test": "wilcoxon", "tail": "one", "against": "top"},
    {"test": "t", "tail": "one", "against": "projected", "correction": "none"},
    {"test": "randomisation", "correction": "bh", "level": "0.01"},
    {"test": "t", "correction": "tukey"},
]


def test_csv_page_and_counts_have_the_numbers_of_the_command_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command(
        "import_campaign", str(folder), slug="sim", no_relevant="zero", stdout=io.StringIO()
    )
    Campaign.objects.filter(slug="sim").update(**SHOWN)
    campaign = Campaign.objects.get(slug="sim")
    trackside = Command(folder, capsys)
    runs = [folder / "runs" / f"run{number}" for number in range(7)]
    for question in QUESTIONS:
        asked = {"test": "t", "tail": "two", "correction": "holm", "against": "base"} | question
        level = asked.pop("level", "0.05")
        options = [word for name, value in asked.items() for word in (f"--{name}", value)]
        line = [folder / "qrels.txt", *runs, "-m", "RBP(p=0.8)", *options, "--alpha", level]
        said = trackside("significance", *line)
        assert said.status == 0, said.err
        query = asked | {"measure": "RBP(p=0.8)", "level": level}
        page = answered("significance", campaign, **query)
        rows = table(get("significance-csv", campaign, **query))
        assert tuple(rows[0])[:6] == ("a", "b", "difference", "p", "p_corrected", "method")
        ours, theirs = by_pair(rows), by_pair(csv.DictReader(io.StringIO(said.out)))
        assert ours.keys() == theirs.keys()
        for pair, (method, *numbers) in theirs.items():
            assert ours[pair] == (method, *(pytest.approx(n, abs=1e-12) for n in numbers)), pair
        separated, pairs = trackside("significance", *line, "--count").out.split()
        assert sum(int(row["significant"]) for row in rows) == int(separated)
        assert len(rows) == int(pairs)
        assert page.status_code == 200


def by_pair(
    rows: Iterable[dict[str, str]],
) -> dict[frozenset[str], tuple[str, float, float, float]]:
    """What is said of each pair, in whichever order its runs stand."""
    found = {}
    for row in rows:
        turn = 1 if row["a"] < row["b"] else -1
        numbers = (float(row["p"]), float(row["p_corrected"]), turn * float(row["difference"]))
        found[frozenset((row["a"], row["b"]))] = (row["method"], *numbers)
    return found


def test_the_count_table_is_that_of_the_command_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command(
        "import_campaign", str(folder), slug="sim", no_relevant="zero", stdout=io.StringIO()
    )
    Campaign.objects.filter(slug="sim").update(**SHOWN)
    campaign = Campaign.objects.get(slug="sim")
    rows = table(answered("significance-counts-csv", campaign, tail="two"))
    trackside = Command(folder, capsys)
    runs = [folder / "runs" / f"run{number}" for number in range(7)]
    wanted = [r for r in rows if r["measure"] in ("AP", "RBP(p=0.8)") and r["level"] == "0.01"]
    assert len(wanted) == 2 * 3 * 3
    for row in wanted:
        said = trackside(
            "significance", folder / "qrels.txt", *runs, "-m", row["measure"], "--test",
            row["test"], "--correction", row["correction"], "--alpha", row["level"], "--count",
        )  # fmt: skip
        assert said.out.split() == [row["significant"], row["pairs"]]
    page = text_of(get("significance-counts", campaign, tail="two"))
    assert "the most pairs of runs differ significantly by" in page
