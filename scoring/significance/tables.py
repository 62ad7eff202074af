"""Significance of all pairs of runs; in LaTeX of each run and the next on the board."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from scoring.core.statistics.pairs import METHODS, NORMAL
from scoring.output import numbers
from scoring.output.latex import STARS_NOTE, Marked, number, signed, stars
from scoring.output.numbers import difference, p_value
from scoring.output.table import Column, PageColumn, Table, printed, same
from scoring.significance.counts import CountCell, CountRow
from scoring.significance.options import TestChoices
from scoring.significance.rows import Significance

PRINTED_TESTS = ("t", "Wilcoxon", "randomisation")
PRINTED_LEVELS = ("5 %", "1 %")


# The first columns are those of the command line.
COLUMNS = (
    printed("", "a_rank"),
    Column("a", "a.name", "run", align="l", kind=str),
    Column("b", "b.name", "next run", align="l", kind=str),
    Column("difference", kind=float),
    printed("difference", lambda row: Marked(signed(row.difference), stars(row.p_corrected))),
    Column("p", kind=float),
    Column("p_corrected", kind=float),
    Column("method", kind=str),
    Column("effect", heading="effect", text=partial(number, digits=2), kind=float),
    printed("p", "p_corrected", number),
    Column("topics", kind=int),
    Column(
        "significant",
        "is_significant",
        kind=int,
        help_text="1: significant at the chosen level",
    ),
    Column("a_rank", kind=int),
    Column("b_rank", kind=int),
    Column("a_team", "a.team", kind=str),
    Column("b_team", "b.team", kind=str),
    Column("a_run_id", "a.run_id", kind=str),
    Column("b_run_id", "b.run_id", kind=str),
)


def page_columns(choices: TestChoices) -> list[PageColumn]:
    """The table on the page: each run and the next one on the board."""
    corrected = PageColumn("corrected", lambda row: p_value(row.p_corrected))
    return [
        PageColumn("run", lambda row: row.a.name, css=""),
        PageColumn("#", lambda row: str(row.a_rank), css="num muted"),
        PageColumn("against", lambda row: row.b.name, css=""),
        PageColumn("difference", lambda row: difference(row.difference)),
        PageColumn(
            "effect",
            lambda row: numbers.signed(row.effect, 2),
            explanation="difference divided by its standard deviation over the topics (Cohen’s d"
            " of paired differences)",
        ),
        PageColumn(
            "p", lambda row: ("≈" if row.method == METHODS[NORMAL] else "") + p_value(row.p)
        ),
        *([corrected] if choices.correction != "none" else []),
        PageColumn("significant", lambda row: "yes" if row.is_significant else "no", css=""),
    ]


class _Count(NamedTuple):
    row: CountRow
    cell: CountCell


def pairs_table(result: Significance | None) -> Table:
    """One row for each pair, in the order of the board."""
    count = len(result.pairs) if result else 0
    pairs = map(result.row, range(count)) if result else ()
    options = ""
    if result:
        choices = result.choices
        options = (
            f" by {choices.measure} ({choices.label('test')}, {choices.label('tail')}, "
            f"{choices.label('against')}, correction: {choices.label('correction')})"
        )
    caption = f"each run and the next on the leaderboard{options}. {STARS_NOTE}."
    # All pairs would be far too many for a paper.
    in_latex = Table(COLUMNS, result.neighbours if result else (), caption)
    return Table(COLUMNS, pairs, in_latex=in_latex, row_count=count)


def counts_table(rows: Sequence[CountRow], correction: str, tail: str) -> Table:
    """One row for each measure, test, correction and level."""
    cells = (_Count(row, cell) for row in rows for cell in row.cells)
    # LaTeX has Table IV of the RBP paper: a row for each measure.
    tests = [f"{test}, {level}" for test in PRINTED_TESTS for level in PRINTED_LEVELS]
    columns = (
        printed("measure", "measure", align="l"),
        *(printed(test, partial(_significant, correction, at)) for at, test in enumerate(tests)),
        printed("pairs", "pairs"),
    )
    caption = (
        "pairs of runs that differ significantly, by measure, test and level; "
        f"{tail}-tailed, correction: {correction}."
    )
    return Table(count_columns(tail), cells, in_latex=Table(columns, rows, caption))


def count_columns(tail: str = "") -> tuple[Column, ...]:
    return (
        Column("measure", "row.measure", kind=str),
        Column("test", "cell.test", kind=str),
        same("tail", tail, str),
        Column("correction", "cell.correction", kind=str),
        Column("level", "cell.level", kind=float),
        Column("significant", "cell.significant", kind=int),
        Column("pairs", "row.pairs", kind=int),
    )


def _significant(correction: str, at: int, row: CountRow) -> int:
    return row.by(correction)[at].significant
