"""Two runs side by side: which pairs are compared, by what differences, and with what outcome.

Everything here is about all pairs at once: matrices float64[runs, topics] go in, one value per
pair comes out. NaN is "not defined"; a pair is compared on the topics where both runs have a score.
A difference is candidate - baseline, so that a positive one speaks for the candidate.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Tail: TypeAlias = Literal["two", "one"]  # one-tailed: is the candidate better?

METHODS: Final = (
    "nothing to test",
    "Student's t",
    "exact null of the signed ranks",
    "normal approximation with tie correction",
    "random sign flips",
    "all sign flips",
    "no p-value: equal differences have no spread",
)
NOTHING, STUDENT, EXACT, NORMAL, FLIPS, ALL_FLIPS, NO_SPREAD = range(len(METHODS))

UNITS = 1e12  # differences are counted in units of the twelfth decimal
LARGEST_EXACT_SUM = 2.0**53  # of whole numbers in float64
_CELLS = 1 << 17  # differences worked on at a time: they fit into the cache


@dataclass(frozen=True, eq=False)
class Pairs:
    """Which runs are compared with which."""

    candidates: NDArray[np.intp]  # intp[pairs], row of the run that is hoped to be better
    baselines: NDArray[np.intp]  # intp[pairs], row of the other one

    def __post_init__(self) -> None:
        if self.candidates.shape != self.baselines.shape or self.candidates.ndim != 1:
            raise ValueError("candidates and baselines need one entry per pair each")

    def __len__(self) -> int:
        return len(self.candidates)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What a test said of each pair."""

    p_values: NDArray[np.float64]  # float64[pairs]; NaN where it is not defined
    statistics: NDArray[np.float64]  # float64[pairs]: t, or W+, or the sum of the differences
    topics: NDArray[np.int64]  # int64[pairs], topics where both runs have a score
    methods: NDArray[np.int8]  # int8[pairs], place in METHODS: where the p-value comes from


def lowest_p(test: str, topics: int, *, tail: Tail = "two", samples: int) -> float:
    """The lowest p-value that `t`, `wilcoxon` or `randomisation` can have on this many topics, 0 if
    it has no limit. A test by signs has that of the one way to give them, or of the two, that are
    as extreme as can be; among `samples` random ones none is below 1 / (samples + 1).

    >>> lowest_p("wilcoxon", 5, samples=999), lowest_p("randomisation", 50, samples=999)  # 2/2^5
    (0.0625, 0.001)
    """
    if test == "t":
        return 0.0
    if test == "randomisation" and 2**topics > samples:
        return 1 / (samples + 1)
    return float((1 if tail == "one" else 2) / 2**topics)


PairTest: TypeAlias = Callable[[NDArray[np.float64]], Outcomes]  # float64[pairs, topics] in


@runtime_checkable
class ScoreTest(Protocol):
    """A test that takes less time with the scores of the runs than with differences of pairs."""

    def of_scores(
        self, pairs: Pairs, scores: NDArray[np.float64], baseline_scores: NDArray[np.float64]
    ) -> Outcomes:
        """The outcome that the test has for the differences of each pair."""


def all_pairs(runs: int) -> Pairs:
    """Each pair once, (0, 1), (0, 2) ... (1, 2) ...: runs (runs - 1) / 2 of them.

    Raises ValueError for a negative number of runs.

    >>> pairs = all_pairs(3)
    >>> pairs.candidates.tolist(), pairs.baselines.tolist()
    ([0, 0, 1], [1, 2, 2])
    """
    if runs < 0:
        raise ValueError(f"there cannot be {runs} runs")
    candidates, baselines = np.triu_indices(runs, 1)
    return Pairs(candidates, baselines)


def winners_first(scores: NDArray[np.float64]) -> Pairs:
    """Each pair once, the run with the higher mean over the common topics as the candidate.

    Means are compared after rounding their differences to 12 decimals; of equal ones the run that
    stands first is the candidate. Raises ValueError for scores that are no matrix of numbers.

    >>> pairs = winners_first(np.array([[0.1, 0.2], [0.4, 0.3]]))
    >>> pairs.candidates.tolist(), pairs.baselines.tolist()
    ([1], [0])
    """
    pairs = all_pairs(len(checked_scores(scores)))
    wins = np.empty(len(pairs), np.bool_)
    for block in blocks_of(len(pairs), scores.shape[1]):
        differences = scores[pairs.candidates[block]] - scores[pairs.baselines[block]]
        wins[block] = whole_units(differences).sum(axis=1) >= 0
    return Pairs(
        np.where(wins, pairs.candidates, pairs.baselines),
        np.where(wins, pairs.baselines, pairs.candidates),
    )


