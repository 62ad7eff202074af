"""Agreement between assessors: by hand, by the formulas written out, and by statsmodels."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from scoring.core.statistics.assessor_agreement import (
    LEVELS,
    WEIGHTS,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    raw_agreement,
)

NONE = -1  # not judged

# Krippendorff, Computing Krippendorff's Alpha-Reliability: four observers, twelve units.
FOUR_OBSERVERS = np.array([
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
    [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
])  # fmt: skip


def same(value, abs=1e-12):
    return pytest.approx(float(value), abs=abs, nan_ok=True)


# --- by hand ------------------------------------------------------------------------------------


def test_two_assessors_of_fifty_documents():
    """20 times both yes, 15 times both no, 5 and 10 times not: 35/50 agree, by chance
    (25·30 + 25·20)/2500 = 1/2 would."""
    first = np.repeat([1, 1, 0, 0], [20, 5, 10, 15])
    second = np.repeat([1, 0, 1, 0], [20, 5, 10, 15])
    assert raw_agreement(np.array([first, second])) == same(Fraction(7, 10))
    assert cohen_kappa(first, second) == same(Fraction(2, 5))


def test_a_weighted_disagreement_counts_by_its_distance():
    """0 against 0, 1 against 1 and 2 against 0. Observed 2; of the nine pairs of a grade of one
    and a grade of the other the distances add up to 0+1+0, 1+0+1 and 2+1+2."""
    first, second = np.array([0, 1, 2]), np.array([0, 1, 0])
    assert cohen_kappa(first, second, weights="linear") == same(1 - Fraction(2 * 3, 8))
    assert cohen_kappa(first, second, weights="quadratic") == same(1 - Fraction(4 * 3, 12))
    assert cohen_kappa(first, second) == same(1 - Fraction(1 * 3, 6))


def test_three_assessors_of_two_documents():
    """All three say 1 of the one document, two say 0 of the other: P = (1 + 1/3)/2, and
    Pe = (2/6)² + (4/6)²."""
    grades = np.array([[1, 0], [1, 0], [1, 1]])
    agreed, by_chance = Fraction(2, 3), Fraction(5, 9)
    assert raw_agreement(grades) == same(agreed)
    assert fleiss_kappa(grades) == same((agreed - by_chance) / (1 - by_chance))
    # Of the three pairs of the second document two differ: 4 ordered pairs, each weighing 1/2, of
    # 6 judgments. Dealt out anew, 2·2·4 of 6·5 ordered pairs would.
    nominal = krippendorff_alpha(grades, level="nominal")
    assert nominal == same(1 - Fraction(2, 6) / Fraction(16, 30))


def test_krippendorffs_own_example():
    found = [krippendorff_alpha(FOUR_OBSERVERS, level=level) for level in LEVELS]
    assert [round(alpha, 3) for alpha in found] == [0.743, 0.815, 0.849]


def test_where_nothing_is_left_to_exceed_chance_nothing_is_said():
    one_grade = np.ones((3, 4), int)
    assert raw_agreement(one_grade) == 1
    assert np.isnan(fleiss_kappa(one_grade))
    assert np.isnan(cohen_kappa(one_grade[0], one_grade[1]))
    assert all(np.isnan(krippendorff_alpha(one_grade, level=level)) for level in LEVELS)


@pytest.mark.parametrize("grades", [np.empty((0, 0), int), np.array([[1, NONE], [NONE, 2]])])
def test_where_no_document_was_judged_twice_nothing_is_said(grades):
    assert np.isnan(raw_agreement(grades))
    assert np.isnan(krippendorff_alpha(grades))
    if len(grades):
        assert np.isnan(cohen_kappa(*grades))
        assert np.isnan(fleiss_kappa(grades))


def test_what_cannot_be_asked_is_refused():
    two, uneven = np.array([1, 2]), np.array([[1, 1], [1, NONE]])
    with pytest.raises(ValueError, match="as many assessors"):
        fleiss_kappa(uneven)
    with pytest.raises(ValueError, match="weights must be"):
        cohen_kappa(two, two, weights="cubic")
    with pytest.raises(ValueError, match="level must be"):
        krippendorff_alpha(uneven, level="ratio")
    with pytest.raises(ValueError, match="matrix"):
        raw_agreement(two)
    with pytest.raises(ValueError, match="for each document"):
        cohen_kappa(two, two[:1])


# --- slow twins -----------------------------------------------------------------------------------

DISTANCES = {
    "none": lambda a, b: int(a != b),
    "linear": lambda a, b: abs(a - b),
    "quadratic": lambda a, b: (a - b) ** 2,
}


def slow_cohen(first, second, weights):
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a >= 0 and b >= 0]
    apart = DISTANCES[weights]
    observed = sum(apart(a, b) for a, b in pairs) * len(pairs)
    expected = sum(apart(a, b) for a, _ in pairs for _, b in pairs)
    return 1 - Fraction(observed, expected) if expected else float("nan")


def slow_fleiss(documents):
    everything = [grade for grades in documents for grade in grades]
    pairs = [list(permutations(grades, 2)) for grades in documents]
    agreed = Fraction(sum(a == b for some in pairs for a, b in some), sum(map(len, pairs)))
    chance = sum(Fraction(everything.count(g), len(everything)) ** 2 for g in set(everything))
    return (agreed - chance) / (1 - chance) if chance != 1 else float("nan")


def slow_alpha(documents, level):
    """Over all ordered pairs of judgments: those of one document, and all there are."""
    documents = [grades for grades in documents if len(grades) > 1]
    everything = [grade for grades in documents for grade in grades]

    def apart(a, b):
        low, high = min(a, b), max(a, b)
        if level == "nominal":
            return Fraction(int(a != b))
        if level == "interval":
            return Fraction((a - b) ** 2)
        between = sum(low <= grade <= high for grade in everything)
        ends = Fraction(everything.count(low) + everything.count(high), 2)
        return (between - ends) ** 2 if low != high else Fraction(0)

    observed = sum(
        apart(a, b) / (len(grades) - 1) for grades in documents for a, b in permutations(grades, 2)
    )
    expected = sum(apart(a, b) for a, b in permutations(everything, 2))
    return 1 - (len(everything) - 1) * observed / expected if expected else float("nan")


def matrices(least):
    return st.tuples(st.integers(2, 4), st.integers(1, 6)).flatmap(
        lambda shape: st.lists(
            st.lists(st.integers(least, 3), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        ).map(np.array)
    )


def by_document(grades):
    return [[grade for grade in column if grade >= 0] for column in grades.T.tolist()]


@given(matrices(NONE))
def test_the_formulas_written_out_with_judgments_missing(grades):
    documents = by_document(grades)
    pairs = [pair for some in documents for pair in permutations(some, 2)]
    raw = Fraction(sum(a == b for a, b in pairs), len(pairs)) if pairs else float("nan")
    assert raw_agreement(grades) == same(raw)
    for level in LEVELS:
        assert krippendorff_alpha(grades, level=level) == same(slow_alpha(documents, level))
    for weights in WEIGHTS:
        slow = slow_cohen(*grades[:2].tolist(), weights)
        assert cohen_kappa(grades[0], grades[1], weights=weights) == same(slow)


@given(matrices(0))
def test_fleiss_kappa_written_out(grades):
    assert fleiss_kappa(grades) == same(slow_fleiss(by_document(grades)))


# --- statsmodels ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_kappas_are_those_of_statsmodels(seed):
    draw = np.random.default_rng(seed)
    grades = np.clip(draw.integers(0, 4, 60) + draw.integers(-1, 2, (5, 60)), 0, 3)
    counts, _ = inter_rater.aggregate_raters(grades.T, n_cat=4)
    assert fleiss_kappa(grades) == same(inter_rater.fleiss_kappa(counts))
    table, _ = inter_rater.to_table(grades[:2].T, bins=np.arange(5) - 0.5)
    for weights, theirs in zip(WEIGHTS, (None, "linear", "quadratic"), strict=True):
        expected = inter_rater.cohens_kappa(table, wt=theirs, return_results=False)
        assert cohen_kappa(grades[0], grades[1], weights=weights) == same(expected)
