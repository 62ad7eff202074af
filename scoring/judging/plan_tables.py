"""The forecast of a judging plan, at full precision."""

from typing import NamedTuple

from scoring.judging.plan_forecast import PlanForecast, SimulationTable
from scoring.output.latex import added, number
from scoring.output.table import Column, Table

RUNS = (
    Column("rank", heading="", kind=int),
    Column("run_id", kind=str),
    Column("run", "name", "run", align="l", kind=str),
    Column("team", heading="team", align="l", kind=str),
    Column("proposes", kind=int, help_text="1: the plan takes documents from this run"),
    Column("base_now", "before.base", "base now", number, kind=float),
    Column("residual_now", "before.residual", "residual", added, kind=float),
    Column("projection_now", "before.projection", kind=float),
    Column("base_forecast", "after.base", "base after", number, kind=float),
    Column("residual_forecast", "after.residual", "residual", added, kind=float),
    Column("projection_forecast", "after.projection", "projected", number, kind=float),
)
CURVE = (
    Column("documents", heading="documents", kind=int, help_text="judged"),
    Column("mean_residual", heading="residual, all runs", text=number, kind=float),
    Column(
        "top_third_residual", "top_residual", "top third", number, kind=float,
        help_text="null if the runs have no order",
    ),
)  # fmt: skip
TOPICS = (
    Column("topic", "code", "topic", align="l", kind=str),
    Column("judged", heading="judged", kind=int, help_text="documents"),
    Column("planned", heading="planned", kind=int),
)
OVERLAP = (
    Column(
        "kind", heading="", align="l", kind=str,
        help_text="method: two methods; p: two values of p with the method of the plan",
    ),
    Column("a", heading="plan", align="l", kind=str),
    Column("b", heading="other plan", align="l", kind=str),
    Column("documents", heading="documents", kind=int, help_text="that both plans have"),
)  # fmt: skip
SIMULATION = (
    Column("budget", heading="budget", kind=int, help_text="judgments"),
    Column("method", heading="method", align="l", kind=str),
    Column("judged", heading="judged", kind=int),
    Column("relevant_found", "found", "found", kind=int),
    Column(
        "relevant_found_skipping", "found_skipping", "found, skipping", kind=int,
        help_text="if documents without a grade do not count as judgments",
    ),
    Column("selected_skipping", heading="selected, skipping", kind=int),
    Column("top_third_residual", "residual", "residual", number, kind=float),
    Column(
        "base_vs_base", heading="base", text=number, kind=float,
        help_text="share of the pairs of the top third whose bases differ significantly",
    ),
    Column(
        "base_vs_top", heading="top", text=number, kind=float,
        help_text="the same, against the upper bound of the other run",
    ),
    Column("base_vs_projected", heading="projected", text=number, kind=float),
)  # fmt: skip
RESIDUALS = (
    Column("judged_for", heading="judged for", align="l", kind=str),
    Column("p", heading="p", kind=float, help_text="with which the runs are scored"),
    Column("top_third_residual", heading="residual, top third", text=number, kind=float),
)


class _Shared(NamedTuple):
    kind: str
    a: str
    b: str
    documents: int


class _Residual(NamedTuple):
    judged_for: str
    p: float
    top_third_residual: float | None


def runs_table(forecast: PlanForecast | None) -> Table:
    caption = f"bounds of RBP now, and their forecast after {_plan(forecast)}."
    return Table(RUNS, forecast.rows if forecast else (), caption)


def curve_table(forecast: PlanForecast | None) -> Table:
    caption = f"mean residual by the number of documents judged, forecast for {_plan(forecast)}."
    return Table(CURVE, forecast.curve if forecast else (), caption)


def topics_table(forecast: PlanForecast | None) -> Table:
    caption = f"documents of each topic in {_plan(forecast)}."
    return Table(TOPICS, forecast.topics if forecast else (), caption)


def overlap_table(forecast: PlanForecast | None) -> Table:
    caption = "documents that two judging plans have in common."
    if forecast is None:
        return Table(OVERLAP, (), caption)
    # The kind says what the names are of, so a value of p is a number without "p = ".
    rows = (
        _Shared(kind, a.removeprefix("p = "), b.removeprefix("p = "), documents)
        for kind, shared in zip(("method", "p"), forecast.overlaps, strict=True)
        for a, row in zip(shared.names, shared.counts, strict=True)
        for b, documents in zip(shared.names, row, strict=True)
    )
    return Table(OVERLAP, rows, caption)


def simulation_table(table: SimulationTable | None) -> Table:
    caption = (
        "judging simulated with the grades of the qrels: relevant documents found, the mean "
        "residual of the top third, and the share of its pairs in which the base of a run is "
        "significantly higher than the base, the upper bound (top) or the projection of the other."
    )
    return Table(SIMULATION, table.rows if table else (), caption)


def residuals_table(table: SimulationTable | None) -> Table:
    caption = "mean residual of the top third by the p for which documents were judged."
    if table is None:
        return Table(RESIDUALS, (), caption)
    rows = (
        _Residual(label, p, residual)
        for label, values in table.residuals
        for p, residual in zip(table.persistences, values, strict=True)
    )
    return Table(RESIDUALS, rows, caption)


def _plan(forecast: PlanForecast | None) -> str:
    if forecast is None:
        return "a plan"
    return f"{forecast.selected:,} documents by {forecast.method_name}, p = {forecast.persistence}"
