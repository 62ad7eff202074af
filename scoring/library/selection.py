"""Which documents to judge next, and what a method would have found."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.grades import UNJUDGED
from scoring.core.data.judgments import JudgmentTable
from scoring.core.data.ranking import Ranking
from scoring.core.judging.candidates import Candidates, collect_candidates, find_outcomes
from scoring.core.judging.orders_by_topic import TopicOrders
from scoring.core.judging.selection import (
    ORDERS,
    Method,
    Scope,
    Strategy,
    Weighing,
    choose,
    weigh,
)
from scoring.core.judging.simulation import (
    mean_residual,
    significant_fractions,
    simulate_judging,
    top_runs,
)
from scoring.library.bad_input import BadInput
from scoring.library.table import Table

MethodName: TypeAlias = Literal["pool", "A", "B", "C", "MTF", "Hedge", "MaxMean"]

METHOD_NAMES: Final[tuple[MethodName, ...]] = get_args(MethodName)

_SIMULATED: Final = (
    "judged", "relevant_found", "mean_residual_top",
    "base_vs_base", "base_vs_top", "base_vs_projected",
)  # fmt: skip


def strategy_named(method: MethodName, persistence: float | None, scope: Scope) -> Strategy:
    """How documents are weighed; no persistence for a method that does not use it."""
    name: Method = "pooling" if method == "pool" else method
    return Strategy(name, 0.0 if persistence is None else persistence, scope)


def method_faults(
    method: MethodName, persistence: float | None, scope: Scope, *, is_simulated: bool
) -> Iterator[tuple[str, str]]:
    """Names of arguments that the method needs or does not use, and what is wrong with them."""
    if persistence is None and is_simulated:
        yield "p", "give the persistence of RBP, of which a simulation computes residuals"
    elif persistence is None and method not in ORDERS:
        yield "p", f"method {method} needs the persistence of RBP; {', '.join(ORDERS)} do not"
    if scope == "topic" and method not in ("B", "C"):
        yield "scope", f"method {method} does not use it, only B and C do: leave it out"


class NamedRanking(NamedTuple):
    """A run that proposes documents, and its tag."""

    tag: str
    ranking: Ranking


@dataclass(frozen=True, eq=False)
class Judged:
    """Existing judgments; `name` is what messages call them."""

    name: str
    table: JudgmentTable
    rel: int = 1


def chosen_documents(
    runs: Sequence[NamedRanking],
    strategy: Strategy,
    judged: Judged | None,
    *,
    budget: int,
    batch: int,
) -> Table:
    """One row for each document that should be judged next, the most urgent first."""
    topics = list(dict.fromkeys(topic for run in runs for topic in run.ranking.topics))
    candidates = _candidates(runs, topics)
    outcomes = np.full(len(candidates), UNJUDGED, np.int8)
    if judged is not None:
        if not set(judged.table.topics) & set(topics):
            raise BadInput([f"{judged.name}: no topic of the runs is in the qrels"])
        outcomes = find_outcomes(candidates, judged.table, rel=judged.rel)
    if strategy.method == "B":
        chosen, weights = _by_batches(candidates, strategy, outcomes, budget, batch)
    elif strategy.is_by_topic:
        orders = TopicOrders(candidates, ORDERS[strategy.method])
        known = np.flatnonzero(outcomes != UNJUDGED)
        orders.note(known, outcomes[known])
        chosen, weights = orders.best_with_weights(budget)
    else:
        chosen = choose(candidates, strategy, outcomes, count=budget)
        weights = weigh(candidates, strategy, outcomes)[chosen]
    return Table(
        {
            "order": np.arange(1, len(chosen) + 1),
            "topic": [topics[row] for row in candidates.topic_rows[chosen].tolist()],
            "doc_id": [doc_id.decode() for doc_id in candidates.doc_ids[chosen].tolist()],
            "weight": weights,
        }
    )


def _candidates(runs: Sequence[NamedRanking], topics: Sequence[str]) -> Candidates:
    rankings, tags = [run.ranking for run in runs], [run.tag for run in runs]
    return collect_candidates(rankings, topics=topics, names=tags)


def _by_batches(
    candidates: Candidates,
    strategy: Strategy,
    outcomes: NDArray[np.int8],
    budget: int,
    batch: int,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """B depends only on which documents are judged, not on their grades: any outcome will do."""
    weighing = Weighing(candidates, strategy)
    judged = np.flatnonzero(outcomes != UNJUDGED)
    weighing.note(judged, outcomes[judged])
    found = [np.empty(0, np.intp)]
    weights = [np.empty(0)]
    while budget > 0 and len(chosen := weighing.best(min(batch, budget))):
        found.append(chosen)
        weights.append(weighing.weights_of(chosen))
        weighing.note(chosen, np.zeros(len(chosen), np.int8))
        budget -= len(chosen)
    return np.concatenate(found), np.concatenate(weights)


def simulated_judging(
    runs: Sequence[NamedRanking],
    strategy: Strategy,
    full: Judged,
    *,
    budgets: Sequence[int],
    batch: int,
    unknown: Literal["nonrelevant", "bypass"] = "nonrelevant",
    top: int | None = None,
) -> Table:
    """One row for each budget: what judging this many documents would have found."""
    # A topic that nobody judged would take part of the budget and find nothing.
    known = zip(full.table.topics, full.table.is_judged_topic, strict=True)
    candidates = _candidates(runs, [topic for topic, is_judged in known if is_judged])
    if not len(candidates):
        raise BadInput([f"{full.name}: no topic of the runs is in the qrels"])
    outcomes = find_outcomes(candidates, full.table, rel=full.rel)
    best = top_runs(candidates, outcomes, strategy.persistence, count=top)
    simulated = simulate_judging(
        candidates,
        strategy,
        outcomes,
        budget=max(budgets),
        unknown="bypassed" if unknown == "bypass" else "nonrelevant",
        batch=batch,
    )
    rows = []
    for stage in map(simulated.after, budgets):
        residual = mean_residual(stage, best, strategy.persistence)
        significant = significant_fractions(stage, best, strategy.persistence)
        rows.append((stage.judged, stage.found, residual, *astuple(significant)))
    columns = zip(*rows, strict=True)
    return Table({name: np.array(cells) for name, cells in zip(_SIMULATED, columns, strict=True)})
