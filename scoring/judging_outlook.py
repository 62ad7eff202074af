"""What so many documents more would do to the bounds of the runs: the next ones that the plan would
choose, as `core.planned_judging` foresees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from campaigns.models import Plan
from campaigns.settling import stamp_of
from scoring.core.planned_judging import expected_bounds, expected_shares, plan_judging
from scoring.core.selection import Strategy
from scoring.judging_progress import depth_followed
from scoring.proposals import proposing_runs
from scoring.studies.judging_plans import situation

WEIGHINGS: Final = 20  # at most: a page has no time for more, and they move a forecast little
KEPT: Final = 16


@dataclass(frozen=True)
class Then:
    """A run's mean RBP(p) as it would be: the base a forecast, the residual nearly certain."""

    base: float
    residual: float

    @property
    def upper(self) -> float:
        return self.base + self.residual


@dataclass(frozen=True, eq=False)
class Outlook:
    documents: int  # fewer than asked for where the runs name no more
    runs: Mapping[str, Then]  # by public id

    @property
    def mean_residual(self) -> float:
        return sum(run.residual for run in self.runs.values()) / len(self.runs)


def outlook(plan: Plan, more: int) -> Outlook | None:
    """After so many documents more; None where no run that counts proposes any. Kept in memory
    until something is judged or a run comes or goes. Some eight queries."""
    runs = proposing_runs(plan.campaign, None)
    stored = tuple((run.public_id, run.ranking.digest, run.judging_priority) for run in runs)
    campaign = plan.campaign
    scale = (campaign.rel, campaign.highest_grade)
    return _outlook(plan, more, (stamp_of(campaign), stored, scale))


@lru_cache(maxsize=KEPT)
def _outlook(plan: Plan, more: int, _: tuple[object, ...]) -> Outlook | None:
    p, starts_from = plan.persistence, plan.starts_from
    here = situation(
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
    return Outlook(len(chosen), {run_id: Then(base, left) for run_id, base, left in means})
