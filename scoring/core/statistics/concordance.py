"""Which pairs of runs two orderings put in the same order, counted by sorting.

`scores` are float64[orderings, runs], higher is better, as in `agreement.py`. A campaign of 2,000
runs has two million pairs, so no pair is looked at alone: W. R. Knight (JASA 61, 1966) sorts the
runs by one ordering and counts the exchanges that a merge sort by the other one makes, in
O(runs log runs).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.core.statistics.ranks import DECIMALS

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Concordance:
    """Counts of the pairs among the runs with a score in both orderings, int64[orderings,
    orderings]."""

    pairs: Counts
    separated: Counts  # that ordering a does not tie, [a, b]: not symmetrical
    untied: Counts  # that neither ties
    discordant: Counts  # in opposite order

    @property
    def surplus(self) -> Counts:
        """Concordant minus discordant pairs."""
        return self.untied - 2 * self.discordant


def concordance(scores: NDArray[np.float64]) -> Concordance:
    """Scores equal to 12 decimals are tied; NaN is no score.

    The second ordering ties two of the three runs:

    >>> found = concordance(np.array([[0.3, 0.2, 0.1], [0.3, 0.1, 0.1]]))
    >>> found.separated.tolist(), found.surplus.tolist()
    ([[3, 3], [2, 2]], [[3, 2], [2, 2]])
    """
    orderings, runs = scores.shape
    places = dense_places(scores)
    found = Concordance(*(np.zeros((orderings, orderings), np.int64) for _ in range(4)))
    for a in range(orderings):
        first, second, lacking = common_places(places[a], places[a:])
        # One key for two places, none of which is above the number of runs.
        in_order = np.sort(first * (runs + 1) + second, axis=1)  # by a; in a tie by b
        pairs = _pairs(runs - lacking.sum(axis=1))
        # Runs without a score share one place, but are no ties.
        among_lacking = _pairs(lacking.sum(axis=1))
        tied_in_both = _tied_pairs(in_order) - among_lacking
        tied_in_a = _tied_pairs(in_order // (runs + 1)) - among_lacking
        tied_in_b = _tied_pairs(np.sort(second, axis=1)) - among_lacking
        discordant = greater_before(in_order % (runs + 1)).sum(axis=1)
        found.separated[a, a:], found.separated[a:, a] = pairs - tied_in_a, pairs - tied_in_b
        for counts, values in (
            (found.pairs, pairs),
            (found.untied, pairs - tied_in_a - tied_in_b + tied_in_both),
            (found.discordant, discordant),
        ):
            counts[a, a:] = counts[a:, a] = values
    return found


def dense_places(scores: NDArray[np.float64]) -> Counts:
    """int64[orderings, runs]: 0 for the best, 1 for the next different score ... and the number of
    runs for NaN.

    >>> dense_places(np.array([[0.3, 0.1, 0.3, np.nan]])).tolist()
    [[0, 1, 0, 4]]
    """
    places = np.empty(scores.shape, np.int64)
    for row, values in enumerate(np.round(scores, DECIMALS)):
        places[row] = np.unique(-values, return_inverse=True)[1]
        places[row, np.isnan(values)] = len(values)
    return places


def common_places(one: Counts, others: Counts) -> tuple[Counts, Counts, NDArray[np.bool_]]:
    """The places in one ordering beside those in each of the others, int64[others, runs] both; and
    which runs lack a score in one of the two: they share a last place in both.

    Of three runs the last has no score in the first ordering:

    >>> places = common_places(np.array([0, 1, 3]), np.array([[1, 0, 2]]))
    >>> [each.tolist() for each in places]
    [[[0, 1, 3]], [[1, 0, 3]], [[False, False, True]]]
    """
    runs = others.shape[1]
    lacking = (one == runs) | (others == runs)
    return np.where(lacking, runs, one), np.where(lacking, runs, others), lacking


def greater_before(values: Counts) -> Counts:
    """int64[rows, length]: how many values before this one in its row are greater. `values` are
    whole numbers from 0 on, below 2^62 / length.

    A merge sort of all rows at once. When two sorted blocks are merged, those of the left block
    that come after a value of the right one are the greater ones.

    >>> greater_before(np.array([[3, 1, 2]])).tolist()
    [[0, 1, 1]]
    """
    rows, length = values.shape
    size = 1 << max(length - 1, 0).bit_length()
    keys = np.full((rows, size), np.iinfo(np.int64).max)
    keys[:, :length] = values * size + np.arange(length)  # equal values stay in their order
    found = np.zeros((rows, size), np.int64)
    width = 1
    while width < length:
        blocks = keys.reshape(rows, -1, 2 * width)
        blocks.sort(axis=2)
        origins = blocks & (size - 1)  # where in the row each key was at first
        is_right = origins & width != 0
        greater = np.where(is_right, width - np.cumsum(~is_right, axis=2), 0)
        step = np.empty_like(found)
        np.put_along_axis(step, origins.reshape(rows, size), greater.reshape(rows, size), axis=1)
        found += step
        width *= 2
    return found[:, :length]


def first_of_each_tie(values: Counts) -> Counts:
    """int64[rows, length]: where in its sorted row the group of values equal to each one begins.

    >>> first_of_each_tie(np.array([[1, 1, 4, 7, 7]])).tolist()
    [[0, 0, 2, 3, 3]]
    """
    at = np.arange(values.shape[1])
    is_first = np.ones(values.shape, bool)
    is_first[:, 1:] = values[:, 1:] != values[:, :-1]
    return np.maximum.accumulate(np.where(is_first, at, 0), axis=1)


def _tied_pairs(values: Counts) -> Counts:
    """int64[rows]: the pairs of equal values in each sorted row."""
    pairs: Counts = (np.arange(values.shape[1]) - first_of_each_tie(values)).sum(axis=1)
    return pairs


def _pairs(things: Counts) -> Counts:
    return things * (things - 1) // 2
