"""The report's own tables as CSV at full precision."""

import io
import math
from collections.abc import Iterable, Iterator, Sequence

from defusedcsv import csv

from scoring.core.measures.measure import format_value
from scoring.report_rows import Report
from scoring.studies.run_bounds import PERSISTENCES

BOUND_COLUMNS = ("run_id", "run", "team", "pool_depth", "p", "ranks", "base", "residual", "upper")


def agreement_csv(found: Report) -> str:
    """Table III: a row for each measure and pool, a column for each reference."""
    columns = ("measure", "pool_depth", *map(str, found.references))
    return _csv(
        columns,
        (
            (str(row.measure), row.depth, *(cell.value for cell in row.cells))
            for row in found.agreement
        ),
    )


def bounds_csv(found: Report) -> str:
    """Figs. 5 and 6: `ranks` is how many are looked at, empty for whole rankings."""
    return _csv(BOUND_COLUMNS, _bounds(found))


def _bounds(found: Report) -> Iterator[tuple[object, ...]]:
    for each in found.bounds:
        names = (each.run.run_id, each.run.tag, each.run.team)
        for pool, depth in enumerate((found.depth, "all")):
            for at, p in enumerate(found.persistences):
                for rank, (base, residual) in enumerate(each.by_rank[:, pool, at].T.tolist(), 1):
                    cells = (depth, format_value(p), rank, base, residual, base + residual)
                    yield (*names, *cells)
            for at, p in enumerate(PERSISTENCES):
                base, residual = each.by_p[:, pool, at].tolist()
                cells = (depth, format_value(p), None, base, residual, base + residual)
                yield (*names, *cells)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in row]
        for row in rows
    )
    return out.getvalue()
