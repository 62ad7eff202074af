"""How `trackside estimate` is used: its arguments and their help."""

import argparse
from typing import Final

from scoring.cli.arguments import (
    add_level_argument,
    add_measures_argument,
    gain_map,
    positive,
    probability,
)

DESCRIPTION: Final = """\
Estimates scores of runs, with confidence intervals, from a program's judgments of all documents and
people's judgments of a sample (trackside sample). The estimate is unbiased whatever the program is
worth: the sample corrects it. Topics are fixed: the interval says nothing about other topics."""

EXAMPLES: Final = """\
examples:
  trackside estimate sample.csv people.txt program.txt runs/* -m 'RBP(p=0.8)' -m P@10
  trackside estimate sample.csv people.txt program.txt runs/* -m nDCG@10 --differences

PEOPLE are qrels of the sampled documents, PROGRAM qrels of all documents of the runs to --depth.
The column program is the score by the program alone. Intervals are empty where people judged all
sampled documents as the program did: then the sample says nothing about its errors."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sample", metavar="SAMPLE.csv", help="output of trackside sample")
    parser.add_argument("people", metavar="PEOPLE", help="judgments of people")
    parser.add_argument("program", metavar="PROGRAM", help="judgments of the program")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the runs of the sample")
    add_measures_argument(parser, required=True, help="P@k, RBP, DCG@k, nDCG@k and others")
    parser.add_argument(
        "--differences", action="store_true", help="differences between the runs of each pair"
    )
    parser.add_argument("--level", type=probability, default=0.95, help="(default .95)")
    parser.add_argument(
        "--depth", metavar="N", type=positive, default=100, help="that of the sample (default 100)"
    )
    add_level_argument(parser, "; a measure's own rel= wins")
    parser.add_argument(
        "--gain-map",
        metavar="0=0,1=.5,2=1",
        type=gain_map,
        help="the gain of each grade, for gain=map (default: grade / highest grade)",
    )
