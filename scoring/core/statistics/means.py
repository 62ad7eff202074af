"""From scores per topic to a mean that says what it is a mean of, and how certain it is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scoring.core.data.judgments import JudgmentTable
from scoring.core.measures.arrays import Scores, by_run

Summary: TypeAlias = Literal["mean", "sum", "geometric"]

_DIGIT_LIMITS = (1e-4, 1e-3, 1e-2)  # a residual below these shows 4, 3, 2 digits; else 1


@dataclass(frozen=True)
class Interval:
    """Where a score lies: from `base`, unjudged documents counted as worthless, to `upper`. None
    where the score is not defined, or where a measure has no residual that is exact."""

    base: float | None
    residual: float | None

    @property
    def upper(self) -> float | None:
        if self.base is None or self.residual is None:
            return None
        return self.base + self.residual

    @property
    def digits(self) -> int:
        """Decimals of the score that the residual leaves certain."""
        return shown_digits(self.residual)


@dataclass(frozen=True)
class Mean:
    """A mean over `topics` topics; where none of them has a score, base is NaN, residual None."""

    base: float
    residual: float | None
    topics: int


def known_by_people(base: NDArray[np.float64], people: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[topics]: the part of each base that the judgments of people alone establish.

    `base` is the lower bound under the judgments of people and programs, `people` the one under
    those of people, of a measure whose residual is exact. Fewer judgments bound a score less
    closely, so `people` is not above `base`, except by rounding. It is 0 where people judged
    nothing, so that the measure is not defined, and NaN where `base` is.

    >>> known_by_people(np.array([0.5, 0.2, np.nan]), np.array([0.3, np.nan, 0.1])).tolist()
    [0.3, 0.0, nan]
    """
    known = np.minimum(np.where(np.isnan(people), 0.0, people), base)
    return np.where(np.isnan(base), np.nan, known)


def topics_of_mean(
    table_or_counts: JudgmentTable | NDArray[np.int64],
    *,
    rel: int,
    no_relevant: Literal["exclude", "zero"],
) -> NDArray[np.bool_]:
    """bool[topics]: the topics that means are taken over.

    These are the topics of the qrels, whether a run has them or not. Topics where nothing reaches
    grade `rel` leave the mean under "exclude" and stay, with score 0, under "zero"; topics that
    nobody judged, or with negative judgments only, are out under both. For a measure with a
    stricter `rel` of its own give the stricter one.

    >>> counts = np.array([[3, 1], [4, 0], [0, 0]])  # judged documents of grades 0 and 1
    >>> topics_of_mean(counts, rel=1, no_relevant="exclude").tolist()
    [True, False, False]
    >>> topics_of_mean(counts, rel=1, no_relevant="zero").tolist()
    [True, True, False]
    """
    counts = table_or_counts
    if isinstance(counts, JudgmentTable):
        counts = counts.grade_counts
    if rel < 1:
        raise ValueError(f"rel must be at least 1, not {rel}")
    if no_relevant not in ("exclude", "zero"):
        raise ValueError(f"no_relevant must be 'exclude' or 'zero', not {no_relevant!r}")
    lowest = rel if no_relevant == "exclude" else 0
    included: NDArray[np.bool_] = counts[:, lowest:].sum(axis=1) > 0
    return included


def mean_scores(scores: Scores, included: NDArray[np.bool_], summary: Summary = "mean") -> Mean:
    """The means of base and residual over the included topics that have a score.

    `summary` is that of the measure's family: counts are summed, and of GMAP and gm_bpref, whose
    scores are positive, the geometric mean is taken; these have no residual. Sums are exact
    before they are rounded once (`math.fsum`): the order of the topics and equal scores in another
    arrangement give the same mean.

    >>> scores = Scores(np.array([0.5, 0.25, 0.0]), np.array([0.25, 0.0, 1.0]))
    >>> mean_scores(scores, np.array([True, True, False]))
    Mean(base=0.375, residual=0.125, topics=2)
    """
    (mean,) = means_of_runs(by_run(scores, 1), included, summary)
    return mean


