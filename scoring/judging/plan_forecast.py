"""What a plan of judging would buy, as rows for page, charts and CSV: read from what a worker found
(`studies.judging_plans`, `studies.judging_replays`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from campaigns.access import Viewer
from scoring.analyses.means import NotComputedYet
from scoring.core.statistics.means import Interval
from scoring.core.statistics.undefined import none_if_nan
from scoring.judging.analysis import METHODS
from scoring.judging.run_order import rank_keys


@dataclass(frozen=True)
class Span(Interval):
    """Mean RBP(p) of a run: what is known, what could be added, what it is projected to be."""

    projection: float


@dataclass(frozen=True)
class PlannedRun:
    place: int  # in the order chosen
    run_id: str
    tag: str
    team: str
    proposes: bool
    before: Span
    after: Span


@dataclass(frozen=True)
class CurvePoint:
    documents: int
    mean_residual: float
    top_residual: float | None  # of the best third; None where no order is known


@dataclass(frozen=True)
class PlannedTopic:
    code: str
    judged: int
    planned: int


@dataclass(frozen=True)
class SharedCell:
    documents: int
    shade: int  # 0 to 9: the part of all


@dataclass(frozen=True)
class Shared:
    """How many documents each two plans have in common."""

    what: str
    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def rows(self) -> list[tuple[str, list[SharedCell]]]:
        whole = max((max(row) for row in self.counts), default=0) or 1
        return [
            (name, [SharedCell(count, min(9, 10 * count // whole)) for count in row])
            for name, row in zip(self.names, self.counts, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class PlanForecast:
    """What is known now, and what would be once the budget is spent."""

    method: str
    persistence: float
    budget: int
    chosen: int  # documents: fewer than the budget where the runs name no more
    open: int  # documents that the runs that count name and nobody has judged
    judged: int
    share: float  # of relevant documents, by those judged so far
    pool_depth: int
    has_order: bool
    rows: tuple[PlannedRun, ...]
    curve: tuple[CurvePoint, ...]
    topics: tuple[PlannedTopic, ...]
    overlaps: tuple[Shared, Shared]  # of methods, of values of p

    @property
    def missing(self) -> int:
        return self.budget - self.chosen

    @property
    def runs_out(self) -> bool:
        return self.missing > 0

    @property
    def share_percent(self) -> int:
        return round(100 * self.share)

    @cached_property
    def top_count(self) -> int:
        return max(1, len(self.rows) // 3)

    @property
    def now(self) -> CurvePoint:
        return self.curve[0]

    @property
    def then(self) -> CurvePoint:
        return self.curve[-1]

    @property
    def fewest(self) -> PlannedTopic:
        return min(self.topics, key=lambda topic: topic.planned)

    @property
    def most(self) -> PlannedTopic:
        return max(self.topics, key=lambda topic: topic.planned)


@dataclass(frozen=True)
class SimulatedPlan:
    """One method after so many judgments, had the qrels answered."""

    budget: int
    method: str
    judged: int
    found: int
    found_bypassing: int
    handled_bypassing: int
    residual: float
    base_vs_base: float | None  # None: there is but one run
    base_vs_top: float | None
    base_vs_projected: float | None


@dataclass(frozen=True, eq=False)
class SimulationTable:
    rows: tuple[SimulatedPlan, ...]
    residuals: tuple[tuple[str, tuple[float, ...]], ...]  # judged for which p; scored with each
    persistences: tuple[float, ...]
    top_count: int
    known: int
    relevant: int


def plan_forecast(
    viewer: Viewer, question: Mapping[str, Any], order: str, answer: Mapping[str, Any]
) -> PlanForecast | NotComputedYet | None:
    """None where no run proposes a document. At most two queries; four where a worker computes
    what the runs are ordered by."""
    run_ids = answer["run_ids"].tolist()
    if not run_ids:
        return None
    before, after, curve = answer["before"], answer["after"], answer["curve"]
    keys = rank_keys(viewer, order, run_ids, before[2], question["p"])
    if isinstance(keys, NotComputedYet):
        return keys
    tags, teams = answer["tags"].tolist(), answer["teams"].tolist()
    places = sorted(range(len(run_ids)), key=lambda at: (-keys[at], tags[at].lower()))
    has_order = len(run_ids) > 1 and len(set(keys)) > 1
    top = places[: max(1, len(places) // 3)]
    return PlanForecast(
        method=question["method"],
        persistence=question["p"],
        budget=question["budget"],
        chosen=int(answer["chosen"]),
        open=int(answer["open"]),
        judged=int(answer["judged"]),
        share=float(answer["share"]),
        pool_depth=int(answer["pool_depth"]),
        has_order=has_order,
        rows=tuple(
            PlannedRun(
                place=place,
                run_id=run_ids[at],
                tag=tags[at],
                team=teams[at],
                proposes=bool(answer["counts"][at]),
                before=Span(*before[:, at].tolist()),
                after=Span(*after[:, at].tolist()),
            )
            for place, at in enumerate(places, start=1)
        ),
        curve=tuple(
            CurvePoint(
                documents=int(documents),
                mean_residual=float(row.mean()),
                top_residual=float(row[top].mean()) if has_order else None,
            )
            for documents, row in zip(answer["points"], curve, strict=True)
        ),
        topics=_topics(answer),
        overlaps=_overlaps(question, answer),
    )


def simulation_table(
    question: Mapping[str, Any], answer: Mapping[str, Any]
) -> SimulationTable | None:
    if not answer["standings"].size:
        return None
    rows = [
        SimulatedPlan(budget, method, *map(int, cells[:4]), *map(none_if_nan, cells[4:]))
        for budget, methods in zip(
            answer["budgets"].tolist(), answer["standings"].tolist(), strict=True
        )
        for method, cells in zip(METHODS, methods, strict=True)
    ]
    labels = [f"{question['method']}, p = {p:g}" for p in question["persistences"]]
    labels.append("pooling")
    residuals = [tuple(row) for row in answer["residuals"].tolist()]
    return SimulationTable(
        rows=tuple(rows),
        residuals=tuple(zip(labels, residuals, strict=True)),
        persistences=tuple(question["persistences"]),
        top_count=len(answer["top"]),
        known=int(answer["known"]),
        relevant=int(answer["relevant"]),
    )


def _topics(answer: Mapping[str, Any]) -> tuple[PlannedTopic, ...]:
    codes = answer["topics"].tolist()
    counts = (answer["judged_by_topic"].tolist(), answer["chosen_by_topic"].tolist())
    return tuple(PlannedTopic(*row) for row in zip(codes, *counts, strict=True))


def _overlaps(question: Mapping[str, Any], answer: Mapping[str, Any]) -> tuple[Shared, Shared]:
    method, p = question["method"], question["p"]
    methods, values = answer["shared_methods"].tolist(), answer["shared_p"].tolist()
    named = "pooling" if method == "pooling" else f"method {method}"
    return (
        Shared(f"Methods, p = {p:g}", METHODS, tuple(map(tuple, methods))),
        Shared(
            f"Values of p, {named}",
            tuple(f"p = {value:g}" for value in question["persistences"]),
            tuple(map(tuple, values)),
        ),
    )
