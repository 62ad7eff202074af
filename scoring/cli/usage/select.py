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
Proposes documents to judge. Pooling (pool) proposes the first documents of all runs, A those with
the highest total weight in the runs. B multiplies each weight by the residual of the run, and C
also by how good the run looks (Moffat, Webber & Zobel, SIGIR 2007). Move-to-front (MTF: Cormack,
Palmer & Clarke, SIGIR 1998), Hedge (Aslam, Pavlu & Savell, CIKM 2003) and MaxMean (Losada, Parapar
& Barreiro, SAC 2016) look for as many relevant documents as possible. With --simulate the grades
come from QRELS, and the output says what the method would have found."""

EXAMPLES: Final = """\
examples:
  trackside select runs/* --method A --p 0.8 --budget 500 > to_judge.csv
  trackside select runs/* --method C --p 0.8 --budget 100 --judged so_far.txt
  trackside select runs/* --method MaxMean --budget 50 --judged so_far.txt
  trackside select runs/* --method C --p 0.8 --budget 1000,2000 --simulate qrels.txt

The documents of --judged are not proposed again. Pooling and A use nothing else of this file. B
uses which documents are judged, the other methods use the grades too. All documents of the budget
are proposed without the grades of each other, so a small budget suits the methods that use grades.
MTF, Hedge and MaxMean work best with one document of each topic at a time.

Pooling (pool) proposes all first documents of the runs, then all second ones, and so on. Documents
of equal rank are in the order in which they first occur, run by run and topic by topic, down to
--depth. With the runs in another order, or with another depth, the documents can therefore differ
where the budget ends within a rank. With A, B and C, documents of equal weight are in the order of
topics, then of document ids.

MTF, Hedge and MaxMean take one document of each topic in turn, so that a budget over all topics
goes round by topic, and leave out topics without further documents. They need no --p, unless
--simulate computes residuals by it. Hedge counts the first 100 documents of a run as retrieved.
MaxMean takes the run with the lower tag among equally good ones. Their weight is the priority of
the run, 0 or less (MTF), the weighted mean loss of the runs if the document is not relevant
(Hedge), or the mean of the run (MaxMean)."""

METHODS: Final = ("pool", "A", "B", "C", "MTF", "Hedge", "MaxMean")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the runs to be compared")
    parser.add_argument("--method", choices=METHODS, required=True)
    parser.add_argument(
        "--p",
        dest="persistence",
        metavar="P",
        type=persistence,
        help="persistence of RBP, 0..1; for pool, A, B and C, and with --simulate",
    )
    parser.add_argument(
        "--budget",
        metavar="N[,N...]",
        type=_budgets,
        required=True,
        help="number of judgments; without --simulate only the largest of several counts",
    )
    parser.add_argument(
        "--scope",
        choices=("run", "topic"),
        default="run",
        help="B and C: a run's residual over all topics (default) or on the document's topic",
    )
    parser.add_argument(
        "--batch",
        metavar="N",
        type=positive,
        default=DEFAULT_BATCH,
        help="judgments after which B chooses again, and with --simulate C, MTF, Hedge, MaxMean "
        f"(default {DEFAULT_BATCH})",
    )
    parser.add_argument(
        "--depth",
        metavar="N",
        type=positive,
        help="use the first N documents of each topic of a run (default: all)",
    )
    parser.add_argument(
        "--judged",
        metavar="QRELS",
        help="judgments that exist already; these documents are not proposed",
    )
    parser.add_argument("--simulate", metavar="QRELS", help="full judgments for the simulation")
    parser.add_argument(
        "--unknown",
        choices=("nonrelevant", "bypass"),
        help="--simulate: documents not in QRELS are not relevant (default), or skipped",
    )
    parser.add_argument(
        "--top", metavar="N", type=positive, help="--simulate: runs to compare (default: a third)"
    )
    add_level_argument(parser, "; with --simulate, or with --judged where grades count")
    add_workers_argument(parser)


def _budgets(text: str) -> tuple[int, ...]:
    return tuple(positive(part.strip()) for part in text.split(","))
