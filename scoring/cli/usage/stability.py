"""How `trackside stability` is used: its arguments and their help."""

import argparse
from typing import Final

from scoring.cli.arguments import add_measures_argument, add_scoring_arguments, whole_number
from scoring.core.statistics.limits import MOST_SPLITS

DESCRIPTION: Final = """\
Says whether other topics would give the same leaderboard. Two disjoint sets of equally many topics
are drawn many times, and runs are ranked on each: Kendall's tau-b of the two leaderboards by the
number of topics, its mean over the splits and its range. Scores come from runs and one measure,
over all topics of QRELS, or from a matrix (CSV: topics down, systems across, names in the first
row)."""

EXAMPLES: Final = """\
examples:
  trackside stability qrels.txt runs/* -m AP
  trackside stability --scores adhoc5_ap.csv --splits 1000 --swaps

--swaps prints how often the two sets disagree on which of two runs is better, by the difference of
their means on the first set (Voorhees and Buckley, SIGIR 2002). The last difference has no end.

With fewer than ten topics, or if any two runs differ by the same on all topics, all columns but the
first are empty. A note says why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS", nargs="?", help="judgments")
    parser.add_argument("runs", metavar="RUN", nargs="*", help="runs")
    parser.add_argument("--scores", metavar="MATRIX.csv", help="in place of QRELS, RUN and -m")
    add_measures_argument(parser, help="one measure, of which every topic has a score")
    parser.add_argument(
        "--splits",
        metavar="N",
        type=whole_number(1, MOST_SPLITS),
        default=500,
        help=f"for each number of topics (default 500, at most {MOST_SPLITS})",
    )
    parser.add_argument("--seed", type=int, default=1, help="(default 1)")
    parser.add_argument("--swaps", action="store_true", help="print swap rates")
    add_scoring_arguments(parser, tie_rules=("docno", "expected"))
