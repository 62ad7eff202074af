"""Scores as trec_eval prints them: by topic, and over all topics."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from scoring.cli.measure_lines import Line
from scoring.cli.scored_runs import Scored, ScoredRun
from scoring.core.data.trec_eval_lines import ALL, has_topic_lines, score_line, tag_line
from scoring.core.measures.trec_eval import relstring_line


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
                value = _value(line, scored, row)
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


def _value(line: Line, scored: Scored, row: int) -> float:
    values = scored.scores.residual if line.kind == "residual" else scored.scores.base
    return math.nan if values is None else float(values[row])
