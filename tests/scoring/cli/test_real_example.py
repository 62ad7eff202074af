"""The real example of the documentation is what the command line says of the real runs."""

import csv
import io
import re
import statistics
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "example.md"
EXAMPLE = PAGE.read_text()
SENTENCES = " ".join(EXAMPLE.split())
PAIRS = 10_153
ASKED = (  # in the order of the table
    "--test t",
    "--test t --correction holm",
    "--test wilcoxon",
    "--test wilcoxon --correction holm",
    "--test wilcoxon --tail one",
    "--test wilcoxon --tail one --against projected",
    "--test wilcoxon --tail one --against top",
)

pytestmark = pytest.mark.data


@pytest.fixture
def files(data: Path) -> list[str]:
    """The qrels and every run of TREC-COVID's first round."""
    folder = data / "trec-covid-round1"
    return [str(folder / "qrels.txt.gz"), *map(str, sorted((folder / "runs").iterdir()))]


def printed() -> list[tuple[int, int]]:
    """What each row of the table says: pairs, and percent of all."""
    rows = re.findall(r"^\| .+? \| ([\d,]+) \| (\d+) % \|$", EXAMPLE, re.M)
    return [(int(pairs.replace(",", "")), int(share)) for pairs, share in rows]


def test_the_pairs_that_are_told_apart(trackside, files) -> None:
    found = []
    for options in ASKED:
        told = trackside("significance", *files, "-m", "RBP(p=0.8)", *options.split(), "--count")
        found.append(tuple(map(int, told.out.split())))
    assert {pairs for _, pairs in found} == {PAIRS}
    assert printed() == [(apart, round(100 * apart / PAIRS)) for apart, _ in found]


def test_how_many_runs_could_be_worth_as_much_as_the_best(trackside, files) -> None:
    told = trackside("evaluate", *files, "-m", "RBP(p=0.8)", "--format", "csv")
    means = [row for row in csv.DictReader(io.StringIO(told.out)) if row["topic"] == "all"]
    bounds = sorted((float(row["value"]), float(row["residual"])) for row in means)
    best = bounds[-1][0]
    others = sum(base + residual >= best for base, residual in bounds[:-1])
    residual = statistics.median(residual for _, residual in bounds)
    base = f"{best:.3f}".removeprefix("0")
    assert f"a base of {base}, and {others} other runs have an upper bound of at least {base}" in (
        SENTENCES
    )
    assert f"The median residual of all runs is {residual:.3f}.".replace("0.", ".") in SENTENCES
