"""McSherry and Najork, tied scores (ECIR 2008): its formulas, word for word, on long lists.

Up to seven documents test_ties_by_brute_force.py tries every ordering; here the sums of the paper
(and of the RBP paper 4.7, and Cooper's) are taken in exact fractions over groups of any size.
"""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.data.alignment import align_fully
from scoring.core.measures.graded import GradedTopics
from scoring.core.measures.names import parse_measure
from scoring.core.ties.ties import NoTieRule, TiedTopics, bounds, expected, has_bounds
from tests.scoring.core.drawn import drawn
from tests.scoring.core.test_alignment import QRELS, table_of, tied_ranking


def tied(ranking, **facts):
    """One topic, `(` and `)` around each tied group."""
    signs, begins, inside, is_tied = [], [], False, False
    for sign in ranking:
        if sign in "()":
            is_tied = False
            inside = sign == "("
        else:
            begins.append(not is_tied)
            signs.append(sign)
            is_tied = inside
    return TiedTopics(drawn("".join(signs), **facts), np.array([begins]))


def score(name, ranking, **facts):
    measure = parse_measure(name)
    return expected([measure], tied(ranking, **facts))[measure]


def tied_base(name, ranking, **facts):
    return float(score(name, ranking, **facts).base[0])


# A tied list is a list of (documents of the group, relevant ones among them).
groups = st.lists(
    st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    min_size=1,
    max_size=8,
)


def written(lists):
    return "".join(f"({'$' * r}{'-' * (n - r)})" for n, r in lists)


def positions(lists):
    """(rank j, t, n, r, relevant before the group) for every rank."""
    t = before = 0
    for n, r in lists:
        for j in range(t + 1, t + n + 1):
            yield j, t, n, r, before
        t, before = t + n, before + r


def found_at(lists, k):
    return sum((Fraction(r, n) for j, _, n, r, _ in positions(lists) if j <= k), Fraction(0))


def rank_chance(x, q, r, n):
    """The q-th of r relevant documents is the x-th of n."""
    if not q <= x <= n - r + q:
        return Fraction(0)
    return Fraction(comb(x - 1, q - 1) * comb(n - x, r - q), comb(n, r))


def nth_chances(lists, nth):
    """(rank, how likely the nth relevant document has it)."""
    for j, t, n, r, before in positions(lists):
        if before < nth <= before + r:
            yield j, rank_chance(j - t, nth - before, r, n)


@given(lists=groups, k=st.integers(1, 100))
def test_precision_recall_and_f1(lists, k):
    known = sum(r for _, r in lists) or 1
    found = found_at(lists, k)
    ranking = written(lists)
    assert tied_base(f"P@{k}", ranking) == pytest.approx(float(found / k), abs=1e-12)
    recall = tied_base(f"R@{k}", ranking, relevant=known)
    assert recall == pytest.approx(float(found / known), abs=1e-12)
    f1 = tied_base(f"F1@{k}", ranking, relevant=known)
    assert f1 == pytest.approx(float(2 * found / (k + known)), abs=1e-12)
    exact = found_at(lists, known) / known
    assert tied_base("Rprec", ranking, relevant=known) == pytest.approx(float(exact), abs=1e-12)


@given(lists=groups, k=st.integers(1, 100))
def test_average_precision(lists, k):
    total = Fraction(0)
    for j, t, n, r, before in positions(lists):
        if j <= k and r:
            inside = Fraction(r - 1, n - 1) if n > 1 else 0
            total += Fraction(r, n) * (before + (j - t - 1) * inside + 1) / j
    known = sum(r for _, r in lists) or 1
    assert tied_base(f"SP@{k}", written(lists)) == pytest.approx(float(total), abs=1e-12)
    ap = tied_base(f"AP@{k}", written(lists), relevant=known)
    assert ap == pytest.approx(float(total / known), abs=1e-12)


@given(lists=groups, k=st.integers(1, 100), nth=st.integers(1, 40), damp=st.integers(0, 2))
def test_reciprocal_rank(lists, k, nth, damp):
    total = sum(
        (chance / (damp + j) for j, chance in nth_chances(lists, nth) if j <= k), Fraction(0)
    )
    found = tied_base(f"RR(nth={nth},damp={damp})@{k}", written(lists))
    assert found == pytest.approx(float(total), abs=1e-12)


@given(lists=groups, k=st.integers(1, 100))
def test_success_and_the_best_hit(lists, k):
    none = 1 - sum((chance for j, chance in nth_chances(lists, 1) if j <= k), Fraction(0))
    assert tied_base(f"Success@{k}", written(lists)) == pytest.approx(float(1 - none), abs=1e-12)
    assert tied_base(f"HIT@{k}", written(lists)) == pytest.approx(float(1 - none), abs=1e-12)


@given(lists=groups, k=st.integers(1, 100))
def test_discounted_gain_shares_its_discounts(lists, k):
    total = sum(r / n / np.log2(j + 1) for j, _, n, r, _ in positions(lists) if j <= k)
    assert tied_base(f"DCG@{k}", written(lists)) == pytest.approx(total, abs=1e-12)


