"""Scores as trec_eval prints them: name, tab, topic, tab, value."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from scoring.cli.measure_lines import Line
from scoring.cli.scored_runs import Scored, ScoredRun
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.trec_eval import relstring_line


def topic_lines(run: ScoredRun, lines: Sequence[Line], topics: Sequence[str]) -> Iterator[str]:
    """What -q adds: the topics that run and qrels have, in order of bytes. What only exists over
    all topics is left out."""
    for row in np.flatnonzero(run.retrieved & run.included).tolist():
        for line, scored in zip(lines, run.found, strict=True):
            if line.kind == "relstring":
                signs = relstring_line(topics[row], scored.texts[row])
                yield signs.replace("relstring".ljust(22), line.label.ljust(22), 1)
            elif line.measure is not None and _has_topics(line):
                ends = [float(end[row]) for end in (scored.low, scored.high) if end is not None]
                yield _line(line, topics[row], _value(line, scored, row), ends)


def summary_lines(run: ScoredRun, lines: Sequence[Line]) -> Iterator[str]:
    """All topics: counts summed, else their mean or geometric mean."""
    for line, scored in zip(lines, run.found, strict=True):
        if line.kind == "runid":
            yield f"{line.label:<22}\tall\t{run.tag}"
        elif line.measure is not None:
            mean = scored.mean.residual if line.kind == "residual" else scored.mean.base
            ends = [end for end in (scored.mean_low, scored.mean_high) if end is not None]
            yield _line(line, "all", math.nan if mean is None else mean, ends)


def _value(line: Line, scored: Scored, row: int) -> float:
    values = scored.scores.residual if line.kind == "residual" else scored.scores.base
    return math.nan if values is None else float(values[row])


def _has_topics(line: Line) -> bool:
    if line.measure is None or line.measure.family == "NumQ":
        return False
    return family_of(line.measure).summary != "geometric"


def _line(line: Line, topic: str, value: float, ends: Sequence[float]) -> str:
    """With --ties bounds the lowest and the highest value follow."""
    is_count = line.measure is not None and family_of(line.measure).summary == "sum"
    shown = "\t".join(_shown(number, is_count=is_count) for number in (value, *ends))
    return f"{line.label:<22}\t{topic}\t{shown}"


def _shown(value: float, *, is_count: bool) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.0f}" if is_count else f"{value:.4f}"
