"""The report's own tables."""

from collections.abc import Iterator
from typing import NamedTuple

from scoring.core.measures.measure import format_value
from scoring.output.latex import Marked
from scoring.output.table import Column, Table, printed
from scoring.report.analysis import PERSISTENCES
from scoring.report.rows import AgreementRow, Report
from scoring.results.runs import BoardRun


def agreement_table(report: Report) -> Table:
    """Table III: a row for each measure and pool, a column for each reference."""
    columns = [
        Column("measure", heading="measure", align="l"),
        Column("pool_depth", "depth", "pool"),
        *(
            column
            for at, reference in enumerate(report.references)
            for column in _beside(at, str(reference))
        ),
    ]
    caption = (
        "Kendall’s τ of the orders of the runs by each measure and pool depth and by the measure "
        "at the head of the column, all judgments."
    )
    return Table(columns, report.agreement, caption)


def _beside(at: int, reference: str) -> tuple[Column, Column]:
    """In LaTeX the best of each row is bold."""

    def cell(row: AgreementRow) -> Marked:
        each = row.cells[at]
        return Marked(each.text, is_bold=not each.is_itself and each.value == row.best)

    return Column(reference, lambda row: row.cells[at].value), printed(reference, cell)


class _Bound(NamedTuple):
    run: BoardRun
    pool_depth: str
    p: str
    ranks: int | None  # evaluation depth; None: whole rankings
    base: float
    residual: float

    @property
    def upper(self) -> float:
        return self.base + self.residual


def bounds_table(report: Report) -> Table:
    """Figs. 5 and 6."""
    columns = (
        Column("run_id", "run.run_id"),
        Column("run", "run.name"),
        Column("team", "run.team"),
        *map(Column, (*_Bound._fields[1:], "upper")),
    )
    return Table(columns, _bounds(report))


def _bounds(report: Report) -> Iterator[_Bound]:
    for each in report.bounds:
        for pool, depth in enumerate((report.depth, "all")):
            for at, p in enumerate(report.persistences):
                for rank, bounds in enumerate(each.by_rank[:, pool, at].T.tolist(), 1):
                    yield _Bound(each.run, depth, format_value(p), rank, *bounds)
            for at, p in enumerate(PERSISTENCES):
                bounds = each.by_p[:, pool, at].tolist()
                yield _Bound(each.run, depth, format_value(p), None, *bounds)
