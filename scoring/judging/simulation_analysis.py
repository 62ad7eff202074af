"""Simulates judging by each method with the qrels that a campaign already has: Tables 2, 4 and 5 of
Moffat, Webber and Zobel, for this campaign."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.analyses.studies import Reads, Study, declare
from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import find_outcomes
from scoring.core.judging.selection import METHODS, Strategy
from scoring.core.judging.simulation import (
    SimulatedJudging,
    mean_residual,
    significant_fractions,
    simulate_judging,
    top_runs,
)
from scoring.evaluation.storage import load_table
from scoring.judging.analysis import JudgingState, PlanQuestion, judging_state
from scoring.judging.candidates import depth_of

PARTS: Final = (0.25, 0.5, 1.0)  # of the budget

Unknown = Literal["nonrelevant", "bypassed"]


@dataclass(frozen=True, eq=False)
class SimulationArrays:
    """`residuals`: the mean residual of the top third when documents were chosen for one p (rows;
    the last is pooling) and runs are scored with another (columns). A method that does not use p
    has one row before that of pooling."""

    budgets: NDArray[np.int64]
    figures: NDArray[np.float64]  # [budgets, METHODS, 8]: see `_figures`
    residuals: NDArray[np.float64]  # [p + 1, p]
    top: NDArray[np.str_]  # ids of the runs of the top third
    known: int  # documents with a judgment
    relevant: int


def compute(campaign: Campaign, qrels: Qrels, question: PlanQuestion) -> SimulationArrays | None:
    """Judging starts without judgments and takes its grades from `qrels`. None if no contributing
    run has a candidate."""
    state = judging_state(
        campaign,
        p=question.p,
        priority=question.priority,
        starts_from=None,
        depth=depth_of(campaign, question.p),
    )
    if state is None:
        return None
    outcomes = find_outcomes(state.everything, load_table(qrels, campaign), rel=campaign.rel)
    top = top_runs(state.everything, outcomes, question.p)
    budgets = sorted({max(1, round(part * question.budget)) for part in PARTS})
    strategies = [Strategy(method, question.p, question.scope) for method in METHODS]
    simulated = [
        (
            _simulated(state, question, strategy, outcomes, "nonrelevant"),
            _simulated(state, question, strategy, outcomes, "bypassed"),
        )
        for strategy in strategies
    ]
    rows = [[_figures(*both, budget, top, question.p) for both in simulated] for budget in budgets]
    return SimulationArrays(
        budgets=np.array(budgets),
        figures=np.array(rows, np.float64),
        residuals=_residuals(state, question, outcomes),
        top=np.array([state.run_ids[run] for run in top], np.str_),
        known=int((outcomes != UNJUDGED).sum()),
        relevant=int((outcomes == 1).sum()),
    )


def _simulated(
    state: JudgingState,
    question: PlanQuestion,
    strategy: Strategy,
    outcomes: NDArray[np.int8],
    unknown: Unknown,
) -> SimulatedJudging:
    """Documents come from the contributing runs, bounds are of all runs."""
    simulated = simulate_judging(
        state.offered,
        strategy,
        state.of_offered(outcomes),
        budget=question.budget,
        unknown=unknown,
        batch=question.batch,
    )
    return SimulatedJudging(
        state.everything, state.in_everything(simulated.handled), simulated.outcomes
    )


def _figures(
    plain: SimulatedJudging,
    bypassing: SimulatedJudging,
    budget: int,
    top: NDArray[np.intp],
    p: float,
) -> tuple[float, ...]:
    """The figures of `plan_forecast.SimulatedPlan` after budget and method, in its order."""
    stage, skipped = plain.after(budget), bypassing.after(budget)
    significant = significant_fractions(stage, top, p)
    return (
        *(stage.judged, stage.found, skipped.found, len(skipped.handled)),
        mean_residual(stage, top, p),
        *(significant.base_vs_base, significant.base_vs_top, significant.base_vs_projected),
    )


def _residuals(
    state: JudgingState, question: PlanQuestion, outcomes: NDArray[np.int8]
) -> NDArray[np.float64]:
    values = question.persistences
    tops = [(top_runs(state.everything, outcomes, p), p) for p in values]
    strategies = [Strategy(question.method, p, question.scope) for p in values]
    if strategies[0].is_by_topic:
        # They do not use p, so the first stands for all.
        del strategies[1:]
    strategies.append(Strategy("pooling", question.p))
    return np.array(
        [
            [mean_residual(judging, *top) for top in tops]
            for judging in (
                _simulated(state, question, strategy, outcomes, "nonrelevant")
                for strategy in strategies
            )
        ]
    )


JUDGING_REPLAY: Final = declare(
    Study(
        kind="judging_replay",
        title="judging simulation",
        question=PlanQuestion,
        compute=compute,
        result=SimulationArrays,
        reads=Reads.RANKINGS,  # it starts without judgments
        seconds=lambda size, question: 1.2e-5 * size.candidates + 2.5e-3 * question.budget,
        version=2,
    )
)
