"""The randomisation test: written out, near the test of all flips, and the same for many runs as
for each pair."""

import math
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.statistics import sign_flips
from scoring.core.statistics.pairs import (
    ALL_FLIPS,
    FLIPS,
    NOTHING,
    Outcomes,
    Pairs,
    all_pairs,
    compare,
    winners_first,
)
from scoring.core.statistics.sign_flips import SignFlips, sign_flip
from tests.scoring.core.test_significance import drawn_scores, one


@pytest.mark.parametrize("tail", ["two", "one"])
def test_sign_flips_written_out(tail):
    differences = [0.3, -0.1, 0.2, 0.2, 0.1]
    heads = np.random.default_rng(7).integers(0, 2, (31, 5), np.int8)
    tenths, exceeding = [3, -1, 2, 2, 1], 0
    for flips in heads:
        total = sum(d if head else -d for d, head in zip(tenths, flips, strict=True))
        exceeding += (abs(total) if tail == "two" else total) >= 7
    p, total, method = one(sign_flip, *differences, samples=31, seed=7, tail=tail)
    assert p == (exceeding + 1) / 32
    assert total == pytest.approx(0.7)
    assert method == FLIPS


@pytest.mark.parametrize("tail", ["two", "one"])
@given(
    tenths=st.lists(st.integers(-3, 3), min_size=1, max_size=8), gaps=st.integers(0, 3),
    samples=st.integers(256, 511),
)  # fmt: skip
def test_as_many_samples_as_signs_are_all_signs_written_out(tenths, gaps, samples, tail):
    seen = sum(tenths)
    sums = [sum(d * s for d, s in zip(tenths, signs, strict=True))
            for signs in product((1, -1), repeat=len(tenths))]  # fmt: skip
    exceeding = [abs(s) >= abs(seen) if tail == "two" else s >= seen for s in sums]
    differences = [d / 10 for d in tenths] + [np.nan] * gaps
    p, _, method = one(sign_flip, *differences, samples=samples, seed=1, tail=tail)
    assert p == sum(exceeding) / len(sums)
    assert method == (ALL_FLIPS if any(tenths) else NOTHING)


def test_two_equal_differences_have_one_half_and_none_below_what_their_topics_allow():
    assert one(sign_flip, 0.05, 0.05, samples=10_000, seed=1)[::2] == (0.5, ALL_FLIPS)
    assert one(sign_flip, 0.05, 0.05, samples=10_000, seed=1, tail="one")[0] == 0.25
    assert one(sign_flip, *[0.1] * 13, samples=8192, seed=1)[0] == 2 / 2**13
    assert one(sign_flip, *[0.1] * 13, samples=8191, seed=1)[2] == FLIPS


SHAPES = {
    "continuous": lambda rng: rng.random((12, 30)),
    "precision": lambda rng: rng.integers(0, 11, (12, 30)) / 10,
    "reciprocal ranks": lambda rng: 1 / rng.integers(1, 8, (12, 30)),
    "thirds": lambda rng: rng.integers(0, 4, (12, 6)) / 3,
    "almost the same": lambda rng: rng.random(30) + (rng.random((12, 30)) < 0.1) * rng.random(30),
    "the same": lambda rng: np.tile(rng.random(30), (12, 1)),
    "large": lambda rng: rng.integers(0, 10_000, (12, 30)) / 7,
    "some undefined": lambda rng: np.where(rng.random((12, 9)) < 0.2, np.nan, rng.random((12, 9))),
    "no common topics": lambda rng: np.where(np.eye(12, 12), rng.random((12, 12)), np.nan),
    "few topics": lambda rng: rng.random((12, 2)),
}  # fmt: skip


@pytest.mark.parametrize("tail", ["two", "one"])
@pytest.mark.parametrize("shape", SHAPES)
def test_sign_flips_of_runs_are_those_of_their_pairs(shape: str, tail: str) -> None:
    rng = np.random.default_rng(3)
    scores = SHAPES[shape](rng)
    fast = SignFlips(500, seed=4, tail=tail)
    slow = partial(sign_flip, samples=500, seed=4, tail=tail)
    for pairs, others in (
        (all_pairs(len(scores)), None),
        (winners_first(scores), None),
        (winners_first(scores), scores + rng.random(scores.shape) / 9),
        (Pairs(np.array([3, 3, 0, 3, 5]), np.array([1, 3, 4, 1, 9])), scores[::-1].copy()),
        (all_pairs(0), None),
    ):
        found, expected = (compare(test, pairs, scores, others) for test in (fast, slow))
        for name in ("p_values", "topics", "methods"):
            assert np.array_equal(getattr(found, name), getattr(expected, name), equal_nan=True)
        assert np.allclose(found.statistics, expected.statistics, rtol=0, atol=1e-12)


def test_sign_flips_of_many_runs_in_blocks_of_samples_and_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = np.random.default_rng(5).integers(0, 9, (40, 10)) / 8
    pairs = all_pairs(len(scores))
    whole = compare(SignFlips(1000, seed=6), pairs, scores).p_values
    monkeypatch.setattr(sign_flips, "_CELLS_OF_RUNS", 40 * 77)
    monkeypatch.setattr(sign_flips, "_SUMS_IN_CACHE", 32 * 77)
    assert np.array_equal(compare(SignFlips(1000, seed=6), pairs, scores).p_values, whole)


def test_few_pairs_of_continuous_scores_need_the_slow_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the fast way is none."""
    decided: list[int] = []

    def count(differences: np.ndarray, **options: object) -> Outcomes:
        decided.append(len(differences))
        return sign_flip(differences, **options)

    monkeypatch.setattr(sign_flips, "sign_flip", count)
    rng = np.random.default_rng(7)
    for scores in (rng.random((60, 50)), rng.integers(0, 11, (60, 50)) / 10):
        compare(SignFlips(1000, seed=8), all_pairs(60), scores)
    assert sum(decided) == 0


@pytest.mark.parametrize("options", [{"samples": 0}, {"samples": 9, "tail": "three"}])
def test_sign_flips_refuse_what_sign_flip_refuses(options: dict) -> None:
    with pytest.raises(ValueError, match=r"samples|tail"):
        compare(SignFlips(seed=1, **options), all_pairs(2), np.ones((2, 3)))


def test_sign_flips_come_near_all_flips():
    differences = np.round(np.random.default_rng(3).normal(0.05, 0.1, 12), 3)
    sums = np.array([differences @ signs for signs in product((1, -1), repeat=12)])
    exact = (np.abs(sums) >= abs(differences.sum()) - 1e-12).mean()
    found = one(sign_flip, *differences, samples=4_000, seed=5)[0]
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 4_000))
    assert one(sign_flip, *differences, samples=4_096, seed=5)[0] == exact


def test_a_pair_has_the_same_p_value_in_any_company():
    scores = drawn_scores(4, runs=80, topics=50)
    test = partial(sign_flip, samples=100, seed=2)
    pairs = all_pairs(80)
    together = compare(test, pairs, scores)
    assert len(pairs) * 50 > 1 << 17  # more than one block
    for place in (0, 1500, 3159):
        first, second = pairs.candidates[place], pairs.baselines[place]
        alone = test((scores[first] - scores[second])[None])
        assert alone.p_values[0] == together.p_values[place]
