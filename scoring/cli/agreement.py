"""`trackside agreement`: compares the orderings of runs by several measures."""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoring.cli.bad_input import BadInput
from scoring.cli.many_runs import for_all_runs
from scoring.cli.measure_lines import single_measures
from scoring.cli.scored_runs import score_files
from scoring.cli.scoring_options import as_lines, scoring_options
from scoring.cli.tables import Cell, print_csv
from scoring.core.measures.catalogue import sign_of
from scoring.core.measures.measure import Measure
from scoring.core.statistics.agreement import kendall_tau, rank_biased_overlap, tau_ap

COLUMNS: Final = ("measure_a", "measure_b", "tau", "tau_b", "tau_ap", "rbo")


def run(options: argparse.Namespace) -> int:
    measures = single_measures(options.measures, rel=options.rel)
    if len(measures) < 2:
        raise BadInput(["-m: agreement is between two measures or more"])
    if len(options.runs) < 2:
        raise BadInput(["RUN: two runs or more can be ordered"])
    rules = scoring_options(options, as_lines(measures), options.qrels)
    runs = for_all_runs(partial(score_files, rules=rules), options.runs, workers=options.workers)
    means = np.array([[each.mean.base for each in run.found] for run in runs]).T
    signs = np.array([sign_of(measure) for measure in measures])
    print_csv(COLUMNS, _rows(measures, means * signs[:, None], options.rbo_p))
    return 0


def _rows(
    measures: Sequence[Measure], scores: NDArray[np.float64], persistence: float
) -> Iterator[Sequence[Cell]]:
    columns = (
        kendall_tau(scores, ties="none"),
        kendall_tau(scores, ties="b"),
        tau_ap(scores),
        rank_biased_overlap(scores, persistence=persistence),
    )
    for a, b in combinations(range(len(measures)), 2):
        agreement = [float(column[a, b]) for column in columns]
        yield str(measures[a]), str(measures[b]), *agreement
