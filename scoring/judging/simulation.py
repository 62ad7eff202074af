"""What each method would have found with the judgments that a campaign already has: Tables 2, 4 and
5 of Moffat, Webber and Zobel, for this campaign."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from campaigns.models import Campaign, Qrels
from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import find_outcomes
from scoring.core.judging.selection import Method, Strategy
from scoring.core.judging.simulation import (
    SimulatedJudging,
    mean_residual,
    significant_fractions,
    simulate_judging,
    top_runs,
)
from scoring.evaluation.storage import load_table
from scoring.judging.analysis import METHODS, JudgingState, judging_state
from scoring.judging.candidates import depth_of

PARTS: Final = (0.25, 0.5, 1.0)  # of the budget

Unknown = Literal["nonrelevant", "bypassed"]


def compute(campaign: Campaign, qrels: Qrels, question: Mapping[str, Any]) -> dict[str, Any]:
    """The question of `judging_plans`; the judging is played from nothing, and `qrels` answer.

    `standings` is float64[parts, methods, 8] in the order of PARTS, METHODS and `_standing`;
    `residuals` float64[p + 1, p]: the mean residual of the top third when documents were chosen
    for one p (rows; the last is pooling) and runs are scored with another (columns).
    """
    here = judging_state(
        campaign, question, starts_from=None, depth=depth_of(campaign, question["p"])
    )
    if here is None:
        return {"standings": np.empty(0)}
    outcomes = _answers(campaign, qrels, here)
    top = top_runs(here.everything, outcomes, question["p"])
    budgets = sorted({max(1, round(part * question["budget"])) for part in PARTS})
    played = [_played_both_ways(here, question, method, outcomes) for method in METHODS]
    rows = [[_standing(*both, budget, top, question["p"]) for both in played] for budget in budgets]
    return {
        "budgets": np.array(budgets),
        "standings": np.array(rows, np.float64),
        "residuals": _residuals(campaign, qrels, question),
        "top": np.array([here.run_ids[run] for run in top], np.str_),
        "known": int((outcomes != UNJUDGED).sum()),
        "relevant": int((outcomes == 1).sum()),
    }


def _answers(campaign: Campaign, qrels: Qrels, here: JudgingState) -> NDArray[np.int8]:
    return find_outcomes(here.everything, load_table(qrels, campaign), rel=campaign.rel)


def _played_both_ways(
    here: JudgingState, question: Mapping[str, Any], method: Method, outcomes: NDArray[np.int8]
) -> tuple[SimulatedJudging, SimulatedJudging]:
    strategy = Strategy(method, question["p"], question["scope"])
    return (
        _played(here, question, strategy, outcomes, "nonrelevant"),
        _played(here, question, strategy, outcomes, "bypassed"),
    )


def _played(
    here: JudgingState,
    question: Mapping[str, Any],
    strategy: Strategy,
    outcomes: NDArray[np.int8],
    unknown: Unknown,
) -> SimulatedJudging:
    """Asked of the runs that count, told of all."""
    played = simulate_judging(
        here.offered,
        strategy,
        outcomes[here.places],
        budget=question["budget"],
        unknown=unknown,
        batch=question["batch"],
    )
    return SimulatedJudging(here.everything, here.places[played.handled], played.outcomes)


def _standing(
    plain: SimulatedJudging,
    bypassing: SimulatedJudging,
    budget: int,
    top: NDArray[np.intp],
    p: float,
) -> tuple[float, ...]:
    """What `plan_forecasts.SimulatedPlan` shows behind budget and method, in its order."""
    stage, passed = plain.after(budget), bypassing.after(budget)
    significant = significant_fractions(stage, top, p)
    return (
        *(stage.judged, stage.found, passed.found, len(passed.handled)),
        mean_residual(stage, top, p),
        *(significant.base_vs_base, significant.base_vs_top, significant.base_vs_projected),
    )


def _residuals(
    campaign: Campaign, qrels: Qrels, question: Mapping[str, Any]
) -> NDArray[np.float64]:
    values = question["persistences"]
    here = judging_state(
        campaign, question, starts_from=None, depth=depth_of(campaign, question["p"])
    )
    if here is None:
        raise ValueError("no run proposes a document any more")
    outcomes = _answers(campaign, qrels, here)
    tops = [(top_runs(here.everything, outcomes, p), p) for p in values]
    strategies = [Strategy(question["method"], p, question["scope"]) for p in values]
    strategies.append(Strategy("pooling", question["p"]))
    return np.array(
        [
            [mean_residual(judging, *top) for top in tops]
            for judging in (
                _played(here, question, strategy, outcomes, "nonrelevant")
                for strategy in strategies
            )
        ]
    )
