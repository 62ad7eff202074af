"""Tables of pools at full precision; numbers of judgments for those who may see the qrels."""

from collections.abc import Sequence
from functools import partial

from campaigns.access import Viewer
from campaigns.models import Qrels
from scoring.output.latex import interval, number, signed
from scoring.output.table import Column, Table, printed, same
from scoring.pools.options import PoolChoice
from scoring.pools.rows import LeftOut, PoolStudy
from scoring.pools.summaries import Summary

OWN_DOCUMENTS = (
    Column("lost", heading="own documents", kind=int),
    Column("lost_relevant", heading="relevant", kind=int),
)


def runs_table(study: PoolStudy | None, choice: PoolChoice, qrels: Qrels | None) -> Table:
    """One row for each run: with the chosen pool, and with all judgments."""
    choice = study.choice if study else choice
    other = f"a pool {choice.pool_words}"
    return Table(run_columns(choice, qrels), study.rows if study else (), _caption(study, other))


def teams_table(
    viewer: Viewer, study: LeftOut | None, choice: PoolChoice, qrels: Qrels | None
) -> Table:
    """One row for each run: without the documents that only its team contributed, and with all
    judgments."""
    columns = [
        *run_columns(study.choice if study else choice, qrels),
        *(OWN_DOCUMENTS if viewer.can_see_qrels else ()),
    ]
    caption = _caption(study, "without documents that only its team contributed")
    return Table(columns, study.rows if study else (), caption)


def _caption(study: PoolStudy | LeftOut | None, other: str) -> str:
    measure = f"mean {study.choice.measure}, " if study else ""
    return f"{measure}all judgments and {other}, with their ranks."


def run_columns(choice: PoolChoice | None = None, qrels: Qrels | None = None) -> tuple[Column, ...]:
    return (
        Column("run_id", "run.run_id", kind=str),
        printed("", "rank"),
        Column("run", "run.name", "run", align="l", kind=str),
        Column("team", "run.team", "team", align="l", kind=str),
        same("measure", choice and choice.measure, str),
        same("depth", choice and choice.depth, str),
        printed("all", "base", number),
        printed("interval", lambda row: _upper(row.base, row.residual), align="l"),
        Column("rank", "other_rank", "", kind=int | None),
        Column("base", "other_base", "other", number, kind=float),
        Column("residual", "other_residual", kind=float),
        printed("interval", lambda row: _upper(row.other_base, row.other_residual), align="l"),
        Column("rank_all", "rank", kind=int | None),
        Column("base_all", "base", kind=float),
        Column("residual_all", "residual", kind=float),
        Column("change", kind=float),
        same("qrels", qrels and qrels.version, int),
    )


def summaries_table(
    viewer: Viewer, rows: Sequence[Summary], qrels: Qrels | None, pool_words: str = ""
) -> Table:
    """One row for each measure and pool; in LaTeX they are those of one pool."""
    of_qrels = [Column(name, kind=int) for name in ("judgments", "relevant")]
    columns = (*summary_columns(qrels), *(of_qrels if viewer.can_see_qrels else ()))
    caption = f"every measure with a pool {pool_words}, compared with all judgments."
    return Table(columns, rows, caption)


def summary_columns(qrels: Qrels | None = None) -> tuple[Column, ...]:
    return (
        Column("measure", heading="measure", align="l", kind=str),
        Column("depth", kind=str),
        Column("runs", kind=int),
        Column("mean_base", heading="mean", text=number, kind=float),
        Column("mean_residual", kind=float),
        printed("interval", lambda row: _upper(row.mean_base, row.mean_residual), align="l"),
        Column("change", heading="change", text=partial(signed, digits=4), kind=float),
        Column("higher", heading="higher", kind=int),
        Column("lower", heading="lower", kind=int),
        Column("covered", kind=int | None),
        Column("tau_b", "tau", "τ", number, kind=float),
        Column("swapped_pairs", "swaps", kind=int),
        Column("pairs", kind=int),
        same("qrels", qrels and qrels.version, int),
    )


def _upper(base: float | None, residual: float | None) -> str:
    return interval(base, None if base is None or residual is None else base + residual)
