"""xinfAP: by hand, by a literal twin, with one stratum, and over every possible sample."""

from itertools import combinations, product

import numpy as np
import pytest

from scoring.core.data.grades import UNJUDGED
from scoring.core.measures.arrays import GradedTopics
from scoring.core.measures.graded import evaluate
from scoring.core.measures.names import parse_measure
from scoring.core.sampling.stratified_inferred import (
    EPSILON,
    OUTSIDE,
    PoolStrata,
    count_strata,
    stratified_inferred_ap,
)


def literal_twin(strata, outcomes, pool, extra):
    """Rank by rank, stratum by stratum."""
    estimates = {}
    for stratum in range(len(pool.documents)):
        if pool.judged[stratum]:
            estimates[stratum] = (
                pool.relevant[stratum] * pool.documents[stratum] / pool.judged[stratum]
            )
    total = sum(estimates.values())
    if total == 0:
        return 0.0
    score = 0.0
    for stratum, estimate in estimates.items():
        precisions = 0.0
        for rank in range(1, len(strata) + 1):
            if strata[rank - 1] != stratum or outcomes[rank - 1] != 1:
                continue
            above = [(strata[i], outcomes[i]) for i in range(rank - 1) if strata[i] != OUTSIDE]
            inside = 0.0
            for other in range(len(pool.documents)):
                own = [outcome for where, outcome in above if where == other]
                if not own:
                    continue
                good = sum(outcome == 1 for outcome in own)
                judged = sum(outcome != UNJUDGED for outcome in own)
                likely = (good + EPSILON) / (judged + extra * EPSILON)
                inside += len(own) / len(above) * likely
            precisions += 1 / rank + len(above) / rank * inside
        if pool.relevant[stratum]:
            score += estimate / total * precisions / pool.relevant[stratum]
    return score


def test_a_value_by_hand():
    """A relevant, B unjudged, B relevant, B not: (1 + 2 · 5/6) / 3, up to ε."""
    pool = PoolStrata(np.array([2, 4]), np.array([2, 2]), np.array([1, 1]))
    found = stratified_inferred_ap(
        np.array([0, 1, 1, 1]), np.array([1, UNJUDGED, 1, 0], np.int8), pool
    )
    assert pool.relevant_estimate == 3
    assert found == pytest.approx(8 / 9, abs=2 * EPSILON)
    likely = (1 + EPSILON) / (1 + 2 * EPSILON)  # of A, above rank 3
    exact = (1 + 2 * (1 + likely + 1 / 2) / 3) / 3
    assert found == pytest.approx(exact, abs=1e-12)


def drawn(seed, strata_count, depth=30):
    """A pool of 60 documents, some of them judged, and a ranking with documents from outside."""
    random = np.random.default_rng(seed)
    strata = random.integers(0, strata_count, 60)
    outcomes = random.choice(np.array([UNJUDGED, 0, 1], np.int8), 60, p=[0.4, 0.35, 0.25])
    places = random.permutation(80)[:depth]
    inside = places < 60
    own = np.where(inside, strata[places % 60], OUTSIDE)
    said = np.where(inside, outcomes[places % 60], np.int8(UNJUDGED)).astype(np.int8)
    return own, said, count_strata(strata, outcomes, strata_count)


@pytest.mark.parametrize("extra", [2.0, 3.0])
@pytest.mark.parametrize("strata_count", [1, 2, 5, 40])
def test_it_is_its_literal_twin(strata_count, extra):
    for seed in range(20):
        own, said, pool = drawn(seed, strata_count)
        found = stratified_inferred_ap(own, said, pool, extra=extra)
        assert found == pytest.approx(literal_twin(own, said, pool, extra), abs=1e-12)


@pytest.mark.parametrize(
    ("seed", "printed"),
    [
        (0, 0.086321288014055614),
        (1, 0.17198580414456036),
        (2, 0.21312864799690417),
        (3, 0.13389010732606038),
        (4, 0.080812816099677942),
        (5, 0.1970209235390312),
    ],
)
def test_it_is_what_sample_eval_of_nist_prints(seed, printed):
    """Its infAP with 17 digits in place of four, for `drawn(seed, 3)`."""
    found = stratified_inferred_ap(*drawn(seed, 3), extra=3.0)
    assert found == pytest.approx(printed, abs=1e-12)


def test_with_one_stratum_it_is_inf_ap():
    """Of trec_eval, as the catalogue has it."""
    measure = parse_measure("infAP")
    for seed in range(50):
        own, said, pool = drawn(seed, 1)
        graded = GradedTopics(
            said[None, :],
            np.array([[pool.judged[0] - pool.relevant[0], pool.relevant[0]]]),
            np.array([0.0, 1.0]),
            pooled=((own != OUTSIDE) & (said == UNJUDGED))[None, :],
        )
        expected = evaluate([measure], graded)[measure].base[0]
        assert stratified_inferred_ap(own, said, pool) == pytest.approx(expected, abs=1e-12)


def test_if_all_is_judged_it_is_average_precision():
    """Up to ε, and documents outside of the pool count as not relevant."""
    own = np.array([0, OUTSIDE, 1, 1, 0])
    said = np.array([1, UNJUDGED, 1, 0, 1], np.int8)
    pool = PoolStrata(np.array([3, 3]), np.array([3, 3]), np.array([3, 1]))
    average = (1 + 2 / 3 + 3 / 5) / 4
    assert stratified_inferred_ap(own, said, pool) == pytest.approx(average, abs=4 * EPSILON)


def test_a_topic_without_relevant_documents_has_0():
    pool = PoolStrata(np.array([2]), np.array([1]), np.array([0]))
    assert stratified_inferred_ap(np.array([0]), np.array([0], np.int8), pool) == 0


def test_over_every_sample_r_is_unbiased_and_the_bias_of_the_estimate_is_small():
    """Strata of 4 and 6 documents, of which 3 and 4 are drawn: 4 · 15 samples, all as likely. R is
    unbiased. AP is a ratio of estimates, so its mean is near the true one and not equal to it."""
    strata = np.array([0, 0, 1, 0, 1, 1, 0, 1, 1, 1])
    truth = np.array([1, 0, 1, 1, 0, 1, 0, 0, 1, 0], np.int8)
    everything = count_strata(strata, truth, 2)
    actual = stratified_inferred_ap(strata, truth, everything)
    found, sizes = [], []
    members = [np.flatnonzero(strata == stratum) for stratum in (0, 1)]
    for chosen in product(combinations(members[0], 3), combinations(members[1], 4)):
        said = np.full(10, UNJUDGED, np.int8)
        judged = [*chosen[0], *chosen[1]]
        said[judged] = truth[judged]
        pool = count_strata(strata, said, 2)
        sizes.append(pool.relevant_estimate)
        found.append(stratified_inferred_ap(strata, said, pool))
    assert len(found) == 60
    assert np.mean(sizes) == pytest.approx(everything.relevant_estimate, abs=1e-12)
    assert np.mean(found) == pytest.approx(actual, abs=0.03)
    assert np.mean(found) != pytest.approx(actual, abs=1e-6)
