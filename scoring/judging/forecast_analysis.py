"""Forecasts the bounds of the runs after this many more documents, chosen as the plan chooses; see
`scoring/core/judging/planned_judging.py`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from campaigns.access import Viewer
from campaigns.judging.final_grades import final_grade_values, stamp_of
from campaigns.models import Campaign, Plan, Qrels
from scoring.analyses.means import FILES_AT_ONCE, NotComputedYet
from scoring.analyses.requests import (
    judgments_of,
    last_computed,
    request_analysis,
    result_of,
)
from scoring.analyses.studies import Reads, Study, declare
from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import find_candidates
from scoring.core.judging.planned_judging import expected_bounds, expected_shares, plan_judging
from scoring.core.judging.selection import Strategy
from scoring.core.statistics.means import Interval
from scoring.judging.analysis import JudgingState, judging_state
from scoring.judging.candidates import contributing_runs, id_array
from scoring.judging.progress import depth_tracked
from scoring.models import Analysis

WEIGHINGS: Final = 20  # at most: more would take too long and change a forecast little
CACHED: Final = 16
# Ranked documents of all runs: what a web process weighs in a fifth of a second.
AT_ONCE: Final = 1_000_000
# The same, where each further document needs a look at all ranked documents of its topic.
AT_ONCE_BY_TOPIC: Final = 10_000_000


class ForecastRun(Interval):
    """The forecast of a run's mean RBP(p): the base is an estimate, the residual nearly certain."""


@dataclass(frozen=True, eq=False)
class JudgingForecast:
    documents: int  # fewer than requested if the runs have no more candidates
    runs: Mapping[str, ForecastRun]  # by public id
    behind: int = 0  # judgments made since a worker computed it

    @property
    def mean_residual(self) -> float:
        return sum(run.residual for run in self.runs.values()) / len(self.runs)


def judging_forecast(
    viewer: Viewer, plan: Plan, more: int, left: int
) -> JudgingForecast | NotComputedYet | None:
    """After `more` documents, at most those that are left; None if no contributing run has a
    candidate. Cached until something is judged or a run is added or removed. Some eight queries.
    Above AT_ONCE, AT_ONCE_BY_TOPIC or FILES_AT_ONCE a worker computes it; while people judge, the
    last result is used."""
    campaign = plan.campaign
    runs = contributing_runs(campaign, None)
    topics = max(campaign.topics.count(), 1)
    longest = topics * depth_tracked(plan.persistence)
    ranked = sum(min(run.ranking.document_count, longest) for run in runs)
    looks = min(more, left) * ranked // topics if plan.is_by_topic else 0
    if ranked <= AT_ONCE and looks <= AT_ONCE_BY_TOPIC and len(runs) <= FILES_AT_ONCE:
        stored = tuple((run.public_id, run.ranking.digest, run.judging_priority) for run in runs)
        scale = (campaign.rel, campaign.highest_grade)
        return _cached_forecast(plan, min(more, left), (stamp_of(campaign), stored, scale))
    whole = total_documents(plan)
    # Everything beyond the last document is the same question.
    question = AfterMore(plan.pk, min(more, whole), whole)
    analysis = request_analysis(viewer, plan.starts_from, JUDGING_OUTLOOK, question)
    # After a failure, the page says why and shows no older forecast.
    last = None if analysis.state == Analysis.State.FAILED else last_computed(analysis)
    if last is None:
        return NotComputedYet(analysis)
    result = result_of(JUDGING_OUTLOOK, last)
    if not len(result.run_ids):
        return None
    behind = plan.campaign.judgments.count() - judgments_of(JUDGING_OUTLOOK, last)
    columns = (each.tolist() for each in (result.run_ids, result.base, result.residual))
    means = zip(*columns, strict=True)
    by_id = {run_id: ForecastRun(base, residual) for run_id, base, residual in means}
    return JudgingForecast(result.documents, by_id, behind)


