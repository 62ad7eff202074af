"""Which runs can be told apart, as CSV at full precision: first the columns of the command line.

Cells are empty where a value is not defined; text cells are made safe for spreadsheets.
"""

from collections.abc import Sequence

from scoring.separated_rows import CountRow
from scoring.significance_rows import Separation
from scoring.tables import Table

COLUMNS = (
    "a", "b", "difference", "p", "p_corrected", "method", "effect", "topics", "told_apart",
    "a_rank", "b_rank", "a_team", "b_team", "a_run_id", "b_run_id",
)  # fmt: skip
COUNT_COLUMNS = ("measure", "test", "tail", "correction", "level", "separated", "pairs")


def separation_csv(found: Separation | None) -> str:
    return separation_table(found).as_csv()


def separation_table(found: Separation | None) -> Table:
    """One row for each pair, in the order of the board."""
    rows = [found.row(at) for at in range(len(found.pairs))] if found else []
    return Table(
        COLUMNS,
        (
            (
                row.a.tag, row.b.tag, row.difference, row.p, row.p_corrected, row.method,
                row.effect, row.topics, int(row.is_apart), row.a_rank, row.b_rank, row.a.team,
                row.b.team, row.a.run_id, row.b.run_id,
            )
            for row in rows
        ),
    )  # fmt: skip


def counts_csv(rows: Sequence[CountRow], tail: str) -> str:
    """One row for each measure, test, correction and level."""
    table = Table(
        COUNT_COLUMNS,
        (
            (str(row.measure), cell.test, tail, cell.correction, cell.level, cell.separated,
             row.pairs)
            for row in rows
            for cell in row.cells
        ),
    )  # fmt: skip
    return table.as_csv()
