"""Scores of runs as CSV or JSON: one row for each run, topic and measure."""

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.cli.measure_lines import Line
from scoring.cli.opening import run_names
from scoring.cli.scored_runs import Scored, ScoredRun
from scoring.cli.scoring_options import ScoringOptions
from scoring.cli.tables import Cell, print_json
from scoring.core.data.trec_eval_lines import ALL
from scoring.core.statistics.undefined import nan_if_none

COLUMNS: Final = ("run", "topic", "measure", "value", "residual", "tie_low", "tie_high")
_NUMBERS: Final = 4  # columns


class ScoreTable(NamedTuple):
    """The rows of one run: the topics that enter its mean, and the mean."""

    run: str
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    numbers: NDArray[np.float64]  # float64[4, topics, measures], NaN where there is none


def score_tables(
    runs: Sequence[ScoredRun], rules: ScoringOptions, *, per_topic: bool, summary: bool
) -> Iterator[ScoreTable]:
    names = run_names([each.tag for each in runs], [each.path for each in runs])
    shown = _numeric_lines(rules.lines)
    measures = tuple(line.name for _, line in shown)
    for name, run in zip(names, runs, strict=True):
        rows = np.flatnonzero(run.included & per_topic)
        topics = [rules.table.topics[row] for row in rows.tolist()] + [ALL] * summary
        numbers = _numbers([run.found[place] for place, _ in shown], rows, summary=summary)
        yield ScoreTable(name, tuple(topics), measures, numbers)


def print_score_csv(tables: Iterable[ScoreTable]) -> None:
    """Numbers at full precision, as `tables.print_csv` writes them, in a fraction of its time."""
    sys.stdout.write(_csv_line(COLUMNS))
    for table in tables:
        run = _csv_line((table.run, "")).rstrip()
        keys = _key_texts(table.topics, table.measures)
        columns = map(_texts, table.numbers.reshape(_NUMBERS, -1).tolist())
        sys.stdout.write(
            "".join(
                f"{run}{key}{value},{residual},{low},{high}\n"
                for key, value, residual, low, high in zip(keys, *columns, strict=True)
            )
        )


def print_score_json(tables: Iterable[ScoreTable]) -> None:
    """A list of objects, one a line; null where there is no number."""
    print_json(COLUMNS, (row for table in tables for row in _rows(table)))


def _rows(table: ScoreTable) -> Iterator[Sequence[Cell]]:
    keys = product(table.topics, table.measures)
    for key, numbers in zip(keys, table.numbers.reshape(_NUMBERS, -1).T.tolist(), strict=True):
        yield (table.run, *key, *numbers)


def _numbers(
    found: Sequence[Scored], topics: NDArray[np.intp], *, summary: bool
) -> NDArray[np.float64]:
    """float64[4, topics, measures], with the means in a last row: the score, its residual, and the
    ends of ties."""
    numbers = np.full((_NUMBERS, len(topics) + summary, len(found)), np.nan)
    for place, scored in enumerate(found):
        mean = scored.mean
        by_topic = (scored.scores.base, scored.scores.residual, scored.low, scored.high)
        means = (mean.base, mean.residual, scored.mean_low, scored.mean_high)
        for column, scores, over_all in zip(numbers, by_topic, means, strict=True):
            if scores is not None:
                column[: len(topics), place] = scores[topics]
            if summary:
                column[-1, place] = nan_if_none(over_all)
    return numbers


def _numeric_lines(lines: Sequence[Line]) -> list[tuple[int, Line]]:
    """The lines that are scores, and where they stand; two lines of one measure count once."""
    first: dict[str, tuple[int, Line]] = {}
    for place, line in enumerate(lines):
        if line.measure is not None:
            first.setdefault(line.name, (place, line))
    return list(first.values())


@lru_cache(maxsize=1)  # most runs have the topics of the one before
def _key_texts(topics: tuple[str, ...], measures: tuple[str, ...]) -> list[str]:
    return [_csv_line((*key, "")).rstrip() for key in product(topics, measures)]


def _texts(numbers: Sequence[float]) -> list[str]:
    """Empty for NaN, which alone differs from itself."""
    return ["" if number != number else repr(number) for number in numbers]


def _csv_line(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
