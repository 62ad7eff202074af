"""The scores that a command compares: of runs by one measure, or of a matrix."""

import argparse
from collections.abc import Iterator
from functools import partial

from scoring.cli.arguments import says_how_to_score
from scoring.cli.many_runs import for_all_runs
from scoring.cli.opening import read_file
from scoring.cli.scored_files import score_files
from scoring.cli.scoring_arguments import scoring_options
from scoring.core.measures.measure import Measure
from scoring.library.score_matrix import read_matrix
from scoring.library.score_tables import run_names
from scoring.library.scoring_options import as_lines
from scoring.library.significance import ComparedRuns, compared_runs, tested_measure


def source_faults(options: argparse.Namespace) -> Iterator[str]:
    """What is wrong with the choice between runs and a matrix."""
    if options.scores and (options.qrels or options.measures):
        yield "--scores replaces QRELS, RUN and -m: leave them out"
    if options.scores and says_how_to_score(options):
        yield "--scores: scores are given; leave out -l, -M, --ties and the like"
    if not options.scores and not (options.runs and options.measures):
        yield "give either QRELS, RUN... and -m, or --scores MATRIX.csv"


def read_scores(options: argparse.Namespace) -> tuple[ComparedRuns, Measure | None]:
    """The scores, and the measure if they are of runs. Raises BadInput."""
    if options.scores:
        return ComparedRuns(*read_file(options.scores, read_matrix)), None
    measure = tested_measure(options.measures, rel=options.rel, called="-m")
    rules = scoring_options(options, as_lines([measure]), options.qrels)
    runs = for_all_runs(partial(score_files, rules=rules), options.runs, workers=options.workers)
    tags, paths = [each.tag for each in runs], [each.path for each in runs]
    return compared_runs(run_names(tags, paths), runs, measure), measure
