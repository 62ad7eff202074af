"""The randomised max-|t| test: by hand, by a slow loop, by all signs, its error among equals."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scoring.core.statistics import max_t
from scoring.core.statistics.max_t import randomised_max_t
from scoring.core.statistics.pairs import ALL_FLIPS, FLIPS, NO_SPREAD, NOTHING
from scoring.core.statistics.sign_flips import sign_flip
from scoring.core.statistics.significance import paired_t
from tests.scoring.core.test_significance import drawn_scores

NAN = np.nan
Tenths = list[int | None]  # None: a topic that the run lacks
TENTHS = st.one_of(st.none(), st.integers(-3, 3))


def p_values_of(*rows: list[float], samples: int, seed: int = 1) -> tuple[list[float], list[float]]:
    found, corrected = randomised_max_t(np.array(rows, float), samples=samples, seed=seed)
    return found.p_values.tolist(), corrected.tolist()


def test_a_value_worked_by_hand() -> None:
    """With Q the sum of squares and S a sum, t² = (n - 1) S² / (n Q - S²).

    first  .1 .2 .3, Q = 14: sums 6, 0, 2, -4 of the signs +++ ++- +-+ +--, t² = 12, 0, .21, 1.23
    second .2 .1 -.1, Q = 6: sums 2, 4, 0, 2, t² = .57, 16, 0, .57
    greatest: 12, 16, .21, 1.23. Opposite signs have the same t².
    """
    p_values, corrected = p_values_of([0.1, 0.2, 0.3], [0.2, 0.1, -0.1], samples=8)
    assert p_values == [1 / 4, 3 / 4]
    assert corrected == [2 / 4, 3 / 4]


# --- a slow loop ---------------------------------------------------------------------------------


def squared_t(row: Tenths, signs: Iterable[int]) -> Fraction | float:
    """As in a textbook: mean² / (variance / n), without rounding."""
    values = [s * v for s, v in zip(signs, row, strict=True) if v is not None]
    n, mean = len(values), Fraction(sum(values), len(values))
    variance = sum((v - mean) ** 2 for v in values) / Fraction(n - 1)
    if variance == 0:
        return 0 if mean == 0 else np.inf
    return mean**2 / (variance / n)


def can_be_tested(row: Tenths) -> bool:
    known = [value for value in row if value is not None]
    return len(known) > 1 and (len(set(known)) > 1 or known[0] == 0)


def p_values_by_loop(
    rows: list[Tenths], flips: Iterable[Iterable[int]], seen: int
) -> tuple[list[float], list[float]]:
    """Of each run alone and corrected; `seen` is 1 if the differences themselves count as one more
    sample."""
    family = [at for at, row in enumerate(rows) if can_be_tested(row)]
    alone, together, samples = [0] * len(rows), [0] * len(rows), 0
    for signs in flips:
        chance = {at: squared_t(rows[at], signs) for at in family}
        for at in family:
            limit = squared_t(rows[at], [1] * len(rows[at]))
            alone[at] += chance[at] >= limit
            together[at] += max(chance.values()) >= limit
        samples += 1
    return tuple(
        [
            (count + seen) / (samples + seen) if at in family else NAN
            for at, count in enumerate(counts)
        ]
        for counts in (alone, together)
    )


def differences_of(rows: list[Tenths]) -> NDArray[np.float64]:
    return np.array([[NAN if v is None else v / 10 for v in row] for row in rows], float)


@given(st.data(), st.integers(0, 2**32))
def test_random_signs_written_out(data: st.DataObject, seed: int) -> None:
    topics = data.draw(st.integers(6, 9))
    row = st.lists(TENTHS, min_size=topics, max_size=topics)
    rows = [[1, -1] * (topics // 2) + [2] * (topics % 2), *data.draw(st.lists(row, max_size=4))]
    heads = np.random.default_rng(seed).integers(0, 2, (31, topics), np.int8)
    expected = p_values_by_loop(rows, (2 * heads.astype(int) - 1).tolist(), seen=1)
    found, corrected = randomised_max_t(differences_of(rows), samples=31, seed=seed)
    assert np.array_equal([found.p_values, corrected], expected, equal_nan=True)


@given(st.lists(st.lists(TENTHS, min_size=6, max_size=6), min_size=1, max_size=5))
def test_as_many_samples_as_signs_are_all_signs_written_out(rows: list[Tenths]) -> None:
    expected = p_values_by_loop(rows, product((1, -1), repeat=6), seen=0)
    found, corrected = randomised_max_t(differences_of(rows), samples=64, seed=1)
    assert np.array_equal([found.p_values, corrected], expected, equal_nan=True)
    assert FLIPS not in found.methods


@pytest.mark.parametrize("topics", [2, 5, 8, 11, 12])
def test_all_signs_of_up_to_twelve_topics_by_numpy(topics: int) -> None:
    differences = np.random.default_rng(topics).normal(0.03, 0.1, (7, topics))
    signs = np.array(list(product((1, -1), repeat=topics)), float)
    flipped = signs[:, None, :] * differences
    means, errors = flipped.mean(axis=2), flipped.std(axis=2, ddof=1) / np.sqrt(topics)
    t = np.abs(means / errors)
    limits = t[0] - 1e-9
    found, corrected = randomised_max_t(differences, samples=2**topics, seed=1)
    assert found.p_values.tolist() == (t >= limits).mean(axis=0).tolist()
    assert corrected.tolist() == (t.max(axis=1)[:, None] >= limits).mean(axis=0).tolist()
    assert found.methods.tolist() == [ALL_FLIPS] * 7
    fewer, _ = randomised_max_t(differences, samples=2**topics - 1, seed=1)
    assert fewer.methods.tolist() == [FLIPS] * 7


# --- of one run ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("topics", "samples"), [(50, 2_000), (9, 512)])
def test_one_run_has_the_p_value_of_the_test_without_the_maximum(topics: int, samples: int) -> None:
    """Which is that of the sum: for one run, t grows with it."""
    for seed in range(20):
        differences = np.random.default_rng(seed).normal(0.04, 0.1, (1, topics))
        found, corrected = randomised_max_t(differences, samples=samples, seed=3)
        expected = sign_flip(differences, samples=samples, seed=3)
        assert corrected.tolist() == found.p_values.tolist() == expected.p_values.tolist()
        assert found.methods.tolist() == expected.methods.tolist()
        assert found.statistics.tolist() == paired_t(differences).statistics.tolist()


def test_among_others_a_run_keeps_its_own_p_value_and_none_is_lower_corrected() -> None:
    scores = drawn_scores(5, runs=30, topics=40)
    differences = scores[1:] - scores[0]
    together, corrected = randomised_max_t(differences, samples=500, seed=2)
    alone = [randomised_max_t(row[None], samples=500, seed=2)[0].p_values[0] for row in differences]
    assert together.p_values.tolist() == alone
    assert (corrected >= together.p_values).all()
    assert (corrected > together.p_values).any()


def test_copies_of_a_run_change_no_p_value() -> None:
    """Where Holm's method counts each of them."""
    differences = np.random.default_rng(8).normal(0.05, 0.1, (4, 30))
    _, few = randomised_max_t(differences, samples=999, seed=1)
    _, many = randomised_max_t(np.tile(differences, (9, 1)), samples=999, seed=1)
    scaled = np.concatenate([differences, differences / 3])  # t does not depend on the unit
    _, of_scaled = randomised_max_t(scaled, samples=999, seed=1)
    assert many.tolist() == few.tolist() * 9
    assert of_scaled.tolist() == few.tolist() * 2


