"""`trackside select`: which documents to judge next, or what would have been found."""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.cli.arguments import (
    add_level_argument,
    add_workers_argument,
    persistence,
    positive,
)
from scoring.cli.bad_input import BadInput
from scoring.cli.many_runs import for_each_run
from scoring.cli.opening import open_qrels, open_run, rank_run, tell_of_topics_without_grades
from scoring.cli.tables import Cell, print_csv
from scoring.core.data.grades import UNJUDGED
from scoring.core.data.ranking import Ranking
from scoring.core.judging.candidates import Candidates, collect_candidates, find_outcomes
from scoring.core.judging.selection import Method, Strategy, Weighing, choose, weigh
from scoring.core.judging.simulation import (
    DEFAULT_BATCH,
    mean_residual,
    significant_fractions,
    simulate_judging,
    top_runs,
)

DESCRIPTION: Final = """\
Proposes documents for judging (Moffat, Webber & Zobel, SIGIR 2007): by pooling, by what they weigh
in the runs (A), by what is still unknown of these (B), or rather of those that look good (C).
With --simulate it simulates judging with full judgments and reports what it would have found."""

EXAMPLES: Final = """\
examples:
  trackside select runs/* --method A --p 0.8 --budget 500 > to_judge.csv
  trackside select runs/* --method C --p 0.8 --budget 100 --judged so_far.txt
  trackside select runs/* --method C --p 0.8 --budget 1000,2000 --simulate qrels.txt

No method proposes again what --judged holds. Pooling and A ask no more of it; B and C weigh by it,
C by its grades too: without them all of C's budget is chosen by what is known beforehand.

Pooling (pool) takes all first documents of the runs, then all second ones, and so on. Documents of
equal rank go in the order in which one meets them reading run after run, topic after topic, down to
--depth: named in another order, or to another depth, the same runs give another choice where the
budget ends within a rank. Equal weights of A, B and C go by topic and document id."""

CHOSEN: Final = ("order", "topic", "doc_id", "weight")
_METHODS: Final[dict[str, Method]] = {"pool": "pooling", "A": "A", "B": "B", "C": "C"}
SIMULATED: Final = (
    *("judged", "relevant_found", "mean_residual_top"),
    *("base_vs_base", "base_vs_top", "base_vs_projected"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the runs to be compared")
    parser.add_argument("--method", choices=tuple(_METHODS), required=True)
    parser.add_argument(
        "--p", dest="persistence", metavar="P", type=persistence, required=True, help="RBP's, 0..1"
    )
    parser.add_argument(
        "--budget",
        metavar="N[,N...]",
        type=_budgets,
        required=True,
        help="judgments to be made; of several without --simulate the largest counts",
    )
    parser.add_argument(
        "--scope",
        choices=("run", "topic"),
        default="run",
        help="B and C: what is known of a run, over all topics (default) or of the document's own",
    )
    parser.add_argument(
        "--batch",
        metavar="N",
        type=positive,
        default=DEFAULT_BATCH,
        help="judgments after which B weighs anew, and C with --simulate "
        f"(default {DEFAULT_BATCH})",
    )
    parser.add_argument(
        "--depth",
        metavar="N",
        type=positive,
        help="the first N documents of a topic of a run propose (default: all)",
    )
    parser.add_argument(
        "--judged", metavar="QRELS", help="judgments that have been made already: not asked again"
    )
    parser.add_argument("--simulate", metavar="QRELS", help="full judgments for the simulation")
    parser.add_argument(
        "--unknown",
        choices=("nonrelevant", "bypass"),
        help="--simulate: what QRELS lack is not relevant (default), or passed over",
    )
    parser.add_argument(
        "--top", metavar="N", type=positive, help="--simulate: runs to compare (default: a third)"
    )
    add_level_argument(parser, "; with --simulate, or C with --judged")
    add_workers_argument(parser)


def _budgets(text: str) -> tuple[int, ...]:
    return tuple(positive(part.strip()) for part in text.split(","))


def run(options: argparse.Namespace) -> int:
    _check(options)
    strategy = Strategy(_METHODS[options.method], options.persistence, options.scope)
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
