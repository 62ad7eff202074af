"""Tests of all pairs at once say what single tests say, and what the papers print."""

import math
import os
import warnings
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.core.measures.arrays import Scores
from scoring.core.statistics.corrections import correct
from scoring.core.statistics.pairs import (
    EXACT,
    METHODS,
    NO_SPREAD,
    NORMAL,
    NOTHING,
    STUDENT,
    all_pairs,
    as_matrix,
    compare,
    winners_first,
)
from scoring.core.statistics.projection import projections, upper_bounds
from scoring.core.statistics.sign_flips import sign_flip
from scoring.core.statistics.signed_ranks import wilcoxon
from scoring.core.statistics.significance import (
    compare_winners,
    count_significant,
    indistinguishable_groups,
    paired_t,
)

DATA = os.environ.get("TRACKSIDE_DATA")
needs_data = pytest.mark.skipif(
    not DATA, reason="TRACKSIDE_DATA does not name the folder of real runs"
)
ONE_TAILED = {"two": "two-sided", "one": "greater"}


def one(test, *differences, **options):
    """Outcome of one pair, as p-value, statistic and method."""
    found = test(np.array([differences], float), **options)
    return found.p_values[0], found.statistics[0], int(found.methods[0])


def drawn_scores(seed, *, runs=12, topics=30, decimals=2, gaps=0.1):
    """Scores with ties and zero differences (few decimals) and topics that are not defined."""
    generator = np.random.default_rng(seed)
    scores = np.round(generator.beta(0.5, 1.5, (runs, topics)), decimals)
    scores += generator.normal(0, 1e-15, scores.shape)  # what float noise does to equal scores
    scores[generator.random(scores.shape) < gaps] = np.nan
    return scores


# --- against the papers' own data ---------------------------------------------------------------


def trec5(measure):
    path = Path(DATA) / "trec5-scores" / f"adhoc5_{measure}.csv"
    return np.loadtxt(path, delimiter=",", skiprows=1).T.copy()


@pytest.mark.data
@needs_data
@pytest.mark.parametrize(
    ("measure", "at_95", "at_99"), [("rr", 1000, 752), ("p10", 1150, 915), ("ap", 1164, 969)]
)
def test_table_iv_of_the_rbp_paper_by_the_t_test(measure, at_95, at_99):
    scores = trec5(measure)
    assert scores.shape == (61, 50)
    p_values = compare(paired_t, all_pairs(61), scores).p_values
    assert len(p_values) == 1830
    assert (count_significant(p_values, 0.05), count_significant(p_values, 0.01)) == (at_95, at_99)


@pytest.mark.data
@needs_data
@pytest.mark.parametrize(
    ("measure", "at_95", "at_99", "within"),
    [("rr", 1020, 759, 0.02), ("p10", 1141, 897, 0.02), ("ap", 1259, 1077, 0)],
)
def test_table_iv_of_the_rbp_paper_by_wilcoxon(measure, at_95, at_99, within):
    p_values = compare(wilcoxon, all_pairs(61), trec5(measure)).p_values
    assert count_significant(p_values, 0.05) == pytest.approx(at_95, rel=within)
    assert count_significant(p_values, 0.01) == pytest.approx(at_99, rel=within)


@pytest.mark.data
@needs_data
def test_without_continuity_correction_one_more_pair_is_separated():
    p_values = compare(partial(wilcoxon, continuity=False), all_pairs(61), trec5("ap")).p_values
    assert count_significant(p_values, 0.05) == 1260


@pytest.mark.data
@needs_data
def test_each_pair_of_trec5_as_scipy_has_it():
    scores = trec5("ap")
    pairs = all_pairs(61)
    t, ranks = compare(paired_t, pairs, scores), compare(wilcoxon, pairs, scores)
    assert set(ranks.methods) == {EXACT, NORMAL}
    for place in range(0, len(pairs), 7):
        first, second = scores[pairs.candidates[place]], scores[pairs.baselines[place]]
        assert t.p_values[place] == pytest.approx(stats.ttest_rel(first, second).pvalue, abs=1e-12)
        expected = scipy_wilcoxon(np.round(first - second, 12), ranks.methods[place])
        assert ranks.p_values[place] == pytest.approx(expected, abs=1e-12)


# --- pair by pair against scipy -----------------------------------------------------------------


