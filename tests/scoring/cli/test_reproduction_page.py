"""`docs/reproduction.md` says what comes out today, and every difference has its reason."""

import os
import re
from pathlib import Path

import pytest

from tools.reproduction_page import lecture, rbp_runs, rbp_worked, trec5
from tools.reproduction_page.__main__ import (
    read_pools_of_covid,
    read_pools_of_trec8,
    without_data,
)
from tools.reproduction_page.numerals import short
from tools.reproduction_page.page import RECOMPUTE, page
from tools.reproduction_page.rows import (
    CLAIMED,
    Exhibit,
    Paper,
    Row,
    Unexplained,
    counted,
    is_same,
)

DATA = os.environ.get("TRACKSIDE_DATA")
DOCS = Path(__file__).resolve().parents[3] / "docs"
STALE = "outdated, run TRACKSIDE_DATA=... make docs"


def of(*rows, **facts):
    return [Paper("A paper", [Exhibit("A table", rows, **facts)])]


def body(papers):
    """The page without its head, which counts numbers."""
    return page(papers).split("\n## ", 1)[1]


def test_a_difference_without_a_reason_stops_the_page():
    with pytest.raises(Unexplained, match=r"A table, AP: printed \.40.*a difference, but no reas"):
        page(of(Row("AP", ".40", [0.41])))


def test_so_does_a_reason_without_a_difference():
    with pytest.raises(Unexplained, match="a reason, but no difference"):
        page(of(Row("AP", ".40", [0.4012], "rounding")))


def test_as_many_numbers_as_are_printed():
    with pytest.raises(ValueError, match="shorter"):
        page(of(Row("AP", ".40 .50", [0.4])))


def test_an_explained_difference_is_shown_with_its_note():
    text = page(of(Row("AP", ".40 1,830", [0.413, 1830], "The digit is cut off.")))
    assert "| AP | .40 1,830 | .413 1,830 | +.013 0 | 1 |" in text
    assert "1. The digit is cut off." in text


@pytest.mark.parametrize(
    ("word", "value", "same"),
    [
        (".0313", 0.03125, True),  # half a unit is rounded upwards
        (".37", 0.375, False),
        ("1,830", 1830, True),
        (">1.3", 1.3, False),
        ("<0.23", 0.226, True),
        ("–", 5.0, True),
        ("yes", "no", False),
    ],
)
def test_when_a_number_is_the_same(word, value, same):
    assert is_same(word, value) == same


def test_numbers_are_written_as_in_the_papers():
    assert [short(0.5, 2), short(-0.03125, 4), short(10.5, 1), short(1, 0)] == [
        *(".50", "-.0312", "10.5", "1"),
    ]


def test_numbers_that_are_computed_again_count_once():
    rows = (Row("AP", ".40 .50 –", [0.4, 0.51, 3], "cut off"),)
    assert counted(of(*rows)) == (2, 1)
    assert counted(of(*rows, again=True)) == counted(of(*rows, heading="mean")) == (0, 0)


def test_claims_about_other_data_count_apart():
    rows = (Row("AP", ".40 .50", [0.4, 0.51], "other runs"),)
    papers = of(*rows, heading=CLAIMED)
    assert counted(papers) == (0, 0)
    assert counted(papers, CLAIMED) == (2, 1)
    text = page(papers)
    assert "0 numbers that five texts print" in text
    assert "2 statements about runs that are not available" in text
    assert "| what | claimed for TREC-5 | ours |" in text


@pytest.mark.parametrize("paper", without_data(), ids=lambda paper: paper.title[:12])
def test_what_needs_no_runs_is_not_stale(paper):
    assert body([paper]) in (DOCS / "reproduction.md").read_text() + "\n", STALE


def test_the_worked_numbers_of_rbp_are_not_stale():
    section = body([Paper("", rbp_worked.exhibits())]).split("\n", 1)[1]
    assert section.strip() in (DOCS / "reproduction.md").read_text(), STALE


@pytest.mark.long
@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs")
def test_the_tables_of_trec5_are_not_stale():
    matrices = trec5.read_matrices(Path(DATA) / "trec5-scores")
    section = body([Paper("", trec5.exhibits(matrices))]).split("\n", 1)[1]
    assert section.strip() in (DOCS / "reproduction.md").read_text(), STALE


@pytest.mark.long
@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs")
def test_the_figures_and_tables_of_other_collections_are_not_stale():
    trec8, covid = read_pools_of_trec8(Path(DATA)), read_pools_of_covid(Path(DATA))
    section = body([Paper("", rbp_runs.exhibits(trec8, covid))]).split("\n", 1)[1]
    assert section.strip() in (DOCS / "reproduction.md").read_text(), STALE
    for pools in (trec8, covid):
        for run in rbp_runs.chosen_runs(pools):
            for bounds in rbp_runs.bounds_by_depth(pools, run, full=True).values():
                low, high = zip(*bounds, strict=True)
                assert list(low) == sorted(low)  # a deeper evaluation only narrows the bounds
                assert list(high) == sorted(high, reverse=True)


def test_the_charts_of_the_page_exist_and_are_light():
    charts = list((DOCS / "reproduction").glob("*.svg"))
    named = [f"](reproduction/{chart.name})" for chart in charts]
    text = (DOCS / "reproduction.md").read_text()
    assert len(charts) == text.count("](reproduction/") == sum(each in text for each in named)
    assert sum(chart.stat().st_size for chart in charts) < 100_000


def test_the_page_says_how_to_recompute_it():
    """And it names each folder that the command reads."""
    assert (DOCS / "reproduction.md").read_text().endswith(f"\n{RECOMPUTE}"), STALE
    modules = (DOCS.parent / "tools/reproduction_page").glob("*.py")
    code = "".join(module.read_text() for module in modules)
    folders = set(re.findall(r'data / "([^"]+)"', code))
    assert len(folders) == 3
    assert all(f"- `{folder}/" in RECOMPUTE for folder in folders)


def test_the_lecture_has_its_slips():
    (row,) = [row for row in lecture.paper().exhibits[2].rows if "area under" in row.what]
    assert row.same == [False]
    assert ".5620" in row.why
