"""How many topics a test needs, by each measure: rows for page, chart, CSV and API."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from scoring.core.measures.measure import Measure
from scoring.core.statistics.limits import LEAST_TOPICS
from scoring.core.statistics.topic_set_size import (
    MOST_TOPICS,
    Requirement,
    topics_for_anova,
    topics_for_t,
    variance_interval,
)
from scoring.core.statistics.undefined import none_if_nan
from scoring.ranks.variance_analysis import ScoreVariances


@dataclass(frozen=True)
class NeededTopics:
    """Exactly, and by Nagata's approximation; None for more than MOST_TOPICS, and if the variance
    is not known or 0. Low and high: for the ends of the interval of the variance."""

    t_test: int | None
    anova: int | None
    t_test_nagata: int | None
    anova_nagata: int | None
    t_test_low: int | None = None
    t_test_high: int | None = None
    anova_low: int | None = None
    anova_high: int | None = None

    @property
    def t_test_interval(self) -> str:
        return _interval(self.t_test_low, self.t_test_high)

    @property
    def anova_interval(self) -> str:
        return _interval(self.anova_low, self.anova_high)


def _interval(low: int | None, high: int | None) -> str:
    if low is None:
        return "–"
    return f"{low:,} or more" if high is None else f"{low:,}–{high:,}"


@dataclass(frozen=True)
class NeededRow:
    """A measure, its variances, and the topics that tests need."""

    measure: Measure
    runs: int
    pairs: int  # of runs
    topics: int
    variance: float | None  # None: the scores do not suffice
    variance_of_differences: float | None
    needed: NeededTopics

    @property
    def compared(self) -> int:
        """The runs in the ANOVA: all."""
        return self.runs

    @property
    def variance_ends(self) -> tuple[float | None, float | None]:
        return _ends(self.variance, self.topics)

    @property
    def ends_of_differences(self) -> tuple[float | None, float | None]:
        return _ends(self.variance_of_differences, self.topics)


def _ends(variance: float | None, topics: int) -> tuple[float | None, float | None]:
    return (None, None) if variance is None else variance_interval(variance, topics)


def needed_rows(
    measures: Sequence[Measure], result: ScoreVariances, required: Requirement
) -> list[NeededRow]:
    """The measure that needs the fewest topics by the t test first; those without an answer
    last."""
    counts = (each.tolist() for each in (result.runs, result.pairs, result.topics))
    variances = (
        map(none_if_nan, each.tolist()) for each in (result.within_runs, result.of_differences)
    )
    rows = [
        NeededRow(
            measure,
            runs,
            pairs,
            topics,
            within,
            of_pairs,
            needed(within, of_pairs, runs, required, topics),
        )
        for measure, runs, pairs, topics, within, of_pairs in zip(
            measures, *counts, *variances, strict=True
        )
    ]
    # False sorts before True.
    return sorted(rows, key=lambda row: (row.needed.t_test is None, row.needed.t_test or 0))


def why_no_t_test(rows: Sequence[NeededRow], required: Requirement) -> str:
    """A sentence about rows of which none has an answer by the t test."""
    variances = [row.variance_of_differences for row in rows]
    # A variance above 0 has a number of topics, which is then above MOST_TOPICS for all.
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
    variance: float | None,
    of_differences: float | None,
    runs: int,
    required: Requirement,
    topics: int | None = None,
) -> NeededTopics:
    """ANOVA is of `runs` runs, at least two. `topics` are those on which the variances were
    measured; without them, there are no intervals."""

    def by_t(variance: float | None, *, by_nagata: bool = False) -> int | None:
        # A variance of 0 is no basis for a number of topics.
        return topics_for_t(variance, required, by_nagata=by_nagata) if variance else None

    def by_anova(variance: float | None, *, by_nagata: bool = False) -> int | None:
        if not variance or runs < 2:
            return None
        return topics_for_anova(runs, variance, required, by_nagata=by_nagata)

    found = NeededTopics(
        t_test=by_t(of_differences),
        anova=by_anova(variance),
        t_test_nagata=by_t(of_differences, by_nagata=True),
        anova_nagata=by_anova(variance, by_nagata=True),
    )
    if topics is None:
        return found
    ends, of_pairs = _ends(variance, topics), _ends(of_differences, topics)
    return replace(
        found,
        t_test_low=by_t(of_pairs[0]),
        t_test_high=by_t(of_pairs[1]),
        anova_low=by_anova(ends[0]),
        anova_high=by_anova(ends[1]),
    )
