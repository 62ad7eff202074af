"""Simulates judging with fewer documents: what would have been found, and how certain is it?

A selection method chooses documents of a campaign that has been judged already, and the full qrels
give the grades. A. Moffat, W. Webber and J. Zobel, SIGIR 2007, section 5, Tables 2 to 5.

The examples share a simulation of method A, which begins with b and a:

>>> judging = simulate_judging(candidates, Strategy("A", 0.5), outcomes, budget=2)
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import Candidates
from scoring.core.judging.defaults import DEFAULT_BATCH
from scoring.core.judging.selection import (
    RunBounds,
    Selector,
    Strategy,
    bounds_of_runs,
    selector,
    static_order,
)
from scoring.core.measures.arrays import Scores
from scoring.core.statistics.projection import projections, upper_bounds
from scoring.core.statistics.signed_ranks import wilcoxon
from scoring.core.statistics.significance import compare_winners, count_significant


@dataclass(frozen=True, eq=False)
class SimulatedJudging:
    """The candidates that were selected, in this order, and their outcomes."""

    candidates: Candidates
    handled: NDArray[np.int64]  # int64[handled], places in the candidates
    outcomes: NDArray[np.int8]  # int8[handled], 1 relevant, 0 not, UNJUDGED where bypassed

    @property
    def judged(self) -> int:
        """Judgments made: what was handled and not bypassed."""
        return int((self.outcomes != UNJUDGED).sum())

    @property
    def found(self) -> int:
        """Relevant documents found."""
        return int((self.outcomes == 1).sum())

    def after(self, judgments: int) -> "SimulatedJudging":
        """The state after this many judgments; all of it if there were fewer."""
        judged = np.cumsum(self.outcomes != UNJUDGED)
        # Up to the judgment itself, without the documents that are bypassed after it.
        end = int(np.searchsorted(judged, judgments, side="left")) + 1 if judgments > 0 else 0
        return SimulatedJudging(self.candidates, self.handled[:end], self.outcomes[:end])

    def bounds(self, persistence: float) -> RunBounds:
        """Base and residual of RBP(p) of each run and topic by these judgments alone."""
        outcomes = np.full(len(self.candidates), UNJUDGED, np.int8)
        outcomes[self.handled] = self.outcomes
        return bounds_of_runs(self.candidates, outcomes, persistence)


@dataclass(frozen=True)
class SignificantFractions:
    """Share of the pairs of runs of which the one with the higher mean base is shown to be better:
    its base against the other's base, upper bound, and projection (Table 5). NaN without pairs."""

    base_vs_base: float
    base_vs_top: float
    base_vs_projected: float


def simulate_judging(
    candidates: Candidates,
    strategy: Strategy,
    outcomes: NDArray[np.int8],
    *,
    budget: int,
    unknown: Literal["nonrelevant", "bypassed"] = "nonrelevant",
    batch: int = DEFAULT_BATCH,
) -> SimulatedJudging:
    """Judge up to `budget` candidates in the order that the strategy asks for.

    `outcomes` are int8[candidates], what the full qrels say (`candidates.find_outcomes`). A
    candidate they do not judge is taken for a judged, nonrelevant one, or is bypassed: handled, but
    no judgment and not counted against the budget. Methods that are not static choose by what is
    known after every `batch` candidates. Any shorter budget is the beginning of a longer one, see
    `after`.

    Raises ValueError for a negative budget, a batch below 1, another `unknown`, outcomes that do
    not fit the candidates.

    >>> found = simulate_judging(candidates, Strategy("A", 0.5), outcomes, budget=3)
    >>> found.handled.tolist(), found.judged, found.found
    ([1, 0, 3], 3, 2)
    """
    if budget < 0:
        raise ValueError(f"budget must not be negative: {budget}")
    if batch < 1:
        raise ValueError(f"batch must be at least 1, not {batch}")
    if unknown not in ("nonrelevant", "bypassed"):
        raise ValueError(f"unknown must be 'nonrelevant' or 'bypassed', not {unknown!r}")
    if outcomes.shape != (len(candidates),):
        raise ValueError(f"{len(candidates)} candidates but outcomes {outcomes.shape}")
    if unknown == "nonrelevant":
        # UNJUDGED is below 0.
        outcomes = np.maximum(outcomes, np.int8(0))
    if strategy.is_static:
        handled = static_order(candidates, strategy)
    else:
        handled = _simulate_batches(selector(candidates, strategy), outcomes, budget, batch)
    return SimulatedJudging(candidates, handled, outcomes[handled]).after(budget)


