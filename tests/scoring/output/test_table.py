"""Columns are declared once: CSV, JSON and LaTeX show the same values, each in its own way."""

from typing import NamedTuple

import pytest
from django.test import RequestFactory

from scoring.core.measures.names import parse_measure
from scoring.models import Analysis
from scoring.output.latex import interval, number
from scoring.output.long_downloads import FREE_ROWS
from scoring.output.responses import table_response
from scoring.output.table import LATEX_ROWS, ROWS_AT_A_TIME, Column, Table, printed, same


class Run(NamedTuple):
    tag: str


class Row(NamedTuple):
    run: Run
    base: float | None
    upper: float
    is_best: bool = False


COLUMNS = (
    Column("run", "run.tag", "run", align="l"),
    same("measure", parse_measure("RBP(p=0.8)")),
    Column("base", heading="score", text=number),
    Column("upper"),
    printed("interval", lambda row: interval(row.base, row.upper), align="l"),
    Column("best", "is_best"),
)
ROWS = [Row(Run("a"), 1 / 3, 0.5, is_best=True), Row(Run("=b"), float("nan"), float("inf"))]


def test_latex_ends_after_a_thousand_rows_and_says_so() -> None:
    row = Row(Run("a"), 0.5, 0.5)
    for count, is_cut in ((LATEX_ROWS, False), (LATEX_ROWS + 1, True)):
        text = Table(COLUMNS, [row] * count, "runs.").as_latex(title="TREC", source="")
        assert text.count(r"a & 0.500 & [0.500, 0.500] \\") == LATEX_ROWS
        cut = "Only the first 1,000 rows; the CSV file has all of them."
        assert (cut in text) == is_cut


def test_csv_has_full_precision_and_nothing_that_a_spreadsheet_would_run() -> None:
    assert Table(COLUMNS, ROWS).as_csv() == (
        "run,measure,base,upper,best\n"
        "a,RBP(p=0.8),0.3333333333333333,0.5,1\n"
        "'=b,RBP(p=0.8),,inf,0\n"
    )


def test_json_has_the_same_keys_and_no_number_that_json_does_not_have() -> None:
    first, second = Table(COLUMNS, ROWS).records()
    assert first == {"run": "a", "measure": "RBP(p=0.8)", "base": 1 / 3, "upper": 0.5, "best": 1}
    assert (second["base"], second["upper"]) == (None, None)


def test_latex_has_the_columns_with_a_heading() -> None:
    table = Table(COLUMNS, ROWS[:1], "two runs.", last=("mean", "0.3", ""))
    lines = table.as_latex(title="Trains", source="http://here/").splitlines()
    assert r"\caption{Trains: two runs.}" in lines
    assert r"\begin{tabular}{lrl}" in lines
    assert [line for line in lines if line.endswith(r"\\")] == [
        r"run & score & interval \\", r"a & 0.333 & [0.333, 0.500] \\", r"mean & 0.3 &  \\",
    ]  # fmt: skip


def test_latex_may_show_another_table() -> None:
    other = Table(COLUMNS, (), "the ranked runs.")
    text = Table(COLUMNS, ROWS, in_latex=other).as_latex(title="Trains", source="s")
    assert "0.333" not in text
    assert "the ranked runs." in text


@pytest.mark.parametrize(
    ("rows", "is_streamed"), [(ROWS_AT_A_TIME - 1, False), (2_500, True), (12_500, True)]
)
def test_a_long_table_is_written_while_it_is_sent(rows: int, is_streamed: bool) -> None:
    made = []

    def many():
        for place in range(rows):
            made.append(place)
            yield Row(Run(f"r{place}"), 0.5, 1.0)

    response = table_response(RequestFactory().get("/"), Table(COLUMNS, many()), "runs")
    assert response.streaming == is_streamed
    assert len(made) == min(rows, FREE_ROWS)
    assert response["Content-Disposition"] == 'attachment; filename="runs.csv"'
    assert len(response.getvalue().splitlines()) == rows + 1


@pytest.mark.parametrize("suffix", ["csv", "tex"])
def test_a_table_that_is_being_computed_says_when_to_ask_again(suffix: str) -> None:
    request, table = RequestFactory().get("/"), Table(COLUMNS, ())
    waiting = Analysis(state=Analysis.State.COMPUTING)
    response = table_response(request, table, "runs", suffix, awaits=waiting)
    assert response.status_code == 202
    assert int(response["Retry-After"]) > 0
    failed = Analysis(state=Analysis.State.FAILED, failure="It took too long.")
    response = table_response(request, table, "runs", suffix, awaits=failed)
    assert response.status_code == 404
    assert response.content == b"Computing the table failed. It took too long.\n"
