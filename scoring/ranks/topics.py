"""How many topics a test needs, by each measure: rows for page, chart, CSV and API."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from scoring.core.measures.measure import Measure
from scoring.core.statistics.limits import LEAST_TOPICS
from scoring.core.statistics.topic_set_size import (
    MOST_TOPICS,
    Requirement,
    topics_for_anova,
    topics_for_t,
)
from scoring.core.statistics.undefined import none_if_nan
from scoring.ranks.variance_analysis import ScoreVariances


@dataclass(frozen=True)
class NeededTopics:
    """Exactly, and by Nagata's approximation; None for more than MOST_TOPICS, and if the variance
    is not known or 0."""

    t_test: int | None
    anova: int | None
    t_test_nagata: int | None
    anova_nagata: int | None


@dataclass(frozen=True)
class NeededRow:
    """A measure, its variances, and the topics that tests need."""

    measure: Measure
    runs: int
    topics: int
    variance: float | None  # None: the scores do not suffice
    variance_of_differences: float | None
    needed: NeededTopics


def needed_rows(
    measures: Sequence[Measure], result: ScoreVariances, required: Requirement
) -> list[NeededRow]:
    """The measure that needs the fewest topics by the t test first; those without an answer
    last."""
    counts = (each.tolist() for each in (result.runs, result.topics))
    variances = (
        map(none_if_nan, each.tolist()) for each in (result.within_runs, result.of_differences)
    )
    rows = [
        NeededRow(measure, runs, topics, within, of_pairs, needed(within, of_pairs, runs, required))
        for measure, runs, topics, within, of_pairs in zip(
            measures, *counts, *variances, strict=True
        )
    ]
    return sorted(rows, key=lambda row: (row.needed.t_test is None, row.needed.t_test or 0))


def why_no_t_test(rows: Sequence[NeededRow], required: Requirement) -> str:
    """A sentence about rows of which none has an answer by the t test."""
    variances = [row.variance_of_differences for row in rows]
    if any(variances):
        return (
            f"By every measure, a t test needs more than {MOST_TOPICS:,} topics to find a "
            f"difference of {required.difference:g}. Choose a larger difference."
        )
    if any(variance is not None for variance in variances):
        return (
            "Any two runs differ by the same on all topics. Without a variance of differences, no "
            "number of topics follows for a t test."
        )
    return (
        f"Two runs with scores on {LEAST_TOPICS} topics are needed to measure a variance. Until "
        "then, calculate with a variance that you assume."
    )


@lru_cache(maxsize=5_000)
def needed(
    variance: float | None, of_differences: float | None, runs: int, required: Requirement
) -> NeededTopics:
    """ANOVA is of `runs` runs, at least two."""
    t_test, t_test_nagata = (
        None if not of_differences else topics_for_t(of_differences, required, by_nagata=by_nagata)
        for by_nagata in (False, True)
    )
    anova, anova_nagata = (
        None
        if not variance or runs < 2
        else topics_for_anova(runs, variance, required, by_nagata=by_nagata)
        for by_nagata in (False, True)
    )
    return NeededTopics(t_test, anova, t_test_nagata, anova_nagata)