@given(
    lists=st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=20), min_size=1, max_size=6),
    k=st.integers(1, 60),
)
def test_normalised_discounted_gain_of_labels(lists, k):
    """Section 2.6 with its own gain, 2^label - 1: each group's mean gain times its discounts."""
    total, begin = 0.0, 0
    for labels in lists:
        gain = sum(2**label - 1 for label in labels) / len(labels)
        ranks = range(begin + 1, min(begin + len(labels), k) + 1)
        total += gain * sum(1 / np.log2(1 + rank) for rank in ranks)
        begin += len(labels)
    ranking = "".join(f"({''.join(map(str, labels))})" for labels in lists)
    found = tied_base(f"DCG(gain=exp)@{k}", ranking, highest=3)
    assert found == pytest.approx(total, abs=1e-12 * max(1, total))
    ideal = sorted((2**label - 1 for labels in lists for label in labels), reverse=True)
    best = sum(gain / np.log2(1 + rank) for rank, gain in enumerate(ideal[:k], start=1))
    found = tied_base(f"nDCG(gain=exp)@{k}", ranking, highest=3)
    assert found == pytest.approx(total / best if best else 0, abs=1e-12)


@given(lists=groups, p=st.sampled_from([0.0, 0.5, 0.8, 0.95]))
def test_rank_biased_precision_shares_its_weights(lists, p):
    total = sum(r / n * (1 - p) * p ** (j - 1) for j, _, n, r, _ in positions(lists))
    assert tied_base(f"RBP(p={p})", written(lists)) == pytest.approx(total, abs=1e-12)


@given(lists=groups, wanted=st.integers(1, 40))
def test_expected_search_length_is_coopers(lists, wanted):
    """Irrelevant documents of the levels before, and q i/(r + 1) of the i in the last one."""
    total = sum(chance * (j - wanted) for j, chance in nth_chances(lists, wanted))
    found = tied_base(f"ESL(n={wanted})", written(lists))
    if sum(r for _, r in lists) < wanted:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(float(total), abs=1e-12 * max(1, float(total)))


@pytest.mark.parametrize(("size", "relevant", "nth"), [(1000, 500, 250), (1000, 3, 1), (900, 1, 1)])
def test_a_thousand_tied_documents(size, relevant, nth):
    lists = [(size, relevant)]
    total = sum(chance / j for j, chance in nth_chances(lists, nth))
    found = tied_base(f"RR(nth={nth})", written(lists))
    assert found == pytest.approx(float(total), rel=1e-10, abs=1e-12)
    none = Fraction(comb(size - relevant, 10), comb(size, 10))
    assert tied_base("Success@10", written(lists)) == pytest.approx(float(1 - none), abs=1e-12)


class TestUnknownDocuments:
    def test_a_group_shares_its_residual(self):
        # Weights .5, .25, .125: the pair shares .375, the end keeps .125
        found = score("RBP(p=0.5)", "$(?-)")
        assert found.base[0] == 0.5
        assert found.residual[0] == pytest.approx(0.375 / 2 + 0.125, abs=1e-15)

    def test_and_what_is_judged_in_it(self):
        assert tied_base("Judged@2", "$(?-)") == 0.75
        assert tied_base("Judged@5", "$(?-)") == pytest.approx(2 / 5, abs=1e-15)


def test_a_measure_without_closed_form_is_refused_by_name():
    measures = [parse_measure(n) for n in ("AP", "ERR@10", "RBP(p1=0.5,p2=0.8)", "bpref")]
    with pytest.raises(NoTieRule, match=r"'expected' .* ERR@10, RBP\(p1=0.5,p2=0.8\), bpref$"):
        expected(measures, tied("($-)"))
    with pytest.raises(NoTieRule, match="'bounds' is not defined for SNDCG@5"):
        bounds([parse_measure("SNDCG@5")], tied("($-)"))
    assert not has_bounds(parse_measure("SNAP@5"))


def test_the_bounds_of_a_ranking():
    measures = [parse_measure(name) for name in ("AP", "RR", "ESL(n=1)", "Judged@1", "unj@1")]
    found = bounds(measures, tied("(-$?)"))
    worst = [each.worst[0] for each in found.values()]
    best = [each.best[0] for each in found.values()]
    assert worst == pytest.approx([1 / 3, 1 / 3, 2, 0, 1], abs=1e-15)
    assert best == pytest.approx([1, 1, 0, 1, 0], abs=1e-15)


def test_a_run_is_scored_from_its_ranking():
    aligned = align_fully(tied_ranking(), table_of(QRELS), depth=8)
    graded = GradedTopics(
        aligned.grades, table_of(QRELS).grade_counts, np.array([0, 0.5, 1.0]), aligned.pooled
    )
    measures = [parse_measure("P@1"), parse_measure("infAP")]
    tied_topics = TiedTopics(graded, aligned.begins)
    # A (grade 2) and B (grade 0) are tied: B comes first in the file, A in half the orderings
    assert expected(measures[:1], tied_topics)[measures[0]].base.tolist() == [0.5, 0, 0]
    found = bounds(measures, tied_topics)
    assert [each.worst[0] for each in found.values()] == pytest.approx([0, 1 / 2], abs=1e-4)
    assert [each.best[0] for each in found.values()] == pytest.approx([1, 1], abs=1e-15)
