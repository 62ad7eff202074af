"""`trackside significance`: tests all pairs of runs for significant differences."""

import argparse
import sys

import numpy as np

from scoring.cli.score_sources import read_scores, source_faults
from scoring.cli.tables import print_csv
from scoring.core.statistics.significance import count_significant
from scoring.library.bad_input import BadInput
from scoring.library.significance import PairComparison, significance_table


def run(options: argparse.Namespace) -> int:
    faults = list(source_faults(options))
    if options.scores and options.against != "base":
        faults.append(f"--against {options.against}: a matrix of scores has no residuals")
    how = _comparison(options)
    faults += [f"--correction {how.correction} {why}" for why in how.correction_faults]
    if options.seed < 0:
        faults.append("--seed must not be negative")
    if faults:
        raise BadInput(faults)
    scores, measure = read_scores(options)
    if options.against != "base" and scores.residual is None:
        raise BadInput([f"--against {options.against}: {measure} has no residual"])
    board = scores.best(options.top, options.baseline)
    table, cautions = significance_table(board, how)
    for caution in cautions:
        sys.stderr.write(f"note: {caution}\n")
    if options.count:
        print(count_significant(np.asarray(table["p_corrected"]), options.alpha), len(table))
    else:
        print_csv(table.names, table)
    return 0


def _comparison(options: argparse.Namespace) -> PairComparison:
    return PairComparison(
        test=options.test,
        tail=options.tail,
        alpha=options.alpha,
        continuity=not options.no_continuity,
        zero=options.zero,
        correction=options.correction,
        against=options.against,
        samples=options.samples,
        seed=options.seed,
        baseline=options.baseline,
    )
