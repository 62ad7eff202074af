"""`trackside agreement`: compares the orderings of runs by several measures."""

import argparse
from functools import partial

from scoring.cli.many_runs import for_all_runs
from scoring.cli.scored_files import score_files
from scoring.cli.scoring_arguments import scoring_options
from scoring.cli.tables import print_csv
from scoring.library.agreement import agreement_table
from scoring.library.bad_input import BadInput
from scoring.library.measure_lines import single_measures
from scoring.library.scoring_options import as_lines


def run(options: argparse.Namespace) -> int:
    measures = single_measures(options.measures, rel=options.rel)
    if len(measures) < 2:
        raise BadInput(["-m: name at least two measures to compare"])
    if len(options.runs) < 2:
        raise BadInput(["RUN: give at least two runs to order"])
    rules = scoring_options(options, as_lines(measures), options.qrels)
    runs = for_all_runs(partial(score_files, rules=rules), options.runs, workers=options.workers)
    table = agreement_table(measures, runs, persistence=options.rbo_p)
    print_csv(table.names, table)
    return 0
