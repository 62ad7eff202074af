"""`trackside evaluate`: scores of runs, in trec_eval's text or as a table."""

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from scoring.cli.bad_input import BadInput
from scoring.cli.many_runs import for_all_runs
from scoring.cli.measure_lines import Line, read_measures
from scoring.cli.score_tables import print_score_csv, print_score_json, score_tables
from scoring.cli.scored_runs import ScoredRun, score_files
from scoring.cli.scoring_options import ScoringOptions, scoring_options
from scoring.core.data.trec_eval_lines import ALL, has_topic_lines, score_line, tag_line
from scoring.core.measures.trec_eval import relstring_line


def run(options: argparse.Namespace) -> int:
    lines = read_measures(options.measures, rel=options.rel)
    if options.format != "trec_eval":
        _refuse_texts(options.measures)
    rules = replace(
        scoring_options(options, lines, options.qrels),
        is_complete=options.complete,
        judged_only=options.judged_only,
        collection_size=options.collection_size,
    )
    runs = for_all_runs(partial(score_files, rules=rules), options.runs, workers=options.workers)
    if options.format == "trec_eval":
        _print_text(runs, rules, options)
        return 0
    tables = score_tables(runs, rules, per_topic=options.per_topic, summary=not options.no_summary)
    (print_score_csv if options.format == "csv" else print_score_json)(tables)
    return 0


def _refuse_texts(measures: Sequence[str]) -> None:
    """What has no number is left out of tables; who asks for it by name would wait for it."""
    roots = {text.strip().partition(".")[0] for text in measures}
    faults = []
    if "runid" in roots:
        faults.append("-m runid: a table names the run in its first column; leave out -m runid")
    if "relstring" in roots:
        faults.append("-m relstring: text is no cell of a table; take --format trec_eval")
    if faults:
        raise BadInput(faults)


def _print_text(
    runs: Sequence[ScoredRun], rules: ScoringOptions, options: argparse.Namespace
) -> None:
    for scored in runs:
        if options.per_topic:
            for line in topic_lines(scored, rules.lines, rules.table.topics):
                print(line)
        if not options.no_summary:
            for line in summary_lines(scored, rules.lines):
                print(line)


def topic_lines(run: ScoredRun, lines: Sequence[Line], topics: Sequence[str]) -> Iterator[str]:
    """What -q adds: the topics that run and qrels have, in order of bytes. What only exists over
    all topics is left out."""
    for row in np.flatnonzero(run.retrieved & run.included).tolist():
        for line, scored in zip(lines, run.found, strict=True):
            if line.kind == "relstring":
                signs = relstring_line(topics[row], scored.texts[row])
                yield signs.replace("relstring".ljust(22), line.label.ljust(22), 1)
            elif line.measure is not None and has_topic_lines(line.measure):
                # With --ties bounds the lowest and the highest value follow.
                ends = [float(end[row]) for end in (scored.low, scored.high) if end is not None]
                values = scored.scores.residual if line.kind == "residual" else scored.scores.base
                value = math.nan if values is None else float(values[row])
                yield score_line(line.label, line.measure, topics[row], value, *ends)


def summary_lines(run: ScoredRun, lines: Sequence[Line]) -> Iterator[str]:
    """All topics: counts summed, else their mean or geometric mean."""
    for line, scored in zip(lines, run.found, strict=True):
        if line.kind == "runid":
            yield tag_line(run.tag, line.label)
        elif line.measure is not None:
            mean = scored.mean.residual if line.kind == "residual" else scored.mean.base
            ends = [end for end in (scored.mean_low, scored.mean_high) if end is not None]
            value = math.nan if mean is None else mean
            yield score_line(line.label, line.measure, ALL, value, *ends)
