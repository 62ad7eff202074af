"""`trackside select`: which documents to judge next, or what would have been found."""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.cli.bad_input import BadInput
from scoring.cli.many_runs import for_each_run
from scoring.cli.opening import open_qrels, open_run, rank_run, tell_of_topics_without_grades
from scoring.cli.tables import Cell, print_csv
from scoring.cli.usage.select import METHODS
from scoring.core.data.grades import UNJUDGED
from scoring.core.data.ranking import Ranking
from scoring.core.judging.candidates import Candidates, collect_candidates, find_outcomes
from scoring.core.judging.selection import Strategy, Weighing, choose, weigh
from scoring.core.judging.simulation import (
    mean_residual,
    significant_fractions,
    simulate_judging,
    top_runs,
)

CHOSEN: Final = ("order", "topic", "doc_id", "weight")
SIMULATED: Final = (
    *("judged", "relevant_found", "mean_residual_top"),
    *("base_vs_base", "base_vs_top", "base_vs_projected"),
)


def run(options: argparse.Namespace) -> int:
    _check(options)
    strategy = Strategy(METHODS[options.method], options.persistence, options.scope)
    rankings = for_each_run(
        partial(_rank_file, max_depth=options.depth), options.runs, workers=options.workers
    )
    if options.simulate:
        print_csv(SIMULATED, list(_simulated(rankings, strategy, options)))
    else:
        print_csv(CHOSEN, list(_chosen(rankings, strategy, options)))
    return 0


def _check(options: argparse.Namespace) -> None:
    faults = []
    if options.simulate and options.judged:
        faults.append("--simulate begins without judgments: --judged does not go with it")
    if options.unknown and not options.simulate:
        faults.append("--unknown says what --simulate QRELS lack: it needs --simulate")
    if options.top and not options.simulate:
        faults.append("--top says which runs --simulate compares: it needs --simulate")
    if faults:
        raise BadInput(faults)


def _rank_file(path: str, max_depth: int | None) -> Ranking:
    return rank_run(open_run(path), max_depth=max_depth)


def _chosen(
    rankings: Sequence[Ranking], strategy: Strategy, options: argparse.Namespace
) -> Iterator[Sequence[Cell]]:
    topics = list(dict.fromkeys(topic for ranking in rankings for topic in ranking.topics))
    candidates = collect_candidates(rankings, topics=topics)
    outcomes = np.full(len(candidates), UNJUDGED, np.int8)
    if options.judged:
        table = open_qrels(options.judged)
        if not set(table.topics) & set(topics):
            raise BadInput([f"{options.judged}: no topic of the runs is in the qrels"])
        outcomes = find_outcomes(candidates, table, rel=options.rel)
    budget = max(options.budget)
    if strategy.method == "B":
        found = _by_batches(candidates, strategy, outcomes, budget, options.batch)
    else:
        chosen = choose(candidates, strategy, outcomes, count=budget)
        found = zip(chosen, weigh(candidates, strategy, outcomes)[chosen], strict=True)
    for order, (candidate, weight) in enumerate(found, start=1):
        topic = topics[candidates.topic_rows[candidate]]
        yield order, topic, candidates.doc_ids[candidate].decode(), float(weight)


def _by_batches(
    candidates: Candidates,
    strategy: Strategy,
    outcomes: NDArray[np.int8],
    budget: int,
    batch: int,
) -> Iterator[tuple[int, float]]:
    """B depends only on which documents are judged, not on their grades: any outcome will do."""
    weighing = Weighing(candidates, strategy)
    judged = np.flatnonzero(outcomes != UNJUDGED)
    weighing.note(judged, outcomes[judged])
    place = np.empty(len(candidates), np.int64)
    place[weighing.order] = np.arange(len(candidates))
    while budget > 0:
        chosen = weighing.best(min(batch, budget))
        if not len(chosen):
            return
        weights = weighing.weights_of_first(int(place[chosen].max()) + 1)[place[chosen]]
        yield from zip(chosen.tolist(), weights.tolist(), strict=True)
        weighing.note(chosen, np.zeros(len(chosen), np.int8))
        budget -= len(chosen)


def _simulated(
    rankings: Sequence[Ranking], strategy: Strategy, options: argparse.Namespace
) -> Iterator[Sequence[Cell]]:
    table = open_qrels(options.simulate, in_file_order=True)
    tell_of_topics_without_grades(options.simulate, table)
    topics = [
        topic for topic, known in zip(table.topics, table.is_judged_topic, strict=True) if known
    ]
    candidates = collect_candidates(rankings, topics=topics)
    if not len(candidates):
        raise BadInput([f"{options.simulate}: no topic of the runs is in the qrels"])
    outcomes = find_outcomes(candidates, table, rel=options.rel)
    top = top_runs(candidates, outcomes, strategy.persistence, count=options.top)
    simulated = simulate_judging(
        candidates,
        strategy,
        outcomes,
        budget=max(options.budget),
        unknown="bypassed" if options.unknown == "bypass" else "nonrelevant",
        batch=options.batch,
    )
    for budget in options.budget:
        stage = simulated.after(budget)
        residual = mean_residual(stage, top, strategy.persistence)
        fractions = significant_fractions(stage, top, strategy.persistence)
        yield (
            *(stage.judged, stage.found, residual),
            *(fractions.base_vs_base, fractions.base_vs_top, fractions.base_vs_projected),
        )
