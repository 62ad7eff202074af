"""`trackside diversity`: scores of runs by judgments of subtopics."""

import argparse
import sys
from collections.abc import Iterator
from typing import Final

from campaigns.trec.subtopics import read_subtopics
from scoring.cli.opening import open_run, read_file
from scoring.cli.tables import Cell, print_csv
from scoring.core.data.trec_eval_lines import ALL
from scoring.core.diversity.measures import NDEVAL_NAMES
from scoring.library.bad_input import BadInput
from scoring.library.diversity import NDEVAL, diversity
from scoring.library.evaluation import Scores
from scoring.library.sources import Run
from scoring.library.table import Table

_NDEVAL_MEAN: Final = "amean"


def run(options: argparse.Namespace) -> int:
    if options.format == "ndeval" and options.measures:
        raise BadInput(["--format ndeval has columns of its own: leave out -m"])
    qrels = read_file(options.qrels, read_subtopics)
    for warning in qrels.warnings:
        sys.stderr.write(f"{options.qrels}: warning: {warning}\n")
    runs = [Run(open_run(path), path) for path in options.runs]
    measures = options.measures or NDEVAL
    scores = diversity(qrels, runs, measures, rel=options.rel, complete=options.complete)
    if options.format == "ndeval":
        _print_as_ndeval(scores)
    else:
        print_csv(scores.names, _rows(scores, per_topic=options.per_topic))
    return 0


def _rows(scores: Scores, *, per_topic: bool) -> Iterator[tuple[Cell, ...]]:
    for name in dict.fromkeys(scores.means["run"]):
        if per_topic:
            yield from scores.where(run=name)
        for row in scores.means.where(run=name):
            yield row.run, ALL, row.measure, row.value, row.residual


def _print_as_ndeval(scores: Scores) -> None:
    parts = (measure.partition("@") for measure in NDEVAL)
    names = [
        NDEVAL_NAMES.get(family, family.replace("_", "-")) + at + cutoff
        for family, at, cutoff in parts
    ]
    print(",".join(["runid", "topic", *names]))
    for name in dict.fromkeys(scores.means["run"]):
        of_run = scores.where(run=name)
        for topic in dict.fromkeys(of_run["topic"]):
            _print_values(name, topic, of_run.where(topic=topic))
        _print_values(name, _NDEVAL_MEAN, scores.means.where(run=name))


def _print_values(name: str, topic: str, rows: Table) -> None:
    print(",".join([name, topic, *(f"{row.value:.6f}" for row in rows)]))