def scipy_wilcoxon(differences, method, *, tail="two", zeros="drop", continuity=True):
    return stats.wilcoxon(
        differences,
        zero_method="pratt" if zeros == "pratt" else "wilcox",
        correction=continuity,
        alternative=ONE_TAILED[tail],
        method={EXACT: "exact", NORMAL: "asymptotic"}[int(method)],
    ).pvalue


@pytest.mark.parametrize("tail", ["two", "one"])
@pytest.mark.parametrize("topics", [2, 7, 30, 60])
def test_t_is_scipys_for_every_pair(tail, topics):
    scores = drawn_scores(topics, topics=topics)
    pairs = all_pairs(len(scores))
    found = compare(partial(paired_t, tail=tail), pairs, scores)
    compared = 0
    for place, (first, second) in enumerate(combinations(scores, 2)):
        common = ~np.isnan(first - second)
        assert found.topics[place] == common.sum()
        if np.ptp(np.round((first - second)[common], 12)) == 0:
            continue
        if common.sum() < 2:
            assert np.isnan(found.p_values[place])
            continue
        expected = stats.ttest_rel(first[common], second[common], alternative=ONE_TAILED[tail])
        assert found.p_values[place] == pytest.approx(expected.pvalue, abs=1e-12)
        assert found.statistics[place] == pytest.approx(expected.statistic, rel=1e-9)
        compared += 1
    assert compared > 40


# --- worked by hand -----------------------------------------------------------------------------


def test_t_of_one_two_three():
    """Mean 2, deviation 1, t = 2 sqrt 3; with two degrees P(T > t) = (1 - t/sqrt(t² + 2)) / 2."""
    p, t, method = one(paired_t, 1, 2, 3)
    assert t == pytest.approx(2 * math.sqrt(3), abs=1e-12)
    assert p == pytest.approx(1 - math.sqrt(12 / 14), abs=1e-12)
    assert METHODS[method] == "Student's t"
    assert one(paired_t, 1, 2, 3, tail="one")[0] == pytest.approx(p / 2, abs=1e-12)
    assert one(paired_t, -1, -2, -3, tail="one")[0] == pytest.approx(1 - p / 2, abs=1e-12)


def test_float_noise_neither_breaks_ties_nor_makes_differences():
    clean, noisy = (0.3, -0.3, 0.1, 0.0), (0.1 + 0.2, -0.3, 0.1, 1e-17)
    assert one(wilcoxon, *clean) == one(wilcoxon, *noisy)
    assert one(wilcoxon, *noisy)[2] == EXACT
    options = {"samples": 99, "seed": 1}
    assert one(sign_flip, *clean, **options)[0] == one(sign_flip, *noisy, **options)[0]


@pytest.mark.parametrize("test", [paired_t, wilcoxon, partial(sign_flip, samples=99, seed=1)])
@pytest.mark.parametrize("tail", ["two", "one"])
def test_runs_that_differ_nowhere_are_not_different(test, tail):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p, _, method = one(test, 0.0, 1e-16, -1e-16, np.nan, tail=tail)
    assert (p, METHODS[method]) == (1.0, "nothing to test")


@pytest.mark.parametrize("test", [paired_t, wilcoxon, partial(sign_flip, samples=99, seed=1)])
def test_without_common_topics_there_is_no_p_value(test):
    p, _, method = one(test, np.nan, np.nan)
    assert np.isnan(p)
    assert method == NOTHING
    assert test(np.empty((2, 0))).topics.tolist() == [0, 0]


def test_t_of_one_topic_is_not_defined():
    assert np.isnan(one(paired_t, 0.3)[0])
    assert np.isnan(one(paired_t, 0.0)[0])


def test_the_same_difference_on_all_topics_has_no_spread_and_no_p_value():
    for tail in ("two", "one"):
        p, t, method = one(paired_t, 0.1 + 0.2, 0.3, 0.3, tail=tail)
        assert (np.isnan(p), t, method) == (True, np.inf, NO_SPREAD)
        p, t, method = one(paired_t, -0.3, -0.3, tail=tail)
        assert (np.isnan(p), t, method) == (True, -np.inf, NO_SPREAD)
    alike = np.array([[0.3, 0.3], [0.3, 0.2]])
    found = paired_t(alike)
    assert found.methods.tolist() == [NO_SPREAD, STUDENT]
    assert count_significant(correct(found.p_values, "holm"), 0.9) == 1  # of one test, not of two


# --- randomisation ------------------------------------------------------------------------------


# --- pairs, winners, counts, groups -------------------------------------------------------------


