"""`trackside evaluate -Z`: scores as trec_eval prints them by the means and standard deviations of
other runs."""

import math
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final

import numpy as np

from campaigns.trec.compression import read_text
from campaigns.trec.problems import Problem, ProblemList, refuse, shown
from scoring.core.data.trec_eval_lines import ALL, has_topic_lines, tag_line
from scoring.core.measures.catalogue import family_of
from scoring.core.measures.measure import Measure
from scoring.core.measures.trec_eval import relstring_line
from scoring.library.measure_lines import Line
from scoring.library.scored_runs import ScoredRun

MISSING: Final = -1_000_000.0  # where the file has no mean
_MAX_BYTES: Final = 1 << 28
_FIELDS: Final = ("topic", "measure", "mean", "standard deviation")

Reference = dict[tuple[str, str], tuple[float, float]]


def read_reference(source: BinaryIO) -> Reference:
    """The mean and the standard deviation of each topic and measure. Raises FormatError."""
    findings = ProblemList()
    found: Reference = {}
    with findings.gathered():
        text = read_text(source, findings, max_bytes=_MAX_BYTES)
        for line, row in enumerate(text.split("\n"), 1):
            fields = row.split()
            if not fields:
                continue
            numbers = [_number(field) for field in fields[2:]]
            if len(fields) != len(_FIELDS):
                message = f"{len(fields)} fields, 4 expected: {', '.join(_FIELDS)}"
                findings.add(Problem("FIELDS", line, message, None, shown(row)))
            elif not all(map(math.isfinite, numbers)) or numbers[1] < 0:
                message = "mean and standard deviation are not two numbers, the second 0 or more"
                findings.add(Problem("SCORE", line, message, None, shown(row)))
            else:
                found[fields[0], fields[1]] = numbers[0], numbers[1]
        if not found and not findings.total:
            refuse("EMPTY", "the file has no mean")
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def zscore_lines(
    run: ScoredRun,
    lines: Sequence[Line],
    topics: Sequence[str],
    reference: Reference,
    *,
    per_topic: bool,
    summary: bool,
) -> Iterator[str]:
    """The lines of a run, those of topics first."""
    rows = np.flatnonzero(run.included).tolist()
    zscores = [
        [
            _zscore(float(found.scores.base[row]), reference.get((topics[row], line.label)))
            for row in rows
        ]
        for line, found in zip(lines, run.found, strict=True)
    ]
    for place, row in enumerate(rows if per_topic else []):
        for line, found, values in zip(lines, run.found, zscores, strict=True):
            if line.kind == "relstring":
                yield relstring_line(topics[row], found.texts[row], line.label)
            elif line.measure is not None and has_topic_lines(line.measure):
                yield _line(line.label, topics[row], values[place])
    for line, values in zip(lines, zscores, strict=True) if summary else ():
        if line.kind == "runid":
            yield tag_line(run.tag, line.label)
        elif line.measure is not None:
            yield _line(line.label, ALL, _over_all(line.measure, values))


def _zscore(value: float, reference: tuple[float, float] | None) -> float:
    if reference is None:
        return MISSING
    mean, deviation = reference
    # Without a spread all runs of the file have this score: another one is infinitely far from it.
    if deviation:
        return (value - mean) / deviation
    return 0.0 if value == mean else MISSING


def _over_all(measure: Measure, values: Sequence[float]) -> float:
    summary = family_of(measure).summary
    # The number of topics, whatever the values are.
    if measure.family == "NumQ":
        return len(values)
    if summary == "geometric":  # the terms have no z-score: exp of what is missing
        return math.exp(MISSING)
    if summary == "sum":
        return sum(values)
    return sum(values) / len(values) if values else math.nan


def _line(label: str, topic: str, value: float) -> str:
    shown = "–" if math.isnan(value) else f"{value:6.4f}"
    return f"Z{label:<22}\t{topic}\t{shown}"