@dataclass(frozen=True)
class AfterMore:
    plan: int  # id
    more: int  # documents
    whole: int  # the total number of its documents


@dataclass(frozen=True, eq=False)
class ForecastMeans:
    documents: int  # further judgments in the forecast
    run_ids: NDArray[np.str_]  # none if no contributing run has a candidate
    base: NDArray[np.float64]
    residual: NDArray[np.float64]


def compute(campaign: Campaign, starts_from: Qrels | None, question: AfterMore) -> ForecastMeans:
    plan = campaign.plans.select_related("starts_from").get(pk=question.plan)
    plan.campaign = campaign
    grades = final_grade_values(plan.campaign)
    tasks = plan.tasks.values_list("topic__position", "topic__code", "doc_id")
    # People may have judged more since the page asked.
    judged = sum(task in grades for task in tasks)
    forecast = _computed(plan, min(question.more, max(0, question.whole - judged)))
    runs = forecast.runs if forecast else {}
    return ForecastMeans(
        documents=forecast.documents if forecast else 0,
        run_ids=np.array(list(runs), np.str_),
        base=np.array([run.base for run in runs.values()]),
        residual=np.array([run.residual for run in runs.values()]),
    )


JUDGING_OUTLOOK: Final = declare(
    Study(
        kind="judging_outlook",
        title="forecast of judging",
        question=AfterMore,
        compute=compute,
        result=ForecastMeans,
        reads=Reads.RANKINGS | Reads.JUDGMENTS,
        seconds=lambda size, _: 2e-6 * size.candidates,
        version=2,
    )
)


def runs_out(plan: Plan) -> bool:
    """Whether the runs have fewer candidates than the budget allows."""
    is_all = plan.is_exhausted or (plan.is_static and plan.laid_out > 0)
    return is_all and plan.laid_out < plan.budget


def total_documents(plan: Plan) -> int:
    """The documents to judge in all: the budget, or fewer if the runs run out of candidates."""
    return plan.laid_out if runs_out(plan) else plan.budget


@lru_cache(maxsize=CACHED)
def _cached_forecast(plan: Plan, more: int, _: tuple[object, ...]) -> JudgingForecast | None:
    return _computed(plan, more)


def _computed(plan: Plan, more: int) -> JudgingForecast | None:
    p, starts_from = plan.persistence, plan.starts_from
    state = judging_state(
        plan.campaign,
        p=p,
        priority=plan.lowest_priority,
        starts_from=starts_from,
        depth=depth_tracked(p),  # the candidates that the page has cached
    )
    if state is None:
        return None
    shares = expected_shares(state.everything, state.outcomes, p)
    if plan.is_sample:
        chosen = _next_sampled(plan, state)[:more]
    else:
        chosen = plan_judging(
            state.offered,
            Strategy(plan.method, p, plan.scope),
            state.known,
            budget=more,
            # Rounded up, so that documents are weighed WEIGHINGS times at most.
            batch=plan.batch if plan.is_by_topic else max(plan.batch, -(-more // WEIGHINGS)),
            shares=shares,
        )
    bounds = expected_bounds(
        state.everything, state.outcomes, state.in_everything(chosen), shares=shares, persistence=p
    )
    means = zip(
        state.run_ids,
        bounds.base.mean(axis=1).tolist(),
        bounds.residual.mean(axis=1).tolist(),
        strict=True,
    )
    return JudgingForecast(
        len(chosen), {run_id: ForecastRun(base, left) for run_id, base, left in means}
    )


def _next_sampled(plan: Plan, state: JudgingState) -> NDArray[np.int64]:
    """int64[documents]: the offered candidates of the sample that are not judged, in the order in
    which assessors get them."""
    tasks = plan.tasks.order_by("turn").values_list("topic__position", "doc_id")
    rows = np.array([row for row, _ in tasks], np.int32)
    places = find_candidates(state.offered, rows, id_array(doc_id for _, doc_id in tasks))
    places = places[places >= 0]
    return places[state.known[places] == UNJUDGED]
