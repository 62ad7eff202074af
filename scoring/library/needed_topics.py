"""How many topics a test needs to find a difference: `trackside.needed_topics`."""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from scoring.core.statistics.limits import LEAST_TOPICS
from scoring.core.statistics.topic_set_size import (
    MOST_RUNS,
    MOST_TOPICS,
    Requirement,
    Variances,
    topics_for_anova,
    topics_for_t,
    variance_interval,
    variances,
)
from scoring.library.bad_input import BadArgument, BadInput
from scoring.library.comparing import matrix_of
from scoring.library.evaluation import (
    MeasureNames,
    NoRelevant,
    measure_texts,
    names_of,
    scored_runs,
    scoring_rules,
)
from scoring.library.scoring_options import as_lines
from scoring.library.significance import ComparedRuns, compared_runs, tested_measures
from scoring.library.sources import Path, QrelsSource, RunSources
from scoring.library.table import Table


@dataclass(frozen=True)
class MeasuredVariance:
    """Variances of one measure, and what they come from."""

    measure: str  # "" if it is not known
    runs: int | None  # None: the variance is given, not measured
    topics: int | None
    variances: Variances


def needed_topics(
    qrels: QrelsSource,
    runs: RunSources,
    measures: MeasureNames,
    *,
    difference: float,
    level: float = 0.05,
    power: float = 0.8,
    compared: int | None = None,
    rel: int = 1,
    ties: Literal["docno", "expected"] = "docno",
    no_relevant: NoRelevant = "zero",
    gain_map: Mapping[int, float] | None = None,
) -> Table:
    """How many topics a test needs to find a true difference, from the variance of these runs, as
    `trackside topics` computes it (topic set size design, Sakai 2016).

    One row for each measure: `measure`; the `runs`, `pairs` of runs and `topics` that it was
    measured on; the `compared` runs of the ANOVA; the `variance` of scores within runs and the
    `variance_of_differences` of two runs; needed topics by the paired t test of two runs, `t_test`,
    and by one-way ANOVA of `compared` runs (default: as many as there are) of which the best and
    the worst differ by `difference`, `anova`; and both by Nagata's approximation, as Sakai's
    spreadsheets have them: `t_test_nagata, anova_nagata`. Columns that end in `_low` and `_high`
    have the chi-square interval of a variance with a level of 95 %, and the topics for its ends;
    they and the numbers of runs, pairs and topics are NaN without data. NaN for more than 10,000
    topics, and where there is no variance: a warning says so. Raises BadInput, as for fewer than
    five topics.

    >>> qrels = {str(topic): {"a": 1} for topic in range(6)}
    >>> one = {str(topic): {"a": 2.0, "b": topic % 2 * 3.0} for topic in range(6)}
    >>> two = {str(topic): {"a": 2.0, "b": topic % 3 * 1.5} for topic in range(6)}
    >>> table = needed_topics(qrels, {"one": one, "two": two}, ["RR", "AP"], difference=0.2)
    >>> table["t_test"].tolist(), table["anova"].tolist()
    ([30, 30], [29, 29])
    """
    required = requirement(difference, level, power, compared)
    asked = tested_measures(measure_texts(measures), rel=rel, called="measures")
    rules = scoring_rules(
        qrels, as_lines(asked), rel=rel, ties=ties, no_relevant=no_relevant, gain_map=gain_map
    )
    scored = scored_runs(runs, rules)
    boards = [compared_runs(names_of(scored), scored, m, at=at) for at, m in enumerate(asked)]
    found = [measured(board, str(m)) for board, m in zip(boards, asked, strict=True)]
    return _warned(found, required, compared)


def needed_topics_of_scores(
    scores: Path | Mapping[str, Sequence[float]] | Any,
    *,
    difference: float,
    level: float = 0.05,
    power: float = 0.8,
    compared: int | None = None,
) -> Table:
    """The same for scores that are there: `{run: [score of each topic]}`, a data frame with a
    column for each run, or the path of a CSV. NaN is a topic without a score.

    >>> scores = {"a": [0.2, 0.4, 0.9, 0.3, 0.5], "b": [0.1, 0.5, 0.6, 0.3, 0.4]}
    >>> needed_topics_of_scores(scores, difference=0.1)["t_test"].tolist()
    [20]
    """
    required = requirement(difference, level, power, compared)
    return _warned([measured(matrix_of(scores), "")], required, compared)


def needed_topics_of_variance(
    variance: float,
    *,
    difference: float,
    variance_of_differences: float | None = None,
    level: float = 0.05,
    power: float = 0.8,
    compared: int = 2,
) -> Table:
    """The same without data: `variance` is that of the scores of a run over topics. Without
    `variance_of_differences`, that is twice as large, as if runs were independent (Sakai 2016).

    >>> needed_topics_of_variance(0.05, difference=0.1, compared=10)["anova"].tolist()
    [158]
    """
    required = requirement(difference, level, power, compared)
    found = given(variance, variance_of_differences)
    return _warned([found], required, compared)


