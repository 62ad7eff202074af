"""Effect sizes and bootstrap intervals go with every p-value."""

import math
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from scoring.core.statistics.intervals import bootstrap_intervals, effect_sizes


def one(*differences):
    return np.array([differences], float)


def skewed(seed, topics=25):
    return np.random.default_rng(seed).exponential(0.2, topics) - 0.1


def test_effect_sizes_by_hand():
    """1, 2, 3, 6: mean 3, squared deviations 4 + 1 + 0 + 9 = 14, deviation sqrt(14/3)."""
    found = effect_sizes(one(1, np.nan, 2, 3, 6))
    assert found.mean_differences.tolist() == [3]
    assert found.standardised[0] == pytest.approx(3 / math.sqrt(14 / 3), abs=1e-12)
    assert found.topics.tolist() == [4]


def test_standardised_effects_are_t_over_the_root_of_topics():
    differences = np.random.default_rng(1).normal(0.02, 0.1, (20, 30))
    t = stats.ttest_1samp(differences, 0, axis=1).statistic
    assert effect_sizes(differences).standardised == pytest.approx(t / math.sqrt(30), abs=1e-12)


def test_effects_without_spread():
    assert effect_sizes(one(0, 1e-17, -1e-17)).standardised.tolist() == [0]
    assert effect_sizes(one(0.1 + 0.2, 0.3)).standardised.tolist() == [np.inf]
    assert effect_sizes(one(-0.3, -0.3)).standardised.tolist() == [-np.inf]
    assert np.isnan(effect_sizes(one(0.3, np.nan)).standardised[0])
    assert np.isnan(effect_sizes(one(np.nan, np.nan)).mean_differences[0])


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_intervals_are_scipys_from_the_same_draws(method, level, seed):
    differences = skewed(seed)
    ours = bootstrap_intervals(
        differences[None], samples=999, seed=seed, level=level, method=method
    )
    theirs = stats.bootstrap(
        (differences,),
        np.mean,
        n_resamples=999,
        confidence_level=level,
        method={"bca": "BCa"}.get(method, method),
        rng=np.random.default_rng(seed),
    ).confidence_interval
    assert (ours.lower[0], ours.upper[0]) == pytest.approx(theirs, abs=1e-12)
    assert ours.level == level


def test_percentiles_written_out():
    differences = np.array([0.1, -0.2, 0.4, 0.3])
    drawn = np.random.default_rng(9).integers(0, 4, (101, 4))
    means = sorted(sum(differences[t] for t in topics) / 4 for topics in drawn)
    found = bootstrap_intervals(
        differences[None], samples=101, seed=9, level=0.9, method="percentile"
    )
    assert found.lower[0] == pytest.approx(means[5], abs=1e-12)
    assert found.upper[0] == pytest.approx(means[95], abs=1e-12)


def test_the_interval_leans_to_the_long_tail():
    differences = skewed(4, topics=40)[None]
    options = {"samples": 5000, "seed": 1}
    bca = bootstrap_intervals(differences, **options)
    percentile = bootstrap_intervals(differences, method="percentile", **options)
    assert bca.lower[0] > percentile.lower[0]
    assert bca.upper[0] > percentile.upper[0]


def test_most_intervals_hold_the_true_mean():
    differences = np.random.default_rng(6).normal(0, 0.2, (600, 30))
    found = bootstrap_intervals(differences, samples=1000, seed=2)
    holding = ((found.lower <= 0) & (found.upper >= 0)).mean()
    assert 0.90 <= holding <= 0.97


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_each_pair_is_drawn_from_its_own_common_topics(method):
    differences = np.array([skewed(seed, topics=12) for seed in range(5)])
    differences[1, :3] = differences[3, :3] = differences[4, 7] = np.nan
    options = {"samples": 200, "seed": 3, "method": method}
    together = bootstrap_intervals(differences, **options)
    for place, row in enumerate(differences):
        alone = bootstrap_intervals(row[~np.isnan(row)][None], **options)
        assert together.lower[place] == pytest.approx(alone.lower[0], abs=1e-12)
        assert together.upper[place] == pytest.approx(alone.upper[0], abs=1e-12)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_without_spread_or_topics(method):
    differences = np.array([[0.3, 0.1 + 0.2, np.nan], [np.nan] * 3, [0, 0, 1e-17], [1, 0, 0]])
    found = bootstrap_intervals(differences, samples=50, seed=1, method=method)
    assert found.lower[[0, 2]] == pytest.approx([0.3, 0], abs=1e-12)
    assert found.upper[[0, 2]] == pytest.approx([0.3, 0], abs=1e-12)
    assert np.isnan([found.lower[1], found.upper[1]]).all()
    assert 0 <= found.lower[3] <= found.upper[3] <= 1
    assert bootstrap_intervals(np.empty((0, 3)), samples=5, seed=1).lower.shape == (0,)


def test_wrong_input_is_refused():
    for wrong in ({"method": "basic"}, {"samples": 1}, {"level": 95}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            bootstrap_intervals(np.zeros((1, 3)), **({"samples": 5, "seed": 1} | wrong))


@pytest.mark.parametrize("topics", [7, 3_000])
def test_draws_in_blocks_are_those_of_all_samples_at_once(topics):
    """The seed gives the same draws, whatever the blocks: as from one matrix of them."""
    differences = np.random.default_rng(5).normal(0.01, 0.1, topics)
    found = bootstrap_intervals(differences[None], samples=1_500, seed=3, method="percentile")
    drawn = np.random.default_rng(3).integers(0, topics, (1_500, topics))
    ends = np.quantile(differences[drawn].mean(axis=1), (0.025, 0.975))
    assert [found.lower[0], found.upper[0]] == pytest.approx(ends, abs=1e-12)


def test_memory_does_not_grow_with_samples_times_topics():
    """6,980 topics and 10,000 samples at once were two gigabytes."""
    differences = np.random.default_rng(1).normal(0.01, 0.1, (1, 5_000))
    tracemalloc.start()
    try:
        bootstrap_intervals(differences, samples=2_000, seed=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60e6
