"""The tables of the forecast of a judging plan, as files and in the API."""

from typing import Any

from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter

from campaigns import access
from campaigns.judging.plan_form import DEFAULTS, UNITS
from campaigns.models import Plan
from campaigns.options import UnknownChoice
from scoring.judging import plan_tables
from scoring.judging.plan_views import PlanQuery, plan_query
from scoring.output.result_view import FOR_ORGANISERS, Answer, ResultView


def _runs(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each ranked run, in the chosen order: its bounds now, and their forecast after
    the budget is spent. For organisers."""
    query = _valid_query(viewer, params)
    return Answer(plan_tables.runs_table(query.forecast), awaits=query.analysis)


def _curve(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each number of documents judged: the mean residual of the runs. For
    organisers."""
    query = _valid_query(viewer, params)
    return Answer(plan_tables.curve_table(query.forecast), awaits=query.analysis)


def _topics(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each topic: its documents that are judged and that the plan has. For
    organisers."""
    query = _valid_query(viewer, params)
    return Answer(plan_tables.topics_table(query.forecast), awaits=query.analysis)


def _overlap(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each two methods, and for each two values of p: how many documents their plans
    have in common. For organisers."""
    query = _valid_query(viewer, params)
    return Answer(plan_tables.overlap_table(query.forecast), awaits=query.analysis)


def _simulation(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each budget and method: judging simulated with the grades of the active qrels.
    Empty without qrels, and for a sample. For organisers."""
    query = _valid_query(viewer, params)
    table = plan_tables.simulation_table(query.simulated)
    return Answer(table, awaits=query.simulation_analysis)


def _residuals(viewer: access.Viewer, params: QueryDict) -> Answer:
    """One row for each p for which documents are judged and each p with which the runs are scored,
    in the same simulation. For organisers."""
    query = _valid_query(viewer, params)
    table = plan_tables.residuals_table(query.simulated)
    return Answer(table, awaits=query.simulation_analysis)


def _valid_query(viewer: access.Viewer, params: QueryDict) -> PlanQuery:
    """Raises UnknownChoice for the first invalid choice."""
    query = plan_query(viewer, params, is_chosen=True)
    if query.form.errors:
        name, faults = next(iter(query.form.errors.items()))
        raise UnknownChoice(name, params.get(name, ""), why=str(faults[0]))
    return query


PLAN = [
    OpenApiParameter("method", str, enum=Plan.Method.values, default=DEFAULTS["method"]),
    OpenApiParameter("p", float, description="of RBP; default: one of the campaign"),
    OpenApiParameter("scope", str, enum=Plan.Scope.values, default=DEFAULTS["scope"]),
    OpenApiParameter(
        "runs", str, description="all, or the largest judging priority of the runs that propose"
    ),
    OpenApiParameter("start", str, description="nothing, or a version whose judgments are kept"),
    OpenApiParameter(
        "amount",
        float,
        description="the budget; default: that of the page",
    ),
    OpenApiParameter("unit", str, enum=list(UNITS), description="of the amount"),
    OpenApiParameter("per_hour", float, description="documents, for a budget in hours"),
    OpenApiParameter("overlap", int, description="percent of documents that two assessors judge"),
    OpenApiParameter("batch", int, description="documents that are judged between two choices"),
]
ORDERED = [
    *PLAN,
    OpenApiParameter("order", str, description="a measure that orders the runs, or projected"),
]
COMPUTED: dict[str, Any] = {"is_computed": True, **FOR_ORGANISERS}

TABLES = {
    "runs": ResultView(
        name="judging-plan-runs",
        file_name="plan-runs",
        title="Forecast of a judging plan: runs",
        answer=_runs,
        row="PlannedRun",
        row_description="The bounds of a run's mean RBP now, and their forecast.",
        columns=plan_tables.RUNS,
        parameters=ORDERED,
        row_example={
            "rank": 1, "run_id": "k5zq3wd7c2hxy4ma", "run": "uni-bm25", "team": "Uni",
            "proposes": 1, "base_now": 0.2, "residual_now": 0.4, "projection_now": 0.33,
            "base_forecast": 0.31, "residual_forecast": 0.05, "projection_forecast": 0.34,
        },
        **COMPUTED,
    ),
    "curve": ResultView(
        name="judging-plan-curve",
        file_name="plan-curve",
        title="Forecast of a judging plan: residual by documents",
        answer=_curve,
        row="ResidualAfter",
        row_description="The mean residual of the runs after this many documents.",
        columns=plan_tables.CURVE,
        parameters=ORDERED,
        row_example={"documents": 500, "mean_residual": 0.12, "top_third_residual": 0.08},
        **COMPUTED,
    ),
    "topics": ResultView(
        name="judging-plan-topics",
        file_name="plan-topics",
        title="Forecast of a judging plan: topics",
        answer=_topics,
        row="PlannedTopic",
        row_description="How many documents of a topic are judged, and how many the plan has.",
        columns=plan_tables.TOPICS,
        parameters=PLAN,
        row_example={"topic": "308", "judged": 0, "planned": 96},
        **COMPUTED,
    ),
    "overlap": ResultView(
        name="judging-plan-overlap",
        file_name="plan-overlap",
        title="Documents that two judging plans have in common",
        answer=_overlap,
        row="PlanOverlap",
        row_description="Two plans that differ in the method or in p.",
        columns=plan_tables.OVERLAP,
        parameters=PLAN,
        row_example={"kind": "method", "a": "A", "b": "pooling", "documents": 640},
        **COMPUTED,
    ),
    "simulation": ResultView(
        name="judging-plan-simulation",
        file_name="plan-simulation",
        title="Judging simulated with the qrels",
        answer=_simulation,
        row="SimulatedPlan",
        row_description="A method after this many judgments.",
        columns=plan_tables.SIMULATION,
        parameters=PLAN,
        row_example={
            "budget": 500, "method": "A", "judged": 500, "relevant_found": 120,
            "relevant_found_skipping": 131, "selected_skipping": 560, "top_third_residual": 0.08,
            "base_vs_base": 0.4, "base_vs_top": 0.1, "base_vs_projected": 0.3,
        },
        **COMPUTED,
    ),
    "residuals": ResultView(
        name="judging-plan-residuals",
        file_name="plan-residuals",
        title="Residual if documents are judged for another p",
        answer=_residuals,
        row="ResidualByPersistence",
        row_description="The mean residual of the top third after the simulation.",
        columns=plan_tables.RESIDUALS,
        parameters=PLAN,
        row_example={"judged_for": "A, p = 0.8", "p": 0.5, "top_third_residual": 0.01},
        **COMPUTED,
    ),
}  # fmt: skip
