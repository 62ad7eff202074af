"""The report's own tables."""

from collections.abc import Iterator
from typing import NamedTuple

from scoring.output.latex import Marked, added, interval, number
from scoring.output.table import Column, Table, printed
from scoring.report.analysis import PERSISTENCES
from scoring.report.rows import AgreementRow, Report
from scoring.results.runs import BoardRun

AGREEMENT_COLUMNS = (
    Column("measure", heading="measure", align="l", kind=str),
    Column("pool_depth", "depth", "pool", kind=str, help_text="all: with all judgments"),
)
BOUND_COLUMNS = (
    Column("run_id", "run.run_id", kind=str),
    Column("run", "run.name", "run", align="l", kind=str),
    Column("team", "run.team", "team", align="l", kind=str),
    Column("pool_depth", heading="pool", kind=str, help_text="all: with all judgments"),
    Column("p", lambda row: row.p or 0, "p", kind=float),  # CSV has 0, not 0.0
    Column("ranks", heading="ranks", kind=int | None, help_text="null: whole rankings"),
    Column("base", heading="base", text=number, kind=float),
    Column("residual", heading="residual", text=added, kind=float),
    printed("interval", lambda row: interval(row.base, row.upper), align="l"),
    Column("upper", kind=float),
)


def agreement_table(report: Report) -> Table:
    """Table III: a row for each measure and pool, a column for each reference."""
    references = [
        column
        for at, reference in enumerate(report.references)
        # A function, so that each column has an `at` of its own.
        for column in _beside(at, str(reference))
    ]
    caption = (
        "Kendall’s τ of the orders of the runs by each measure and pool depth and by the measure "
        "at the head of the column, all judgments."
    )
    return Table((*AGREEMENT_COLUMNS, *references), report.agreement, caption)


def _beside(at: int, reference: str) -> tuple[Column, Column]:
    """In LaTeX the best of each row is bold."""

    def cell(row: AgreementRow) -> Marked:
        each = row.cells[at]
        return Marked(each.text, is_bold=not each.is_itself and each.value == row.best)

    return Column(reference, lambda row: row.cells[at].value), printed(reference, cell)


class _Bound(NamedTuple):
    run: BoardRun
    pool_depth: str
    p: float
    ranks: int | None  # evaluation depth; None: whole rankings
    base: float
    residual: float

    @property
    def upper(self) -> float:
        return self.base + self.residual


def bounds_table(report: Report) -> Table:
    """Figs. 5 and 6."""
    caption = "bounds of RBP of the best runs by evaluation depth and by p, with two pools."
    return Table(BOUND_COLUMNS, _bounds(report), caption)


def _bounds(report: Report) -> Iterator[_Bound]:
    for each in report.bounds:
        for pool, depth in enumerate((report.depth, "all")):
            for at, p in enumerate(report.persistences):
                for rank, bounds in enumerate(each.by_rank[:, pool, at].T.tolist(), 1):
                    yield _Bound(each.run, depth, p, rank, *bounds)
            for at, p in enumerate(PERSISTENCES):
                bounds = each.by_p[:, pool, at].tolist()
                yield _Bound(each.run, depth, p, None, *bounds)
