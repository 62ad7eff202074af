"""`trackside select`: which documents to judge next, or what would have been found."""

import argparse
from collections.abc import Sequence
from functools import partial

from scoring.cli.many_runs import for_each_run
from scoring.cli.opening import open_qrels, open_run, tell_of_topics_without_grades
from scoring.cli.tables import print_csv
from scoring.core.judging.selection import Strategy
from scoring.library.bad_input import BadInput
from scoring.library.prepared import rank_run
from scoring.library.selection import (
    Judged,
    NamedRanking,
    chosen_documents,
    method_faults,
    simulated_judging,
    strategy_named,
)
from scoring.library.table import Table


def run(options: argparse.Namespace) -> int:
    wrong = method_faults(
        options.method, options.persistence, options.scope, is_simulated=bool(options.simulate)
    )
    faults = [f"--{name}: {why}" for name, why in wrong]
    if options.simulate and options.judged:
        faults.append("--simulate begins without judgments: --judged does not go with it")
    if options.unknown and not options.simulate:
        faults.append("--unknown says what --simulate QRELS lack: it needs --simulate")
    if options.top and not options.simulate:
        faults.append("--top says which runs --simulate compares: it needs --simulate")
    if faults:
        raise BadInput(faults)
    strategy = strategy_named(options.method, options.persistence, options.scope)
    runs = for_each_run(
        partial(_rank_file, max_depth=options.depth), options.runs, workers=options.workers
    )
    if options.simulate:
        table = _simulated(runs, strategy, options)
    else:
        judged = None
        if options.judged:
            judged = Judged(options.judged, open_qrels(options.judged), options.rel)
        # Only a simulation compares budgets.
        budget = max(options.budget)
        table = chosen_documents(runs, strategy, judged, budget=budget, batch=options.batch)
    print_csv(table.names, table)
    return 0


def _rank_file(path: str, max_depth: int | None) -> NamedRanking:
    run = open_run(path)
    return NamedRanking(run.tag, rank_run(run, max_depth=max_depth))


def _simulated(
    runs: Sequence[NamedRanking], strategy: Strategy, options: argparse.Namespace
) -> Table:
    table = open_qrels(options.simulate, in_file_order=True)
    tell_of_topics_without_grades(options.simulate, table)
    return simulated_judging(
        runs,
        strategy,
        Judged(options.simulate, table, options.rel),
        budgets=options.budget,
        batch=options.batch,
        unknown=options.unknown or "nonrelevant",
        top=options.top,
    )
