"""How `trackside topics` is used: its arguments and their help."""

import argparse
from typing import Final

from scoring.cli.arguments import (
    add_measures_argument,
    add_scoring_arguments,
    positive,
    probability,
)

DESCRIPTION: Final = """\
Says how many topics a test needs to find a true difference between runs (topic set size design,
Sakai 2016): by the paired t test of two runs, and by one-way ANOVA of several runs of which the
best and the worst differ by as much. The variance comes from runs and measures, from a matrix of
scores (CSV: topics down, systems across, names in the first row), or is given."""

EXAMPLES: Final = """\
examples:
  trackside topics qrels.txt runs/* -m AP -m 'RBP(p=0.8)' --difference .05
  trackside topics --scores adhoc5_ap.csv --difference .05 --level .01 --power .9
  trackside topics --variance .05 --compared 10 --difference .1

runs, pairs and topics are those that the variance was measured on; compared are the runs in the
ANOVA. t_test and anova are exact; t_test_nagata and anova_nagata are Nagata's approximations, as
Sakai's spreadsheets samplesizeTTEST and samplesizeANOVA have them. With --variance and no
--variance-of-differences, differences vary twice as much, as if runs were independent. Columns that
end in _low and _high have the 95 % confidence interval of a variance (chi-square distribution,
topics - 1 degrees of freedom), and the topics for its ends; they need data. A cell is
empty where more than 10,000 topics are needed, and where nothing varies: a note says so. A variance
is measured on five topics or more. The level is at least 1e-9, the power at most .999999, and an
ANOVA has at most 10,000 runs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS", nargs="?", help="judgments")
    parser.add_argument("runs", metavar="RUN", nargs="*", help="runs")
    parser.add_argument("--scores", metavar="MATRIX.csv", help="in place of QRELS, RUN and -m")
    parser.add_argument(
        "--variance", metavar="V", type=float, help="of the scores of a run, in place of data"
    )
    parser.add_argument(
        "--variance-of-differences", metavar="V", type=float, help="of two runs (default 2 V)"
    )
    add_measures_argument(parser, help="measures of which every topic has a score")
    parser.add_argument(
        "--difference", metavar="D", type=float, required=True, help="the smallest to be found"
    )
    parser.add_argument("--level", type=probability, default=0.05, help="(default .05)")
    parser.add_argument("--power", type=probability, default=0.8, help="(default .8)")
    parser.add_argument(
        "--compared",
        metavar="RUNS",
        type=positive,
        help="runs in the ANOVA (default: as many as there are; 2 without data)",
    )
    add_scoring_arguments(parser, tie_rules=("docno", "expected"))