def test_equal_t_of_different_runs_count_as_equal_although_their_differences_are_rounded() -> None:
    """Sevenths and their thirds: with the signs of another row, each row has the t of that one."""
    sevenths = np.array([5, -3, 4, 1, 6, 2])
    rows = [sevenths, *(np.where(np.arange(6) == at, -1, 1) * sevenths for at in range(6))]
    expected = p_values_by_loop([row.tolist() for row in rows], product((1, -1), repeat=6), 0)
    differences = np.array([row / 7 / (1 + at) for at, row in enumerate(rows)])
    found, corrected = randomised_max_t(differences, samples=64, seed=1)
    assert [found.p_values.tolist(), corrected.tolist()] == list(expected)


@pytest.mark.parametrize("size", [0.1, 1 / 3, 0.7, 0.013])
def test_where_signs_make_all_differences_equal_t_is_infinite(size: float) -> None:
    """Not a large negative t² because a square is rounded."""
    for topics in range(4, 12):
        alternating = size * (-1.0) ** np.arange(topics)
        steady = np.linspace(0.5, 0.501, topics)
        _, corrected = randomised_max_t(np.array([alternating, steady]), samples=2**topics, seed=1)
        assert corrected[1] == 4 / 2**topics  # both runs have two such ways


# --- what cannot be tested -----------------------------------------------------------------------


def test_a_difference_without_spread_has_no_p_value_and_is_no_run_of_the_family() -> None:
    runs = np.random.default_rng(4).normal(0.04, 0.1, (3, 9))
    expected, expected_corrected = randomised_max_t(runs, samples=512, seed=1)
    others = [[0.1] * 9, [0.3] + [NAN] * 8, [NAN] * 9]  # no spread, one topic, none in common
    found, corrected = randomised_max_t(np.vstack([runs, others]), samples=512, seed=1)
    assert found.p_values[:3].tolist() == expected.p_values.tolist()
    assert corrected[:3].tolist() == expected_corrected.tolist()
    assert np.isnan([found.p_values[3:], corrected[3:]]).all()
    assert found.methods[3:].tolist() == [NO_SPREAD, NOTHING, NOTHING]
    assert found.topics.tolist() == [9, 9, 9, 9, 1, 0]


