"""Slow twins of NERR8 to NERR11: the probability of reading on, rank by rank, far past the end."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.measures.graded import GradedTopics, evaluate
from scoring.core.measures.names import make_measure
from tests.scoring.core.drawn import base, bounds
from tests.scoring.core.test_twins_of_adaptive_measures import trigamma
from tests.scoring.core.twins import HIGHEST, WORTH, agrees, cutoffs, is_relevant, rels, topics

FAR = 400  # ranks; a document worth .875 leaves one reader in eight


def rate(gains, factor, ranks, after=None):
    """The gain per document read within `ranks`; after these, `after(rank)` documents without a
    gain are read if the next one is."""
    gained = read = Decimal(0)
    reads = Decimal(1)
    for rank in range(1, ranks + 1):
        gain = gains[rank - 1]
        gained += reads * gain
        read += reads
        reads *= (1 - gain) * factor(rank)
    if after is not None:
        read += reads * after(ranks)
    return gained / read


def low_and_high(grades, worth, ranks):
    """The gains of the first ranks with what is unknown worth nothing, and worth the most."""
    most = max(map(worth, range(HIGHEST + 1)))
    missing = ranks - len(grades)
    low = [worth(max(grade, 0)) for grade in grades[:ranks]] + [Decimal(0)] * missing
    high = [most if grade < 0 else worth(grade) for grade in grades[:ranks]] + [most] * missing
    return low, high


def of_map(grade):
    return Decimal(WORTH[grade])


def binary(rel):
    return lambda grade: Decimal(is_relevant(grade, rel))


FACTORS = {
    "NERR8": lambda rank: Decimal(1),
    "NERR9": lambda rank: Decimal(rank) / (rank + 1),
}


@given(case=topics(), k=cutoffs, rel=rels, name=st.sampled_from(sorted(FACTORS)))
def test_nerr_to_a_cutoff(case, k, rel, name):
    for worth, how in ((binary(rel), {"rel": rel}), (of_map, {"gain": "map"})):

        def twin(run, counts, worth=worth):
            low, high = (rate(gains, FACTORS[name], k) for gains in low_and_high(run, worth, k))
            return low, high - low

        agrees(make_measure(name, cutoff=k, **how), twin, case)


@given(case=topics(), rel=rels, p=st.sampled_from([0.0, 0.5, 0.9, 0.95]))
def test_nerr_with_persistence(case, rel, p):
    for worth, how in ((binary(rel), {"rel": rel}), (of_map, {"gain": "map"})):

        def twin(run, counts, worth=worth):
            low, high = low_and_high(run, worth, FAR)
            least = rate(low, lambda rank: Decimal(p), FAR, lambda rank: 1 / (1 - Decimal(p)))
            return least, rate(high, lambda rank: Decimal(p), FAR) - least

        agrees(make_measure("NERR10", p=p, **how), twin, case)


@given(case=topics(), rel=rels, target=st.sampled_from([0.25, 1.0, 3.0, 40.0]))
def test_nerr_with_a_target(case, rel, target):
    def factor(rank):
        after = rank + 2 * Decimal(target)
        return ((after - 1) / after) ** 2

    def rest(rank):
        start = rank + 2 * Decimal(target)
        return start**2 * trigamma(start)

    for worth, how in ((binary(rel), {"rel": rel}), (of_map, {"gain": "map"})):

        def twin(run, counts, worth=worth):
            low, high = low_and_high(run, worth, FAR)
            least = rate(low, factor, FAR, rest)
            return least, rate(high, factor, FAR) - least

        agrees(make_measure("NERR11", T=target, **how), twin, case)


def test_nerr_by_hand():
    # the first relevant document at rank 3 of 5: one document in 3, in 1 + 1/2 + 1/3, in 1 + p + p²
    assert base("NERR8@5", "0010") == pytest.approx(1 / 3, abs=1e-15)
    assert base("NERR9@5", "0010") == pytest.approx(1 / 3 / (11 / 6), abs=1e-15)
    assert base("NERR10(p=0.5)", "0010") == pytest.approx(1 / 4 / (7 / 4), abs=1e-15)
    # weights 1, (2/3)², (2/4)²
    assert base("NERR11(T=1)", "0010") == pytest.approx(1 / 4 / (1 + 4 / 9 + 1 / 4), abs=1e-15)
    # grades 1 2 of 2 are worth 1/2 and 1: half of the readers go on
    assert base("NERR8(gain=map)@5", "12", highest=2) == pytest.approx(1 / 1.5, abs=1e-15)
    assert bounds("NERR8@5", "0?1") == pytest.approx((1 / 3, 1 / 2), abs=1e-15)
    for name in ("NERR8@5", "NERR9@5", "NERR10", "NERR11"):
        assert bounds(name, "") == (0, 1)
        assert bounds(name, "00000", highest=1)[0] == 0


@pytest.mark.parametrize("most", [1e-3, 1e-6, 1e-9])
def test_a_gain_map_of_small_gains_has_a_bound(most):
    """Nothing can be worth more than the highest gain, and everything unknown may be worth it."""
    graded = GradedTopics(np.array([[0, -1]], np.int8), np.array([[1, 0]]), np.array([0, most]))
    for name, how in (
        ("NERR8", {"cutoff": 5}),
        ("NERR9", {"cutoff": 5}),
        ("NERR10", {"p": 0.999}),
        ("NERR11", {}),
    ):
        measure = make_measure(name, gain="map", **how)
        scores = evaluate([measure], graded)[measure]
        assert scores.base.tolist() == [0]
        assert most / 4 < scores.residual[0] < most


def expected_reciprocal_rank(grades, k):
    """Stops at a document with the probability grade / (highest + 1)."""
    total, arrives = Fraction(0), Fraction(1)
    for rank, grade in enumerate(grades[:k], start=1):
        stops = Fraction(max(grade, 0), HIGHEST + 1)
        total += arrives * stops / rank
        arrives *= 1 - stops
    return total


@given(case=topics(), k=st.none() | cutoffs)
def test_expected_reciprocal_rank_by_grade(case, k):
    def twin(run, counts):
        least = expected_reciprocal_rank(run, k)
        ranks = FAR if k is None else k
        best = [HIGHEST if grade < 0 else grade for grade in run]
        best += [HIGHEST] * (ranks - len(run))
        return least, expected_reciprocal_rank(best, k) - least

    def normalised(run, counts):
        known = [grade for grade, count in enumerate(counts) for _ in range(count)]
        best = expected_reciprocal_rank(sorted(known, reverse=True), k)
        return (expected_reciprocal_rank(run, k) / best if best else 0), None

    agrees(make_measure("ERR", cutoff=k, gain="grade"), _in_decimals(twin), case)
    agrees(make_measure("nERR", cutoff=k, gain="grade"), normalised, case)


def _in_decimals(twin):
    def decimal(run, counts):
        return [Decimal(each.numerator) / each.denominator for each in twin(run, counts)]

    return decimal


def test_expected_reciprocal_rank_by_grade_by_hand():
    # grades 1 2 of 2: 1/3 + 2/3 · 2/3 / 2 = 5/9
    assert base("ERR(gain=grade)", "12", highest=2) == pytest.approx(5 / 9, abs=1e-15)
    # the ideal ranking is 2 1: 2/3 + 1/3 · 1/3 / 2 = 13/18
    assert base("nERR(gain=grade)", "12", highest=2) == pytest.approx(10 / 13, abs=1e-15)
    # all ranks of the highest grade 1: Σ 2^-i / i
    assert bounds("ERR(gain=grade)", "") == pytest.approx((0, math.log(2)), abs=1e-15)
