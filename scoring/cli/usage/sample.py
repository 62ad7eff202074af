"""How `trackside sample` is used: its arguments and their help."""

import argparse
from typing import Final

from scoring.cli.arguments import add_workers_argument, persistence, positive

DESCRIPTION: Final = """\
Draws a stratified sample of the documents of runs for people to judge. Each has a known probability
that follows its weight in RBP or AP, so that trackside estimate can compute scores from it."""

EXAMPLES: Final = """\
examples:
  trackside sample runs/* --p .8 --budget 30 > sample.csv
  trackside sample runs/* --budget 30 --depth 20 --seed 7

Stratum 0 contains the documents whose weight is so large that they are judged for certain. Two
documents are drawn from each other stratum. People must judge all documents of the sample. Draw it
for the measure that gives deep ranks the most weight: a sample for RBP(.5) is of little use for
RBP(.95)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the runs to be estimated")
    parser.add_argument(
        "--budget", metavar="N", type=positive, required=True, help="judgments to be made"
    )
    parser.add_argument(
        "--p",
        dest="persistence",
        metavar="P",
        type=persistence,
        help="sizes by the weights of RBP(P) (default: by those of AP)",
    )
    parser.add_argument(
        "--over-runs",
        choices=("square", "sum"),
        default="square",
        help="a document's size: root of the sum of squares of its weights (default), or their sum",
    )
    parser.add_argument(
        "--uniform",
        metavar="SHARE",
        type=float,
        default=0.0,
        help="share of the size that is equal for all documents, 0..1 (default 0)",
    )
    parser.add_argument(
        "--depth",
        metavar="N",
        type=positive,
        default=100,
        help="the first N documents of a topic of a run (default 100)",
    )
    parser.add_argument("--seed", type=int, default=1, help="(default 1)")
    add_workers_argument(parser)
