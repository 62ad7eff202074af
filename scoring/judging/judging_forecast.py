"""What so many documents more would do to the bounds of the runs: the next ones that the plan would
choose, as `core.planned_judging` foresees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from campaigns.access import Viewer
from campaigns.judging.final_grades import final_grade_values, stamp_of
from campaigns.models import Campaign, Plan, Qrels
from scoring.analyses.means import NotComputedYet
from scoring.analyses.requests import last_computed, request_analysis, result_of
from scoring.core.judging.planned_judging import expected_bounds, expected_shares, plan_judging
from scoring.core.judging.selection import Strategy
from scoring.core.statistics.means import Interval
from scoring.judging.analysis import judging_state
from scoring.judging.candidates import contributing_runs
from scoring.judging.progress import depth_followed
from scoring.models import Analysis

WEIGHINGS: Final = 20  # at most: a page has no time for more, and they move a forecast little
KEPT: Final = 16
# Places of documents in runs: what a web process weighs in a fifth of a second.
AT_ONCE: Final = 1_000_000


class ForecastRun(Interval):
    """A run's mean RBP(p) as it would be: the base a forecast, the residual nearly certain."""


@dataclass(frozen=True, eq=False)
class JudgingForecast:
    documents: int  # fewer than asked for where the runs name no more
    runs: Mapping[str, ForecastRun]  # by public id
    behind: int = 0  # judgments made since a worker computed it

    @property
    def mean_residual(self) -> float:
        return sum(run.residual for run in self.runs.values()) / len(self.runs)


def judging_forecast(
    viewer: Viewer, plan: Plan, more: int, left: int
) -> JudgingForecast | NotComputedYet | None:
    """After so many documents more, and no more than are left; None where no run that counts
    proposes any. Kept in memory until something is judged or a run comes or goes. Some eight
    queries. Beyond AT_ONCE a worker computes it; while people judge, the last one is shown."""
    campaign = plan.campaign
    runs = contributing_runs(campaign, None)
    longest = campaign.topics.count() * depth_followed(plan.persistence)
    if sum(min(run.ranking.document_count, longest) for run in runs) > AT_ONCE:
        return _by_worker(viewer, plan, more)
    stored = tuple((run.public_id, run.ranking.digest, run.judging_priority) for run in runs)
    scale = (campaign.rel, campaign.highest_grade)
    return _cached_forecast(plan, min(more, left), (stamp_of(campaign), stored, scale))


def compute(campaign: Campaign, qrels: Qrels | None, question: Mapping[str, Any]) -> dict[str, Any]:
    """`question` holds `plan`, its id, `more`, and `whole`, the documents that it asks for in all;
    `qrels` is the version that the plan starts from.

    `documents` is how many are judged then; `base` and `residual` are float64[runs], the means of
    the runs of `run_ids` then.
    """
    plan = campaign.plans.select_related("starts_from").get(pk=question["plan"])
    plan.campaign = campaign
    judged = _judged(plan)
    found = _computed(plan, min(question["more"], max(0, question["whole"] - judged)))
    runs = found.runs if found else {}
    return {
        "documents": found.documents if found else 0,
        "run_ids": np.array(list(runs), np.str_),
        "base": np.array([run.base for run in runs.values()]),
        "residual": np.array([run.residual for run in runs.values()]),
    }


def runs_out(plan: Plan) -> bool:
    """The runs named fewer documents than the budget pays for."""
    is_all = plan.is_exhausted or (plan.is_static and plan.laid_out > 0)
    return is_all and plan.laid_out < plan.budget


def whole_of(plan: Plan) -> int:
    """The documents that are judged in all, as far as runs name them."""
    return plan.laid_out if runs_out(plan) else plan.budget


def _by_worker(viewer: Viewer, plan: Plan, more: int) -> JudgingForecast | NotComputedYet | None:
    whole = whole_of(plan)
    question = {"plan": plan.pk, "more": min(more, whole), "whole": whole}
    analysis = request_analysis(viewer, plan.starts_from, "judging_outlook", question)
    last = None if analysis.state == Analysis.State.FAILED else last_computed(analysis)
    if last is None:
        return NotComputedYet(analysis)
    answer = result_of(last)
    if not len(answer["run_ids"]):
        return None
    behind = plan.campaign.judgments.count() - int(answer["judgments"])
    means = zip(*(answer[name].tolist() for name in ("run_ids", "base", "residual")), strict=True)
    runs = {run_id: ForecastRun(base, residual) for run_id, base, residual in means}
    return JudgingForecast(int(answer["documents"]), runs, behind)


def _judged(plan: Plan) -> int:
    """Documents of the plan that have a grade."""
    grades = final_grade_values(plan.campaign)
    return sum(
        task in grades
        for task in plan.tasks.values_list("topic__position", "topic__code", "doc_id")
    )


@lru_cache(maxsize=KEPT)
def _cached_forecast(plan: Plan, more: int, _: tuple[object, ...]) -> JudgingForecast | None:
    return _computed(plan, more)


def _computed(plan: Plan, more: int) -> JudgingForecast | None:
    p, starts_from = plan.persistence, plan.starts_from
    here = judging_state(
        plan.campaign,
        {"p": p, "priority": plan.lowest_priority},
        starts_from=starts_from,
        depth=depth_followed(p),  # the candidates that the page has in memory anyway
    )
    if here is None:
        return None
    shares = expected_shares(here.everything, here.outcomes, p)
    chosen = plan_judging(
        here.offered,
        Strategy(plan.method, p, plan.scope),
        here.known,
        budget=more,
        batch=max(plan.batch, -(-more // WEIGHINGS)),
        shares=shares,
    )
    bounds = expected_bounds(
        here.everything, here.outcomes, here.places[chosen], shares=shares, persistence=p
    )
    means = zip(
        here.run_ids,
        bounds.base.mean(axis=1).tolist(),
        bounds.residual.mean(axis=1).tolist(),
        strict=True,
    )
    return JudgingForecast(
        len(chosen), {run_id: ForecastRun(base, left) for run_id, base, left in means}
    )
