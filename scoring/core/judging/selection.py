"""Which documents to judge next: pooling, methods A, B and C, and the orders of single topics.

A. Moffat, W. Webber and J. Zobel. Strategic system comparisons via targeted relevance judgments.
SIGIR 2007, sections 3 and 4, which treat one topic; what follows says how it is for many.

A document at rank b contributes c = (1 - p) p^(b-1) to a run's RBP. A candidate's weight is

- pooling: the largest c of any run, so that all first documents come first, then all second ones;
- A: the sum of c over the runs;
- B: the sum of c r, r being the run's residual, what is still unknown of its score;
- C: the sum of c r (base + r/2)³: runs that score well are settled first.

Pooling and A can be decided beforehand; B and C are weighed anew after every batch of judgments.
`scope` "run" takes r and base as the run's means over the campaign's topics, "topic" those of the
candidate's own topic. Weights are rounded to 12 decimals; the greatest comes first over all topics
together, equal ones by topic code, then document id, ascending as bytes. Pooling's weights are
only as many as there are ranks, and by topic code a small budget would never reach the last
topics: there equal ranks go in the order in which the runs, one after the other, name them.

Move-to-front (MTF), Hedge and MaxMean have no weights over all topics. Their modules define them
for one topic, and `orders_by_topic.py` how a budget goes round the topics. They know neither the
persistence nor the scope of a strategy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED
from scoring.core.judging.candidates import Candidates
from scoring.core.judging.hedge import Hedge
from scoring.core.judging.max_mean import MaxMean
from scoring.core.judging.move_to_front import MoveToFront
from scoring.core.judging.orders_by_topic import TopicOrders
from scoring.core.statistics.ranks import DECIMALS

Method: TypeAlias = Literal["pooling", "A", "B", "C", "MTF", "Hedge", "MaxMean"]
Scope: TypeAlias = Literal["run", "topic"]

METHODS: Final[tuple[Method, ...]] = get_args(Method)
ORDERS: Final[Mapping[str, type[MoveToFront] | type[Hedge] | type[MaxMean]]] = {
    "MTF": MoveToFront,
    "Hedge": Hedge,
    "MaxMean": MaxMean,
}

_FEWEST_WEIGHED = 1024  # candidates
_AT_A_TIME = 1 << 17  # candidates, so that memory stays bounded
_ROUNDING = 10.0**-DECIMALS  # more than rounding can add to a weight


@dataclass(frozen=True)
class Strategy:
    """How candidates are weighed. Raises ValueError for what the module does not describe."""

    method: Method
    persistence: float  # 0 <= p < 1
    scope: Scope = "run"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, not {self.method!r}")
        if not 0 <= self.persistence < 1:
            raise ValueError(f"persistence must lie in 0 <= p < 1, not {self.persistence}")
        if self.scope not in ("run", "topic"):
            raise ValueError(f"scope must be 'run' or 'topic', not {self.scope!r}")

    @property
    def is_static(self) -> bool:
        """Judgments change nothing in the order of what comes next."""
        return self.method in ("pooling", "A")

    @property
    def is_by_topic(self) -> bool:
        """The order is defined for one topic, without weights over all topics."""
        return self.method in ORDERS


@dataclass(frozen=True, eq=False)
class RunBounds:
    """RBP of each run and topic by what is judged so far, and what the rest could add."""

    base: NDArray[np.float64]  # float64[runs, topics]
    residual: NDArray[np.float64]  # float64[runs, topics]


def bounds_of_runs(
    candidates: Candidates, outcomes: NDArray[np.int8], persistence: float
) -> RunBounds:
    """Base and residual of RBP(p) with just these judgments.

    `outcomes` are int8[candidates]: 1 relevant, 0 not, UNJUDGED. Documents that are no candidates
    (deeper than the candidates were collected, or absent) count as unjudged: a run that misses a
    topic has residual 1 there. Raises ValueError for outcomes of another shape or value.

    >>> found = bounds_of_runs(candidates, outcomes, 0.5)  # two runs, one topic
    >>> found.base.tolist(), found.residual.tolist()
    ([[0.5], [0.25]], [[0.25], [0.25]])
    """
    _check_outcomes(candidates, outcomes)
    judged = np.flatnonzero(outcomes != UNJUDGED)
    known = _sums(candidates, judged, persistence)
    base = _sums(candidates, np.flatnonzero(outcomes == 1), persistence)
    shape = (candidates.runs, len(candidates.topics))
    return RunBounds(base.reshape(shape), np.maximum(1.0 - known, 0.0).reshape(shape))


def weigh(
    candidates: Candidates, strategy: Strategy, outcomes: NDArray[np.int8]
) -> NDArray[np.float64]:
    """float64[candidates]: the weight of each, judged or not, with these judgments made.

    `outcomes` as in `bounds_of_runs`. Rounded to 12 decimals. Raises ValueError likewise, and for
    an order that has no weights over all topics.

    >>> weigh(candidates, Strategy("A", 0.5), nothing).tolist()  # b is second and first
    [0.5, 0.75, 0.125, 0.25]
    """
    _check_outcomes(candidates, outcomes)
    if strategy.method == "pooling":
        powers = strategy.persistence ** candidates.best_positions.astype(np.float64)
        return np.round((1 - strategy.persistence) * powers, DECIMALS)
    weighing = Weighing(candidates, strategy)
    weighing.note(np.flatnonzero(outcomes != UNJUDGED), outcomes[outcomes != UNJUDGED])
    parts = [
        weighing.weights_of(np.arange(first, min(first + _AT_A_TIME, len(candidates))))
        for first in range(0, len(candidates), _AT_A_TIME)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def choose(
    candidates: Candidates,
    strategy: Strategy,
    outcomes: NDArray[np.int8],
    *,
    count: int,
    waiting: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """int64[count or fewer]: the unjudged candidates to be judged next, in this order.

    `outcomes` as in `bounds_of_runs`; `waiting` are candidates that were chosen before and are not
    judged yet, if any: they are not chosen again. Fewer than `count` only where no more are left.
    Raises ValueError likewise, and for a negative count.

    >>> choose(candidates, Strategy("A", 0.5), nothing, count=2).tolist()
    [1, 0]
    """
    if count < 0:
        raise ValueError(f"count must not be negative: {count}")
    is_open = outcomes == UNJUDGED
    if waiting is not None:
        is_open[waiting] = False
    _check_outcomes(candidates, outcomes)
    if strategy.method != "pooling":
        handled = np.flatnonzero(~is_open)
        state = selector(candidates, strategy)
        state.note(handled, outcomes[handled])
        return state.best(count)
    # By the ranks themselves: far down, the weights of all of them round to nothing.
    best = candidates.best_positions
    opened = best[is_open]
    # Only those down to the rank at which there are enough need sorting.
    if count < len(opened):
        is_open &= best <= np.partition(opened, count)[count]
    pooled = np.flatnonzero(is_open)
    chosen: NDArray[np.int64] = pooled[np.lexsort((candidates.named[pooled], best[pooled]))][:count]
    return chosen


def static_order(candidates: Candidates, strategy: Strategy) -> NDArray[np.int64]:
    """int64[candidates]: all candidates in the order of pooling or method A.

    Raises ValueError for a method that depends on what is judged.

    >>> static_order(candidates, Strategy("pooling", 0.5)).tolist()
    [0, 1, 3, 2]
    """
    if not strategy.is_static:
        raise ValueError(f"the order of method {strategy.method} depends on what is judged")
    nothing = np.full(len(candidates), UNJUDGED, np.int8)
    return choose(candidates, strategy, nothing, count=len(candidates))


class Selector(Protocol):
    """The state of a method while judgments come in: feed it by `note` or `expect`, ask `best`."""

    def note(self, chosen: NDArray[np.int64], outcomes: NDArray[np.int8]) -> None: ...

    def expect(self, chosen: NDArray[np.int64], shares: NDArray[np.float64]) -> None: ...

    def best(self, count: int) -> NDArray[np.int64]: ...


def selector(candidates: Candidates, strategy: Strategy) -> Selector:
    """For all methods but pooling. Raises ValueError for pooling, which has no state.

    After b is judged, the residuals are .75 and .5: a weighs .375, and d .125.

    >>> state = selector(candidates, Strategy("B", 0.5))
    >>> state.note(np.array([1]), np.array([0], np.int8))
    >>> state.best(2).tolist()
    [0, 3]
    """
    if strategy.is_by_topic:
        return TopicOrders(candidates, ORDERS[strategy.method])
    return Weighing(candidates, strategy)


class Weighing:
    """The state of methods A, B and C while judgments come in: feed by `note`, ask by `best`.

    1. A candidate's weight is a sparse dot product: its contributions c times a factor of each run
       (or run and topic) it is in. A judgment changes the factors only.
    2. Candidates stand by descending sum of c, which is method A's weight.
    3. As no factor is above the greatest, a candidate weighs at most that sum times the greatest
       factor. Only the front of the order is weighed. If the last of the best weighs more than the
       first candidate behind the front can, nobody behind needs weighing. Otherwise the front is
       doubled.
    """

    def __init__(self, candidates: Candidates, strategy: Strategy) -> None:
        """Raises ValueError for a method that has no such weights."""
        if strategy.method not in ("A", "B", "C"):
            raise ValueError(f"{strategy.method} has no sums of contributions as weights")
        self._candidates, self._strategy = candidates, strategy
        cells = candidates.runs * (1 if strategy.scope == "run" else len(candidates.topics))
        self._known, self._base = np.zeros(cells), np.zeros(cells)
        self._is_open = np.ones(len(candidates), np.bool_)
        self._front = self._laid_out(np.empty(0, np.int64))
        self._behind = 0  # where the candidates behind the front begin in the order

    def note(self, chosen: NDArray[np.int64], outcomes: NDArray[np.int8]) -> None:
        """Candidates have been handled: 1 relevant, 0 not, UNJUDGED nobody could say."""
        self._is_open[chosen] = False
        self._known += self._sums_of(chosen[outcomes != UNJUDGED])
        self._base += self._sums_of(chosen[outcomes == 1])

    def expect(self, chosen: NDArray[np.int64], shares: NDArray[np.float64]) -> None:
        """Candidates will be judged; each run takes its share of what they are worth to it,
        float64[runs], to be relevant."""
        self._is_open[chosen] = False
        sums = self._sums_of(chosen)
        self._known += sums
        # A run has one sum, or one for each topic.
        self._base += np.repeat(shares, len(sums) // len(shares)) * sums

    def best(self, count: int) -> NDArray[np.int64]:
        """int64[count or fewer]: the heaviest candidates not yet handled, heaviest first."""
        if count == 0:
            return np.empty(0, np.int64)
        factors = self._factors()
        highest = float(factors.max(initial=0.0))
        is_open = self._is_open[self._front.candidates]
        # Those handled stay until they are half of the front, because dropping them copies it.
        if 2 * np.count_nonzero(is_open) <= len(is_open):
            self._front = self._front.kept(is_open)
        enough = max(_FEWEST_WEIGHED, 2 * count)
        if len(self._front.candidates) < enough:
            self._extend(enough)
        while True:
            open_ones = np.flatnonzero(self._is_open[self._front.candidates])
            weights = self._front.weights(factors)[open_ones]
            if self._behind == len(self._candidates):
                break
            if len(weights) >= count:
                # Behind the front, no candidate weighs more than the first of them can.
                last = np.partition(weights, -count)[-count]
                if float(self._most[self._order[self._behind]]) * highest + _ROUNDING < last:
                    break
            self._extend(max(_FEWEST_WEIGHED, len(self._front.candidates)))
        if len(weights) > count:
            # All that are as heavy as the last stay, and their ids decide.
            least = np.partition(weights, -count)[-count]
            open_ones, weights = open_ones[weights >= least], weights[weights >= least]
        found = self._front.candidates[open_ones]
        return found[np.lexsort((found, -weights))][:count]

    def weights_of(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        """float64[chosen]: the weights of these candidates, handled or not."""
        return self._laid_out(chosen).weights(self._factors())

    def _factors(self) -> NDArray[np.float64]:
        """float64[cells]: what the method multiplies a contribution by."""
        residual = np.maximum(1.0 - self._known, 0.0)
        if self._strategy.method == "B":
            return residual
        if self._strategy.method == "C":
            return residual * (self._base + residual / 2) ** 3
        return np.ones_like(residual)

    @cached_property
    def _order(self) -> NDArray[np.int32]:
        """int32[candidates], by descending `_most`."""
        # Equal ones in any order: the weights themselves decide later.
        return np.argsort(-self._most).astype(np.int32)

    @cached_property
    def _most(self) -> NDArray[np.float32]:
        """float32[candidates]: what each contributes to all runs, or a little more."""
        candidates, persistence = self._candidates, self._strategy.persistence
        most = np.empty(len(candidates), np.float32)
        for first in range(0, len(candidates), _AT_A_TIME):
            starts = candidates.starts[first : first + _AT_A_TIME + 1]
            worth = _contributions(candidates, persistence, slice(starts[0], starts[-1]))
            sums = np.add.reduceat(worth, starts[:-1] - starts[0]).astype(np.float32)
            # Upwards, so that rounding to float32 leaves an upper bound.
            most[first : first + _AT_A_TIME] = np.nextafter(sums, np.float32(np.inf))
        return most

    def _extend(self, count: int) -> None:
        """By the next `count` of the order, without those handled."""
        following = self._order[self._behind : self._behind + count].astype(np.int64)
        self._behind += len(following)
        self._front = self._front.joined(self._laid_out(following[self._is_open[following]]))

    def _laid_out(self, chosen: NDArray[np.int64]) -> "_LaidOut":
        candidates = self._candidates
        lengths = candidates.starts[chosen + 1] - candidates.starts[chosen]
        cells = candidates.cells_of(chosen)
        # A cell is the run times the number of topics, plus the topic.
        if self._strategy.scope == "run":
            cells //= len(candidates.topics)
        worth = _contributions(candidates, self._strategy.persistence, candidates.places_of(chosen))
        return _LaidOut(chosen, np.cumsum(lengths) - lengths, worth, cells)

    def _sums_of(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        sums = _sums(self._candidates, chosen, self._strategy.persistence)
        if self._strategy.scope == "topic":
            return sums
        means: NDArray[np.float64] = sums.reshape(self._candidates.runs, -1).mean(axis=1)
        return means


@dataclass(frozen=True, eq=False)
class _LaidOut:
    """Candidates whose places stand one after the other, to be weighed at once."""

    candidates: NDArray[np.int64]  # int64[candidates]
    starts: NDArray[np.int64]  # int64[candidates], of the places of each
    worth: NDArray[np.float64]  # float64[places], what each contributes
    cells: NDArray[np.int64]  # int64[places], which factor belongs to each

    def weights(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[candidates]."""
        if not len(self.candidates):
            return np.empty(0)
        products = self.worth * factors[self.cells]
        weights: NDArray[np.float64] = np.add.reduceat(products, self.starts)
        return np.round(weights, DECIMALS)

    def kept(self, is_kept: NDArray[np.bool_]) -> "_LaidOut":
        """Those chosen by bool[candidates]."""
        lengths = np.diff(self.starts, append=len(self.worth))
        places, lengths = np.repeat(is_kept, lengths), lengths[is_kept]
        starts = np.cumsum(lengths) - lengths
        return _LaidOut(self.candidates[is_kept], starts, self.worth[places], self.cells[places])

    def joined(self, other: "_LaidOut") -> "_LaidOut":
        return _LaidOut(
            np.concatenate([self.candidates, other.candidates]),
            np.concatenate([self.starts, other.starts + len(self.worth)]),
            np.concatenate([self.worth, other.worth]),
            np.concatenate([self.cells, other.cells]),
        )


