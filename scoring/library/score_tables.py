"""Scores of runs as tables: one row for each run, topic and measure."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.trec_eval_lines import ALL
from scoring.core.statistics.undefined import nan_if_none
from scoring.library.measure_lines import Line
from scoring.library.scored_runs import Scored, ScoredRun
from scoring.library.scoring_options import ScoringOptions

COLUMNS: Final = ("run", "topic", "measure", "value", "residual", "tie_low", "tie_high")
NUMBERS: Final = 4  # columns


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
    # The lines that are scores, and where they stand; two lines of one measure count once.
    first: dict[str, tuple[int, Line]] = {}
    for place, line in enumerate(rules.lines):
        if line.measure is not None:
            first.setdefault(line.name, (place, line))
    shown = list(first.values())
    measures = tuple(line.name for _, line in shown)
    for name, run in zip(names, runs, strict=True):
        # No topic at all if only means are asked for.
        rows = np.flatnonzero(run.included & per_topic)
        topics = [rules.table.topics[row] for row in rows.tolist()] + [ALL] * summary
        numbers = _numbers([run.found[place] for place, _ in shown], rows, summary=summary)
        yield ScoreTable(name, tuple(topics), measures, numbers)


def _numbers(
    found: Sequence[Scored], topics: NDArray[np.intp], *, summary: bool
) -> NDArray[np.float64]:
    """float64[4, topics, measures], with the means in a last row: the score, its residual, and the
    ends of ties."""
    numbers = np.full((NUMBERS, len(topics) + summary, len(found)), np.nan)
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


def run_names(tags: Sequence[str], paths: Sequence[str]) -> list[str]:
    """What runs are called in a table: by their tags, and by their paths where tags coincide."""
    shared = {tag for tag in tags if list(tags).count(tag) > 1}
    return [path if tag in shared else tag for tag, path in zip(tags, paths, strict=True)]