def requirement(
    difference: float, level: float, power: float, compared: int | None = None
) -> Requirement:
    """Raises BadInput."""
    if compared is not None and not 2 <= compared <= MOST_RUNS:
        why = f"{compared} is not a whole number from 2 to {MOST_RUNS:,}"
        raise BadArgument([("compared", why)])
    try:
        return Requirement(difference, level, power)
    except ValueError as error:
        # The message begins with the name of the argument.
        name, _, why = str(error).partition(" ")
        raise BadArgument([(name, f"it {why}")]) from None


def given(variance: float, of_differences: float | None) -> MeasuredVariance:
    """A variance that is known without data. Raises BadInput."""
    of_differences = 2 * variance if of_differences is None else of_differences
    for name, value in (("variance", variance), ("variance_of_differences", of_differences)):
        if not (value > 0 and math.isfinite(value)):
            raise BadArgument([(name, f"{value} is not a number above 0")])
    return MeasuredVariance("", None, None, Variances(variance, of_differences))


def measured(board: ComparedRuns, measure: str) -> MeasuredVariance:
    """Raises BadInput if the scores are too few."""
    runs, topics = len(board.names), int((~np.isnan(board.base).all(axis=0)).sum())
    if runs > MOST_RUNS:
        raise BadInput([f"{MOST_RUNS:,} runs or fewer are compared, not {runs:,}"])
    if runs < 2 or topics < LEAST_TOPICS:
        least = f"2 runs and {LEAST_TOPICS} topics or more are needed"
        raise BadInput([f"{least} to measure a variance, not {runs} and {topics}"])
    return MeasuredVariance(measure, runs, topics, variances(board.base))


def without_answer(table: Table) -> Iterator[str]:
    """A sentence for each test that has no answer, because nothing varies or the topics are too
    many."""
    for row in table:
        where = f"by {row.measure}, " if row.measure else ""
        if row.variance_of_differences == 0:
            why = "any two runs differ by the same on all topics"
            yield f"{where}{why}. Without a variance no number of topics follows for the t test."
        elif row.variance_of_differences > 0 and math.isnan(row.t_test):
            yield f"{where}the t test needs more than {MOST_TOPICS:,} topics."
        if row.variance == 0:
            why = "each run has the same score on all topics"
            yield f"{where}{why}. Without a variance no number of topics follows for ANOVA."
        elif row.variance > 0 and math.isnan(row.anova):
            yield f"{where}ANOVA needs more than {MOST_TOPICS:,} topics."


def _warned(
    found: Sequence[MeasuredVariance], required: Requirement, compared: int | None
) -> Table:
    table = needed_topics_table(found, required, compared)
    for sentence in without_answer(table):
        warnings.warn(sentence, stacklevel=3)
    return table


def needed_topics_table(
    found: Sequence[MeasuredVariance], required: Requirement, compared: int | None
) -> Table:
    """One row for each measure. `compared` runs are in the ANOVA, by default those measured."""
    rows = [_row(each, required, compared or each.runs or 2) for each in found]
    return Table({name: _column([row[name] for row in rows]) for name in rows[0]})


def _row(each: MeasuredVariance, required: Requirement, compared: int) -> dict[str, Any]:
    within, of_differences = each.variances.within_runs, each.variances.of_differences
    low, high = _interval(within, each.topics)
    low_of_pairs, high_of_pairs = _interval(of_differences, each.topics)

    def by_t(variance: float, *, by_nagata: bool = False) -> int | None:
        return topics_for_t(variance, required, by_nagata=by_nagata) if variance > 0 else None

    def by_anova(variance: float, *, by_nagata: bool = False) -> int | None:
        # Not for NaN either, the ends of the interval of a variance that is given.
        if not variance > 0:
            return None
        return topics_for_anova(compared, variance, required, by_nagata=by_nagata)

    return {
        "measure": each.measure,
        "runs": each.runs,
        "pairs": None if each.runs is None else each.variances.pairs,
        "topics": each.topics,
        "compared": compared,
        "variance": within,
        "variance_low": low,
        "variance_high": high,
        "variance_of_differences": of_differences,
        "variance_of_differences_low": low_of_pairs,
        "variance_of_differences_high": high_of_pairs,
        "t_test": by_t(of_differences),
        "t_test_low": by_t(low_of_pairs),
        "t_test_high": by_t(high_of_pairs),
        "anova": by_anova(within),
        "anova_low": by_anova(low),
        "anova_high": by_anova(high),
        "t_test_nagata": by_t(of_differences, by_nagata=True),
        "anova_nagata": by_anova(within, by_nagata=True),
    }


def _interval(variance: float, topics: int | None) -> tuple[float, float]:
    return (math.nan, math.nan) if topics is None else variance_interval(variance, topics)


def _column(values: Sequence[Any]) -> Any:
    """Names as a list; whole numbers, or floats with NaN where one of them is not defined."""
    if isinstance(values[0], str):
        return list(values)
    # numpy makes floats of the whole numbers beside a NaN.
    return np.array([math.nan if value is None else value for value in values])
