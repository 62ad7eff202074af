"""The forecast of a judging plan as rows for page, charts and CSV, from the results of the analyses
`analysis.py` and `simulation_analysis.py`."""

from dataclasses import dataclass
from functools import cached_property

from campaigns.access import Viewer
from campaigns.judging.plans import method_name
from scoring.analyses.means import NotComputedYet
from scoring.core.judging.selection import METHODS, ORDERS
from scoring.core.statistics.means import Interval
from scoring.core.statistics.undefined import none_if_nan
from scoring.judging.analysis import PlanArrays, PlanQuestion, methods_compared
from scoring.judging.run_order import rank_keys
from scoring.judging.simulation_analysis import SimulationArrays


@dataclass(frozen=True)
class Span(Interval):
    """Mean RBP(p) of a run: base, residual and projection."""

    projection: float


@dataclass(frozen=True)
class PlannedRun:
    rank: int  # in the chosen order
    run_id: str
    name: str
    team: str
    proposes: bool
    before: Span
    after: Span


@dataclass(frozen=True)
class CurvePoint:
    documents: int
    mean_residual: float
    top_residual: float | None  # of the top third; None if there is no order


@dataclass(frozen=True)
class PlannedTopic:
    code: str
    judged: int
    planned: int


@dataclass(frozen=True)
class SharedCell:
    documents: int
    shade: int  # 0 to 9: the share of the largest count


@dataclass(frozen=True)
class Shared:
    """How many documents each two plans have in common."""

    title: str
    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def rows(self) -> list[tuple[str, list[SharedCell]]]:
        largest = max((max(row) for row in self.counts), default=0) or 1
        return [
            (name, [SharedCell(count, min(9, 10 * count // largest)) for count in row])
            for name, row in zip(self.names, self.counts, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class PlanForecast:
    """The bounds of the runs now, and their forecast after the budget is spent."""

    method: str
    persistence: float
    budget: int
    chosen: int  # documents to judge: fewer than the budget if the runs have no more candidates
    already: int  # further documents of a sample, which are judged
    open: int  # unjudged candidates of the contributing runs
    judged: int
    share: float  # of relevant documents among those judged so far
    pool_depth: int
    has_order: bool
    rows: tuple[PlannedRun, ...]
    curve: tuple[CurvePoint, ...]
    topics: tuple[PlannedTopic, ...]
    overlaps: tuple[Shared, Shared]  # of methods, of values of p

    @property
    def method_name(self) -> str:
        return method_name(self.method)

    @property
    def is_by_topic(self) -> bool:
        return self.method in ORDERS

    @property
    def is_sample(self) -> bool:
        return self.method not in METHODS

    @property
    def follows_grades(self) -> bool:
        return self.method == "C" or self.is_by_topic

    @property
    def selected(self) -> int:
        return self.chosen + self.already

    @property
    def missing(self) -> int:
        return self.budget - self.selected

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
    def after(self) -> CurvePoint:
        return self.curve[-1]

    @property
    def fewest(self) -> PlannedTopic:
        return min(self.topics, key=lambda topic: topic.planned)

    @property
    def most(self) -> PlannedTopic:
        return max(self.topics, key=lambda topic: topic.planned)


@dataclass(frozen=True)
class SimulatedPlan:
    """One method after this many judgments, with the grades of the qrels."""

    budget: int
    method: str
    judged: int
    found: int
    found_skipping: int
    selected_skipping: int
    residual: float
    base_vs_base: float | None  # None: there is only one run
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
    viewer: Viewer, question: PlanQuestion, order: str, result: PlanArrays
) -> PlanForecast | NotComputedYet:
    """At most two queries; four if a worker computes the order of the runs."""
    run_ids = result.run_ids.tolist()
    before, after, curve = result.before, result.after, result.curve
    keys = rank_keys(viewer, order, run_ids, before[2], question.p)
    if isinstance(keys, NotComputedYet):
        return keys
    names, teams = result.tags.tolist(), result.teams.tolist()
    order_of_runs = sorted(range(len(run_ids)), key=lambda at: (-keys[at], names[at].lower()))
    # Where all runs are equal, the best third would be an arbitrary third.
    has_order = len(run_ids) > 1 and len(set(keys)) > 1
    top = order_of_runs[: max(1, len(order_of_runs) // 3)]
    return PlanForecast(
        method=question.method,
        persistence=question.p,
        budget=question.budget,
        chosen=result.chosen,
        already=result.already,
        open=result.open,
        judged=result.judged,
        share=result.share,
        pool_depth=result.pool_depth,
        has_order=has_order,
        rows=tuple(
            PlannedRun(
                rank=rank,
                run_id=run_ids[at],
                name=names[at],
                team=teams[at],
                proposes=bool(result.counts[at]),
                before=Span(*before[:, at].tolist()),
                after=Span(*after[:, at].tolist()),
            )
            for rank, at in enumerate(order_of_runs, start=1)
        ),
        curve=tuple(
            CurvePoint(
                documents=int(documents),
                mean_residual=float(row.mean()),
                top_residual=float(row[top].mean()) if has_order else None,
            )
            for documents, row in zip(result.points, curve, strict=True)
        ),
        topics=tuple(
            PlannedTopic(*row)
            for row in zip(
                result.topics.tolist(),
                result.judged_by_topic.tolist(),
                result.chosen_by_topic.tolist(),
                strict=True,
            )
        ),
        overlaps=_overlaps(question, result),
    )


def short_name(method: str) -> str:
    return method if method in METHODS else "sample"


def simulation_table(question: PlanQuestion, result: SimulationArrays) -> SimulationTable:
    rows = [
        SimulatedPlan(budget, method, *map(int, cells[:4]), *map(none_if_nan, cells[4:]))
        for budget, methods in zip(result.budgets.tolist(), result.figures.tolist(), strict=True)
        for method, cells in zip(METHODS, methods, strict=True)
    ]
    method = question.method
    labels = [f"{method}, p = {p:g}" for p in question.persistences]
    if method in ORDERS:  # they do not use p
        labels = [method]
    labels.append("pooling")
    residuals = [tuple(row) for row in result.residuals.tolist()]
    return SimulationTable(
        rows=tuple(rows),
        residuals=tuple(zip(labels, residuals, strict=True)),
        persistences=tuple(question.persistences),
        top_count=len(result.top),
        known=result.known,
        relevant=result.relevant,
    )


def _overlaps(question: PlanQuestion, result: PlanArrays) -> tuple[Shared, Shared]:
    method, p = question.method, question.p
    methods, values = result.shared_methods.tolist(), result.shared_p.tolist()
    return (
        Shared(
            f"Methods, p = {p:g}",
            tuple(map(short_name, methods_compared(question.method))),
            tuple(map(tuple, methods)),
        ),
        Shared(
            f"Values of p, {method_name(method)}",
            tuple(f"p = {value:g}" for value in question.persistences),
            tuple(map(tuple, values)),
        ),
    )
