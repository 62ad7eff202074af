"""How `trackside select` is used: its arguments and their help."""

import argparse
from typing import Final

from scoring.cli.arguments import (
    add_level_argument,
    add_workers_argument,
    persistence,
    positive,
)
from scoring.core.judging.defaults import DEFAULT_BATCH

DESCRIPTION: Final = """\
Proposes documents for judging (Moffat, Webber & Zobel, SIGIR 2007): by pooling, by what they weigh
in the runs (A), by what is still unknown of these (B), or rather of those that look good (C).
With --simulate it simulates judging with full judgments and reports what it would have found."""

EXAMPLES: Final = """\
examples:
  trackside select runs/* --method A --p 0.8 --budget 500 > to_judge.csv
  trackside select runs/* --method C --p 0.8 --budget 100 --judged so_far.txt
  trackside select runs/* --method C --p 0.8 --budget 1000,2000 --simulate qrels.txt

No method proposes again what --judged holds. Pooling and A ask no more of it; B and C weigh by it,
C by its grades too: without them all of C's budget is chosen by what is known beforehand.

Pooling (pool) takes all first documents of the runs, then all second ones, and so on. Documents of
equal rank go in the order in which one meets them reading run after run, topic after topic, down to
--depth: named in another order, or to another depth, the same runs give another choice where the
budget ends within a rank. Equal weights of A, B and C go by topic and document id."""

METHODS: Final = {"pool": "pooling", "A": "A", "B": "B", "C": "C"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the runs to be compared")
    parser.add_argument("--method", choices=tuple(METHODS), required=True)
    parser.add_argument(
        "--p", dest="persistence", metavar="P", type=persistence, required=True, help="RBP's, 0..1"
    )
    parser.add_argument(
        "--budget",
        metavar="N[,N...]",
        type=_budgets,
        required=True,
        help="judgments to be made; of several without --simulate the largest counts",
    )
    parser.add_argument(
        "--scope",
        choices=("run", "topic"),
        default="run",
        help="B and C: what is known of a run, over all topics (default) or of the document's own",
    )
    parser.add_argument(
        "--batch",
        metavar="N",
        type=positive,
        default=DEFAULT_BATCH,
        help="judgments after which B weighs anew, and C with --simulate "
        f"(default {DEFAULT_BATCH})",
    )
    parser.add_argument(
        "--depth",
        metavar="N",
        type=positive,
        help="the first N documents of a topic of a run propose (default: all)",
    )
    parser.add_argument(
        "--judged", metavar="QRELS", help="judgments that have been made already: not asked again"
    )
    parser.add_argument("--simulate", metavar="QRELS", help="full judgments for the simulation")
    parser.add_argument(
        "--unknown",
        choices=("nonrelevant", "bypass"),
        help="--simulate: what QRELS lack is not relevant (default), or passed over",
    )
    parser.add_argument(
        "--top", metavar="N", type=positive, help="--simulate: runs to compare (default: a third)"
    )
    add_level_argument(parser, "; with --simulate, or C with --judged")
    add_workers_argument(parser)


def _budgets(text: str) -> tuple[int, ...]:
    return tuple(positive(part.strip()) for part in text.split(","))
