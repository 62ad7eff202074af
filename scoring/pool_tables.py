"""Pool studies as CSV at full precision; counts of judgments for whoever may see the qrels."""

from collections.abc import Iterable, Sequence

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.pool_rows import LeftOut, PooledRun, PoolStudy
from scoring.pool_summaries import Summary
from scoring.tables import Table

RUN_COLUMNS = ("run_id", "run", "team", "measure", "depth", "rank", "base", "residual")
OTHER_COLUMNS = ("rank_all", "base_all", "residual_all", "change")


def runs_csv(study: PoolStudy | None, qrels: Qrels | None) -> str:
    return runs_table(study, qrels).as_csv()


def runs_table(study: PoolStudy | None, qrels: Qrels | None) -> Table:
    """One row for each run: under the pool chosen, and under all judgments."""
    columns = (*RUN_COLUMNS, *OTHER_COLUMNS, "qrels")
    if study is None or qrels is None:
        return Table(columns, ())
    return Table(columns, [(*_cells(study, row), qrels.version) for row in study.rows])


def summaries_csv(viewer: Viewer, rows: Iterable[Summary], qrels: Qrels | None) -> str:
    """One row for each measure and pool."""
    counts = ("judgments", "relevant") if viewer.can_see_qrels else ()
    columns = (
        "measure", "depth", "runs", "mean_base", "mean_residual", "change", "higher", "lower",
        "covered", "tau_b", "swapped_pairs", "pairs", "qrels", *counts,
    )  # fmt: skip
    return _csv(
        columns,
        (
            (
                str(row.measure), row.depth, row.runs, row.mean_base, row.mean_residual,
                row.change, row.higher, row.lower, row.covered, row.tau, row.swaps, row.pairs,
                qrels.version if qrels else None,
                *((row.judgments, row.relevant) if counts else ()),
            )
            for row in rows
        ),
    )  # fmt: skip


def teams_csv(viewer: Viewer, found: LeftOut | None, qrels: Qrels | None) -> str:
    """One row for each run: without what only its team pooled, and under all judgments."""
    counts = ("lost", "lost_relevant") if viewer.can_see_qrels else ()
    columns = (*RUN_COLUMNS, *OTHER_COLUMNS, "qrels", *counts)
    if found is None or qrels is None:
        return _csv(columns, ())
    return _csv(
        columns,
        (
            (
                *_cells(found, row),
                qrels.version,
                *((row.lost, row.lost_relevant) if counts else ()),
            )
            for row in found.rows
        ),
    )


def _cells(found: PoolStudy | LeftOut, row: PooledRun) -> tuple[object, ...]:
    return (
        row.run.run_id, row.run.tag, row.run.team, str(found.choice.measure), found.choice.depth,
        row.other_rank, row.other_base, row.other_residual, row.rank, row.base, row.residual,
        row.change,
    )  # fmt: skip


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return Table(columns, rows).as_csv()
