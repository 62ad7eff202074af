"""Means say over which topics, digits say how certain, ranks are shared."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.data.judgments import build_table
from scoring.core.measures.graded import Scores
from scoring.core.statistics.means import (
    Mean,
    mask_excluded,
    mean_scores,
    required_depth,
    shown_digits,
    topics_of_mean,
)
from scoring.core.statistics.ranks import shared_ranks

# judged documents of grade 0, 1, 2: usual, nothing relevant, only grade 1, not judged
COUNTS = np.array([[4, 1, 1], [3, 0, 0], [0, 2, 0], [0, 0, 0]])
ALL = np.ones(3, np.bool_)


@pytest.mark.parametrize(
    ("rel", "no_relevant", "included"),
    [
        (1, "exclude", [True, False, True, False]),
        (1, "zero", [True, True, True, False]),
        (2, "exclude", [True, False, False, False]),
        (2, "zero", [True, True, True, False]),
    ],
)
def test_the_policy_decides_on_topics_without_relevant_documents(rel, no_relevant, included):
    assert topics_of_mean(COUNTS, rel=rel, no_relevant=no_relevant).tolist() == included


@pytest.mark.parametrize("no_relevant", ["exclude", "zero"])
def test_a_topic_with_negative_judgments_only_is_out_under_both(no_relevant):
    table = build_table(
        topics=("1", "2"),
        qrels_topics=("1", "2"),
        topic_index=np.array([0, 1], np.int32),
        doc_ids=np.array([b"A", b"A"]),
        grades=np.array([-1, 1]),
        highest_grade=1,
    )
    assert topics_of_mean(table, rel=1, no_relevant=no_relevant).tolist() == [False, True]


def test_another_policy_or_rel_is_refused():
    with pytest.raises(ValueError, match="no_relevant"):
        topics_of_mean(COUNTS, rel=1, no_relevant="drop")
    with pytest.raises(ValueError, match="rel"):
        topics_of_mean(COUNTS, rel=0, no_relevant="zero")


def test_the_mean_is_over_the_included_topics():
    scores = Scores(np.array([0.5, 1.0, 0.0]), np.array([0.1, 0.3, 1.0]))
    assert mean_scores(scores, ALL).topics == 3
    assert mean_scores(scores, np.array([True, True, False])) == Mean(0.75, 0.2, 2)


def test_undefined_scores_are_left_out_with_their_count():
    scores = Scores(np.array([0.5, np.nan, 1.0]), None)
    assert mean_scores(scores, ALL) == Mean(0.75, None, 2)


@pytest.mark.parametrize("residual", [None, np.zeros(3)])
def test_the_mean_of_nothing_is_undefined(residual):
    mean = mean_scores(Scores(np.full(3, np.nan), residual), ALL)
    assert math.isnan(mean.base)
    assert mean.residual is None
    assert mean.topics == 0
    assert mean_scores(Scores(np.ones(3), residual), ~ALL).topics == 0


def test_counts_are_summed_and_geometric_means_multiplied():
    scores = Scores(np.array([2.0, 3.0, 1000.0]), None)
    included = np.array([True, True, False])
    assert mean_scores(scores, included, "sum") == Mean(5.0, None, 2)
    multiplied = mean_scores(Scores(np.array([0.00001, 0.9]), None), ALL[:2], "geometric")
    assert multiplied.base == pytest.approx((0.00001 * 0.9) ** 0.5, abs=1e-15)


@given(st.lists(st.floats(0, 1), min_size=1), st.randoms())
def test_the_order_of_topics_does_not_change_a_mean(values, random):
    shuffled = random.sample(values, len(values))
    included = np.ones(len(values), np.bool_)
    one = mean_scores(Scores(np.array(values), None), included)
    assert one == mean_scores(Scores(np.array(shuffled), None), included)


def test_excluded_topics_become_undefined():
    masked = mask_excluded(Scores(np.ones(3), np.zeros(3)), np.array([True, False, True]))
    assert np.isnan(masked.base).tolist() == [False, True, False]
    assert np.isnan(masked.residual).tolist() == [False, True, False]
    assert mask_excluded(Scores(np.ones(3), None), ALL).residual is None


@pytest.mark.parametrize(
    ("residual", "digits"),
    [
        (None, 4),
        (0.0, 4),
        (0.000099, 4),
        (0.0001, 3),
        (0.0009, 3),
        (0.001, 2),
        (0.0092, 2),  # 21 judged documents at p = .8: two digits
        (0.01, 1),
        (0.3, 1),
        (1.0, 1),
        (math.nan, 1),
    ],
)
def test_no_more_digits_are_shown_than_the_residual_leaves(residual, digits):
    assert shown_digits(residual) == digits


@pytest.mark.parametrize(
    ("persistence", "epsilon", "depth"),
    [
        (0.5, 0.0001, 14),
        (0.8, 0.0001, 42),
        (0.95, 0.0001, 180),
        (0.5, 0.5, 2),  # strictly less: .5^1 is not
        (0.5, 0.25, 3),
        (0.0, 0.0001, 1),
        (0.9, 1.0, 1),
        (0.9, 2.0, 0),
    ],
)
def test_the_required_depth(persistence, epsilon, depth):
    assert required_depth(persistence, epsilon) == depth


@given(st.floats(0, 0.999), st.floats(1e-9, 2))
def test_the_required_depth_is_the_first_that_suffices(persistence, epsilon):
    depth = required_depth(persistence, epsilon)
    assert persistence**depth < epsilon
    assert depth == 0 or persistence ** (depth - 1) >= epsilon


@pytest.mark.parametrize(("persistence", "epsilon"), [(1.0, 0.1), (-0.1, 0.1), (0.5, 0.0)])
def test_a_depth_that_does_not_exist_is_refused(persistence, epsilon):
    with pytest.raises(ValueError, match=r"persistence|epsilon"):
        required_depth(persistence, epsilon)


@pytest.mark.parametrize(
    ("values", "sign", "ranks"),
    [
        ([0.9, 0.5, 0.5, 0.1], 1, [1, 2, 2, 4]),
        ([0.9, 0.5, 0.5, 0.1], -1, [4, 2, 2, 1]),
        ([0.1, math.nan, 0.9], 1, [2, None, 1]),
        ([math.nan, 0.1, 0.9], -1, [None, 1, 2]),
        ([math.nan], 1, [None]),
        ([], 1, []),
        ([0.1 + 0.2, 0.3], 1, [1, 1]),  # float noise separates nobody
        ([0.0, -0.0], -1, [1, 1]),
    ],
)
def test_equal_values_share_a_rank(values, sign, ranks):
    assert shared_ranks(sign * np.array(values)) == ranks
