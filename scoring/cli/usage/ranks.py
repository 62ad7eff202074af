"""How `trackside ranks` is used: its arguments and their help."""

import argparse
from typing import Final

from scoring.cli.arguments import (
    add_measures_argument,
    add_scoring_arguments,
    probability,
    whole_number,
)
from scoring.core.statistics.limits import MOST_SAMPLES

DESCRIPTION: Final = """\
Says how certain the rank of each run is: between which ranks it lies if other topics had been drawn
(bootstrap over topics), the chance that it is the best, and between which ranks it stays whatever
the unjudged documents are. Scores come from runs and one measure, over all topics of QRELS, or from
a matrix (CSV: topics down, systems across, names in the first row)."""

EXAMPLES: Final = """\
examples:
  trackside ranks qrels.txt runs/* -m 'RBP(p=0.8)'
  trackside ranks --scores adhoc5_ap.csv --samples 1000 --level .9

rank_best and rank_worst enclose the middle 95 % (--level) of the ranks drawn; runs with the same
mean share the best rank. p_best is the share of the samples in which the run is first; runs that
share a first rank share the sample. possible_best and possible_worst need a measure with
residuals; they are empty otherwise."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS", nargs="?", help="judgments")
    parser.add_argument("runs", metavar="RUN", nargs="*", help="runs")
    parser.add_argument("--scores", metavar="MATRIX.csv", help="in place of QRELS, RUN and -m")
    add_measures_argument(parser, help="one measure, of which every topic has a score")
    parser.add_argument(
        "--samples",
        metavar="N",
        type=whole_number(2, MOST_SAMPLES),
        default=10_000,
        help=f"of topics (default 10000, at most {MOST_SAMPLES})",
    )
    parser.add_argument("--seed", type=int, default=1, help="(default 1)")
    parser.add_argument("--level", type=probability, default=0.95, help="(default .95)")
    add_scoring_arguments(parser, tie_rules=("docno", "expected"))