def compare(
    test: PairTest,
    pairs: Pairs,
    scores: NDArray[np.float64],
    baseline_scores: NDArray[np.float64] | None = None,
) -> Outcomes:
    """The outcome of a test for each pair.

    `scores` are float64[runs, topics], `baseline_scores` of the same shape what stands against
    them (default: the same scores). `test` reads differences [pairs, topics], block after block,
    unless it is a `ScoreTest`; its options are bound beforehand: `partial(wilcoxon, tail="one")`.

    Raises ValueError for matrices of another shape, for infinite scores, and what the test raises.

    >>> from scoring.core.statistics.signed_ranks import wilcoxon
    >>> scores = np.array([[0.3, 0.4, 0.5], [0.2, 0.2, 0.2]])
    >>> found = compare(wilcoxon, all_pairs(2), scores)  # all three ranks are positive: 1 + 2 + 3
    >>> found.statistics.tolist(), found.p_values.tolist()
    ([6.0], [0.25])
    """
    others = checked_scores(scores if baseline_scores is None else baseline_scores)
    if checked_scores(scores).shape != others.shape:
        raise ValueError(f"scores are {scores.shape}, those of the baselines {others.shape}")
    if isinstance(test, ScoreTest):
        return test.of_scores(pairs, scores, others)
    found = [
        test(scores[pairs.candidates[block]] - others[pairs.baselines[block]])
        for block in blocks_of(len(pairs), scores.shape[1])
    ]
    return Outcomes(
        p_values=np.concatenate([part.p_values for part in found]),
        statistics=np.concatenate([part.statistics for part in found]),
        topics=np.concatenate([part.topics for part in found]),
        methods=np.concatenate([part.methods for part in found]),
    )


def as_matrix(values: NDArray[np.float64], pairs: Pairs, runs: int) -> NDArray[np.float64]:
    """float64[runs, runs]: a value of each pair in both of its cells; NaN in all others.

    For what does not depend on the direction: p-values, corrected or not. Raises ValueError for
    another number of values than pairs.

    >>> as_matrix(np.array([0.01, 0.2, 0.5]), all_pairs(3), 3).tolist()
    [[nan, 0.01, 0.2], [0.01, nan, 0.5], [0.2, 0.5, nan]]
    """
    if values.shape != (len(pairs),):
        raise ValueError(f"{len(pairs)} pairs but values of shape {values.shape}")
    matrix = np.full((runs, runs), np.nan)
    matrix[pairs.candidates, pairs.baselines] = values
    matrix[pairs.baselines, pairs.candidates] = values
    return matrix


def whole_units(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[pairs, topics]: differences as whole numbers of 1e-12, NaN as 0.

    Rounded like this, equal differences are equal and sums of them exact. A row whose sum would
    not fit into 53 bits (differences that sum to more than 9,007) is counted in units of 1e-11,
    1e-10 ... instead: float64 does not hold the twelfth decimal of such sums anyway.

    >>> whole_units(np.array([[0.1 + 0.2, np.nan]])).tolist()
    [[300000000000.0, 0.0]]
    """
    known = np.where(np.isnan(differences), 0.0, differences)
    largest = np.abs(known).sum(axis=1, keepdims=True)
    if largest.max(initial=0.0) * UNITS < LARGEST_EXACT_SUM:
        return np.rint(known * UNITS)
    shorter = np.ceil(np.log10(np.maximum(largest * UNITS / LARGEST_EXACT_SUM, 1.0)))
    units: NDArray[np.float64] = np.rint(known * (UNITS / 10.0**shorter))
    return units


def is_same_throughout(differences: NDArray[np.float64]) -> NDArray[np.bool_]:
    """bool[pairs]: to 12 decimals the difference is the same on all common topics (there are some).

    What spread such differences have is float noise, and nothing may be divided by it.

    >>> is_same_throughout(np.array([[0.3, 0.1 + 0.2, np.nan], [0.1, 0.2, 0.3]])).tolist()
    [True, False]
    """
    units = whole_units(differences)
    unknown = np.isnan(differences)
    greatest = np.where(unknown, -np.inf, units).max(axis=1, initial=-np.inf)
    smallest = np.where(unknown, np.inf, units).min(axis=1, initial=np.inf)
    same: NDArray[np.bool_] = greatest == smallest
    return same


def any_pair_varies(scores: NDArray[np.float64]) -> bool:
    """Whether the difference of any two runs is not the same on all topics, to 12 decimals, of
    float64[runs, topics].

    >>> any_pair_varies(np.array([[0.1, 0.4], [0.2, 0.5]]))
    False
    """
    pairs = all_pairs(len(scores))
    for block in blocks_of(len(pairs), scores.shape[1]):
        differences = scores[pairs.candidates[block]] - scores[pairs.baselines[block]]
        if (~is_same_throughout(differences) & ~np.isnan(differences).all(axis=1)).any():
            return True
    return False


def checked_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same scores; raises ValueError unless float64[runs, topics] and finite or NaN.

    >>> checked_scores(np.array([[1, 2]]))
    Traceback (most recent call last):
        ...
    ValueError: scores must be float64[runs, topics], not int64(1, 2)
    """
    if scores.ndim != 2 or scores.dtype != np.float64:
        raise ValueError(f"scores must be float64[runs, topics], not {scores.dtype}{scores.shape}")
    if np.isinf(scores).any():
        raise ValueError("a score is infinite")
    return scores


def checked_tail(tail: Tail) -> Tail:
    """The same tail; raises ValueError for anything but "two" or "one".

    >>> checked_tail("one")
    'one'
    """
    if tail not in ("two", "one"):
        raise ValueError(f"tail must be 'two' or 'one', not {tail!r}")
    return tail


def blocks_of(pairs: int, topics: int) -> list[slice]:
    """Slices over the pairs: as many as fit into the cache at a time. One, empty, where there are
    none.

    >>> blocks_of(3, topics=1 << 16)  # two pairs have 1 << 17 differences
    [slice(0, 2, None), slice(2, 4, None)]
    """
    # One pair at least, however many topics there are.
    step = max(1, _CELLS // max(1, topics))
    return [slice(start, start + step) for start in range(0, max(1, pairs), step)]
