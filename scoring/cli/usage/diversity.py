"""How `trackside diversity` is used: its arguments and their help."""

import argparse
from typing import Final

from scoring.cli.arguments import add_level_argument

DESCRIPTION: Final = """\
Scores runs by judgments of subtopics, for novelty and diversity: ERR_IA, nERR_IA, alpha_DCG,
alpha_nDCG, NRBP, nNRBP, AP_IA, P_IA and StRecall, as TREC's ndeval computes them. Each is printed
with its residual, what unjudged documents could still add; those that are divided by the score of
the ideal ranking have none."""

EXAMPLES: Final = """\
examples:
  trackside diversity subtopics.txt runs/*                    as CSV, the means
  trackside diversity subtopics.txt run.gz -q -m alpha_nDCG@20 -m 'NRBP(alpha=0.5,beta=0.8)'
  trackside diversity subtopics.txt run.gz --format ndeval    as ndeval prints it

Topics that are in both files are averaged, with -c all topics of QRELS. Documents are ordered by
their retrieval scores, as by `ndeval -traditional`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS", help="topic, subtopic, document, grade")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="topic Q0 document rank score tag")
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        metavar="MEASURE",
        action="append",
        help="what to compute; more than once if wanted (default: all that ndeval prints)",
    )
    parser.add_argument(
        "-q", "--query_eval_wanted", dest="per_topic", action="store_true", help="each topic too"
    )
    parser.add_argument(
        "-c",
        "--complete_rel_info_wanted",
        dest="complete",
        action="store_true",
        help="average over all topics of QRELS: one that a run misses is an empty ranking",
    )
    add_level_argument(parser)
    parser.add_argument(
        "--format",
        choices=("csv", "ndeval"),
        default="csv",
        help="CSV with one row for each score, or the columns of ndeval with six decimals",
    )
