"""How `trackside significance` is used: its arguments and their help."""

import argparse
from typing import Final

from scoring.cli.arguments import (
    add_measures_argument,
    add_scoring_arguments,
    positive,
    probability,
    whole_number,
)
from scoring.core.statistics.limits import MOST_SAMPLES

DESCRIPTION: Final = """\
Tests all pairs of runs over topics: paired t, Wilcoxon signed-rank, or sign-flip randomisation.
Scores come from runs and one measure, over all topics of QRELS, or from a matrix (CSV: topics
down, systems across, names in the first row)."""

EXAMPLES: Final = """\
examples:
  trackside significance qrels.txt runs/* -m AP --test wilcoxon
  trackside significance --scores adhoc5_ap.csv --test t --alpha .01 --count
  trackside significance qrels.txt runs/* -m 'RBP(p=0.8)' --test wilcoxon --tail one \\
      --against top --top 20
  trackside significance qrels.txt runs/* -m AP --test randomisation --correction tukey --seed 7
  trackside significance qrels.txt runs/* -m AP --test randomisation --baseline bm25 \\
      --correction max-t

difference is mean a - mean b over the topics that both have. One-tailed, and against top or
projected, a is the run with the higher mean, and the question is whether it is better: than b
as judged (base), if all that is unjudged of b were relevant (top), or if it were as good as what is
judged (projected). With two tails, a pair in which a falls behind (difference < 0) can be
significant too; with --tail one it cannot. --count prints two numbers: how many pairs have
p_corrected <= alpha, and how many pairs there are.

With --baseline, every other run is a, and the baseline is b, whichever has the higher mean.
--correction max-t then compares t of each run with the greatest |t| of all of them, where the
differences of random topics have the opposite sign, the same topics for all runs.

method says where p comes from. Wilcoxon's p is exact on up to 25 topics, or 50 without equal or
zero differences, and a normal approximation on more. The randomisation test takes all exchanges
where there are no more of them than samples. Equal differences on all topics have no p by t and
by max-t."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS", nargs="?", help="judgments")
    parser.add_argument("runs", metavar="RUN", nargs="*", help="two runs or more")
    parser.add_argument("--scores", metavar="MATRIX.csv", help="in place of QRELS, RUN and -m")
    add_measures_argument(
        parser,
        help="one measure, of which every topic has a score",
    )
    parser.add_argument("--test", choices=("t", "wilcoxon", "randomisation"), required=True)
    parser.add_argument("--tail", choices=("one", "two"), default="two", help="(default two)")
    parser.add_argument("--alpha", type=probability, default=0.05, help="for --count (default .05)")
    parser.add_argument(
        "--no-continuity",
        action="store_true",
        help="wilcoxon: no continuity correction of the normal approximation",
    )
    parser.add_argument(
        "--zero",
        choices=("wilcox", "pratt"),
        default="wilcox",
        help="wilcoxon: zero differences are dropped, before (wilcox) or after (pratt) ranking",
    )
    parser.add_argument(
        "--correction",
        choices=("none", "holm", "bh", "tukey", "max-t"),
        default="none",
        help="of p for many pairs: Holm, Benjamini-Hochberg, randomised Tukey HSD, or the"
        " randomised max |t| of all runs against a baseline",
    )
    parser.add_argument(
        "--baseline", metavar="RUN", help="compare all others with this run, named by its tag"
    )
    parser.add_argument("--against", choices=("base", "top", "projected"), default="base")
    parser.add_argument("--top", metavar="N", type=positive, help="only the N best runs")
    parser.add_argument(
        "--samples",
        metavar="N",
        type=whole_number(1, MOST_SAMPLES),
        default=10_000,
        help=f"random ones (default 10000, at most {MOST_SAMPLES})",
    )
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="of chance (default 1)")
    parser.add_argument(
        "--count",
        action="store_true",
        help="only the number of significant pairs, and of all pairs",
    )
    # Not bounds: a test compares one score of each topic.
    add_scoring_arguments(parser, tie_rules=("docno", "expected"))
