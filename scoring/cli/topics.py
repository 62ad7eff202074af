"""`trackside topics`: how many topics a test needs to find a difference."""

import argparse
import sys
from collections.abc import Iterator
from functools import partial

from scoring.cli.arguments import says_how_to_score
from scoring.cli.many_runs import for_all_runs
from scoring.cli.opening import read_file
from scoring.cli.scored_files import score_files
from scoring.cli.scoring_arguments import scoring_options
from scoring.cli.tables import print_csv
from scoring.library.bad_input import BadInput
from scoring.library.needed_topics import (
    MeasuredVariance,
    given,
    measured,
    needed_topics_table,
    requirement,
    without_answer,
)
from scoring.library.score_matrix import read_matrix
from scoring.library.score_tables import run_names
from scoring.library.scoring_options import as_lines
from scoring.library.significance import ComparedRuns, compared_runs, tested_measures


def run(options: argparse.Namespace) -> int:
    faults = list(_source_faults(options))
    if faults:
        raise BadInput(faults)
    required = requirement(options.difference, options.level, options.power, options.compared)
    table = needed_topics_table(_variances(options), required, options.compared)
    for sentence in without_answer(table):
        sys.stderr.write(f"note: {sentence}\n")
    print_csv(table.names, table)
    return 0


def _source_faults(options: argparse.Namespace) -> Iterator[str]:
    sources = [bool(options.qrels), bool(options.scores), options.variance is not None]
    if sum(sources) != 1:
        yield "give either QRELS, RUN... and -m, or --scores MATRIX.csv, or --variance V"
    elif options.qrels and not (options.runs and options.measures):
        yield "QRELS, RUN... and -m go together: give all three"
    elif not options.qrels and (options.measures or says_how_to_score(options)):
        yield "-m, -l, -M, --ties and the like are for QRELS and RUN; leave them out"
    if options.variance is None and options.variance_of_differences is not None:
        yield "--variance-of-differences needs --variance"


def _variances(options: argparse.Namespace) -> list[MeasuredVariance]:
    if options.variance is not None:
        return [given(options.variance, options.variance_of_differences)]
    if options.scores:
        return [measured(ComparedRuns(*read_file(options.scores, read_matrix)), "")]
    measures = tested_measures(options.measures, rel=options.rel, called="-m")
    # All measures together: each run is read once.
    rules = scoring_options(options, as_lines(measures), options.qrels)
    runs = for_all_runs(partial(score_files, rules=rules), options.runs, workers=options.workers)
    names = run_names([each.tag for each in runs], [each.path for each in runs])
    return [
        measured(compared_runs(names, runs, measure, at=at), str(measure))
        for at, measure in enumerate(measures)
    ]