def top_runs(
    candidates: Candidates,
    outcomes: NDArray[np.int8],
    persistence: float,
    *,
    count: int | None = None,
) -> NDArray[np.intp]:
    """intp[count]: the runs with the highest mean RBP(p) by the full qrels, best first.

    `outcomes` as in `simulate_judging`; `count` is by default a third of the runs, rounded down but
    at least one. Means equal to 12 decimals stand in the order of the runs. Raises ValueError for
    a negative count.

    >>> top_runs(candidates, outcomes, 0.5, count=2).tolist()  # means of .5 and .25
    [0, 1]
    """
    if count is None:
        count = max(1, candidates.runs // 3)
    if count < 0:
        raise ValueError(f"count must not be negative: {count}")
    means = bounds_of_runs(candidates, outcomes, persistence).base.mean(axis=1)
    return np.argsort(-np.round(means, 12), kind="stable")[:count]


def mean_residual(judging: SimulatedJudging, runs: NDArray[np.intp], persistence: float) -> float:
    """The residual of RBP(p) after this judging, averaged over topics and these runs (Table 4).

    The persistence of the evaluation may be another than that of the judging.

    >>> mean_residual(judging, np.array([0, 1]), 0.5)  # of .25 and .5
    0.375
    """
    return float(judging.bounds(persistence).residual[runs].mean())


def overlap(first: SimulatedJudging, second: SimulatedJudging) -> int:
    """Judgments made in both (Table 3). Raises ValueError unless both had the same candidates.

    >>> overlap(judging, simulate_judging(candidates, Strategy("pooling", 0.5), outcomes, budget=1))
    1
    """
    if first.candidates is not second.candidates:
        raise ValueError("only judgings of the same candidates can overlap")
    ours = first.handled[first.outcomes != UNJUDGED]
    theirs = second.handled[second.outcomes != UNJUDGED]
    return len(np.intersect1d(ours, theirs, assume_unique=True))


def significant_fractions(
    judging: SimulatedJudging, runs: NDArray[np.intp], persistence: float, *, alpha: float = 0.05
) -> SignificantFractions:
    """Table 5: one-tailed paired Wilcoxon tests over all pairs of these runs, all topics.

    Raises ValueError for an alpha outside 0..1.

    On one topic p is at least 1/2. The base of the first run, .5, equals the upper bound of the
    second one.

    >>> significant_fractions(judging, np.array([0, 1]), 0.5, alpha=0.5)
    SignificantFractions(base_vs_base=1.0, base_vs_top=0.0, base_vs_projected=1.0)
    """
    bounds = judging.bounds(persistence)
    scores = Scores(bounds.base[runs], bounds.residual[runs])
    fractions = []
    for to_beat in (scores.base, upper_bounds(scores), projections(scores)):
        pairs, found = compare_winners(partial(wilcoxon, tail="one"), scores.base, to_beat)
        significant = count_significant(found.p_values, alpha)
        fractions.append(significant / len(pairs) if len(pairs) else np.nan)
    return SignificantFractions(*fractions)


def _simulate_batches(
    state: Selector, outcomes: NDArray[np.int8], budget: int, batch: int
) -> NDArray[np.int64]:
    handled = []
    left = budget
    while left > 0:
        # A whole batch, also if less is left of the budget: `after` cuts what is too much, so that
        # a shorter budget is the beginning of a longer one.
        chosen = state.best(batch)
        if not len(chosen):
            break
        state.note(chosen, outcomes[chosen])
        handled.append(chosen)
        left -= int((outcomes[chosen] != UNJUDGED).sum())
    return np.concatenate(handled) if handled else np.empty(0, np.int64)
