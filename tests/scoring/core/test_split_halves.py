"""Boards of disjoint halves of topics: by hand, and compared with loops over splits and pairs."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.core.statistics.split_halves import BINS, bin_width, half_sizes, split_halves

pytestmark = pytest.mark.hypothesis


def slow(scores, size, splits, random, width):
    """The definition, one split and one pair at a time."""
    taus, swaps, pairs = [], [0] * BINS, [0] * BINS
    for _ in range(splits):
        drawn = random.permutation(scores.shape[1]).tolist()
        boards = []
        for part in (drawn[:size], drawn[size : 2 * size]):
            rows = [[run[t] for t in part if not math.isnan(run[t])] for run in scores.tolist()]
            boards.append([math.fsum(row) / len(row) if row else None for row in rows])
        kept = [at for at, both in enumerate(zip(*boards, strict=True)) if None not in both]
        if len(kept) > 1:
            tau = stats.kendalltau(*([round(board[at], 9) for at in kept] for board in boards))
            taus += [] if math.isnan(tau.statistic) else [tau.statistic]
        for a, b in itertools.combinations(kept, 2):
            first, second = (round(board[a] - board[b], 9) for board in boards)
            at = min(int(abs(first) / width + 1e-6), BINS - 1)
            pairs[at] += 1
            swaps[at] += first * second < 0
    return taus, swaps, pairs


def test_two_topics_by_hand():
    # Topic 1 puts a first by .3, topic 2 puts b first by .1: each split swaps them, τ is -1.
    # c is below both on both topics: a by .5 and .1, b by .2 and .2.
    scores = np.array([[0.6, 0.2], [0.3, 0.3], [0.1, 0.1]])
    found = split_halves(scores, sizes=[1], splits=40, seed=1, width=0.1)
    assert found.mean[0] == pytest.approx(1 / 3)  # two of three pairs agree
    assert found.lowest[0] == found.highest[0] == pytest.approx(1 / 3)
    assert found.swaps.sum() == 40
    assert found.pairs.sum() == 120
    assert found.pairs[0, 2] == 40  # b and c, by .2 on either topic
    assert found.swaps[0, 1] + found.swaps[0, 3] == 40  # by .1 or by .3 on the first topic


def test_runs_that_keep_their_order_on_every_topic_never_swap():
    scores = np.arange(5)[:, None] / 10 + np.arange(8)[None, :] / 100
    found = split_halves(scores, sizes=[1, 4], splits=20, seed=2, width=0.01)
    assert found.mean.tolist() == found.lowest.tolist() == found.highest.tolist() == [1, 1]
    assert found.swaps.sum() == 0


def test_a_few_splits_that_separate_runs_are_no_result():
    """Only with the last topic in one set and the first in the other do both sets order the runs:
    in about one split of 66 of single topics, and in half of those of six of twelve topics."""
    scores = np.full((3, 12), 0.5)
    scores[0, 0], scores[2, -1] = 0.6, 0.7
    found = split_halves(scores, sizes=[1, 6], splits=500, seed=1, width=0.1)
    assert np.isnan([found.mean[0], found.lowest[0], found.highest[0]]).all()
    assert found.pairs.sum() == 2 * 500 * 3  # swaps are counted all the same
    assert found.mean[1] == found.lowest[1] == found.highest[1] == -0.5


@given(st.integers(1, 5), st.integers(2, 7), st.integers(0, 2**32 - 1), st.booleans())
def test_it_equals_the_loop(runs, topics, seed, has_gaps):
    random = np.random.default_rng(seed)
    scores = np.round(random.random((runs, topics)), 1)
    if has_gaps:
        scores[random.random((runs, topics)) < 0.3] = np.nan
    sizes = half_sizes(topics)
    found = split_halves(scores, sizes=sizes, splits=15, seed=seed, width=0.07)
    again = np.random.default_rng(seed)
    for at, size in enumerate(sizes):
        taus, swaps, pairs = slow(scores, size, 15, again, 0.07)
        expected = [math.nan] * 3
        if 2 * len(taus) >= 15:
            expected = [sum(taus) / len(taus), min(taus), max(taus)]
        mine = [found.mean[at], found.lowest[at], found.highest[at]]
        assert mine == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert found.swaps[at].tolist() == swaps
        assert found.pairs[at].tolist() == pairs


def test_sizes_go_from_one_topic_to_half_of_them():
    assert half_sizes(50) == [1, 3, 5, 8, 10, 12, 14, 16, 18, 21, 23, 25]
    assert half_sizes(7) == [1, 2, 3]
    assert half_sizes(1) == half_sizes(0) == []


def test_the_width_of_bins_fits_the_scores():
    assert bin_width(np.array([[0.2, 1.0], [0.0, np.nan]])) == 0.01
    assert bin_width(np.array([[900.0], [100.0]])) == 50  # 800 over 20 bins is 40
    assert bin_width(np.full((2, 2), np.nan)) == 0.01


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"splits": 0}, "splits"),
        ({"sizes": [3]}, "half of 5 topics"),
        ({"sizes": [0]}, "half of 5 topics"),
        ({"width": 0.0}, "width"),
    ],
)
def test_bad_arguments(options, words):
    usual = {"sizes": [1], "splits": 5, "seed": 1, "width": 0.01}
    with pytest.raises(ValueError, match=words):
        split_halves(np.zeros((2, 5)), **usual | options)
