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
Says how certain the rank of each run is: between which ranks it lies in resampled topic sets
(bootstrap over topics), in which share of these it is first, its simultaneous set of ranks (by all
pairwise comparisons), and between which ranks it stays whatever the unjudged documents are. Scores
come from runs and one measure, over all topics of QRELS, or from a matrix (CSV: topics down,
systems across, names in the first row)."""

EXAMPLES: Final = """\
examples:
  trackside ranks qrels.txt runs/* -m 'RBP(p=0.8)'
  trackside ranks --scores adhoc5_ap.csv --samples 1000 --level .9

rank_best and rank_worst enclose the middle 95 % (--level) of the ranks drawn; runs with the same
mean share the best rank. first_share is the share of the samples in which the run is first; runs
that share a first rank share the sample. The sets from rank_set_best to rank_set_worst contain the
true ranks of all runs at once, with a familywise level of 95 % (--level). No rank is below 1 + the
runs that are significantly better, or above all runs - those that are significantly worse.
possible_best and possible_worst need a measure with residuals; they are empty otherwise. The other
columns are empty with one run, fewer than five topics, or differences that are the same on all
topics. A note says why. Another one says if max-t finds fewer than half of the significant pairs
that Bonferroni's correction finds: rank sets with --correction holm are narrower then."""


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
    parser.add_argument(
        "--correction",
        choices=("max-t", "holm"),
        default="max-t",
        help="of rank sets: studentised bootstrap max |t| of all pairs (default), or Holm's, of"
        " paired t tests",
    )
    # Not bounds: a rank needs one score of each topic.
    add_scoring_arguments(parser, tie_rules=("docno", "expected"))