def test_the_winner_is_who_has_the_higher_mean_over_the_common_topics():
    scores = np.array([[0.1, 0.2, np.nan], [0.5, np.nan, 0.0], [0.1, 0.1 + 0.1, 0.9]])
    pairs = winners_first(scores)
    assert list(zip(pairs.candidates.tolist(), pairs.baselines.tolist(), strict=True)) == [
        (1, 0),  # .5 against .1 on the only common topic
        (0, 2),  # equal: the first
        (2, 1),  # .5 against .25
    ]


def test_a_winner_must_also_beat_what_the_other_could_still_be():
    base = np.array([np.linspace(0.4, 0.6, 20), np.linspace(0.3, 0.45, 20)])
    residual = np.full((2, 20), [[0.0], [0.2]])
    scores = Scores(base, residual)
    test = partial(paired_t, tail="one")
    p_values = {}
    for name, to_beat in [
        ("base", None),
        ("top", upper_bounds(scores)),
        ("projected", projections(scores)),
    ]:
        pairs, found = compare_winners(test, base, to_beat)
        assert (pairs.candidates.tolist(), pairs.baselines.tolist()) == ([0], [1])
        p_values[name] = found.p_values[0]
    assert p_values["base"] < 1e-12
    assert p_values["top"] > 0.999
    literal = stats.ttest_rel(base[0], base[1] / 0.8, alternative="greater")
    assert p_values["projected"] == pytest.approx(literal.pvalue, abs=1e-12)


def test_p_equal_to_alpha_separates_and_nan_never_does():
    assert count_significant(np.array([0.05, 0.050001, np.nan, 0.0]), 0.05) == 2


def test_groups_are_stretches_of_the_board_that_no_test_separates():
    means = np.array([0.2, 0.5, 0.4, 0.1, 0.45])  # board: 1 4 2 0 3
    p_values = np.full((5, 5), 0.9)
    for first, second in [(1, 0), (1, 3), (4, 3), (2, 3)]:
        p_values[first, second] = p_values[second, first] = 0.01
    pairs = all_pairs(5)
    found = p_values[pairs.candidates, pairs.baselines]
    assert indistinguishable_groups(means, found, pairs, alpha=0.05) == [
        [1, 4, 2],
        [4, 2, 0],
        [0, 3],
    ]
    assert indistinguishable_groups(means, found, pairs, alpha=0.001) == [[1, 4, 2, 0, 3]]
    nobody = all_pairs(0)
    assert indistinguishable_groups(np.empty(0), np.empty(0), nobody, alpha=0.05) == []


@given(st.integers(1, 7), st.randoms(use_true_random=False))
def test_groups_by_trying_all_stretches(runs, random):
    pairs = all_pairs(runs)
    p_values = np.array([random.choice([0.01, 0.9, np.nan]) for _ in range(len(pairs))])
    means = np.array([random.choice([0.1, 0.2, 0.3, 0.4]) for _ in range(runs)])
    board = sorted(range(runs), key=lambda run: -means[run])
    apart = as_matrix(p_values, pairs, runs) <= 0.05
    whole = [
        board[i:j]
        for i in range(runs)
        for j in range(i + 1, runs + 1)
        if not apart[np.ix_(board[i:j], board[i:j])].any()
    ]
    longest = [s for s in whole if not any(set(s) < set(other) for other in whole)]
    assert indistinguishable_groups(means, p_values, pairs, alpha=0.05) == longest


def test_no_runs_and_one_run_have_no_pairs():
    for runs in (0, 1):
        found = compare(wilcoxon, all_pairs(runs), np.zeros((runs, 5)))
        assert found.p_values.shape == (0,)


def test_wrong_input_is_refused():
    scores = np.zeros((2, 3))
    with pytest.raises(ValueError, match="infinite"):
        compare(paired_t, all_pairs(2), scores + np.inf)
    with pytest.raises(ValueError, match="baselines"):
        compare(paired_t, all_pairs(2), scores, scores[:, :2])
    with pytest.raises(ValueError, match="float64"):
        compare(paired_t, all_pairs(2), scores.astype(np.float32))
    with pytest.raises(ValueError, match="tail"):
        paired_t(scores, tail="both")
    with pytest.raises(ValueError, match="tail"):
        wilcoxon(scores, tail="both")
    with pytest.raises(ValueError, match="zeros"):
        wilcoxon(scores, zeros="zsplit")
    with pytest.raises(ValueError, match="samples"):
        sign_flip(scores, samples=0, seed=1)
    with pytest.raises(ValueError, match="alpha"):
        count_significant(np.zeros(2), 5)
