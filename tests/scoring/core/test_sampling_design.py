"""Which documents are sampled, with which probabilities."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.core.distributions import student_quantile
from scoring.core.judging.candidates import collect_candidates
from scoring.core.sampling.design import CERTAIN, capped_shares, design_sample, share_budget
from scoring.core.sampling.drawing import draw_sample, draw_samples
from scoring.core.sampling.sizes import ap_rank_weights, document_sizes, rbp_rank_weights
from tests.scoring.core.sampled import (
    every_sample,
    joint_probabilities,
    ranking,
    small_campaign,
)


def joint_by_listing(probabilities):
    """Brewer's two draws one after the other, in words: the first document with a chance
    proportional to q (1 - q) / (1 - 2 q), the second proportional to q among the others."""
    halves = [p / 2 for p in probabilities]
    chances = [q * (1 - q) / (1 - 2 * q) for q in halves]
    joint = np.diag(probabilities).astype(float)
    for one, two in permutations(range(len(halves)), 2):
        first = chances[one] / sum(chances)
        second = halves[two] / (sum(halves) - halves[one])
        joint[one, two] += first * second
        joint[two, one] += first * second
    return joint


@pytest.mark.parametrize("probabilities", [[0.8, 2 / 3, 8 / 15], [0.9, 0.5, 0.3, 0.2, 0.1]])
def test_joint_probabilities_are_those_of_the_two_draws(probabilities):
    joint = joint_probabilities(np.array(probabilities))
    assert joint == pytest.approx(joint_by_listing(probabilities), abs=1e-12)
    assert joint.sum(axis=1) == pytest.approx(2 * np.array(probabilities), abs=1e-12)


def test_joint_probabilities_of_three_documents_by_hand():
    """Of three documents the pair is drawn that lacks the third."""
    joint = joint_probabilities(np.array([4 / 5, 2 / 3, 8 / 15]))
    assert joint[0, 1] == pytest.approx(7 / 15, abs=1e-12)
    assert joint[0, 2] == pytest.approx(1 / 3, abs=1e-12)
    assert joint[1, 2] == pytest.approx(1 / 5, abs=1e-12)


def test_a_size_by_hand():
    candidates = collect_candidates([ranking(t="a b"), ranking(t="b c")], topics=["t"])
    weights = rbp_rank_weights(0.5, 2)  # .5, .25
    assert document_sizes(candidates, weights, over_runs="sum").tolist() == [0.5, 0.75, 0.25]
    squared = document_sizes(candidates, weights)
    assert squared == pytest.approx([0.5, np.sqrt(0.3125), 0.25], abs=1e-12)
    mixed = document_sizes(candidates, weights, over_runs="sum", uniform=0.5)
    assert mixed.tolist() == [0.5, 0.625, 0.375]


def test_the_weights_of_average_precision_by_hand():
    """Of three ranks: (1 + 1/1 + 1/2 + 1/3) / 6 and so on; they add up to 1."""
    assert ap_rank_weights(3) == pytest.approx([17 / 36, 11 / 36, 8 / 36], abs=1e-12)


def test_sizes_do_not_depend_on_the_order_of_the_runs():
    runs = [ranking(t="a b c d e f"), ranking(t="d c a x"), ranking(t="x b a")]
    weights = rbp_rank_weights(0.83, 6)
    for over_runs in ("square", "sum"):
        found = {
            document_sizes(
                collect_candidates(order, topics=["t"]), weights, over_runs=over_runs
            ).tobytes()
            for order in permutations(runs)
        }
        assert len(found) == 1


def test_shares_that_are_capped_by_hand():
    shares = capped_shares(np.array([6.0, 2.0, 1.0, 1.0]), 2.0, 0.9)
    assert shares == pytest.approx([0.9, 0.55, 0.275, 0.275], abs=1e-12)


@given(st.lists(st.floats(1e-9, 1.0), min_size=3, max_size=60), st.integers(2, 60))
def test_every_sample_has_the_size_of_the_budget(sizes, budget):
    names = [f"d{number:02}" for number in range(len(sizes))]
    candidates = collect_candidates([ranking(t=" ".join(names))], topics=["t"])
    design = design_sample(candidates, np.array(sizes), budget=budget)
    assert design.sample_size == min(budget, len(sizes))
    assert ((design.probabilities > 0) & (design.probabilities <= 1)).all()
    assert design.probabilities.sum() == pytest.approx(design.sample_size, abs=1e-9)
    for members in design.members:
        assert len(members) >= 3
        assert design.probabilities[members].sum() == pytest.approx(2, abs=1e-9)
        assert design.probabilities[members].max() <= 0.9 + 1e-12


def test_the_budget_goes_to_topics_by_their_weight():
    rows = np.array([0] * 10 + [1] * 10 + [2], np.int32)
    sizes = np.array([3.0] * 10 + [1.0] * 10 + [0.001])
    assert share_budget(rows, sizes, 4, 13).tolist() == [9, 3, 1, 0]
    assert share_budget(rows, sizes, 4, 100).tolist() == [10, 10, 1, 0]
    with pytest.raises(ValueError, match="at least 5"):
        share_budget(rows, sizes, 4, 4)


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf])
def test_a_size_that_gives_no_probability_is_refused(wrong):
    candidates = collect_candidates([ranking(t="a b c")], topics=["t"])
    with pytest.raises(ValueError, match="positive"):
        design_sample(candidates, np.array([1.0, wrong, 1.0]), budget=2)


def test_samples_are_drawn_as_often_as_the_probabilities_say():
    candidates = small_campaign()
    design = design_sample(
        candidates, document_sizes(candidates, rbp_rank_weights(0.6, 7)), budget=7
    )
    drawn = draw_samples(design, seed=3, draws=20_000)
    counts = {}
    for sample in drawn:
        counts[sample.pairs.tobytes()] = counts.get(sample.pairs.tobytes(), 0) + 1
    expected = {each.pairs.tobytes(): chance for each, chance in every_sample(design)}
    assert sum(expected.values()) == pytest.approx(1, abs=1e-12)
    assert counts.keys() <= expected.keys()
    observed = np.array([counts.get(key, 0) for key in expected])
    chances = np.array(list(expected.values())) * len(drawn)
    assert stats.chisquare(observed, chances).pvalue > 0.001


def test_a_drawn_sample_knows_its_probabilities_and_the_same_seed_draws_it_again():
    candidates = small_campaign()
    design = design_sample(
        candidates, document_sizes(candidates, rbp_rank_weights(0.6, 7)), budget=9
    )
    sample, again = draw_sample(design, seed=5), draw_sample(design, seed=5)
    assert sample.documents.tolist() == again.documents.tolist()
    assert len(set(sample.documents.tolist())) == 9
    assert (design.strata[sample.certain] == CERTAIN).all()
    for stratum, (pair, joint) in enumerate(zip(sample.pairs, sample.joint, strict=True)):
        members = design.members[stratum]
        places = np.searchsorted(members, pair)
        table = joint_by_listing(design.probabilities[members].tolist())
        assert joint == pytest.approx(table[tuple(places)], abs=1e-12)
    others = {tuple(draw_sample(design, seed=seed).documents.tolist()) for seed in range(20)}
    assert len(others) > 10


def test_documents_of_great_size_are_judged_for_certain():
    names = " ".join(f"d{number:02}" for number in range(20))
    candidates = collect_candidates([ranking(t=names)], topics=["t"])
    design = design_sample(candidates, rbp_rank_weights(0.7, 20), budget=8)
    assert design.strata.tolist()[:2] == [CERTAIN, CERTAIN]
    pairs = list(combinations(range(design.stratum_count), 2))
    for one, two in pairs:
        assert design.members[one].max() < design.members[two].min()


@pytest.mark.parametrize("probability", [0.6, 0.95, 0.975, 0.9999])
def test_students_quantile_is_scipys(probability):
    degrees = np.array([1.0, 1.01, 1.7, 2.0, 3.5, 10.0, 88.8, 1e4, 1e8])
    found = student_quantile(degrees, probability)
    assert found == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-12)


@pytest.mark.parametrize("probability", [0.5, 1.0, 0.2])
def test_a_quantile_that_does_not_exist_is_refused(probability):
    with pytest.raises(ValueError, match="between 1/2 and 1"):
        student_quantile(np.array([3.0]), probability)
