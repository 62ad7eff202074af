"""The forecast of a plan of judging, at full precision."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from scoring.judging.plan_forecast import PlanForecast, SimulationTable
from scoring.output.table import Column, Table

SPAN: Final = ("base", "residual", "projection")


class _Shared(NamedTuple):
    kind: str
    a: str
    b: str
    documents: int


class _Residual(NamedTuple):
    judged_for: str
    p: float
    top_third_residual: float | None


def _runs(found: PlanForecast | None) -> Table:
    columns = (
        Column("place"),
        Column("run_id"),
        Column("run", "tag"),
        Column("team"),
        Column("proposes"),
        *(Column(f"{name}_now", f"before.{name}") for name in SPAN),
        *(Column(f"{name}_then", f"after.{name}") for name in SPAN),
    )
    return Table(columns, found.rows if found else ())


def _curve(found: PlanForecast | None) -> Table:
    columns = (
        Column("documents"),
        Column("mean_residual"),
        Column("top_third_residual", "top_residual"),
    )
    return Table(columns, found.curve if found else ())


def _topics(found: PlanForecast | None) -> Table:
    columns = (Column("topic", "code"), Column("judged"), Column("planned"))
    return Table(columns, found.topics if found else ())


def _overlap(found: PlanForecast | None) -> Table:
    return Table(tuple(map(Column, _Shared._fields)), _overlaps(found) if found else ())


def _overlaps(found: PlanForecast) -> Iterator[_Shared]:
    for kind, shared in zip(("method", "p"), found.overlaps, strict=True):
        for a, row in zip(shared.names, shared.counts, strict=True):
            for b, documents in zip(shared.names, row, strict=True):
                yield _Shared(kind, a.removeprefix("p = "), b.removeprefix("p = "), documents)


def _replay(found: SimulationTable | None) -> Table:
    columns = (
        Column("budget"),
        Column("method"),
        Column("judged"),
        Column("relevant_found", "found"),
        Column("relevant_found_bypassing", "found_bypassing"),
        Column("handled_bypassing"),
        Column("top_third_residual", "residual"),
        Column("base_vs_base"),
        Column("base_vs_top"),
        Column("base_vs_projected"),
    )
    return Table(columns, found.rows if found else ())


def _residuals(found: SimulationTable | None) -> Table:
    return Table(tuple(map(Column, _Residual._fields)), _by_persistence(found) if found else ())


def _by_persistence(found: SimulationTable) -> Iterator[_Residual]:
    for label, values in found.residuals:
        for p, residual in zip(found.persistences, values, strict=True):
            yield _Residual(label, p, residual)


FORECASTS: Final[dict[str, Callable[[PlanForecast | None], Table]]] = {
    "runs": _runs,
    "curve": _curve,
    "topics": _topics,
    "overlap": _overlap,
}
REPLAYS: Final[dict[str, Callable[[SimulationTable | None], Table]]] = {
    "replay": _replay,
    "residuals": _residuals,
}
