"""`trackside select`: which documents to judge next, or what would have been found."""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.cli.arguments import positive
from scoring.cli.bad_input import BadInput
from scoring.cli.many_runs import for_each_run
from scoring.cli.opening import open_qrels, open_run, rank_run
from scoring.cli.tables import Cell, print_csv
from scoring.core.candidates import Candidates, collect_candidates, find_outcomes
from scoring.core.grades import UNJUDGED
from scoring.core.ranking import Ranking
from scoring.core.selection import Method, Strategy, Weighing, choose, weigh
from scoring.core.simulation_of_judging import (
    DEFAULT_BATCH,
    mean_residual,
    play_judging,
    separated_fractions,
    top_runs,
)

DESCRIPTION: Final = """\
Proposes documents for judging (Moffat, Webber & Zobel, SIGIR 2007): by pooling, by what they weigh
in the runs (A), by what is still unknown of these (B), or rather of those that look good (C).
With --simulate it plays the judging with full judgments and says what would have come of it."""

EXAMPLES: Final = """\
examples:
  trackside select runs/* --method A --p 0.8 --budget 500 > to_judge.csv
  trackside select runs/* --method C --p 0.8 --budget 100 --judged so_far.txt
  trackside select runs/* --method C --p 0.8 --budget 1000,2000 --simulate qrels.txt

Method C needs the outcomes of judgments: without them all of its budget is chosen by what is known
beforehand. B is weighed anew after every batch (--batch), A and pooling never change."""

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
        "--p", dest="persistence", metavar="P", type=_persistence, required=True, help="RBP's, 0..1"
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
        help="what is known of a run: over all topics (default), or of the document's topic",
    )
    parser.add_argument(
        "--batch",
        metavar="N",
        type=positive,
        default=DEFAULT_BATCH,
        help=f"judgments after which B and C weigh anew (default {DEFAULT_BATCH})",
    )
    parser.add_argument(
        "--depth", metavar="N", type=positive, help="look at N documents of a topic"
    )
    parser.add_argument("--judged", metavar="QRELS", help="judgments that have been made already")
    parser.add_argument("--simulate", metavar="QRELS", help="full judgments to play with")
    parser.add_argument(
        "--unknown",
        choices=("nonrelevant", "bypass"),
        default="nonrelevant",
        help="--simulate: what QRELS lack is not relevant (default), or passed over",
    )
    parser.add_argument(
        "--top", metavar="N", type=positive, help="--simulate: runs to compare (default: a third)"
    )
    parser.add_argument(
        "-l",
        "--level_for_rel",
        dest="rel",
        metavar="N",
        type=positive,
        default=1,
        help="lowest grade that counts as relevant (default 1)",
    )
    parser.add_argument("--workers", metavar="N", type=positive, default=1, help="(default 1)")


def _persistence(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} does not lie in 0 <= p < 1")
    return value


def _budgets(text: str) -> tuple[int, ...]:
    return tuple(positive(part.strip()) for part in text.split(","))


def run(options: argparse.Namespace) -> int:
    if options.simulate and options.judged:
        raise BadInput(["--simulate begins without judgments: --judged does not go with it"])
    strategy = Strategy(_METHODS[options.method], options.persistence, options.scope)
    rankings = for_each_run(
        partial(_rank_file, max_depth=options.depth), options.runs, workers=options.workers
    )
    if options.simulate:
        print_csv(SIMULATED, list(_simulated(rankings, strategy, options)))
    else:
        print_csv(CHOSEN, list(_chosen(rankings, strategy, options)))
    return 0


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
    """B does not ask what the judges say, only that they have said it: any outcome will do."""
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
    topics = [
        topic for topic, known in zip(table.topics, table.is_judged_topic, strict=True) if known
    ]
    candidates = collect_candidates(rankings, topics=topics)
    if not len(candidates):
        raise BadInput([f"{options.simulate}: no topic of the runs is in the qrels"])
    outcomes = find_outcomes(candidates, table, rel=options.rel)
    top = top_runs(candidates, outcomes, strategy.persistence, count=options.top)
    played = play_judging(
        candidates,
        strategy,
        outcomes,
        budget=max(options.budget),
        unknown="bypassed" if options.unknown == "bypass" else "nonrelevant",
        batch=options.batch,
    )
    for budget in options.budget:
        stage = played.after(budget)
        residual = mean_residual(stage, top, strategy.persistence)
        fractions = separated_fractions(stage, top, strategy.persistence)
        yield (
            *(stage.judged, stage.found, residual),
            *(fractions.base_vs_base, fractions.base_vs_top, fractions.base_vs_projected),
        )