def means_of_runs(
    scores: Scores, included: NDArray[np.bool_], summary: Summary = "mean"
) -> list[Mean]:
    """The same for several runs, whose scores are float64[runs, topics]; `included` is
    bool[topics], or bool[runs, topics] if each run has topics of its own.

    >>> scores = Scores(np.array([[0.5, 0.25], [0.5, np.nan]]), None)
    >>> [(mean.base, mean.topics) for mean in means_of_runs(scores, np.array([True, True]))]
    [(0.375, 2), (0.5, 1)]
    """
    defined = included & ~np.isnan(scores.base)
    topics: list[int] = defined.sum(axis=1).tolist()
    values = scores.base
    if summary == "geometric":
        # The logarithm of 1 adds nothing.
        values = np.log(np.where(defined, values, 1.0))
    residuals: Sequence[float | None] = [None] * len(topics)
    if scores.residual is not None and summary == "mean":
        residuals = _exact_sums(scores.residual, defined)
    columns = zip(_exact_sums(values, defined), residuals, topics, strict=True)
    return [_mean(*column, summary) for column in columns]


def _exact_sums(values: NDArray[np.float64], defined: NDArray[np.bool_]) -> list[float]:
    return [math.fsum(row) for row in np.where(defined, values, 0.0).tolist()]


def _mean(total: float, residual: float | None, topics: int, summary: Summary) -> Mean:
    if topics == 0:
        return Mean(math.nan, None, 0)
    if summary == "sum":
        return Mean(total, None, topics)
    if summary == "geometric":
        return Mean(math.exp(total / topics), None, topics)
    return Mean(total / topics, None if residual is None else residual / topics, topics)


def mask_excluded(scores: Scores, included: NDArray[np.bool_]) -> Scores:
    """The same scores with NaN for the topics that are not included; shapes as in
    `means_of_runs`.

    >>> mask_excluded(Scores(np.array([0.5, 0.25]), None), np.array([True, False])).base.tolist()
    [0.5, nan]
    """
    residual = scores.residual
    return Scores(
        base=np.where(included, scores.base, np.nan),
        residual=None if residual is None else np.where(included, residual, np.nan),
    )


def shown_digits(residual: float | None) -> int:
    """Digits after the point worth showing: the largest n with residual < 10^-n, from 1 to 4.

    So RBP paper, section 4.4, reads a residual; 4 where a measure has none.

    >>> [shown_digits(residual) for residual in (0.3, 0.005, 0.0005, None)]
    [1, 2, 3, 4]
    """
    if residual is None:
        return 4
    # Not `>=`, so that NaN leaves one digit, too.
    return 4 - sum(not residual < limit for limit in _DIGIT_LIMITS)


def required_depth(persistence: float, epsilon: float) -> int:
    """The smallest depth d with persistence^d < epsilon, found by trying (RBP paper 4.4).

    14, 42 and 180 for .5, .8 and .95 and epsilon .0001. Raises ValueError unless
    0 <= persistence < 1 and epsilon > 0.

    >>> [required_depth(persistence, 0.0001) for persistence in (0.5, 0.8, 0.95)]
    [14, 42, 180]
    """
    if not 0 <= persistence < 1:
        raise ValueError(f"persistence must lie in 0 <= p < 1, not {persistence}")
    if not epsilon > 0:
        raise ValueError(f"epsilon must be above 0, not {epsilon}")
    depth = 0
    if persistence > 0 and epsilon < 1:  # start near the answer, then count
        depth = max(0, int(math.log(epsilon) / math.log(persistence)) - 1)
    # Logarithms are rounded: powers decide, in both directions.
    while depth and persistence ** (depth - 1) < epsilon:
        depth -= 1
    while persistence**depth >= epsilon:
        depth += 1
    return depth
