"""Pairs of runs in the same and in opposite order: by hand, and by looking at every pair."""

import tracemalloc
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoring.core.statistics.agreement import kendall_tau, rank_biased_overlap, tau_ap
from scoring.core.statistics.concordance import concordance, dense_places, greater_before

NAN = float("nan")
SCORE = st.one_of(st.just(NAN), st.integers(0, 4).map(float))
BOARDS = st.tuples(st.integers(1, 4), st.integers(0, 19)).flatmap(
    lambda shape: st.lists(
        st.lists(SCORE, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


def pair_by_pair(a: list[float], b: list[float]) -> tuple[int, int, int, int]:
    """Pairs, those that a separates, those that both separate, and those in opposite order."""
    common = [(x, y) for x, y in zip(a, b, strict=True) if x == x and y == y]
    signs = [
        (np.sign(one[0] - other[0]), np.sign(one[1] - other[1]))
        for one, other in combinations(common, 2)
    ]
    return (
        len(signs),
        sum(by_a != 0 for by_a, _ in signs),
        sum(by_a * by_b != 0 for by_a, by_b in signs),
        sum(by_a * by_b < 0 for by_a, by_b in signs),
    )


@given(BOARDS)
def test_the_counts_are_those_of_all_pairs(board: list[list[float]]) -> None:
    found = concordance(np.array(board))
    for a, b in np.ndindex(len(board), len(board)):
        counts = (found.pairs, found.separated, found.untied, found.discordant)
        assert tuple(each[a, b] for each in counts) == pair_by_pair(board[a], board[b])


def test_the_counts_by_hand() -> None:
    """Of the runs 1 to 5 the last has no score by b. Of the six pairs of the others, a ties 1 and
    2, b ties 2 and 3."""
    found = concordance(np.array([[0.9, 0.9, 0.5, 0.2, 0.1], [0.8, 0.4, 0.4, 0.6, NAN]]))
    assert found.pairs.tolist() == [[10, 6], [6, 6]]
    assert found.separated.tolist() == [[9, 5], [5, 5]]
    assert found.untied[0, 1] == 4
    assert found.discordant[0, 1] == 2  # 2 and 4, 3 and 4
    assert found.surplus[0, 1] == 0


def test_scores_equal_to_twelve_decimals_share_a_place() -> None:
    scores = np.array([[0.1 + 0.2, 0.3, NAN, 0.5, 0.3 - 1e-11]])
    assert dense_places(scores).tolist() == [[1, 1, 5, 0, 2]]


@given(st.lists(st.lists(st.integers(0, 9), min_size=17, max_size=17), min_size=1, max_size=3))
def test_greater_values_before_are_counted_one_by_one(rows: list[list[int]]) -> None:
    for length in (0, 1, 2, 3, 8, 17):
        values = np.array(rows)[:, :length]
        expected = [
            [int((row[:at] > value).sum()) for at, value in enumerate(row)] for row in values
        ]
        assert greater_before(values).tolist() == expected


def test_thousands_of_runs_take_little_memory() -> None:
    """2,000 runs have two million pairs. What was held of each pair took 1.2 GB for 19 measures."""
    scores: NDArray[np.float64] = np.round(np.random.default_rng(1).random((19, 2_000)), 3)
    tracemalloc.start()
    try:
        for statistic in (kendall_tau, tau_ap, rank_biased_overlap):
            statistic(scores)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
