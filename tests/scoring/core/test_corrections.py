"""Corrected p-values may be held against alpha as if there were one test."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.statistics.corrections import correct, randomised_tukey_hsd
from scoring.core.statistics.pairs import Pairs, all_pairs, compare
from scoring.core.statistics.sign_flips import sign_flip
from scoring.core.statistics.significance import paired_t

P_VALUES = np.array([0.04, 0.001, 0.03, 0.03, 0.2, 0.0005, 0.012, 0.9])
ANY_P_VALUES = st.lists(st.one_of(st.floats(0, 1), st.just(np.nan)), max_size=12).map(np.array)


@pytest.mark.parametrize(
    ("correction", "expected"),
    [  # multipletests of statsmodels 0.15.0
        ("holm", [0.15, 0.007, 0.15, 0.15, 0.4, 0.004, 0.072, 0.9]),
        (
            "benjamini-hochberg",
            [0.05333333333333334, 0.004, 0.048, 0.048, 0.2285714285714286, 0.004, 0.032, 0.9],
        ),
        ("none", P_VALUES),
    ],
)
def test_corrections_as_statsmodels_has_them(correction, expected):
    assert correct(P_VALUES, correction) == pytest.approx(np.array(expected), abs=1e-15)


@given(ANY_P_VALUES, st.sampled_from([0.01, 0.05, 0.3]))
def test_holm_and_benjamini_hochberg_by_their_step_rules(p_values, alpha):
    """Holm rejects from the smallest on until one fails; Benjamini-Hochberg up to the last."""
    order = sorted(np.flatnonzero(~np.isnan(p_values)).tolist(), key=lambda place: p_values[place])
    tests = len(order)
    passes = [p_values[place] * (tests - i) <= alpha for i, place in enumerate(order)]
    stepped_down = order[: passes.index(False) if False in passes else tests]
    assert sorted(stepped_down) == np.flatnonzero(correct(p_values, "holm") <= alpha).tolist()
    passes = [p_values[place] * (tests / (i + 1)) <= alpha for i, place in enumerate(order)]
    stepped_up = order[: tests - passes[::-1].index(True) if True in passes else 0]
    found = np.flatnonzero(correct(p_values, "benjamini-hochberg") <= alpha)
    assert sorted(stepped_up) == found.tolist()


@given(ANY_P_VALUES)
def test_what_could_not_be_tested_is_no_test(p_values):
    for correction in ("none", "holm", "benjamini-hochberg"):
        corrected = correct(p_values, correction)
        assert np.array_equal(np.isnan(corrected), np.isnan(p_values))
        alone = correct(p_values[~np.isnan(p_values)], correction)
        assert np.array_equal(corrected[~np.isnan(p_values)], alone)
        assert bool((alone >= p_values[~np.isnan(p_values)]).all())


def test_tukey_by_exchanging_scores_one_by_one():
    scores = np.array([[0.1, 0.4, 0.3], [0.2, 0.4, 0.9], [0.0, 0.1, 0.2]])
    pairs, samples = all_pairs(3), 200
    generator = np.random.default_rng(11)
    exchanged = [generator.permuted(np.tile(scores[:, t], (samples, 1)), axis=1) for t in range(3)]
    exceeding = np.zeros(3)
    for sample in range(samples):
        sums = [round(sum(topic[sample][run] for topic in exchanged), 9) for run in range(3)]
        seen = [0.7, 0.5, 1.2]  # sums .8, 1.5, .3
        exceeding += [round(max(sums) - min(sums), 9) >= distance for distance in seen]
    found = randomised_tukey_hsd(scores, pairs, samples=samples, seed=11)
    assert found.tolist() == ((exceeding + 1) / (samples + 1)).tolist()


def test_tukey_of_two_runs_is_the_sign_flip_test():
    scores = np.random.default_rng(1).random((2, 20))
    pairs = all_pairs(2)
    tukey = randomised_tukey_hsd(scores, pairs, samples=20_000, seed=1)[0]
    flips = sign_flip(scores[:1] - scores[1:], samples=20_000, seed=2).p_values[0]
    assert tukey == pytest.approx(flips, abs=0.02)


def test_tukey_separates_less_than_single_tests_and_keeps_its_level_among_equals():
    generator = np.random.default_rng(5)
    pairs = all_pairs(12)
    any_wrong = single = 0
    for seed in range(40):
        scores = generator.random((12, 15)) + generator.random(15)
        any_wrong += bool(
            (randomised_tukey_hsd(scores, pairs, samples=199, seed=seed) <= 0.05).any()
        )
        single += bool((compare(paired_t, pairs, scores).p_values <= 0.05).any())
    assert any_wrong <= 6
    assert single >= 20


def test_tukey_leaves_out_topics_where_a_run_has_no_score():
    scores = np.random.default_rng(2).random((3, 6))
    pairs = all_pairs(3)
    whole = randomised_tukey_hsd(scores[:, 1:], pairs, samples=50, seed=3)
    scores[1, 0] = np.nan
    assert randomised_tukey_hsd(scores, pairs, samples=50, seed=3).tolist() == whole.tolist()
    nothing = randomised_tukey_hsd(scores[:, :1], pairs, samples=50, seed=3)
    assert np.isnan(nothing).all()


def test_nothing_to_correct():
    assert correct(np.empty(0), "holm").shape == (0,)
    empty = Pairs(np.empty(0, np.intp), np.empty(0, np.intp))
    assert randomised_tukey_hsd(np.zeros((1, 3)), empty, samples=5, seed=0).shape == (0,)


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="correction"):
        correct(P_VALUES, "bonferroni")
    with pytest.raises(ValueError, match="outside"):
        correct(np.array([0.5, 1.5]), "holm")
    with pytest.raises(ValueError, match="samples"):
        randomised_tukey_hsd(np.zeros((2, 3)), all_pairs(2), samples=0, seed=0)
