"""The table of estimated scores."""

from collections.abc import Iterable

from scoring.estimates.rows import EstimatedRun
from scoring.output import numbers
from scoring.output.latex import number
from scoring.output.table import Column, PageColumn, Table, printed

ESTIMATES = (
    Column("rank", heading="", kind=int | None),
    Column("run", "run.name", "run", align="l", kind=str),
    Column("team", "run.team", "team", align="l", kind=str),
    Column("base", heading="base", text=number, kind=float),
    Column("residual", heading="residual", text=number, kind=float),
    Column("program", heading="program", text=number, kind=float),
    Column("estimate", heading="estimate", text=number, kind=float),
    Column("std_error", kind=float),
    Column("low", kind=float),
    Column("high", kind=float),
    printed("95 % interval", lambda row: interval(row)),
    Column("degrees", kind=float),
    Column("run_id", "run.run_id", kind=str),
)


def estimates_table(rows: Iterable[EstimatedRun], measure: object, to: str = "") -> Table:
    """`to` is the name of the run from which differences are taken."""
    what = f"differences of {measure} from {to}" if to else str(measure)
    return Table(ESTIMATES, rows, f"{what}, estimated from a stratified sample.")


def estimates_page_columns(*, has_program: bool, are_differences: bool) -> list[PageColumn]:
    bounds = [
        PageColumn("base", lambda row: numbers.score(row.base)),
        PageColumn("residual", lambda row: numbers.addition(row.residual)),
    ]
    program = PageColumn("program alone", lambda row: numbers.score(row.program))
    return [
        PageColumn("run", lambda row: row.run.name, css=""),
        *([] if are_differences else [PageColumn("#", lambda row: str(row.rank), "num muted")]),
        PageColumn("estimate", lambda row: numbers.score(row.estimate, row.digits)),
        PageColumn("95 % interval", lambda row: interval(row)),
        *([] if are_differences else bounds),
        *([program] if has_program else []),
    ]


def interval(row: EstimatedRun) -> str:
    """With the digits that it leaves certain, and one more."""
    if row.low is None or row.high is None:
        return "unknown"
    return f"{numbers.score(row.low, row.digits)} to {numbers.score(row.high, row.digits)}"
