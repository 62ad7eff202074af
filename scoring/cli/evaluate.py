"""`trackside evaluate`: scores of runs, in trec_eval's text or as a table."""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from scoring.cli.many_runs import for_all_runs
from scoring.cli.opening import read_file
from scoring.cli.score_tables import print_score_csv, print_score_json
from scoring.cli.scored_files import score_files
from scoring.cli.scoring_arguments import scoring_options
from scoring.cli.zscores import Reference, read_reference, zscore_lines
from scoring.core.data.trec_eval_lines import ALL, has_topic_lines, score_line, tag_line
from scoring.core.measures.trec_eval import relstring_line
from scoring.library.bad_input import BadInput
from scoring.library.measure_lines import Line, read_measures
from scoring.library.score_tables import score_tables
from scoring.library.scored_runs import ScoredRun
from scoring.library.scoring_options import ScoringOptions


def run(options: argparse.Namespace) -> int:
    lines = read_measures(options.measures, rel=options.rel)
    for note in dict.fromkeys(line.note for line in lines if line.note):
        sys.stderr.write(f"note: {note}\n")
    reference = None
    if options.zscores is not None:
        if options.format != "trec_eval" or options.ties != "docno":
            raise BadInput(["-Z goes only with --format trec_eval and --ties docno"])
        # Before the runs: a fault of this file should not wait for their scores.
        reference = read_file(options.zscores, read_reference)
    if options.format != "trec_eval":
        _refuse_texts(options.measures)
    rules = replace(
        scoring_options(options, lines, options.qrels),
        is_complete=options.complete,
        judged_only=options.judged_only,
        collection_size=options.collection_size,
    )
    score = partial(score_files, rules=rules)
    runs = for_all_runs(score, options.runs, workers=options.workers)
    if reference is not None:
        _print_zscores(runs, rules, reference, options)
        return 0
    if options.format == "trec_eval":
        _print_text(runs, rules, options)
        return 0
    tables = score_tables(runs, rules, per_topic=options.per_topic, summary=not options.no_summary)
    (print_score_csv if options.format == "csv" else print_score_json)(tables)
    return 0


def _print_zscores(
    runs: Sequence[ScoredRun],
    rules: ScoringOptions,
    reference: Reference,
    options: argparse.Namespace,
) -> None:
    for scored in runs:
        for line in zscore_lines(
            scored,
            rules.lines,
            rules.table.topics,
            reference,
            per_topic=options.per_topic,
            summary=not options.no_summary,
        ):
            print(line)


def _refuse_texts(measures: Sequence[str]) -> None:
    """Tables leave out what has no number; a user who asks for it by name would miss it."""
    roots = {text.strip().partition(".")[0] for text in measures}
    faults = []
    if "runid" in roots:
        faults.append("-m runid: a table names the run in its first column; leave out -m runid")
    if "relstring" in roots:
        faults.append("-m relstring: a table has no text in its cells; use --format trec_eval")
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
    """What -q adds: the topics that run and qrels have, with -c all topics, in order of bytes. What
    only exists over all topics is left out."""
    for row in np.flatnonzero(run.included).tolist():
        for line, scored in zip(lines, run.found, strict=True):
            if line.kind == "relstring":
                yield relstring_line(topics[row], scored.texts[row], line.label)
            elif line.measure is not None and has_topic_lines(line.measure):
                # With --ties bounds the lowest and the highest value follow.
                ends = [float(end[row]) for end in (scored.low, scored.high) if end is not None]
                values = scored.scores.residual if line.kind == "residual" else scored.scores.base
                # A measure without residuals prints a dash, as in the summary.
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