def test_a_run_that_differs_nowhere_has_one() -> None:
    assert p_values_of([0.0] * 4, samples=99) == ([1.0], [1.0])
    p_values, corrected = p_values_of([0.0] * 4, [0.1, 0.2, 0.3, 0.4], samples=99)
    assert p_values == corrected == [1.0, 2 / 16]


def test_topics_that_a_run_lacks_are_left_out_for_it_alone() -> None:
    whole = np.random.default_rng(6).normal(0.03, 0.1, (2, 8))
    gaps = whole.copy()
    gaps[0, [1, 5]] = NAN
    found, _ = randomised_max_t(gaps, samples=256, seed=1)
    without, _ = randomised_max_t(np.delete(whole[:1], [1, 5], axis=1), samples=64, seed=1)
    assert found.p_values[0] == without.p_values[0]
    assert found.p_values[1] == randomised_max_t(whole[1:], samples=256, seed=1)[0].p_values[0]
    assert found.topics.tolist() == [6, 8]


@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (0, 0)])
def test_nothing_to_test(shape: tuple[int, int]) -> None:
    found, corrected = randomised_max_t(np.zeros(shape), samples=9, seed=1)
    assert len(found.p_values) == len(corrected) == shape[0]
    assert np.isnan(corrected).all()


def test_less_than_one_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="samples"):
        randomised_max_t(np.ones((2, 3)), samples=0, seed=1)


@pytest.mark.parametrize("topics", [40, 10])
def test_blocks_of_samples_change_nothing(topics: int, monkeypatch: pytest.MonkeyPatch) -> None:
    differences = np.random.default_rng(7).normal(0.02, 0.1, (20, topics))
    whole, whole_corrected = randomised_max_t(differences, samples=1_024, seed=5)
    monkeypatch.setattr(max_t, "_CELLS_AT_A_TIME", 40 * 77)
    found, corrected = randomised_max_t(differences, samples=1_024, seed=5)
    assert found.p_values.tolist() == whole.p_values.tolist()
    assert corrected.tolist() == whole_corrected.tolist()


def test_large_differences_are_not_rounded_to_nothing() -> None:
    """In units of 1e-12 their sums are no exact numbers; t does not depend on the unit."""
    differences = np.random.default_rng(9).normal(0.3, 1, (3, 10))
    _, small = randomised_max_t(differences, samples=1_024, seed=1)
    _, large = randomised_max_t(differences * 1e6, samples=1_024, seed=1)
    assert large.tolist() == small.tolist()


# --- the error among equals ----------------------------------------------------------------------


def share_of_boards_with_an_error(
    draws: int, *, runs: int, topics: int, samples: int, near_copies: int
) -> float:
    """The share of boards of equally good runs on which any run differs significantly at 5 % from
    the baseline. Topics differ in difficulty, runs in variance, and `near_copies` of the runs are
    the baseline with a little noise."""
    generator = np.random.default_rng(2026)
    deviations = np.linspace(0.05, 0.2, runs)[:, None]
    deviations[:near_copies] = 0.001
    wrong = 0
    for draw in range(draws):
        difficulty, noise = generator.normal(0, [[0.25], [0.1]], (2, topics))
        baseline = 0.4 + difficulty + noise
        scores = 0.4 + difficulty + deviations * generator.normal(0, 1, (runs, topics))
        scores[:near_copies] += noise
        _, corrected = randomised_max_t(scores - baseline, samples=samples, seed=draw)
        wrong += bool((corrected <= 0.05).any())
    return wrong / draws


@pytest.mark.parametrize("near_copies", [0, 12])
def test_among_equals_any_run_is_significant_on_one_board_in_twenty(near_copies: int) -> None:
    """1,000 drawn boards: four standard errors are 2.8 %."""
    found = share_of_boards_with_an_error(
        1_000, runs=24, topics=20, samples=99, near_copies=near_copies
    )
    assert 0.022 <= found <= 0.078


@pytest.mark.exhaustive
@pytest.mark.parametrize("near_copies", [0, 64])
def test_the_familywise_error_of_128_runs_on_50_topics(near_copies: int) -> None:
    """10,000 drawn boards; 999 samples make p = .05 possible, so that the level is exact."""
    found = share_of_boards_with_an_error(
        10_000, runs=128, topics=50, samples=999, near_copies=near_copies
    )
    print(f"familywise error with {near_copies} near-copies of the baseline: {found:.2%}")
    assert 0.044 <= found <= 0.056
