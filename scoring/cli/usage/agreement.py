"""How `trackside agreement` is used: its arguments and their help."""

import argparse
from typing import Final

from scoring.cli.arguments import add_measures_argument, add_scoring_arguments, probability

DESCRIPTION: Final = """\
Compares the orderings of runs by the means of measures, for each pair of measures: Kendall's tau
(ties count in neither ordering), tau-b (ties allowed for), tau_AP (the first measure is the
reference) and rank-biased overlap. Means are over all topics of QRELS."""

EXAMPLES: Final = """\
examples:
  trackside agreement qrels.txt runs/* -m RR -m P@10 -m AP -m 'RBP(p=0.8)'
  trackside agreement qrels.txt runs/* -m AP -m nDCG@10 --rbo-p 0.8 --workers 2"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS", help="judgments")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="two runs or more")
    add_measures_argument(
        parser,
        required=True,
        help="two or more: -m AP -m 'RBP(p=0.8)'",
    )
    parser.add_argument(
        "--rbo-p", metavar="P", type=probability, default=0.9, help="of the overlap (default 0.9)"
    )
    # Not bounds: an ordering needs one mean of each run.
    add_scoring_arguments(parser, tie_rules=("docno", "expected"))
