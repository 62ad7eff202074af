"""Forecasts the documents and the residuals of a judging plan before anybody judges.

Residuals depend only on which documents are judged, not on their grades. Pooling and methods A and
B choose without grades, so their forecast is exact. The other methods use grades: the forecast
assumes that documents are as relevant as the judged ones of the same run. While nothing is judged,
the forecast of C is that of B.
"""

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import Candidates
from scoring.core.judging.selection import RunBounds, Strategy, bounds_of_runs, choose, selector


def expected_shares(
    candidates: Candidates, outcomes: NDArray[np.int8], persistence: float
) -> NDArray[np.float64]:
    """float64[runs]: the share of the weight of a run's next documents that is expected to be
    relevant.

    It is that of the run's judged documents, base / (1 - residual), blended with one document at
    rank 1 of each topic that is as relevant as the judged ones of all runs: (relevant + 1) /
    (judged + 2), Laplace's rule of succession. So a run of which nothing is known gets the common
    share, and where nothing at all is judged every run gets one half.

    The common share is 3/5, and the share of the first run (.5 + .5 · .6) / (.75 + .5):

    >>> expected_shares(candidates, outcomes, 0.5).round(4).tolist()
    [0.64, 0.44]
    >>> expected_shares(candidates, nothing, 0.5).tolist()
    [0.5, 0.5]
    """
    common = common_share(outcomes)
    bounds = bounds_of_runs(candidates, outcomes, persistence)
    known = 1.0 - bounds.residual.mean(axis=1)
    one = 1.0 - persistence
    shares: NDArray[np.float64] = (bounds.base.mean(axis=1) + one * common) / (known + one)
    return shares


def common_share(outcomes: NDArray[np.int8]) -> float:
    """(relevant + 1) / (judged + 2).

    >>> common_share(outcomes)  # two of three are relevant
    0.6
    """
    judged = int((outcomes != UNJUDGED).sum())
    return (int((outcomes == 1).sum()) + 1) / (judged + 2)


def plan_judging(
    candidates: Candidates,
    strategy: Strategy,
    outcomes: NDArray[np.int8],
    *,
    budget: int,
    batch: int,
    shares: NDArray[np.float64],
) -> NDArray[np.int64]:
    """int64[budget or fewer]: the candidates that would be judged next, in this order.

    `outcomes` are int8[candidates], what is known so far; `shares` are float64[runs], how far the
    documents judged from now on are taken to be relevant. Raises ValueError for a negative budget,
    a batch below 1, shares outside 0..1 or of other runs, and outcomes that do not fit.

    Pooling takes the first document of each run, and then d. The second one of the first run is b.

    >>> shares = np.array([0.5, 0.5])
    >>> pooling = Strategy("pooling", 0.5)
    >>> plan_judging(candidates, pooling, nothing, budget=3, batch=1, shares=shares).tolist()
    [0, 1, 3]
    """
    if budget < 0:
        raise ValueError(f"budget must not be negative: {budget}")
    if batch < 1:
        raise ValueError(f"batch must be at least 1, not {batch}")
    if shares.shape != (candidates.runs,) or not bool(((shares >= 0) & (shares <= 1)).all()):
        raise ValueError(f"shares must lie between 0 and 1, one for each of {candidates.runs} runs")
    if strategy.is_static:
        return choose(candidates, strategy, outcomes, count=budget)
    known = np.flatnonzero(outcomes != UNJUDGED)
    state = selector(candidates, strategy)
    state.note(known, outcomes[known])
    chosen: list[NDArray[np.int64]] = []
    left = budget
    while left > 0 and len(found := state.best(min(batch, left))):
        state.expect(found, shares)
        chosen.append(found)
        left -= len(found)
    return np.concatenate(chosen) if chosen else np.empty(0, np.int64)


def residual_curve(
    candidates: Candidates,
    outcomes: NDArray[np.int8],
    chosen: NDArray[np.int64],
    *,
    points: NDArray[np.int64],
    persistence: float,
) -> NDArray[np.float64]:
    """float64[points, runs]: each run's mean residual once this many of the chosen are judged.

    >>> chosen, points = np.array([0, 1, 3]), np.array([0, 1, 3])
    >>> residual_curve(candidates, nothing, chosen, points=points, persistence=0.5).tolist()
    [[1.0, 1.0], [0.5, 1.0], [0.25, 0.25]]
    """
    judged = outcomes.copy()
    curve = np.empty((len(points), candidates.runs))
    done = 0
    for row, point in enumerate(points.tolist()):
        # Any outcome: residuals depend only on which documents are judged.
        judged[chosen[done:point]] = 0
        done = max(done, point)
        curve[row] = bounds_of_runs(candidates, judged, persistence).residual.mean(axis=1)
    return curve


def expected_bounds(
    candidates: Candidates,
    outcomes: NDArray[np.int8],
    chosen: NDArray[np.int64],
    *,
    shares: NDArray[np.float64],
    persistence: float,
) -> RunBounds:
    """Base and residual once the chosen are judged: the residual as it will be, the base as it
    would be if they were relevant to these shares, float64[runs].

    The second run does not have a.

    >>> chosen, shares = np.array([0]), np.array([0.6, 0.6])
    >>> found = expected_bounds(candidates, nothing, chosen, shares=shares, persistence=0.5)
    >>> found.base.tolist(), found.residual.tolist()
    ([[0.3], [0.0]], [[0.5], [1.0]])
    """
    before = bounds_of_runs(candidates, outcomes, persistence)
    judged = outcomes.copy()
    # As if all were relevant: the shares take their part of what the base gains.
    judged[chosen] = 1
    after = bounds_of_runs(candidates, judged, persistence)
    return RunBounds(before.base + shares[:, None] * (after.base - before.base), after.residual)
