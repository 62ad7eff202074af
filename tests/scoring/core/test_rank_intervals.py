"""How certain a rank is: by hand, and compared with a loop over samples, runs and topics."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.statistics.rank_intervals import (
    bootstrap_ranks,
    possible_ranks,
    why_no_ranges,
)

pytestmark = pytest.mark.hypothesis


def slow_ranks(scores, samples, seed, level):
    """The definition, one sample and one run at a time."""
    random = np.random.default_rng(seed)
    runs, topics = scores.shape
    ranks = []
    for _ in range(samples):
        drawn = random.integers(0, topics, topics).tolist()
        means = []
        for run in scores.tolist():
            values = [run[topic] for topic in drawn if not np.isnan(run[topic])]
            means.append(round(sum(values) / len(values), 9) if values else -np.inf)
        ranks.append([1 + sum(other > mean for other in means) for mean in means])
    tail = samples * (1 - level) / 2 + 1e-9
    every = range(1, runs + 1)
    best = [max(r for r in every if sum(s[i] < r for s in ranks) <= tail) for i in range(runs)]
    worst = [min(r for r in every if sum(s[i] > r for s in ranks) <= tail) for i in range(runs)]
    wins = [sum((s[i] == 1) / s.count(1) for s in ranks) / samples for i in range(runs)]
    return best, worst, wins


def test_two_topics_by_hand():
    # Means of the pairs of topics 11, 12, 21, 22: a .9 .5 .5 .1 and b .6 .5 .5 .4.
    # a is first where topic 1 is drawn twice, b where topic 2 is, and they share the others.
    found = bootstrap_ranks(np.array([[0.9, 0.1], [0.6, 0.4]]), samples=40_000, seed=3)
    assert found.best.tolist() == [1, 1]
    assert found.worst.tolist() == [2, 2]
    assert found.first_shares == pytest.approx([0.5, 0.5], abs=0.01)
    assert found.first_shares.sum() == pytest.approx(1)


def test_a_run_that_is_better_on_all_topics_is_surely_first():
    scores = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.4, 0.5, 0.6]])
    found = bootstrap_ranks(scores, samples=100, seed=1)
    assert found.best.tolist() == [1, 2, 2]
    assert found.worst.tolist() == [1, 2, 2]
    assert found.first_shares.tolist() == [1, 0, 0]


@given(
    st.integers(1, 5),
    st.integers(1, 6),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.booleans(),
)
def test_it_equals_the_loop(runs, topics, seed, level, has_gaps):
    random = np.random.default_rng(seed)
    scores = np.round(random.random((runs, topics)), 1)
    if has_gaps:
        scores[random.random((runs, topics)) < 0.3] = np.nan
    found = bootstrap_ranks(scores, samples=60, seed=seed, level=level)
    best, worst, wins = slow_ranks(scores, 60, seed, level)
    assert found.best.tolist() == best
    assert found.worst.tolist() == worst
    assert found.first_shares == pytest.approx(wins, abs=1e-12)


def test_samples_are_drawn_a_block_at_a_time(monkeypatch):
    scores = np.random.default_rng(1).random((7, 11))
    whole = bootstrap_ranks(scores, samples=500, seed=5)
    monkeypatch.setattr("scoring.core.statistics.rank_intervals._CELLS_AT_A_TIME", 50)
    parts = bootstrap_ranks(scores, samples=500, seed=5)
    assert (whole.best == parts.best).all()
    assert (whole.worst == parts.worst).all()
    assert whole.first_shares == pytest.approx(parts.first_shares, abs=1e-12)


def test_large_scores_are_compared_in_the_same_unit():
    # Sums of 10,000 and 8,000 retrieved documents need units of different size.
    scores = np.array([[5_000.0, 5_000.0], [4_000.0, 4_000.0], [4_000.0, 4_000.0]])
    found = bootstrap_ranks(scores, samples=50, seed=1)
    assert found.best.tolist() == found.worst.tolist() == [1, 2, 2]
    assert found.first_shares.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("shape", "options", "words"),
    [
        ((0, 3), {}, "one run and one topic"),
        ((3, 0), {}, "one run and one topic"),
        ((2, 2), {"samples": 1}, "at least 2"),
        ((2, 2), {"level": 1.0}, "between 0 and 1"),
    ],
)
def test_bad_arguments(shape, options, words):
    with pytest.raises(ValueError, match=words):
        bootstrap_ranks(np.zeros(shape), **({"samples": 10, "seed": 1} | options))


GAPS = [[0.1, 0.2, 0.3, np.nan, 0.5, 0.6], [0.2, 0.3, 0.4, 0.9, np.nan, 0.7]]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (np.zeros((0, 9)), "Two runs or more are needed."),
        (np.random.default_rng(1).random((1, 9)), "Two runs or more are needed."),
        (np.random.default_rng(1).random((3, 2)), "5 topics or more are needed, and there are 2."),
        (np.array(GAPS)[:, [0, 1, 2, 5]], "5 topics or more are needed, and there are 4."),
        (np.full((3, 9), np.nan), "5 topics or more are needed, and there are 0."),
        (np.full((3, 9), 0.4), "Any two runs differ by the same on all topics"),
        (np.arange(6.0) / 7 + np.array([[0.1], [0.3], [0.2]]), "Any two runs differ by the same"),
        (np.array(GAPS), "Any two runs differ by the same"),
        (np.array([*GAPS, [0.5] * 6]), ""),
        (np.random.default_rng(1).random((2, 5)), ""),
    ],
)
def test_a_sentence_says_why_samples_of_topics_say_nothing(scores, words):
    found = why_no_ranges(scores)
    assert found.startswith(words)
    assert bool(found) == bool(words)


def test_possible_ranks_by_hand():
    base, upper = np.array([0.5, 0.4, 0.2, 0.4]), np.array([0.6, 0.55, 0.3, 0.4])
    best, worst = possible_ranks(base, upper)
    assert best.tolist() == [1, 1, 4, 2]
    assert worst.tolist() == [2, 2, 4, 3]


def test_a_run_without_a_score_is_ahead_of_nobody():
    base, upper = np.array([0.5, np.nan, 0.2]), np.array([0.6, np.nan, 0.7])
    best, worst = possible_ranks(base, upper)
    assert best.tolist() == [1, 3, 1]
    assert worst.tolist() == [2, 3, 2]


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 3)),
        min_size=1,
        max_size=5,
    )
)
def test_possible_ranks_are_those_of_all_completions(ranges):
    base = np.array([low / 10 for low, _ in ranges])
    upper = np.array([(low + width) / 10 for low, width in ranges])
    ends = [sorted({low, low + width}) for low, width in ranges]
    seen = [
        [1 + sum(other > mine for other in means) for mine in means]
        for means in itertools.product(*ends)
    ]
    best, worst = possible_ranks(base, upper)
    assert best.tolist() == [min(ranks) for ranks in zip(*seen, strict=True)]
    assert worst.tolist() == [max(ranks) for ranks in zip(*seen, strict=True)]
