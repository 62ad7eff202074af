"""`trackside estimate`: scores from a sample that people judged and a program's judgments."""

import argparse
import sys
import warnings

from scoring.cli.opening import open_qrels_lines, open_run, read_file
from scoring.cli.tables import print_csv
from scoring.library.estimating import EstimationOptions, estimated_scores
from scoring.library.sample_file import read_sample
from scoring.library.sources import Qrels, Run


def run(options: argparse.Namespace) -> int:
    drawn = read_file(options.sample, read_sample)
    people = Qrels(open_qrels_lines(options.people), options.people)
    program = Qrels(open_qrels_lines(options.program), options.program)
    runs = [Run(open_run(path), path) for path in options.runs]
    asked = EstimationOptions(
        options.measures,
        options.level,
        options.differences,
        options.depth,
        options.rel,
        options.gain_map,
        called="-m",
    )
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        table = estimated_scores(runs, drawn, people, program, asked, sample_name=options.sample)
    for warning in heard:
        sys.stderr.write(f"warning: {warning.message}\n")
    print_csv(table.names, table)
    return 0
