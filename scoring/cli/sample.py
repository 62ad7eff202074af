"""`trackside sample`: documents for people to judge, with their probabilities."""

import argparse
from functools import partial

from scoring.cli.many_runs import for_each_run
from scoring.cli.opening import open_run
from scoring.cli.tables import print_csv
from scoring.core.data.ranking import Ranking
from scoring.library.prepared import rank_run
from scoring.library.sampling import refuse_bad_sampling, sampled_documents


def run(options: argparse.Namespace) -> int:
    refuse_bad_sampling(
        options.budget, options.persistence, options.uniform, options.depth, options.seed
    )
    rankings = for_each_run(
        partial(_rank_file, max_depth=options.depth), options.runs, workers=options.workers
    )
    table = sampled_documents(
        rankings,
        budget=options.budget,
        persistence=options.persistence,
        over_runs=options.over_runs,
        uniform=options.uniform,
        depth=options.depth,
        seed=options.seed,
    )
    print_csv(table.names, table)
    return 0


def _rank_file(path: str, max_depth: int) -> Ranking:
    return rank_run(open_run(path), max_depth=max_depth)