def _contributions(
    candidates: Candidates, persistence: float, places: NDArray[np.int64] | slice
) -> NDArray[np.float64]:
    """float64[places]: (1 - p) p^(b-1)."""
    positions = candidates.positions[places]
    powers = persistence ** np.arange(int(positions.max(initial=0)) + 1, dtype=np.float64)
    worth: NDArray[np.float64] = ((1 - persistence) * powers)[positions]
    return worth


def _sums(
    candidates: Candidates, chosen: NDArray[np.int64], persistence: float
) -> NDArray[np.float64]:
    """float64[runs x topics]: what the chosen candidates contribute to each run and topic."""
    sums = np.bincount(
        candidates.cells_of(chosen),
        weights=_contributions(candidates, persistence, candidates.places_of(chosen)),
        minlength=candidates.runs * len(candidates.topics),
    )
    return sums.astype(np.float64, copy=False)


def _check_outcomes(candidates: Candidates, outcomes: NDArray[np.int8]) -> None:
    if outcomes.shape != (len(candidates),):
        raise ValueError(f"{len(candidates)} candidates but outcomes {outcomes.shape}")
    if not bool(((outcomes == UNJUDGED) | (outcomes == 0) | (outcomes == 1)).all()):
        raise ValueError("outcomes must be 1, 0 or UNJUDGED")
