"""The forecast of a judging plan, at full precision."""

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


def _runs(forecast: PlanForecast | None) -> Table:
    columns = (
        Column("rank"),
        Column("run_id"),
        Column("run", "name"),
        Column("team"),
        Column("proposes"),
        *(Column(f"{name}_now", f"before.{name}") for name in SPAN),
        *(Column(f"{name}_forecast", f"after.{name}") for name in SPAN),
    )
    return Table(columns, forecast.rows if forecast else ())


def _curve(forecast: PlanForecast | None) -> Table:
    columns = (
        Column("documents"),
        Column("mean_residual"),
        Column("top_third_residual", "top_residual"),
    )
    return Table(columns, forecast.curve if forecast else ())


def _topics(forecast: PlanForecast | None) -> Table:
    columns = (Column("topic", "code"), Column("judged"), Column("planned"))
    return Table(columns, forecast.topics if forecast else ())


def _overlap(forecast: PlanForecast | None) -> Table:
    return Table(tuple(map(Column, _Shared._fields)), _overlaps(forecast) if forecast else ())


def _overlaps(forecast: PlanForecast) -> Iterator[_Shared]:
    for kind, shared in zip(("method", "p"), forecast.overlaps, strict=True):
        for a, row in zip(shared.names, shared.counts, strict=True):
            for b, documents in zip(shared.names, row, strict=True):
                yield _Shared(kind, a.removeprefix("p = "), b.removeprefix("p = "), documents)


def _simulation(table: SimulationTable | None) -> Table:
    columns = (
        Column("budget"),
        Column("method"),
        Column("judged"),
        Column("relevant_found", "found"),
        Column("relevant_found_skipping", "found_skipping"),
        Column("selected_skipping"),
        Column("top_third_residual", "residual"),
        Column("base_vs_base"),
        Column("base_vs_top"),
        Column("base_vs_projected"),
    )
    return Table(columns, table.rows if table else ())


def _residuals(table: SimulationTable | None) -> Table:
    return Table(tuple(map(Column, _Residual._fields)), _by_persistence(table) if table else ())


def _by_persistence(table: SimulationTable) -> Iterator[_Residual]:
    for label, values in table.residuals:
        for p, residual in zip(table.persistences, values, strict=True):
            yield _Residual(label, p, residual)


FORECASTS: Final[dict[str, Callable[[PlanForecast | None], Table]]] = {
    "runs": _runs,
    "curve": _curve,
    "topics": _topics,
    "overlap": _overlap,
}
SIMULATIONS: Final[dict[str, Callable[[SimulationTable | None], Table]]] = {
    "simulation": _simulation,
    "residuals": _residuals,
}
